//! Messages as text.

mod floats;
mod grammar;
mod layout;
mod parse;
mod print;
mod syntax;
mod threads;
mod unknown;

//! Messages as text.

mod errors;
mod floats;
mod grammar;
mod layout;
mod parse;
mod print;
mod syntax;
mod threads;
mod unknown;

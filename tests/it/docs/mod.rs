//! The README and the pages of `docs/`: their examples, the options that they name, and their links.

mod ci;
mod examples;
mod facts;
mod page;

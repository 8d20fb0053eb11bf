//! Reports for people and for programs.

mod first_screen;
mod results;

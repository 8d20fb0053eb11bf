//! Reports for people and for programs.

mod results;

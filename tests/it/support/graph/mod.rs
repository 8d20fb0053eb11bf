//! Graphs for tests: planned, random, and from the corpus.

pub mod edits;
pub mod files;
pub mod pairs;
pub mod plan;
pub mod random;
pub mod spelling;
pub mod written;

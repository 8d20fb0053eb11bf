//! The text view of changes: `ckdiff --text`.

mod laws;
mod limits;
mod report;

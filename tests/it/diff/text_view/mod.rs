//! The text view of changes: `ckdiff --unified`.

mod laws;
mod limits;
mod report;

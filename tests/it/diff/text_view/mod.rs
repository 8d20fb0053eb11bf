//! The text view of changes: `ckdiff --unified`.

mod limits;
mod properties;
mod report;

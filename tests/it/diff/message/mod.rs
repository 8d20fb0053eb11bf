//! Diffs of messages of any type.

mod changes;
mod laws;
mod lists;
mod sizes;

//! Diffs of messages of any type.

mod changes;
mod lists;
mod properties;
mod sizes;

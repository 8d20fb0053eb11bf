//! Paths and files: what they hold.

mod document;
#[cfg(unix)]
mod unreadable;

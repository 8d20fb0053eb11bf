//! Paths and files: what they hold.

mod document;

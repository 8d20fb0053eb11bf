//! Diffs of checkpoints and messages, and their text view.

pub mod constants;
mod frozen;
mod long_names;
mod message;
mod roles;
mod tensors;
mod text_view;

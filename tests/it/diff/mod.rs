//! Diffs of checkpoints and messages, and their text view.

mod constants;
mod criteria;
mod edits;
mod explain;
mod frozen;
mod long_names;
mod message;
mod roles;
mod tensors;
mod text_view;
mod verdict;

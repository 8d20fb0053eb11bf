//! Savers: building them into graphs, and running them.

mod builder;
mod function_calls;
mod hostile;
// Savers of TensorFlow 2, which are functions.
mod object_savers;
mod parts;
mod paths;
mod restore;
mod run;
mod saving;

//! Object graphs of TensorFlow 2.

mod changes;
mod lists;
mod numbers;

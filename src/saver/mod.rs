//! TensorFlow's `Saver` on files: saving checkpoints and meta graphs, and keeping the newest.

mod rotation;
mod save;

pub use rotation::Rotation;
pub use save::{SaveOptions, Saver};

//! Tells what changed between two trained TensorFlow models, and whether it matters.

pub mod artifact;
pub mod bytes;
pub mod checkpoint;
pub mod compare;
pub mod diff;
mod error;
pub mod progress;
pub mod report;
pub mod schema;
pub mod table;
pub mod tensor;
pub mod verify;

pub use error::{Error, ErrorKind, Result};

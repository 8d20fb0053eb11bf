//! Compares two trained TensorFlow models: what changed, and whether it matters.
//!
//! A [`checkpoint::Checkpoint`] has the names of its tensors and a [`tensor::TensorSource`] for each. [`compare::compare`]
//! compares two tensors, and [`diff::diff`] two [`artifact::Artifact`]s. [`report`] writes the result for people and as JSON.
//!
//! `docs/library.md` has an example per task, and `docs/glossary.md` explains the terms.
//!
//! ```
//! use ckdiff::artifact::Artifact;
//! use ckdiff::diff::{DiffOptions, Verdict, diff};
//! use ckdiff::progress::Silent;
//!
//! let v1 = Artifact::open("tests/data/demo/v1format.ckpt")?;
//! let v2 = Artifact::open("tests/data/demo/model.ckpt")?;
//! assert_eq!(diff(&v1, &v2, &DiffOptions::default(), &Silent)?.verdict(), Verdict::Same);
//! # Ok::<(), ckdiff::Error>(())
//! ```

pub mod artifact;
pub mod bytes;
pub mod checkpoint;
pub mod compare;
pub mod diff;
mod error;
pub mod files;
mod formats;
pub mod graph;
pub mod json;
mod limits;
mod magic;
pub mod message;
pub mod meta_graph;
mod name;
pub mod overview;
mod probe;
pub mod progress;
pub mod report;
pub mod saved_model;
pub mod saver;
pub mod schema;
mod serial;
mod sniff;
mod suggestion;
pub mod summary;
pub mod table;
pub mod tensor;
pub mod text;
mod threads;
pub mod verify;

pub use error::{Error, ErrorKind, Location, Remedy, Result};
pub use limits::Limits;

/// The examples of `docs/`, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
pub struct Examples;

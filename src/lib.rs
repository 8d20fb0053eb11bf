//! Compares two trained TensorFlow models: what changed, and whether it matters.
//!
//! A [`checkpoint::Checkpoint`] has the names of its tensors and a [`tensor::TensorSource`] for each. [`compare::compare`]
//! compares two tensors, and [`diff::diff`] two [`artifact::Artifact`]s. [`report`] writes the result for people and as JSON.
//!
//! `docs/library.md` has an example per task, and `docs/glossary.md` explains the terms.
//!
//! What this documentation shows changes only with a new minor version before 1.0, and with a new major version after it. Items that it
//! hides serve the command and the tests, and may change in any version.
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
#[doc(hidden)]
pub mod bytes;
pub mod checkpoint;
#[cfg(feature = "cli")]
pub mod command;
pub mod compare;
pub mod diff;
mod error;
#[doc(hidden)]
pub mod files;
mod formats;
pub mod graph;
pub mod json;
mod limits;
mod magic;
pub mod message;
pub mod meta_graph;
mod name;
#[doc(hidden)]
pub mod overview;
#[doc(hidden)]
pub mod picture;
mod probe;
pub mod progress;
pub mod report;
pub mod rules;
pub mod saved_model;
pub mod saver;
pub mod schema;
mod serial;
pub mod series;
pub mod snapshot;
mod sniff;
mod suggestion;
#[doc(hidden)]
pub mod summary;
#[doc(hidden)]
pub mod table;
pub mod tensor;
pub mod text;
mod threads;
pub mod verify;

#[doc(hidden)]
pub use error::Remedy;
pub use error::{Error, ErrorKind, Location, Result};
pub use limits::Limits;
// The generated messages of `schema::tensorflow` implement traits of this version of prost.
pub use prost;
pub use prost_reflect;

/// The examples of `docs/`, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
pub struct Examples;

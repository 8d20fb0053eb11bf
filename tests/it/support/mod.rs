//! What tests share.

use std::cell::Cell;

use ckdiff::compare::Tolerance;
use ckdiff::tensor::DType;

// The command, run as a user runs it.
pub mod command;
pub mod process;

// The corpus, and snapshots.
pub mod corpus;
pub mod snapshot;

// Files and messages made by hand.
pub mod built_models;
pub mod constants;
pub mod encoding;
pub mod everything;
pub mod graph;
pub mod overview;
pub mod proto2;
pub mod saver;

// Messages from and to text and JSON.
pub mod json_message;
pub mod json_schema;
pub mod message_forms;
pub mod text_layout;
pub mod text_message;

// Random input, and damage.
pub mod damage;
pub mod floats;
pub mod folder;
pub mod property;
pub mod random;
pub mod random_message;
pub mod random_text;
pub mod random_value;

// What the fuzz targets run, too.
pub mod fuzz_checkpoint;
pub mod fuzz_message;
pub mod fuzz_models;

// Comparisons.
pub mod gpu;
pub mod tolerances;

pub use corpus::{Known, base64, cases, fact, known_tensors, oracle, random_messages, sha256};
pub use random::Random;
pub use snapshot::named_snapshot;

/// A count that closures share.
#[derive(Debug, Default)]
pub struct Count(Cell<u64>);

impl Count {
    pub fn add(&self, number: u64) {
        self.0.set(self.0.get() + number);
    }

    pub fn get(&self) -> u64 {
        self.0.get()
    }
}

/// The dtypes of which this holds; at least one.
#[track_caller]
pub fn dtypes(holds: impl Fn(DType) -> bool) -> Vec<DType> {
    let found: Vec<_> = DType::ALL.iter().copied().filter(|&dtype| holds(dtype)).collect();
    assert!(!found.is_empty(), "there is no such dtype");
    found
}

/// The dtypes whose elements have a fixed size.
pub fn fixed_width() -> Vec<DType> {
    dtypes(|dtype| dtype.size().is_some())
}

//! Code shared by the tests.

use std::cell::Cell;

use ckdiff::compare::Tolerance;
use ckdiff::tensor::DType;

// Runs of the command and of other processes, such as a browser.
pub mod browser;
pub mod command;
pub mod process;

// The corpus, and snapshots.
pub mod corpus;
pub mod snapshot;

// Hand-made files and messages.
pub mod built_models;
pub mod constants;
pub mod encoding;
pub mod everything;
pub mod graph;
pub mod overview;
pub mod proto2;
pub mod saver;
pub mod written;

// Conversions of messages from and to text and JSON, and pages.
pub mod html;
pub mod json_message;
pub mod json_schema;
pub mod message_forms;
pub mod text_layout;
pub mod text_message;

// Random input, and damage.
pub mod damage;
pub mod directory;
pub mod floats;
pub mod property;
pub mod random;
pub mod random_message;
pub mod random_text;
pub mod random_value;

// Also used by the fuzz targets.
pub mod fuzz_checkpoint;
pub mod fuzz_files;
pub mod fuzz_message;
pub mod fuzz_meta_graph;
pub mod fuzz_models;
pub mod fuzz_pairs;
pub mod fuzz_report;
pub mod fuzz_saver;
pub mod fuzz_snapshot;
pub mod fuzz_state_file;
pub mod fuzz_targets;

// Comparisons.
pub mod gpu;
pub mod tolerances;

pub use corpus::{Known, base64, cases, fact, known_tensors, oracle, random_messages, sha256};
pub use random::Random;
pub use snapshot::named_snapshot;

/// A counter that closures share.
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

/// The dtypes for which `holds`; asserts that there is one.
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

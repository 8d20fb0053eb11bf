//! The fuzz targets of `tests/it/support/fuzz_targets.rs`, with what they need of the tests' support.
#![allow(dead_code, reason = "targets use part of the shared modules")]

#[path = "../it/support/encoding.rs"]
mod encoding;
#[path = "../it/support/everything.rs"]
mod everything;
#[path = "../it/support/fuzz_checkpoint.rs"]
mod fuzz_checkpoint;
#[path = "../it/support/fuzz_files.rs"]
mod fuzz_files;
#[path = "../it/support/fuzz_message.rs"]
mod fuzz_message;
#[path = "../it/support/fuzz_meta_graph.rs"]
mod fuzz_meta_graph;
#[path = "../it/support/fuzz_models.rs"]
mod fuzz_models;
#[path = "../it/support/fuzz_pairs.rs"]
mod fuzz_pairs;
#[path = "../it/support/fuzz_report.rs"]
mod fuzz_report;
#[path = "../it/support/fuzz_saver.rs"]
mod fuzz_saver;
#[path = "../it/support/fuzz_snapshot.rs"]
mod fuzz_snapshot;
#[path = "../it/support/fuzz_state_file.rs"]
mod fuzz_state_file;
#[path = "../it/support/fuzz_targets.rs"]
mod fuzz_targets;
#[path = "../it/support/json_schema.rs"]
mod json_schema;
#[path = "../it/support/text_layout.rs"]
mod text_layout;

/// Runs a target on an input.
pub fn run(name: &str, input: &[u8]) {
    fuzz_targets::run(name, input);
}

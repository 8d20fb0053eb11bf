//! Any bytes as two models to compare: the first picks the type, the next two are the length of the first model.
#![no_main]

#[path = "../../it/graph_harness.rs"]
mod graph_harness;

libfuzzer_sys::fuzz_target!(|input: &[u8]| graph_harness::diff_messages(input));

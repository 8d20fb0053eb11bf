//! Any bytes as the header and the content of a safetensors file, and as an index of shards.
#![no_main]
#![allow(dead_code, reason = "each target uses its part of what they share")]

#[path = "../../it/support/fuzz_checkpoint.rs"]
mod fuzz_checkpoint;

use std::sync::LazyLock;

static DIR: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("there is a directory for temporary files"));

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    fuzz_checkpoint::open_safetensors(DIR.path(), input);
});

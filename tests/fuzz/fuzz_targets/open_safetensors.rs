//! Opens arbitrary bytes as the header and content of a safetensors file, and as an index of shards.
#![no_main]
#![allow(dead_code, reason = "each target uses part of the shared modules")]

#[path = "../../it/support/fuzz_checkpoint.rs"]
mod fuzz_checkpoint;

use std::sync::LazyLock;

static DIR: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("the temporary directory is writable"));

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    fuzz_checkpoint::open_safetensors(DIR.path(), input);
});

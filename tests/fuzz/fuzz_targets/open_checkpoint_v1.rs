//! Any bytes as the one block of a V1 checkpoint.
#![no_main]
#![allow(dead_code, reason = "each target uses its part of what they share")]

#[path = "../../it/craft.rs"]
mod craft;
#[path = "../../it/harness.rs"]
mod harness;

use std::sync::LazyLock;

static DIR: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("there is a directory for temporary files"));

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    harness::open_checkpoint_v1(DIR.path(), &craft::table_around(input));
});

//! Opens a V2 checkpoint whose only index block and data file have arbitrary bytes.
#![no_main]
#![allow(dead_code, reason = "each target uses part of the shared modules")]

#[path = "../../it/support/encoding.rs"]
mod encoding;
#[path = "../../it/support/fuzz_checkpoint.rs"]
mod fuzz_checkpoint;

use std::sync::LazyLock;

static DIR: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("the temporary directory is writable"));

// The first two bytes are the length of the index block.
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((len, rest)) = input.split_first_chunk::<2>() else {
        return;
    };
    let len = usize::from(u16::from_le_bytes(*len)).min(rest.len());
    let (payload, data) = rest.split_at(len);
    fuzz_checkpoint::open_checkpoint_v2(DIR.path(), &encoding::table_around(payload), data);
});

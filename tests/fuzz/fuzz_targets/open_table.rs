//! Opens arbitrary bytes as a table, and as the only block of a table.
#![no_main]
#![allow(dead_code, reason = "each target uses part of the shared modules")]

#[path = "../../it/support/encoding.rs"]
mod encoding;
#[path = "../../it/support/fuzz_checkpoint.rs"]
mod fuzz_checkpoint;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    fuzz_checkpoint::open_table(input);
    fuzz_checkpoint::open_table(&encoding::table_around(input));
});

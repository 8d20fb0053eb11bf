//! Any bytes as a table, and as the one block of a table.
#![no_main]
#![allow(dead_code, reason = "each target uses its part of what they share")]

#[path = "../../it/craft.rs"]
mod craft;
#[path = "../../it/harness.rs"]
mod harness;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    harness::open_table(input);
    harness::open_table(&craft::table_around(input));
});

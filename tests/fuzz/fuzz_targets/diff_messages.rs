//! Compares two models of arbitrary bytes. The first byte picks the message type, the next two are the first model's length.
#![no_main]

#[path = "../../it/support/fuzz_models.rs"]
mod fuzz_models;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    fuzz_models::diff_messages(input);
});

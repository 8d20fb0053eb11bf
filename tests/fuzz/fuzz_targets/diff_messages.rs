//! Any bytes as two models to compare: the first picks the type, the next two are the length of the first model.
#![no_main]

#[path = "../../it/support/fuzz_models.rs"]
mod fuzz_models;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    fuzz_models::diff_messages(input);
});

//! Parses arbitrary bytes as text. The first byte picks the message type.
#![no_main]
#![allow(dead_code, reason = "each target uses part of the shared modules")]

#[path = "../../it/support/everything.rs"]
mod everything;
#[path = "../../it/support/fuzz_message.rs"]
mod fuzz_message;
#[path = "../../it/support/text_layout.rs"]
mod text_layout;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    fuzz_message::parse_text(input);
});

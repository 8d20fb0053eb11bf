//! Any bytes as JSON: the first picks the type.
#![no_main]
#![allow(dead_code, reason = "each target uses its part of what they share")]

#[path = "../../it/everything.rs"]
mod everything;
#[path = "../../it/message_harness.rs"]
mod message_harness;
#[path = "../../it/text_said.rs"]
mod text_said;

libfuzzer_sys::fuzz_target!(|input: &[u8]| message_harness::parse_json(input));

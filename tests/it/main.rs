//! The one test binary: a module per area.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "a test that is wrong may fail"
)]
#![allow(unreachable_pub, reason = "all of it is one binary")]

mod architecture;
mod checkpoint;
mod cli;
mod command;
mod compare;
mod compare_oracle;
mod conformance;
mod convert;
mod craft;
mod crafted;
mod diff;
mod harness;
mod hostile;
mod hostile_messages;
mod json;
mod json_schema;
mod messages;
mod random_message;
mod random_text;
mod readme;
mod report;
mod schema;
mod schema_tables;
mod state;
mod support;
mod table;
mod text_layout;
mod text_parse;
mod text_print;
mod text_said;
mod text_syntax;
mod verify;

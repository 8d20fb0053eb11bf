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
mod compare;
mod compare_oracle;
mod craft;
mod crafted;
mod diff;
mod harness;
mod hostile;
mod json_schema;
mod readme;
mod report;
mod schema;
mod support;
mod table;
mod verify;

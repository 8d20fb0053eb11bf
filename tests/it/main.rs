//! The single test binary: a directory per module of `src`, and shared code in `support`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "a test that is wrong may fail"
)]
#![allow(unreachable_pub, reason = "all modules are in one binary")]

// The rules of ARCHITECTURE.md.
mod architecture;
// The examples of the README and docs/.
mod docs;
// Runs the command, reads the corpus, draws random values.
mod support;

// One per module of `src`.
mod artifact;
mod checkpoint;
mod command;
mod compare;
mod diff;
mod fuzz;
mod graph;
mod json;
mod message;
mod meta_graph;
mod picture;
mod report;
mod rules;
mod saved_model;
mod saver;
mod schema;
mod series;
mod snapshot;
mod table;
mod text;
mod verify;

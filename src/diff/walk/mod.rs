//! Phase 2 of a comparison: walks the messages of both sides once, and yields plain changes.
//!
//! ```text
//! messages, Correspondence ─message, graph, model─► MessageDiff: changes and findings
//! ```
//! `message/` compares any two messages field by field, `graph/` compares nodes, and `model/` knows what TensorFlow's messages mean.

mod graph;
pub(super) mod message;
pub(super) mod model;
mod names;

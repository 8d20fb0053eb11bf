//! Compares graphs: matches nodes by name, then by structure, and compares them by meaning.
//!
//! ```text
//! names ─► structure ─► neighbors ─► scopes ─► neighbors of any attributes        (matching)
//!                          └─► renames, added and removed groups, changed pairs     (changes)
//! ```

mod aligned;
mod attrs;
mod coherence;
mod consumers;
mod cost;
mod counters;
mod extend;
mod functions;
mod groups;
mod inputs;
mod library;
mod matching;
mod node;
mod node_hash;
mod numbers;
mod pair;
mod per_node;
mod renames;
mod saver_body;
mod saver_functions;
mod savers;
mod scopes;
mod search;
mod sequence;
mod structure;
mod tensor_text;
mod value;

use crate::compare;
use crate::graph::OpTable;
use crate::schema::Schema;

use super::message::MessageDiffer;
pub(crate) use attrs::is_internal;
pub(crate) use counters::{stem, unnumbered};
pub(super) use functions::FunctionMatching;
pub(super) use library::compare_bodies;
pub(super) use numbers::numbers;
pub(super) use pair::GraphPair;
pub(super) use renames::Renames;
pub(super) use saver_functions::SaverFunctions;

/// What the comparison of two graphs needs besides the graphs.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) schema: &'a Schema,
    /// The options for the comparison of constants.
    pub(super) compare: &'a compare::CompareOptions,
    /// The op definitions of each side.
    pub(super) lhs_ops: &'a OpTable<'a>,
    pub(super) rhs_ops: &'a OpTable<'a>,
    /// The renames of nodes.
    pub(super) renames: &'a Renames,
    /// In a function, the renames of nodes of the calling graph, which its body may name too.
    pub(super) outer_renames: &'a Renames,
    /// The renames of functions.
    pub(super) functions: &'a Renames,
    /// The renames of checkpoint keys.
    pub(super) keys: &'a Renames,
    /// The functions that save and restore.
    pub(super) saver_functions: &'a SaverFunctions<'a>,
    /// Compares messages that are embedded in nodes, and the fields of nodes that concern no graph.
    pub(super) differ: MessageDiffer<'a>,
}

//! Graph against graph: nodes matched by name, then by structure, and compared by what they mean.
//!
//! ```text
//! names ─► structure ─► neighbours ─► scopes ─► neighbours, whatever their attributes     (who is who)
//!                          └─► renames, groups that came or went, pairs that differ        (what is told)
//! ```

mod attrs;
mod consumers;
mod extend;
mod fingerprint;
mod functions;
mod groups;
mod inputs;
mod library;
mod matching;
mod node;
mod pair;
mod renames;
mod saver_functions;
mod savers;
mod scopes;
mod structure;
mod tensor_text;
mod value;

use crate::compare;
use crate::graph::OpTable;
use crate::schema::Schema;

use super::Change;
use super::path::Trail;
pub(super) use functions::Functions;
pub(super) use library::compare_bodies;
pub(super) use pair::Pair;
pub(super) use renames::Renames;
pub(super) use saver_functions::SaverFunctions;

/// What is known beside two graphs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) schema: &'a Schema,
    /// When two constants are close.
    pub(super) compare: &'a compare::Options,
    /// The op definitions that hold for each side.
    pub(super) lhs_ops: &'a OpTable<'a>,
    pub(super) rhs_ops: &'a OpTable<'a>,
    /// What became of names of nodes.
    pub(super) renames: &'a Renames,
    /// What became of names of nodes around a function, whose body they may name too.
    pub(super) around: &'a Renames,
    /// What became of names of functions.
    pub(super) functions: &'a Renames,
    /// What became of keys of checkpoints.
    pub(super) keys: &'a Renames,
    /// The functions that save and restore.
    pub(super) saver_functions: &'a SaverFunctions<'a>,
    /// Who compares the object graphs that constants hold, and the like.
    pub(super) held: &'a dyn Held,
}

/// Compares what nodes hold that is no graph.
pub(super) trait Held: std::fmt::Debug {
    /// Compares two strings that are object graphs; whether they are.
    fn object_graphs(&self, lhs: &[u8], rhs: &[u8], at: &Trail<'_>, out: &mut Vec<Change>) -> bool;

    /// Compares the fields of two nodes that say nothing of the graph.
    fn rest_of_node(&self, lhs: &[u8], rhs: &[u8], at: &Trail<'_>, out: &mut Vec<Change>);
}

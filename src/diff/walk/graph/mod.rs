//! Compares graphs whose nodes and functions are matched: nodes by meaning, and functions by their bodies.

mod attrs;
mod groups;
mod inputs;
mod layer;
mod library;
mod node;
mod pair;
mod saver_body;
mod saver_functions;
mod savers;
mod surroundings;
mod tensor_text;
mod value;

use crate::compare;
use crate::diff::matching::graph::{Renames, SaverFunctions};
use crate::graph::OpTable;
use crate::schema::Schema;

use super::message::MessageDiffer;
pub(super) use library::compare_bodies;
pub(super) use value::shape_text;

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

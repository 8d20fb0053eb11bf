//! Rules for the messages of models: graphs are compared by nodes, tensors by values, and names with regard to renames.

mod collection_entries;
mod common;
mod functions;
mod keras_layers;
mod meta_graph;
mod object_graph;
mod op_def;
mod parts;
mod rules;
mod saved_model;
mod signature_keys;
mod treatment;

use crate::compare;
use crate::error::Result;
use crate::graph::OpTable;
use crate::schema::Schema;

use super::graph::Context;
use super::message::{ListRules, MessageDiff, MessageDiffer, MessagePair, Scope};
use crate::diff::DiffOptions;
use crate::diff::embedded::TRACKABLE_OBJECT_GRAPH;
use crate::diff::matching::Correspondence;
use crate::diff::path::PathBuilder;
pub(in crate::diff) use common::{CommonPart, graph_def, graphs};
pub(in crate::diff) use keras_layers::name_layers;
pub(in crate::diff) use object_graph::remove_reported;
use parts::OBJECT_GRAPH;
pub(in crate::diff) use parts::{KERAS_METADATA, compare_keras_metadata, compare_object_graphs};
pub(in crate::diff) use treatment::treatment;

/// The rules for the messages of two models, given what corresponds to what in them.
#[derive(Clone, Copy)]
pub(in crate::diff) struct ModelRules<'a> {
    schema: &'a Schema,
    compare: &'a compare::CompareOptions,
    /// The caller's options for lists.
    lists: &'a ListRules<'a>,
    /// The op definitions of each side.
    ops: (&'a OpTable<'a>, &'a OpTable<'a>),
    /// What corresponds to what.
    known: &'a Correspondence<'a>,
    /// The path of the graphs whose nodes and functions are in `known`.
    graph: Option<&'a PathBuilder<'a>>,
    /// The path of the object graphs whose objects are in `known`.
    objects: Option<&'a PathBuilder<'a>>,
}

/// Compares the common part of two messages: models, or parts of them.
pub(in crate::diff) fn compare(
    common: &CommonPart<'_>,
    options: &DiffOptions,
    lists: &ListRules<'_>,
) -> MessageDiff {
    let mut diff = MessageDiff::default();
    let CommonPart { schema, ty, lhs, rhs } = *common;
    let at = &PathBuilder::root();
    let known = Correspondence::default();
    let rules = ModelRules::new(schema, options, lists, &known);
    rules.differ().compare(&MessagePair { ty, lhs, rhs, at }, &mut diff);
    diff
}

/// Checks the list patterns that matched nothing in the two messages; they may be for the object graphs of two checkpoints.
///
/// # Errors
/// If a pattern leads to no list in the schema of either.
pub(in crate::diff) fn check_lists(
    lists: &ListRules<'_>,
    messages: Option<&CommonPart<'_>>,
    has_object_graphs: bool,
) -> Result<()> {
    let schema = messages.map_or(Schema::tensorflow(), |common| common.schema);
    let object_graph = schema.message(TRACKABLE_OBJECT_GRAPH).filter(|_| has_object_graphs);
    let roots: Vec<_> = messages
        .map(|common| (None, common.ty))
        .into_iter()
        .chain(object_graph.map(|ty| (Some(OBJECT_GRAPH), ty)))
        .collect();
    lists.check(&Scope { schema, roots: &roots, comparison: treatment::comparison })
}

impl<'a> ModelRules<'a> {
    fn new(
        schema: &'a Schema,
        options: &'a DiffOptions,
        lists: &'a ListRules<'a>,
        known: &'a Correspondence<'a>,
    ) -> Self {
        let (compare, builtin) = (&options.compare, OpTable::builtin());
        let ops = (builtin, builtin);
        Self { schema, compare, lists, ops, known, graph: None, objects: None }
    }

    /// The rules for a model of its own inside the messages.
    fn with<'b>(&'b self, known: &'b Correspondence<'b>) -> ModelRules<'b> {
        ModelRules { known, graph: None, objects: None, ..*self }
    }

    fn differ(&'a self) -> MessageDiffer<'a> {
        MessageDiffer::new(self.schema, self, self.compare.tolerance)
    }

    fn context(&'a self) -> Context<'a> {
        let renames = self.known.renames();
        Context {
            schema: self.schema,
            compare: self.compare,
            lhs_ops: self.ops.0,
            rhs_ops: self.ops.1,
            renames,
            outer_renames: renames,
            functions: &self.known.functions().renames,
            keys: self.known.keys(),
            saver_functions: self.known.saver_functions(),
            differ: self.differ(),
        }
    }
}

//! Rules for the messages of models: graphs are compared by nodes, tensors by values, and names with regard to renames.

mod collection_entries;
mod common;
mod functions;
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

use super::DiffOptions;
use super::embedded::TRACKABLE_OBJECT_GRAPH;
use super::graph::{Context, Renames, SaverFunctions};
use super::message::{ListRules, MessageDiff, MessageDiffer, MessagePair, Scope};
use super::path::PathBuilder;
pub(super) use common::{CommonPart, graph_def, graphs};
use meta_graph::MatchedGraphs;
use object_graph::ObjectMatching;
pub(super) use object_graph::{
    TensorTable, name_stem, object_graph_keys, remove_reported, tensor_table,
};
use parts::OBJECT_GRAPH;
pub(super) use parts::{KERAS_METADATA, compare_keras_metadata, compare_object_graphs};
pub(super) use saved_model::tags;
pub(super) use treatment::{meaning, treatment};

/// What is known of two models while their messages are compared.
#[derive(Clone, Copy)]
pub(super) struct ModelRules<'a> {
    schema: &'a Schema,
    compare: &'a compare::CompareOptions,
    /// The caller's options for lists.
    lists: &'a ListRules<'a>,
    /// The op definitions of each side.
    ops: (&'a OpTable<'a>, &'a OpTable<'a>),
    /// The graphs, once their nodes are matched.
    graphs: Option<&'a MatchedGraphs<'a, 'a>>,
    /// The renames of nodes.
    renames: &'a Renames,
    /// The renames of functions.
    functions: &'a Renames,
    /// The object graphs of two SavedModels, once their objects are matched.
    objects: Option<&'a ObjectMatching<'a>>,
    /// The renames of checkpoint keys.
    keys: &'a Renames,
    /// What is known of the tensors of two checkpoints whose object graphs are compared.
    tensors: [&'a TensorTable; 2],
    /// The functions that save and restore.
    saver_functions: &'a SaverFunctions<'a>,
}

/// Compares the common part of two messages: models, or parts of them.
pub(super) fn compare(
    common: &CommonPart<'_>,
    options: &DiffOptions,
    lists: &ListRules<'_>,
) -> MessageDiff {
    let mut diff = MessageDiff::default();
    with_rules(common.schema, options, lists, |rules| {
        let CommonPart { ty, lhs, rhs, .. } = *common;
        let at = &PathBuilder::root();
        rules.differ().compare(&MessagePair { ty, lhs, rhs, at }, &mut diff);
    });
    diff
}

/// Checks the list patterns that matched nothing in the two messages; they may be for the object graphs of two checkpoints.
///
/// # Errors
/// If a pattern leads to no list in the schema of either.
pub(super) fn check_lists(
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

/// Calls `f` with the rules for two models of which nothing is matched yet.
fn with_rules(
    schema: &Schema,
    options: &DiffOptions,
    lists: &ListRules<'_>,
    f: impl FnOnce(&ModelRules<'_>),
) {
    let (none, unknown) = (Renames::default(), TensorTable::new());
    let builtin = OpTable::builtin();
    f(&ModelRules {
        schema,
        compare: &options.compare,
        lists,
        ops: (builtin, builtin),
        graphs: None,
        renames: &none,
        functions: &none,
        objects: None,
        keys: &none,
        tensors: [&unknown; 2],
        saver_functions: &SaverFunctions::default(),
    });
}

impl<'a> ModelRules<'a> {
    fn differ(&'a self) -> MessageDiffer<'a> {
        MessageDiffer::new(self.schema, self, self.compare.tolerance)
    }

    fn context(&'a self) -> Context<'a> {
        Context {
            schema: self.schema,
            compare: self.compare,
            lhs_ops: self.ops.0,
            rhs_ops: self.ops.1,
            renames: self.renames,
            outer_renames: self.renames,
            functions: self.functions,
            keys: self.keys,
            saver_functions: self.saver_functions,
            differ: self.differ(),
        }
    }
}

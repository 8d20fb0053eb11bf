//! Messages of a model: graphs by their nodes, tensors by their values, names by what became of them.

mod common;
mod entries;
mod functions;
mod meta_graph;
mod object_graph;
mod op_def;
mod saved_model;
mod treatment;

use std::fmt;

use crate::compare;
use crate::error::Result;
use crate::graph::{OpTable, is_same_device};
use crate::schema::{Field, MessageType, Schema};

use super::graph::{Context, Held, Renames, SaverFunctions};
use super::message::{Found, ListRules, Messages, Rules, Scope, Treatment};
use super::path::Trail;
use super::{Change, Options};
pub(super) use common::{Common, graph_def};
use meta_graph::Graphs;
use object_graph::Objects;
pub(super) use object_graph::{leave_out_told, object_graph_keys, opened_object_graph};
pub(super) use saved_model::tags;
pub(super) use treatment::treatment;

/// What is known of two models while their messages are compared.
#[derive(Clone, Copy)]
pub(super) struct Model<'a> {
    schema: &'a Schema,
    compare: &'a compare::Options,
    /// The caller's options for lists.
    lists: &'a ListRules<'a>,
    /// The op definitions of each side.
    ops: (&'a OpTable<'a>, &'a OpTable<'a>),
    /// The graphs, once their nodes have found each other.
    graphs: Option<&'a Graphs<'a, 'a>>,
    /// What became of the names of nodes.
    renames: &'a Renames,
    /// What became of the names of functions.
    functions: &'a Renames,
    /// The object graphs of two SavedModels, once their objects have found each other.
    objects: Option<&'a Objects<'a>>,
    /// What became of keys of checkpoints.
    keys: &'a Renames,
    /// The functions that save and restore.
    saver_functions: &'a SaverFunctions<'a>,
}

/// Compares what two messages have in common: models, or parts of them.
pub(super) fn compare(common: &Common<'_>, options: &Options, lists: &ListRules<'_>) -> Found {
    let mut found = Found::default();
    with_model(common.schema, options, lists, |model| {
        let Common { ty, lhs, rhs, .. } = *common;
        model.messages().compare(ty, lhs, rhs, &Trail::Root, &mut found);
    });
    found
}

/// Compares the object graphs of two checkpoints, given as the strings that hold them; `None` where one holds none.
pub(super) fn compare_object_graphs(
    lhs: &[u8],
    rhs: &[u8],
    options: &Options,
    lists: &ListRules<'_>,
) -> Option<Found> {
    let mut found = Found::default();
    let mut is_read = false;
    with_model(Schema::tensorflow(), options, lists, |model| {
        is_read = model.held_object_graph(lhs, rhs, &Trail::Root.field("object_graph"), &mut found);
    });
    is_read.then_some(found)
}

/// Checks the patterns that applied to nothing in the two messages; they may be for the object graphs of two checkpoints.
///
/// # Errors
/// When a pattern leads to no list in the schema of either.
pub(super) fn check_lists(
    lists: &ListRules<'_>,
    messages: Option<&Common<'_>>,
    has_object_graphs: bool,
) -> Result<()> {
    let schema = messages.map_or(Schema::tensorflow(), |common| common.schema);
    let object_graph = schema.message(object_graph::TRACKABLE).filter(|_| has_object_graphs);
    let roots: Vec<_> = messages
        .map(|common| (None, common.ty))
        .into_iter()
        .chain(object_graph.map(|ty| (Some("object_graph"), ty)))
        .collect();
    lists.check(&Scope { schema, roots: &roots, access: treatment::access })
}

/// Calls `go_on` with a model in which nothing is matched yet.
fn with_model(
    schema: &Schema,
    options: &Options,
    lists: &ListRules<'_>,
    go_on: impl FnOnce(&Model<'_>),
) {
    let (none, builtin) = (Renames::default(), OpTable::builtin());
    go_on(&Model {
        schema,
        compare: &options.compare,
        lists,
        ops: (builtin, builtin),
        graphs: None,
        renames: &none,
        functions: &none,
        objects: None,
        keys: &none,
        saver_functions: &SaverFunctions::default(),
    });
}

impl<'a> Model<'a> {
    fn messages(&'a self) -> Messages<'a> {
        Messages::new(self.schema, self, self.compare.tolerance)
    }

    fn context(&self) -> Context<'_> {
        Context {
            schema: self.schema,
            compare: self.compare,
            lhs_ops: self.ops.0,
            rhs_ops: self.ops.1,
            renames: self.renames,
            around: self.renames,
            functions: self.functions,
            keys: self.keys,
            saver_functions: self.saver_functions,
            held: self,
        }
    }
}

impl Rules for Model<'_> {
    fn treatment(&self, ty: &MessageType, field: &Field, at: &Trail<'_>) -> Treatment<'_> {
        let mut known = treatment(&ty.full_name, &field.name, at.key_in("collection_def"));
        known.skip &= !treatment::is_lone_object(&ty.full_name, at);
        self.lists.treatment(self.schema, field, at, known)
    }

    fn says_the_same(&self, ty: &MessageType, field: &Field, lhs: &[u8], rhs: &[u8]) -> bool {
        if treatment::is_for_users(&ty.full_name, &field.name) {
            return false;
        }
        if &*field.name == "registered_op_type" && is_counted(lhs) && is_counted(rhs) {
            return true;
        }
        let names = std::str::from_utf8(lhs).ok().zip(std::str::from_utf8(rhs).ok());
        names.is_some_and(|(l, r)| {
            [self.renames, self.functions, self.keys].iter().any(|names| names.leads(l, r))
                || self.functions.lead_within(l, r)
        })
    }

    fn spells_the_same(&self, ty: &MessageType, field: &Field, lhs: &[u8], rhs: &[u8]) -> bool {
        let text = std::str::from_utf8(lhs).ok().zip(std::str::from_utf8(rhs).ok());
        treatment::is_device(&ty.full_name, &field.name)
            && text.is_some_and(|(lhs, rhs)| is_same_device(lhs, rhs))
    }

    fn follow(&self, ty: &MessageType, field: &Field, lhs: &str) -> Option<String> {
        if treatment::is_for_users(&ty.full_name, &field.name) {
            return None;
        }
        self.renames.follow(lhs).or_else(|| self.functions.follow(lhs))
    }

    fn takes(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        match &*ty.full_name {
            "tensorflow.MetaGraphDef" => self.meta_graph(ty, lhs, rhs, at, out),
            "tensorflow.GraphDef" => self.graph(ty, lhs, rhs, at, out),
            "tensorflow.FunctionDefLibrary" => self.function_library(ty, lhs, rhs, at, out),
            "tensorflow.FunctionDef" => self.function(ty, lhs, rhs, at, out),
            "tensorflow.SavedModel" => self.saved_model(ty, lhs, rhs, at, out),
            "tensorflow.TrackableObjectGraph" | "tensorflow.SavedObjectGraph" => {
                self.object_graph(ty, lhs, rhs, at, out)
            }
            "tensorflow.TensorProto" => self.tensor(lhs, rhs, at, out),
            "tensorflow.OpList" => self.op_list(ty, lhs, rhs, at, out),
            "tensorflow.OpDef" => self.op_def(ty, lhs, rhs, at, out),
            _ => false,
        }
    }
}

/// Whether it is what TensorFlow calls a gradient that it saves, by a number drawn from a counter.
fn is_counted(gradient: &[u8]) -> bool {
    let counter = gradient.strip_prefix(b"CustomGradient-");
    counter.is_some_and(|counter| counter.iter().all(u8::is_ascii_digit))
}

impl Model<'_> {
    /// Compares tensors wherever they are; those that are none are compared as messages.
    fn tensor(&self, lhs: &[u8], rhs: &[u8], at: &Trail<'_>, out: &mut Found) -> bool {
        self.context().tensor_proto(lhs, rhs, at, &mut out.changes)
    }
}

impl Held for Model<'_> {
    fn object_graphs(&self, lhs: &[u8], rhs: &[u8], at: &Trail<'_>, out: &mut Vec<Change>) -> bool {
        let mut found = Found::default();
        let is_held = self.held_object_graph(lhs, rhs, at, &mut found);
        out.append(&mut found.changes);
        is_held
    }

    fn rest_of_node(&self, lhs: &[u8], rhs: &[u8], at: &Trail<'_>, out: &mut Vec<Change>) {
        let Some(ty) = self.schema.message("tensorflow.NodeDef") else { return };
        let mut found = Found::default();
        self.messages().fields(ty, lhs, rhs, at, &mut found);
        out.append(&mut found.changes);
    }
}

impl fmt::Debug for Model<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").finish_non_exhaustive()
    }
}

//! Messages of a model: graphs by their nodes, tensors by their values, names by what became of them.

mod meta_graph;
mod op_def;
mod saved_model;
mod treatment;

use crate::compare;
use crate::error::{ErrorKind, Result};
use crate::graph::{OpTable, bytes_of};
use crate::message::{Message, Records};
use crate::schema::{Field, MessageType, Schema};

use super::graph::{Context, Renames};
use super::message::{Found, Messages, Rules, Treatment};
use super::path::Trail;
use meta_graph::Graphs;

/// What is known of two models while their messages are compared.
#[derive(Clone, Copy)]
pub(super) struct Model<'a> {
    schema: &'a Schema,
    compare: &'a compare::Options,
    /// The op definitions of each side.
    ops: (&'a OpTable<'a>, &'a OpTable<'a>),
    /// The graphs, once their nodes have found each other.
    graphs: Option<&'a Graphs<'a, 'a>>,
    /// What became of the names of nodes.
    renames: &'a Renames,
    /// What became of the names of functions.
    functions: &'a Renames,
}

/// Compares two messages of one type: models, or parts of them.
///
/// # Errors
/// When a graph in them is too large to be counted.
pub(super) fn compare(
    lhs: &Message<'_>,
    rhs: &Message<'_>,
    options: &compare::Options,
) -> Result<Found> {
    let none = Renames::default();
    let builtin = OpTable::builtin();
    let model = Model {
        schema: lhs.schema(),
        compare: options,
        ops: (builtin, builtin),
        graphs: None,
        renames: &none,
        functions: &none,
    };
    let mut found = Found::default();
    let messages = model.messages();
    messages.compare(lhs.ty(), lhs.bytes(), rhs.bytes(), &Trail::Root, &mut found);
    Ok(found)
}

/// The largest part that two messages have in common, where they are of two types: the graph of a meta graph, the meta graph
/// of a SavedModel that has one.
///
/// # Errors
/// When they have none.
pub(super) fn common<'s>(
    lhs: &Message<'s>,
    rhs: &Message<'s>,
) -> Result<(Message<'s>, Message<'s>)> {
    let (l, r) = (&lhs.ty().full_name, &rhs.ty().full_name);
    if l == r {
        return Ok((lhs.clone(), rhs.clone()));
    }
    if let Some(part) = part(lhs, r) {
        return Ok((part, rhs.clone()));
    }
    if let Some(part) = part(rhs, l) {
        return Ok((lhs.clone(), part));
    }
    let why = format!("lhs is a {l}, rhs is a {r}: they have no part in common to compare");
    Err(ErrorKind::Usage(why).into())
}

/// The part of a message that is of the type `wanted`.
fn part<'s>(message: &Message<'s>, wanted: &str) -> Option<Message<'s>> {
    let (number, ty) = match &*message.ty().full_name {
        "tensorflow.SavedModel" => (2, "tensorflow.MetaGraphDef"),
        "tensorflow.MetaGraphDef" if wanted == "tensorflow.SaverDef" => (3, wanted),
        "tensorflow.MetaGraphDef" => (2, "tensorflow.GraphDef"),
        "tensorflow.GraphDef" => (2, "tensorflow.FunctionDefLibrary"),
        _ => return None,
    };
    let mut found = Records::new(message.bytes(), 0)
        .map_while(Result::ok)
        .filter(|record| record.number == number);
    let (only, None) = (found.next()?, found.next()) else { return None };
    let ty = message.schema().message(ty)?;
    let part = Message::from_canonical(message.schema(), ty, bytes_of(&only).to_vec());
    if &*ty.full_name == wanted { Some(part) } else { self::part(&part, wanted) }
}

impl<'a> Model<'a> {
    fn messages(&'a self) -> Messages<'a> {
        Messages::new(self.schema, self, self.compare.tolerance)
    }

    fn context(&self) -> Context<'a> {
        Context {
            schema: self.schema,
            compare: self.compare,
            lhs_ops: self.ops.0,
            rhs_ops: self.ops.1,
            renames: self.renames,
            functions: self.functions,
        }
    }
}

impl Rules for Model<'_> {
    fn treatment(&self, ty: &MessageType, field: &Field, at: &Trail<'_>) -> Treatment<'_> {
        treatment::treatment(&ty.full_name, &field.name, at.key_in("collection_def"))
    }

    fn says_the_same(&self, _: &MessageType, _: &Field, lhs: &[u8], rhs: &[u8]) -> bool {
        let names = std::str::from_utf8(lhs).ok().zip(std::str::from_utf8(rhs).ok());
        names.is_some_and(|(l, r)| {
            self.renames.leads(l, r) || self.functions.follow_start(l).is_some_and(|name| name == r)
        })
    }

    fn follow(&self, lhs: &str) -> Option<String> {
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
            "tensorflow.SavedModel" => self.saved_model(ty, lhs, rhs, at, out),
            "tensorflow.TensorProto" => self.tensor(lhs, rhs, at, out),
            "tensorflow.OpList" => self.op_list(ty, lhs, rhs, at, out),
            "tensorflow.OpDef" => self.op_def(ty, lhs, rhs, at, out),
            _ => false,
        }
    }
}

impl Model<'_> {
    /// Compares tensors wherever they are; those that are none are compared as messages.
    fn tensor(&self, lhs: &[u8], rhs: &[u8], at: &Trail<'_>, out: &mut Found) -> bool {
        self.context().tensor_proto(lhs, rhs, at, &mut out.changes)
    }
}

//! Finds the part that two messages of different types have in common.

use crate::error::{Error, Result};
use crate::message::{Message, fields};
use crate::meta_graph::meta_graphs_in;
use crate::schema::field::{graph_def, meta_graph_def, saved_model};
use crate::schema::{KnownType, MessageType, Schema};

/// Two messages of one type, or the common part of two messages of different types.
#[derive(Debug, Clone, Copy)]
pub(in crate::diff) struct CommonPart<'a> {
    pub(in crate::diff) schema: &'a Schema,
    pub(in crate::diff) ty: &'a MessageType,
    pub(in crate::diff) lhs: &'a [u8],
    pub(in crate::diff) rhs: &'a [u8],
}

impl<'a> CommonPart<'a> {
    /// The largest common part: of different types, the graph of a meta graph, or the only meta graph of a
    /// SavedModel.
    ///
    /// # Errors
    /// If there is no common part.
    pub(in crate::diff) fn of(lhs: &'a Message<'_>, rhs: &'a Message<'_>) -> Result<Self> {
        let schema = lhs.schema();
        let (l, r) = (lhs.ty(), rhs.ty());
        let (lhs, rhs) = (lhs.bytes(), rhs.bytes());
        if l.full_name == r.full_name {
            return Ok(Self { schema, ty: l, lhs, rhs });
        }
        if let Some(lhs) = part(l, lhs, r.known) {
            return Ok(Self { schema, ty: r, lhs, rhs });
        }
        if let Some(rhs) = part(r, rhs, l.known) {
            return Ok(Self { schema, ty: l, lhs, rhs });
        }
        let (l, r) = (&l.full_name, &r.full_name);
        let why = format!("lhs is a {l}, rhs is a {r}: they have no part in common to compare");
        Err(Error::usage(why))
    }
}

/// The graph of a message, or the message itself if it is a graph.
pub(in crate::diff) fn graph_def<'a>(message: &'a Message<'_>) -> Option<&'a [u8]> {
    part(message.ty(), message.bytes(), Some(KnownType::GraphDef))
}

/// Every graph of a message: of a SavedModel, those of all its meta graphs.
pub(in crate::diff) fn graphs<'a>(message: &'a Message<'_>) -> Vec<&'a [u8]> {
    if message.ty().known == Some(KnownType::GraphDef) {
        return vec![message.bytes()];
    }
    let meta_graphs = meta_graphs_in(message).into_iter();
    meta_graphs.flat_map(|meta_graph| fields(meta_graph, meta_graph_def::GRAPH_DEF)).collect()
}

/// The part of the type `wanted` of a message of the type `ty`.
fn part<'a>(ty: &MessageType, message: &'a [u8], wanted: Option<KnownType>) -> Option<&'a [u8]> {
    let (mut known, wanted) = (ty.known?, wanted?);
    let mut message = message;
    while known != wanted {
        let number;
        (number, known) = match known {
            KnownType::SavedModel => (saved_model::META_GRAPHS, KnownType::MetaGraphDef),
            KnownType::MetaGraphDef if wanted == KnownType::SaverDef => {
                (meta_graph_def::SAVER_DEF, wanted)
            }
            KnownType::MetaGraphDef => (meta_graph_def::GRAPH_DEF, KnownType::GraphDef),
            KnownType::GraphDef => (graph_def::LIBRARY, KnownType::FunctionDefLibrary),
            _ => return None,
        };
        let mut found = fields(message, number);
        let (only, None) = (found.next()?, found.next()) else { return None };
        message = only;
    }
    Some(message)
}

//! Ops that a SavedModel names: the one that starts it, and the one that trains.

use super::{INIT_OP_SIGNATURE, LEGACY_INIT_OP, MAIN_OP, TRAIN_OP, TRAIN_OP_SIGNATURE};
use crate::error::{Error, ErrorKind, Result, shortened};
use crate::graph::Graph;
use crate::message::Message;
use crate::meta_graph::{self, Collections, Item};

/// The op, or the tensor, that is run after a restore.
pub(super) fn init_op(meta: &Message<'_>, graph: &Graph<'_>) -> Result<Option<String>> {
    if let Some(op) = in_signature(meta, graph, INIT_OP_SIGNATURE)? {
        return Ok(Some(op));
    }
    for key in [MAIN_OP, LEGACY_INIT_OP] {
        if let Some(op) = in_collection(meta, graph, key)? {
            return Ok(Some(op));
        }
    }
    Ok(None)
}

/// The op, or the tensor, that trains.
pub(super) fn train_op(meta: &Message<'_>, graph: &Graph<'_>) -> Result<Option<String>> {
    match in_signature(meta, graph, TRAIN_OP_SIGNATURE)? {
        Some(op) => Ok(Some(op)),
        None => in_collection(meta, graph, TRAIN_OP),
    }
}

/// The meta graph with `op` as what is run after a restore.
pub(super) fn with_main_op<'s>(
    meta: Message<'s>,
    graph: &Graph<'_>,
    op: &str,
) -> Result<Message<'s>> {
    let collections = Collections::of(&meta)?;
    for key in [MAIN_OP, LEGACY_INIT_OP] {
        if !collections.items(key).is_empty() {
            let kind = format!("the meta graph has a main op already, in its collection {key}");
            return Err(Error::from(ErrorKind::Usage(kind)).in_field("main_op"));
        }
    }
    if op.contains(':') {
        let allowed = "it must be an op, not one of its outputs";
        return Err(Error::unexpected("main_op", shortened(op), allowed));
    }
    check(graph, op).map_err(|error| error.in_field("main_op"))?;
    meta_graph::add_to_collection(&meta, MAIN_OP, &[Item::Node(op)])
}

/// What a signature of this name has as its one output.
fn in_signature(meta: &Message<'_>, graph: &Graph<'_>, key: &str) -> Result<Option<String>> {
    let Some(signature) = meta_graph::signatures(meta)?.remove(key) else { return Ok(None) };
    let in_signature = |error: Error| error.in_field(&format!("signature_def[{key:?}]"));
    let output = signature.outputs.get(key).ok_or_else(|| {
        let kind = format!("it has no output {key}");
        in_signature(ErrorKind::NotFound(kind).into())
    })?;
    let name = super::tensor_info::name(output).unwrap_or_default();
    check(graph, name).map_err(in_signature)?;
    Ok(Some(name.to_owned()))
}

/// The one item of a collection; `None` where there is no such collection.
fn in_collection(meta: &Message<'_>, graph: &Graph<'_>, key: &str) -> Result<Option<String>> {
    let collections = Collections::of(meta)?;
    let in_collection = |error: Error| error.in_field(&format!("collection_def[{key:?}]"));
    if !collections.keys().any(|known| known == key) {
        return Ok(None);
    }
    let items = collections.items(key);
    let [Item::Node(name)] = items.as_slice() else {
        let found = match items.first() {
            Some(Item::Node(_)) => format!("{} nodes", items.len()),
            Some(other) => format!("one of a {}", other.kind()),
            None => "empty".into(),
        };
        return Err(in_collection(Error::unexpected("list", found, "it must be one node")));
    };
    check(graph, name).map_err(in_collection)?;
    Ok(Some((*name).to_owned()))
}

/// Whether the graph has this op or tensor.
fn check(graph: &Graph<'_>, name: &str) -> Result<()> {
    graph.tensor(name).map(drop)
}

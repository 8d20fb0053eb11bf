//! Merges an imported meta graph into another.

use std::collections::{BTreeMap, BTreeSet};

use prost::{Message as _, Name as _};

use super::collection::{joined, list};
use super::parts::{META_GRAPH, Parts};
use super::replace::{Replacements, unknown};
use super::unique::UsedNames;
use crate::error::{Error, Result, shortened, with_article};
use crate::message::{Message, Writer, encoded, field, fields, nested, records, string, varint};
use crate::schema::field::{
    function_def,
    function_def_library::{FUNCTION, GRADIENT},
    gradient_def, graph_def,
    meta_graph_def::{self, meta_info_def},
    op_def, op_list,
};
use crate::schema::tensorflow::VersionDef;

/// The meta graph that another is imported into.
#[derive(Debug)]
pub(super) struct Base<'b, 's> {
    message: &'b Message<'s>,
    /// The names of its nodes and scopes.
    pub(super) taken: UsedNames<'b>,
    graph: &'b [u8],
}

impl<'b, 's> Base<'b, 's> {
    /// The base `message`, a `MetaGraphDef`.
    pub(super) fn of(message: &'b Message<'s>) -> Result<Self> {
        let graph = Parts::of(message)?.graph.unwrap_or_default();
        Ok(Self { message, taken: UsedNames::of(graph), graph })
    }

    /// Adds `other`, whose names must be unused here. Adds to `left_out` the parts that this meta graph has already.
    pub(super) fn with(
        self,
        other: &Message<'s>,
        left_out: &mut Vec<String>,
    ) -> Result<Message<'s>> {
        let mut parts = Parts::of(self.message)?;
        let new = Parts::of(other)?;
        let graph = merged_graph(self.graph, new.graph.unwrap_or_default())?;
        parts.new.set(meta_graph_def::GRAPH_DEF, &graph);
        parts.new.set(meta_graph_def::META_INFO_DEF, &merged_info(parts.info, new.info));
        for (number, name, old, added) in [
            (meta_graph_def::SAVER_DEF, "saver_def", parts.saver, new.saver),
            (meta_graph_def::OBJECT_GRAPH_DEF, "object_graph_def", parts.objects, new.objects),
        ] {
            match (old, added) {
                (Some(_), Some(_)) => left_out.push(name.into()),
                (None, Some(added)) => parts.new.set(number, added),
                _ => {}
            }
        }
        for (key, collection) in &new.collections {
            let old = parts.collections.get(key).map(|old| old.def).unwrap_or_default();
            parts.set_collection(key, merged_collection(key, old, collection.def)?);
        }
        let mut signatures: BTreeMap<&str, &[u8]> =
            parts.signatures.iter().map(|(key, (entry, _))| (*key, *entry)).collect();
        for (key, (entry, _)) in &new.signatures {
            if parts.signatures.contains_key(key) {
                left_out.push(format!("signature_def[{key:?}]"));
            } else {
                signatures.insert(key, entry);
            }
        }
        parts.new.set_list(meta_graph_def::SIGNATURE_DEF, signatures.values());
        let assets = parts.assets.iter().chain(&new.assets);
        parts.new.set_list(meta_graph_def::ASSET_FILE_DEF, assets);
        let message = parts.message(self.message);
        let (schema, ty) = (message.schema(), message.ty());
        let bytes = [message.bytes(), &unknown(META_GRAPH, other.bytes())].concat();
        Ok(Message::from_canonical(schema, ty, bytes))
    }
}

/// The items of both collections.
fn merged_collection(key: &str, old: &[u8], new: &[u8]) -> Result<Vec<u8>> {
    let (Some((kind, items)), old_kind) = (list(new), list(old).map(|(kind, _)| kind)) else {
        return Ok(if old.is_empty() { new } else { old }.to_vec());
    };
    if let Some(old_kind) = old_kind.filter(|old| *old != kind) {
        return Err(Error::usage(format!(
            "collection {} is {} in one meta graph and {} in the other",
            shortened(key),
            with_article(old_kind.name()),
            with_article(kind.name())
        )));
    }
    Ok(joined(kind, old, items))
}

/// The `GraphDef` with the nodes, libraries and versions of both, and the other fields of the first.
fn merged_graph(old: &[u8], new: &[u8]) -> Result<Vec<u8>> {
    let mut changed = Replacements::default();
    changed
        .set_list(graph_def::NODE, [old, new].into_iter().flat_map(|g| fields(g, graph_def::NODE)));
    let library = nested(new, graph_def::LIBRARY);
    if !library.is_empty() {
        changed.set(graph_def::LIBRARY, &merged_library(nested(old, graph_def::LIBRARY), library)?);
    }
    match (field(old, graph_def::VERSIONS), field(new, graph_def::VERSIONS)) {
        (None, Some(versions)) => changed.set(graph_def::VERSIONS, versions),
        (Some(a), Some(b)) if a != b => changed.set(graph_def::VERSIONS, &merged_versions(a, b)?),
        _ => {}
    }
    let merged = changed.apply_to(graph_def::MESSAGE_NAME, old);
    Ok([merged, unknown(graph_def::MESSAGE_NAME, new)].concat())
}

/// A `FunctionDefLibrary` with the functions and gradients of both.
fn merged_library(old: &[u8], new: &[u8]) -> Result<Vec<u8>> {
    let name = |number: u32, bytes| match number {
        FUNCTION => string(nested(bytes, function_def::SIGNATURE), op_def::NAME),
        _ => string(bytes, gradient_def::FUNCTION_NAME),
    };
    let mut out = Writer::default();
    for (number, what) in [(FUNCTION, "function"), (GRADIENT, "gradient of function")] {
        let mut known = BTreeMap::new();
        for bytes in fields(old, number) {
            known.entry(name(number, bytes)).or_insert(bytes);
            out.put_bytes(number, bytes);
        }
        for bytes in fields(new, number) {
            let name = name(number, bytes);
            match known.get(name) {
                None => out.put_bytes(number, bytes),
                Some(old) if *old == bytes => {}
                Some(_) => {
                    return Err(Error::usage(format!(
                        "{what} {} differs between the two graphs",
                        shortened(name)
                    )));
                }
            }
        }
    }
    let others = records(old).chain(records(new));
    let others = others.filter(|record| !matches!(record.number, FUNCTION | GRADIENT));
    others.for_each(|record| out.raw(record.bytes));
    Ok(out.finish())
}

/// The versions for both: the older producer, the higher minimum consumer, all bad consumers.
fn merged_versions(old: &[u8], new: &[u8]) -> Result<Vec<u8>> {
    let (a, b) = (versions(old)?, versions(new)?);
    let bad_consumers: BTreeSet<i32> = a.bad_consumers.into_iter().chain(b.bad_consumers).collect();
    let merged = VersionDef {
        producer: a.producer.min(b.producer),
        min_consumer: a.min_consumer.max(b.min_consumer),
        bad_consumers: bad_consumers.into_iter().collect(),
    };
    let name = VersionDef::full_name();
    Ok([merged.encode_to_vec(), unknown(&name, old), unknown(&name, new)].concat())
}

fn versions(bytes: &[u8]) -> Result<VersionDef> {
    VersionDef::decode(bytes).map_err(|error| Error::malformed("versions", "a VersionDef", error))
}

/// The `meta_info_def` of the first, or else of the other, with the ops of both.
fn merged_info(old: &[u8], new: &[u8]) -> Vec<u8> {
    if old.is_empty() {
        return new.to_vec();
    }
    let mut changed = Replacements::default();
    let lists = [new, old].map(|info| nested(info, meta_info_def::STRIPPED_OP_LIST));
    let ops = lists.into_iter().flat_map(|list| fields(list, op_list::OP));
    let ops: BTreeMap<_, _> = ops.map(|op| (string(op, op_def::NAME), op)).collect();
    if !ops.is_empty() {
        let list: Vec<u8> = ops.values().flat_map(|op| encoded(op_list::OP, op)).collect();
        changed.set(meta_info_def::STRIPPED_OP_LIST, &list);
    }
    if varint(new, meta_info_def::STRIPPED_DEFAULT_ATTRS).is_some_and(|bits| bits != 0) {
        changed.set_bool(meta_info_def::STRIPPED_DEFAULT_ATTRS, true);
    }
    changed.apply_to(meta_info_def::MESSAGE_NAME, old)
}

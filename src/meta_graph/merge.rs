//! One meta graph beside another in the same message.

use std::collections::{BTreeMap, BTreeSet};

use super::collection::{joined, list};
use super::fields::{self, bytes_in, records, text_in};
use super::parts::Parts;
use super::unique::Taken;
use crate::error::{ErrorKind, Result, shortened};
use crate::graph::bytes_of;
use crate::message::{Message, Packed, Record, Value, Writer, int32};
use crate::schema::field::{
    function_def,
    function_def_library::{FUNCTION, GRADIENT},
    gradient_def, graph_def,
    meta_graph_def::{self, meta_info_def},
    op_def, op_list, version_def,
};
use crate::schema::{Kind as Scalar, Schema, WireType};

/// The meta graph that another is imported into.
#[derive(Debug)]
pub(super) struct Base<'b, 's> {
    message: &'b Message<'s>,
    /// The names of its nodes.
    pub(super) taken: Taken<'b>,
    graph: &'b [u8],
}

impl<'b, 's> Base<'b, 's> {
    /// `message`, which is a `MetaGraphDef`.
    pub(super) fn of(message: &'b Message<'s>) -> Result<Self> {
        let graph = Parts::of(message)?.graph.unwrap_or_default();
        Ok(Self { message, taken: Taken::of(graph), graph })
    }

    /// It with `other` in it, whose names are free here; notes in `left_out` what it has already.
    pub(super) fn with(
        self,
        other: &Message<'s>,
        left_out: &mut Vec<String>,
    ) -> Result<Message<'s>> {
        let mut parts = Parts::of(self.message)?;
        let new = Parts::of(other)?;
        let graph = merged_graph(self.graph, new.graph.unwrap_or_default())?;
        parts.set(meta_graph_def::GRAPH_DEF, fields::field(meta_graph_def::GRAPH_DEF, &graph));
        parts.set(meta_graph_def::META_INFO_DEF, merged_info(parts.info, new.info));
        match (parts.saver, new.saver) {
            (Some(_), Some(_)) => left_out.push("saver_def".into()),
            (None, Some(saver)) => parts
                .set(meta_graph_def::SAVER_DEF, fields::field(meta_graph_def::SAVER_DEF, saver)),
            _ => {}
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
        let signatures = signatures
            .values()
            .flat_map(|entry| fields::field(meta_graph_def::SIGNATURE_DEF, entry))
            .collect();
        let assets = parts.assets.iter().chain(&new.assets);
        let assets =
            assets.flat_map(|asset| fields::field(meta_graph_def::ASSET_FILE_DEF, asset)).collect();
        parts.set(meta_graph_def::SIGNATURE_DEF, signatures);
        parts.set(meta_graph_def::ASSET_FILE_DEF, assets);
        match (parts.objects, new.objects) {
            (Some(_), Some(_)) => left_out.push("object_graph_def".into()),
            (None, Some(objects)) => parts.set(
                meta_graph_def::OBJECT_GRAPH_DEF,
                fields::field(meta_graph_def::OBJECT_GRAPH_DEF, objects),
            ),
            _ => {}
        }
        let message = parts.message(self.message);
        let (schema, ty) = (message.schema(), message.ty());
        let unknown = fields::unknown(schema, ty, other.bytes());
        Ok(Message::from_canonical(schema, ty, [message.bytes(), &unknown].concat()))
    }
}

/// What both collections hold.
fn merged_collection(key: &str, old: &[u8], new: &[u8]) -> Result<Vec<u8>> {
    let (Some((kind, items)), old_kind) = (list(new), list(old).map(|(kind, _)| kind)) else {
        return Ok(if old.is_empty() { new } else { old }.to_vec());
    };
    if let Some(old_kind) = old_kind.filter(|old| *old != kind) {
        let kind = format!("collection {} is a {old_kind} here and a {kind} there", shortened(key));
        return Err(ErrorKind::Usage(kind).into());
    }
    Ok(joined(kind, old, items))
}

/// The `GraphDef` with the nodes of both, and all that is not a node from both or from the first.
fn merged_graph(old: &[u8], new: &[u8]) -> Result<Vec<u8>> {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.GraphDef");
    let Some(ty) = ty else { return Ok(old.to_vec()) };
    let mut nodes = Writer::default();
    for record in records(old).chain(records(new)).filter(|record| record.number == graph_def::NODE)
    {
        nodes.raw(record.bytes);
    }
    let mut changed = BTreeMap::from([(graph_def::NODE, nodes.finish())]);
    if let Some(library) = bytes_in(new, graph_def::LIBRARY).filter(|library| !library.is_empty()) {
        let merged =
            merged_library(bytes_in(old, graph_def::LIBRARY).unwrap_or_default(), library)?;
        changed.insert(graph_def::LIBRARY, fields::field(graph_def::LIBRARY, &merged));
    }
    match (bytes_in(old, graph_def::VERSIONS), bytes_in(new, graph_def::VERSIONS)) {
        (None, Some(versions)) => {
            drop(changed.insert(graph_def::VERSIONS, fields::field(graph_def::VERSIONS, versions)))
        }
        (Some(a), Some(b)) if a != b => {
            changed.insert(
                graph_def::VERSIONS,
                fields::field(graph_def::VERSIONS, &merged_versions(a, b)),
            );
        }
        _ => {}
    }
    let mut merged = fields::splice(schema, ty, old, &changed);
    merged.extend(fields::unknown(schema, ty, new));
    Ok(merged)
}

/// A `FunctionDefLibrary` with the functions and gradients of both.
fn merged_library(old: &[u8], new: &[u8]) -> Result<Vec<u8>> {
    let name = |number: u32, bytes| match number {
        FUNCTION => {
            text_in(bytes_in(bytes, function_def::SIGNATURE).unwrap_or_default(), op_def::NAME)
        }
        _ => text_in(bytes, gradient_def::FUNCTION_NAME),
    };
    let key = |record: &Record<'_>| record.number;
    let mut known = BTreeMap::new();
    for record in records(old) {
        let bytes = bytes_of(&record);
        known.entry((record.number, name(record.number, bytes))).or_insert(bytes);
    }
    let mut added = Vec::new();
    for record in records(new).filter(|record| matches!(record.number, FUNCTION | GRADIENT)) {
        let bytes = bytes_of(&record);
        let name = name(record.number, bytes);
        match known.get(&(record.number, name)) {
            None => added.push(record),
            Some(old) if *old == bytes => {}
            Some(_) => {
                let what =
                    if record.number == FUNCTION { "function" } else { "gradient of function" };
                let kind = format!("{what} {} is another one in each graph", shortened(name));
                return Err(ErrorKind::Usage(kind).into());
            }
        }
    }
    let mut out = Writer::default();
    let mut write = |record: &Record<'_>| out.raw(record.bytes);
    for number in [FUNCTION, GRADIENT] {
        records(old).filter(|r| key(r) == number).for_each(|r| write(&r));
        added.iter().filter(|r| key(r) == number).for_each(&mut write);
    }
    records(old)
        .chain(records(new))
        .filter(|r| !matches!(key(r), FUNCTION | GRADIENT))
        .for_each(|r| write(&r));
    Ok(out.finish())
}

/// What a consumer of both must be: the older producer, the higher demand, all bad consumers.
fn merged_versions(old: &[u8], new: &[u8]) -> Vec<u8> {
    let number = |versions, number| {
        let record = records(versions).find(|record| record.number == number);
        match record.map(|record| record.value) {
            Some(Value::Varint(bits)) => int32(bits),
            _ => 0,
        }
    };
    let bad: BTreeSet<i32> = [old, new]
        .into_iter()
        .filter_map(|versions| bytes_in(versions, version_def::BAD_CONSUMERS))
        .flat_map(|packed| Packed::new(Scalar::Int32, packed, 0).map_while(Result::ok))
        .map(|value| if let Value::Varint(bits) = value { int32(bits) } else { 0 })
        .collect();
    let mut out = Writer::default();
    let producer = number(old, version_def::PRODUCER).min(number(new, version_def::PRODUCER));
    let consumer =
        number(old, version_def::MIN_CONSUMER).max(number(new, version_def::MIN_CONSUMER));
    for (field, value) in [(version_def::PRODUCER, producer), (version_def::MIN_CONSUMER, consumer)]
        .into_iter()
        .filter(|(_, v)| *v != 0)
    {
        out.tag(field, WireType::Varint);
        out.varint(i64::from(value).cast_unsigned());
    }
    if !bad.is_empty() {
        out.tag(version_def::BAD_CONSUMERS, WireType::Len);
        out.open();
        bad.iter().for_each(|version| out.varint(i64::from(*version).cast_unsigned()));
        out.close();
    }
    for record in
        records(old).chain(records(new)).filter(|record| record.number > version_def::BAD_CONSUMERS)
    {
        out.raw(record.bytes);
    }
    out.finish()
}

/// `meta_info_def` of the first, with the ops of both; of the other where the first has none.
fn merged_info(old: &[u8], new: &[u8]) -> Vec<u8> {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.MetaGraphDef.MetaInfoDef");
    let Some(ty) = ty.filter(|_| !old.is_empty()) else {
        return fields::field(meta_graph_def::META_INFO_DEF, new);
    };
    let mut ops = BTreeMap::new();
    for list in
        [new, old].map(|info| bytes_in(info, meta_info_def::STRIPPED_OP_LIST).unwrap_or_default())
    {
        let definitions = records(list).filter(|record| record.number == op_list::OP);
        ops.extend(
            definitions.map(|record| (text_in(bytes_of(&record), op_def::NAME), bytes_of(&record))),
        );
    }
    let mut changed = BTreeMap::new();
    if !ops.is_empty() {
        let list: Vec<u8> = ops.values().flat_map(|op| fields::field(op_list::OP, op)).collect();
        changed.insert(
            meta_info_def::STRIPPED_OP_LIST,
            fields::field(meta_info_def::STRIPPED_OP_LIST, &list),
        );
    }
    if fields::is_set(new, meta_info_def::STRIPPED_DEFAULT_ATTRS) {
        changed.insert(
            meta_info_def::STRIPPED_DEFAULT_ATTRS,
            fields::number(meta_info_def::STRIPPED_DEFAULT_ATTRS, 1),
        );
    }
    fields::field(meta_graph_def::META_INFO_DEF, &fields::splice(schema, ty, old, &changed))
}

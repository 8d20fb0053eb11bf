//! Runs of a fuzz target on meta graphs: exports and imports, and what they must keep.

use ckdiff::message::{Message, Record, Records, Value};
use ckdiff::meta_graph::{ExportOptions, ImportOptions, export, import};
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::{NodeDef, attr_value};
use ckdiff::text;
use prost::Message as _;

/// The first byte of an input, and the meta graph in the rest: as text if the lowest bit is set, else as binary.
pub(crate) fn of_input(input: &[u8]) -> Option<(u8, Message<'static>)> {
    let (&first, rest) = input.split_first()?;
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.MetaGraphDef").expect("it is in the schema");
    let message = match first & 1 {
        0 => Message::decode(schema, ty, rest.to_vec()),
        _ => text::parse(schema, ty, rest, &text::ParseOptions::default()).map(|(read, _)| read),
    };
    message.ok().map(|message| (first, message))
}

fn records(bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    Records::new(bytes, 0).map(|record| record.expect("messages are checked when they are read"))
}

/// The content of a field of this number that holds bytes.
fn content(of: Record<'_>, number: u32) -> Option<&[u8]> {
    match of.value {
        Value::Len(content) if of.number == number => Some(content),
        _ => None,
    }
}

/// The records of the nodes of a meta graph, sorted, without devices. A field of another wire type is an unknown field.
pub(crate) fn nodes(meta: &Message<'_>) -> Vec<Vec<u8>> {
    let graph = records(meta.bytes()).find_map(|record| content(record, 2)).unwrap_or_default();
    let nodes = records(graph).filter_map(|record| content(record, 1));
    let bare = |node: &[u8]| -> Vec<u8> {
        let kept = records(node).filter(|record| record.number != 4);
        kept.flat_map(|record| record.bytes.to_vec()).collect()
    };
    let mut nodes: Vec<_> = nodes.map(bare).collect();
    nodes.sort();
    nodes
}

/// Asserts that the bytes of a result are the canonical form of a meta graph.
fn assert_canonical(result: &Message<'_>) {
    let again = Message::decode(result.schema(), result.ty(), result.bytes().to_vec())
        .unwrap_or_else(|error| panic!("{error}\n{}", result.bytes().escape_ascii()));
    assert!(again.bytes() == result.bytes(), "{}", result.bytes().escape_ascii());
}

/// Exports and imports a meta graph; the bits of the first byte are options. Returns whether it was imported.
pub(crate) fn move_meta_graph(input: &[u8]) -> bool {
    let Some((first, meta)) = of_input(input) else { return false };
    if let Ok(exported) = export(&meta, &ExportOptions::default()) {
        assert!(exported.message.bytes() == meta.bytes(), "a full export changes nothing");
    }
    let is_set = |bit: u8| first & (1 << bit) != 0;
    let options = ExportOptions {
        clear_devices: is_set(1),
        clear_extraneous_savers: is_set(2),
        strip_default_attrs: is_set(3),
        stripped_op_list: is_set(4),
        ..ExportOptions::default()
    };
    if let Ok(exported) = export(&meta, &options) {
        assert_canonical(&exported.message);
        let again = export(&exported.message, &options).expect("what was exported is a meta graph");
        // A new list of ops lacks those that only unused functions call, and with them their default values.
        let has_same_defaults = !(options.strip_default_attrs && options.stripped_op_list);
        let is_same = again.message.bytes() == exported.message.bytes();
        assert!(is_same || !has_same_defaults, "{options:?}: exported twice");
    }
    let below = |scope: &str| ImportOptions {
        import_scope: scope.into(),
        clear_devices: is_set(5),
        ..ImportOptions::default()
    };
    if is_set(6) {
        check_twice(&meta, &below("again"));
    }
    check_there_and_back(&meta, &below("some/where"))
}

/// Whether a `_class` of a node is no node, which an export of a scope drops as TensorFlow does.
fn has_odd_class(node: &[u8]) -> bool {
    // prost takes a field of another wire type for an error, not for an unknown field.
    let Ok(node) = NodeDef::decode(node) else { return true };
    match node.attr.get("_class").and_then(|class| class.value.as_ref()) {
        Some(attr_value::Value::List(list)) => !list.s.iter().all(|one| one.starts_with(b"loc:@")),
        Some(_) => true,
        None => false,
    }
}

/// Imports a meta graph below a scope, and exports the scope. Returns whether it could be imported.
fn check_there_and_back(meta: &Message<'static>, options: &ImportOptions<'_>) -> bool {
    let Ok(there) = import(meta, None, options) else { return false };
    assert_canonical(&there.message);
    let before = nodes(meta);
    assert_eq!(nodes(&there.message).len(), before.len());
    if before.is_empty() {
        return true;
    }
    let scope = ExportOptions { export_scope: there.scope.clone(), ..ExportOptions::default() };
    let back = export(&there.message, &scope).expect("the scope has all nodes");
    assert_canonical(&back.message);
    let is_odd = before.iter().any(|node| has_odd_class(node));
    assert!(is_odd || nodes(&back.message) == before, "{:?}", back.message);
    assert!(back.unbound_inputs.is_empty(), "{:?}", back.unbound_inputs);
    true
}

/// Imports a meta graph next to itself.
fn check_twice(meta: &Message<'static>, options: &ImportOptions<'_>) {
    let Ok(both) = import(meta, Some(meta), options) else { return };
    assert_canonical(&both.message);
    assert_eq!(nodes(&both.message).len(), 2 * nodes(meta).len());
}

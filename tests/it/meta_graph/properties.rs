//! Properties of export and import, tested on TensorFlow's, damaged and random meta graphs.

use std::collections::BTreeMap;
use std::fs;

use ckdiff::message::{Message, Record, RecordKind, Records, Value, Writer};
use ckdiff::meta_graph::{ExportOptions, ImportOptions, export, import};
use ckdiff::schema::{Kind, MessageType, Schema, WireType};

use crate::meta_graph::tensorflow::{assert_same, fixture, meta_graph, text};
use crate::support::damage::{mutate, mutations};
use crate::support::property::for_tapes;
use crate::support::random_message::{self, Habit};
use crate::support::{Count, Random};

fn meta_type() -> &'static MessageType {
    Schema::tensorflow().message("tensorflow.MetaGraphDef").unwrap()
}

/// All meta graphs of the fixtures, with their files.
fn all() -> BTreeMap<String, Message<'static>> {
    let mut found = BTreeMap::new();
    for directory in ["meta_graphs", "graphs"] {
        for entry in fs::read_dir(format!("tests/data/{directory}")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "meta") {
                let bytes = fs::read(&path).unwrap();
                found.insert(path.display().to_string(), meta_graph(bytes));
            }
        }
    }
    assert!(found.len() > 40, "{}", found.len());
    found
}

fn scoped(scope: &str) -> ExportOptions {
    ExportOptions { export_scope: scope.into(), ..ExportOptions::default() }
}

fn below(scope: &str) -> ImportOptions<'static> {
    ImportOptions { import_scope: scope.into(), ..ImportOptions::default() }
}

fn records(bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    Records::new(bytes, 0).map(Result::unwrap)
}

/// The records of the nodes of a meta graph, sorted, without devices.
fn nodes(meta: &Message<'_>) -> Vec<Vec<u8>> {
    let content = |value| if let Value::Len(content) = value { content } else { &[] };
    let graph = records(meta.bytes()).find(|record| record.number == 2).unwrap();
    let nodes = records(content(graph.value)).filter(|record| record.number == 1);
    let bare = |node: &[u8]| -> Vec<u8> {
        let kept = records(node).filter(|record| record.number != 4);
        kept.flat_map(|record| record.bytes.to_vec()).collect()
    };
    let mut nodes: Vec<_> = nodes.map(|node| bare(content(node.value))).collect();
    nodes.sort();
    nodes
}

#[test]
fn a_full_export_changes_nothing() {
    for (file, meta) in all() {
        let exported = export(&meta, &ExportOptions::default()).unwrap();
        assert_eq!(exported.message.bytes(), meta.bytes(), "{file}");
        assert!(exported.unbound_inputs.is_empty() && exported.left_out.is_empty());
    }
}

#[test]
fn an_import_under_a_scope_is_undone_by_its_export() {
    let mut moved = 0;
    for (file, meta) in all() {
        if nodes(&meta).is_empty() {
            continue;
        }
        let Ok(there) = import(&meta, None, &below("some/where")) else {
            let is_unbound = text(&meta).contains("$unbound_inputs_");
            assert!(is_unbound || file.contains("unknown_fields"), "{file}");
            continue;
        };
        assert_eq!(there.scope, "some/where");
        for scope in ["some/where", "some/where/"] {
            let back = export(&there.message, &scoped(scope)).unwrap();
            assert_eq!(nodes(&back.message), nodes(&meta), "{file}");
            assert!(back.unbound_inputs.is_empty() && back.left_out.is_empty(), "{file}");
        }
        assert_eq!(nodes(&import(&meta, None, &below("")).unwrap().message), nodes(&meta));
        moved += 1;
    }
    assert!(moved >= 30, "{moved}");
}

#[test]
fn a_meta_graph_can_be_imported_next_to_itself_many_times() {
    let meta = fixture("partitioned.meta");
    let count = nodes(&meta).len();
    let mut both = meta.clone();
    for round in 1..4 {
        let imported = import(&meta, Some(&both), &below("model")).unwrap();
        assert_eq!(imported.scope, format!("model_{round}"));
        both = imported.message;
        assert_eq!(nodes(&both).len(), count * (round + 1));
    }
    let below_root = import(&meta, Some(&both), &below("")).unwrap();
    let again = import(&below_root.message, None, &below("")).unwrap();
    assert_eq!(nodes(&again.message).len(), count * 5, "every name is unique");
}

/// The message with an unknown field at the end of every message in it, including those in collections.
fn sprinkled(ty: &MessageType, bytes: &[u8]) -> Vec<u8> {
    let schema = Schema::tensorflow();
    let mut out = Writer::default();
    let mut key = String::new();
    for record in Records::new(bytes, 0).map(Result::unwrap) {
        let field = match RecordKind::of(schema, ty, &record) {
            RecordKind::Known(field, _) => field,
            RecordKind::Unknown => panic!("{record:?}"),
        };
        match (field.kind, record.value) {
            (Kind::Message(id), Value::Len(content)) => {
                let inner = &schema[id];
                let mut new = sprinkled(inner, content);
                if &*ty.full_name == "tensorflow.MetaGraphDef.CollectionDefEntry" {
                    new = sprinkled_collection(&key, content);
                }
                out.tag(record.number, WireType::Len);
                out.len_prefixed(&new);
            }
            (_, value) => {
                if let (1, true, Value::Len(text)) = (record.number, ty.is_map_entry, value) {
                    key = String::from_utf8(text.to_vec()).unwrap();
                }
                out.raw(record.bytes);
            }
        }
    }
    out.tag(1_000, WireType::Varint);
    out.varint(7);
    out.finish()
}

/// The collection with unknown fields in its items, if its name says that they are messages.
fn sprinkled_collection(key: &str, bytes: &[u8]) -> Vec<u8> {
    let schema = Schema::tensorflow();
    let item = match key {
        "variables" | "trainable_variables" => "tensorflow.VariableDef",
        "while_context" => "tensorflow.WhileContextDef",
        "cond_context" => "tensorflow.CondContextDef",
        "queue_runners" => "tensorflow.QueueRunnerDef",
        "savers" => "tensorflow.SaverDef",
        _ => return sprinkled(schema.message("tensorflow.CollectionDef").unwrap(), bytes),
    };
    let list = Records::new(bytes, 0).next().unwrap().unwrap();
    let Value::Len(items) = list.value else { panic!("{key}") };
    let mut out = Writer::default();
    out.tag(list.number, WireType::Len);
    out.open();
    for record in Records::new(items, 0).map(Result::unwrap) {
        let Value::Len(content) = record.value else { panic!("{key}") };
        out.tag(1, WireType::Len);
        out.len_prefixed(&sprinkled(schema.message(item).unwrap(), content));
    }
    out.tag(1_000, WireType::Varint);
    out.varint(7);
    out.close();
    out.tag(1_000, WireType::Varint);
    out.varint(7);
    out.finish()
}

fn with_unknown_fields(meta: &Message<'_>) -> Message<'static> {
    meta_graph(sprinkled(meta_type(), meta.bytes()))
}

#[test]
fn unknown_fields_stay_wherever_they_are() {
    for (file, scope) in [
        ("partitioned.meta", "model/"),
        ("queues.meta", "input"),
        ("nested.meta", "net"),
        ("unbound.meta", ""),
        ("functions.meta", ""),
    ] {
        let options = ExportOptions { clear_devices: true, ..scoped("") };
        // With a library and versions, which an export adds if they are missing.
        let meta = export(&fixture(file), &options).unwrap().message;
        let options = ExportOptions { clear_devices: true, ..scoped(scope) };
        let plain = export(&meta, &options).unwrap().message;
        let unknown = export(&with_unknown_fields(&meta), &options).unwrap().message;
        assert_same(&unknown, &with_unknown_fields(&plain), file);

        let plain = import(&meta, None, &below("there")).unwrap().message;
        let unknown = import(&with_unknown_fields(&meta), None, &below("there")).unwrap().message;
        assert_same(&unknown, &with_unknown_fields(&plain), file);
    }
}

/// Exports and imports a meta graph in ten ways; each result is a canonical message or an error with a text. Returns the
/// number of messages.
fn in_every_way(meta: &Message<'static>) -> u64 {
    let mut messages = 0;
    let check = |message: &Message<'static>| {
        let again = meta_graph(message.bytes().to_vec());
        assert_eq!(again.bytes(), message.bytes(), "{}", text(message));
    };
    let all = ExportOptions {
        clear_devices: true,
        clear_extraneous_savers: true,
        strip_default_attrs: true,
        stripped_op_list: true,
        tags: Some(vec!["a".into()]),
        meta_graph_version: Some("b".into()),
        ..ExportOptions::default()
    };
    let first = text(meta)
        .lines()
        .find_map(|line| Some(line.split_once("name: \"")?.1.split(['/', '"']).next()?.to_owned()));
    let scope = first.unwrap_or_default();
    for options in [
        ExportOptions::default(),
        scoped(&scope),
        all.clone(),
        ExportOptions { export_scope: scope, ..all },
    ] {
        match export(meta, &options) {
            Ok(exported) => {
                check(&exported.message);
                messages += 1;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    for options in [below(""), below("a"), ImportOptions { clear_devices: true, ..below("a/b/") }] {
        for into in [None, Some(meta)] {
            match import(meta, into, &options) {
                Ok(imported) => {
                    check(&imported.message);
                    messages += 1;
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    messages
}

#[test]
fn random_meta_graphs_are_written_in_canonical_form() {
    let (random_ones, messages) = (Count::default(), Count::default());
    for_tapes("meta graph", 61, 150, |tape| {
        let mut random = Random::of_tape(tape);
        for habit in [Habit::Tidy, Habit::Untidy, Habit::Unknown] {
            let (bytes, _) =
                random_message::message(Schema::tensorflow(), meta_type(), habit, &mut random);
            messages.add(in_every_way(&meta_graph(bytes)));
            random_ones.add(1);
        }
        Ok(())
    });
    // Each was exported and imported in ten ways.
    let (random_ones, messages) = (random_ones.get(), messages.get());
    assert!(messages > random_ones / 2, "{messages} messages of {random_ones}");
}

#[test]
fn damaged_meta_graphs_are_survived() {
    let victims: Vec<_> = ["towers_scope.meta", "nested.meta", "queues.meta", "unbound_scope.meta"]
        .map(fixture)
        .into();
    let count = mutations(400, 25);
    let (mut decoded, mut messages) = (0, 0);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let mut bytes = victims[seed as usize % victims.len()].bytes().to_vec();
        mutate(&mut bytes, &mut random);
        if let Ok(meta) = Message::decode(Schema::tensorflow(), meta_type(), bytes) {
            messages += in_every_way(&meta);
            decoded += 1;
        }
    }
    assert!(decoded > count / 20 && messages > decoded, "{decoded} of {count}, {messages}");
}

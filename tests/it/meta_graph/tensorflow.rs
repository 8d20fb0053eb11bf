//! Exported and imported meta graphs: equal to TensorFlow's results for the same graph.

use std::collections::BTreeMap;
use std::fs;

use ckdiff::message::{Message, Records, Value as Wire};
use ckdiff::meta_graph::{
    ExportOptions, ExportOutcome, ImportOptions, ImportOutcome, export, import,
};
use serde_json::Value;

use crate::support::message_forms::decoded;
use crate::support::oracle;

pub fn meta_graph(bytes: Vec<u8>) -> Message<'static> {
    decoded("tensorflow.MetaGraphDef", bytes)
}

pub fn fixture(file: &str) -> Message<'static> {
    meta_graph(fs::read(format!("tests/data/meta_graphs/{file}")).unwrap())
}

/// The message as text, for comparisons by line.
pub fn text(message: &Message<'_>) -> String {
    use ckdiff::text::{PrintOptions, Style, print};
    let mut out = Vec::new();
    print(message, &PrintOptions::new(Style::Protoc), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Asserts equal bytes; a failure shows the lines that differ.
pub fn assert_same(ours: &Message<'_>, theirs: &Message<'_>, case: &str) {
    if ours.bytes() != theirs.bytes() {
        pretty_assert(&text(ours), &text(theirs), case);
        panic!("{case}: the same text, other bytes");
    }
}

fn pretty_assert(ours: &str, theirs: &str, case: &str) {
    let first = ours.lines().zip(theirs.lines()).position(|(ours, theirs)| ours != theirs);
    let at = first.unwrap_or(ours.lines().count().min(theirs.lines().count()));
    let around = |text: &str| -> Vec<String> {
        text.lines().skip(at.saturating_sub(12)).take(20).map(str::to_owned).collect()
    };
    assert_eq!(around(ours), around(theirs), "{case}: line {at}");
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn export_case(case: &Value) -> ExportOutcome<'static> {
    let is = |key: &str| case[key].as_bool().unwrap_or_default();
    let options = ExportOptions {
        export_scope: case["export_scope"].as_str().unwrap_or_default().into(),
        clear_devices: is("clear_devices"),
        clear_extraneous_savers: is("clear_extraneous_savers"),
        strip_default_attrs: is("strip_default_attrs"),
        collection_list: case.get("collection_list").map(texts),
        ..ExportOptions::default()
    };
    export(&fixture(case["before"].as_str().unwrap()), &options).unwrap()
}

fn import_case(case: &Value) -> ImportOutcome<'static> {
    let map = |map: &Value| -> BTreeMap<String, String> {
        let entry = |(key, value): (&String, &Value)| (key.clone(), value.as_str().unwrap().into());
        map.as_object().unwrap().iter().map(entry).collect()
    };
    let options = ImportOptions {
        import_scope: case["import_scope"].as_str().unwrap_or_default().into(),
        input_map: case.get("input_map").map(map).unwrap_or_default(),
        return_elements: case.get("return_elements").map(texts).unwrap_or_default(),
        ..ImportOptions::default()
    };
    let into = case["into"].as_str().map(fixture);
    import(&fixture(case["before"].as_str().unwrap()), into.as_ref(), &options).unwrap()
}

#[test]
fn exports_equal_those_of_tensorflow() {
    let oracle = oracle("meta_graphs.json");
    let cases = oracle.as_object().unwrap().iter().filter(|(_, case)| case["do"] == "export");
    let mut count = 0;
    for (name, case) in cases {
        let theirs = fixture(case["after"].as_str().unwrap());
        assert_same(&export_case(case).message, &theirs, name);
        count += 1;
    }
    assert!(count >= 15, "{count}");
}

/// The bytes of a top-level field of the message.
fn field<'m>(message: &'m Message<'_>, number: u32) -> &'m [u8] {
    let records = Records::new(message.bytes(), 0).map(Result::unwrap);
    let content =
        records.filter(|record| record.number == number).map(|record| match record.value {
            Wire::Len(content) => content,
            _ => panic!("{number}"),
        });
    content.last().unwrap()
}

#[test]
fn imports_equal_those_of_tensorflow() {
    let oracle = oracle("meta_graphs.json");
    let cases = oracle.as_object().unwrap().iter().filter(|(_, case)| case["do"] == "import");
    let (mut count, mut savers, mut returns) = (0, 0, 0);
    for (name, case) in cases {
        let theirs = fixture(case["after"].as_str().unwrap());
        let ours = import_case(case);
        if name == "twice" {
            // TensorFlow's collections and saver refer to the nodes of the first import here.
            assert_eq!(field(&ours.message, 2), field(&theirs, 2), "{name}");
        } else if case["into"].is_string() {
            // TensorFlow's export includes the imported saver only on request.
            let bytes = ours.message.bytes();
            let saver = Records::new(bytes, 0).map(Result::unwrap).find(|r| r.number == 3).unwrap();
            let (from, len) = (saver.offset as usize, saver.bytes.len());
            let without = [&bytes[..from], &bytes[from + len..]].concat();
            assert_same(&meta_graph(without), &theirs, name);
        } else {
            assert_same(&ours.message, &theirs, name);
        }
        if let Some(restore) = case["saver"].as_str() {
            assert_eq!(ours.saver.unwrap().restore_op_name, restore, "{name}");
            savers += 1;
        }
        if let Some(returned) = case.get("returned") {
            assert_eq!(ours.return_elements, texts(returned), "{name}");
            returns += 1;
        }
        count += 1;
    }
    assert!(count >= 9 && savers >= 4 && returns >= 1, "{count} {savers} {returns}");
}

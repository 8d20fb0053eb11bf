//! Hostile names, and texts that are no snapshot.

use ckdiff::artifact::{Artifact, Document, ReadOptions};
use ckdiff::diff::{DiffOptions, Verdict};
use ckdiff::prost::Message as _;
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::attr_value::Value;
use ckdiff::schema::tensorflow::{
    AttrValue, CollectionDef, GraphDef, MetaGraphDef, NodeDef, SignatureDef, collection_def,
};
use ckdiff::snapshot;

use super::fixtures;
use crate::support::fuzz_snapshot::read_snapshot;
use crate::support::{Random, damage};

const NAMES: &[&str] = &[
    "<script>alert(1)</script>",
    "]]>",
    "a|b",
    "`id`",
    "\u{1b}[2J",
    "a\nb",
    "a\r\nkind graph",
    "a\tb",
    "\"",
    "\\",
    "a b",
    "{",
    "}",
    "(",
    "a=b",
    "#",
    "",
    "/",
    "a/",
    "/a",
    "a//b",
    "^",
    "\u{202e}x",
    "other {",
    "x_1",
    "graph",
    "é",
];

fn meta_graph(names: &[&str]) -> Artifact<'static> {
    let text = |name: &str| AttrValue { value: Some(Value::S(name.as_bytes().to_vec())) };
    let node = |name: &&str| NodeDef {
        name: (*name).into(),
        op: (*name).into(),
        device: (*name).into(),
        input: names.iter().map(|name| (*name).into()).collect(),
        attr: names.iter().map(|name| ((*name).into(), text(name))).collect(),
        ..NodeDef::default()
    };
    let graph = GraphDef { node: names.iter().map(node).collect(), ..GraphDef::default() };
    let list = collection_def::BytesList {
        value: names.iter().map(|name| name.as_bytes().to_vec()).collect(),
    };
    let collection = CollectionDef { kind: Some(collection_def::Kind::BytesList(list)) };
    let meta = MetaGraphDef {
        graph_def: Some(graph),
        collection_def: names.iter().map(|name| ((*name).into(), collection.clone())).collect(),
        signature_def: names.iter().map(|name| ((*name).into(), SignatureDef::default())).collect(),
        ..MetaGraphDef::default()
    };
    let options = ReadOptions { message: Some("MetaGraphDef".into()), ..ReadOptions::default() };
    let bytes = meta.encode_to_vec();
    Document::read(&*bytes, "hostile.pb".as_ref(), Schema::tensorflow(), &options).unwrap().into()
}

#[test]
fn hostile_names_are_shown_and_read_back() {
    let long = "x".repeat(10_000);
    let names: Vec<&str> = NAMES.iter().copied().chain([&*long]).collect();
    let artifact = meta_graph(&names);
    let text = snapshot::text(&artifact).unwrap();
    let is_safe = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
    assert!(text.chars().all(is_safe), "{text}");
    let saved = snapshot::parse(&text).unwrap();
    assert_eq!(saved.text().unwrap(), text);
    let check = snapshot::check(&saved, "saved".as_ref(), &artifact, &DiffOptions::default());
    assert_eq!(check.unwrap().verdict(), Verdict::Same);
}

#[test]
fn names_of_variables_may_be_any_bytes() {
    let artifact = fixtures::open("names/odd.ckpt");
    let text = snapshot::text(&artifact).unwrap();
    assert!(text.contains("\\3"), "a byte that is not UTF-8: {text}");
    let saved = snapshot::parse(&text).unwrap();
    assert_eq!(saved.text().unwrap(), text);
    let check = snapshot::check(&saved, "saved".as_ref(), &artifact, &DiffOptions::default());
    assert_eq!(check.unwrap().verdict(), Verdict::Same);
}

#[test]
fn a_text_that_is_no_snapshot_has_a_line_and_a_column() {
    let head = "ckdiff snapshot 1\nkind graph\n";
    for (text, expected) in [
        ("", "1:1: expected \"ckdiff snapshot \", found the end of the line"),
        ("hello", "1:1: expected \"ckdiff snapshot \", found \"hello\""),
        ("ckdiff snapshot 2\n", "1:17: expected version 1, found \"2\""),
        ("ckdiff snapshot 1\nredact x: y", "2:1: expected \"kind \", found \"redact\""),
        (&format!("{head}redact nothing: x"), "3:8: expected versions, op-definitions"),
        (
            &format!("{head}<<<<<<< HEAD\n"),
            "3:1: expected variables, assets, graph, meta graph, schema version or message, found \"<<<<<<<\"",
        ),
        (&format!("{head}graph\n  a = Op(\n"), "4:10: expected a name, found the end of the line"),
        (
            &format!("{head}graph\n  a = Op() T=DT_FLOOT\n"),
            "4:14: expected the name of a type, such as DT_FLOAT, found \"DT_FLOOT\"",
        ),
        (&format!("{head}graph\n  a = Op() T={{tipe: 1}}\n"), "4:15: "),
        (&format!("{head}graph\n  a = Op() T={{\n"), "4:15: expected a closing brace"),
        (&format!("{head}graph\n  a = Op() s=\"x\n"), "4:16: expected a closing quote"),
        (&format!("{head}graph\n   a = Op()\n"), "4:4: "),
        (&format!("{head}graph\n    a = Op()\n"), "4:5: "),
        (
            &format!("{head}variables\n  b float32 [] weight\n  a float32 [] weight\n"),
            "5:3: expected variables in the order",
        ),
        (
            &format!("{head}variables\n  b float32 [-1] weight\n"),
            "4:13: expected a shape of known sizes",
        ),
        (
            &format!("{head}message tensorflow.Nothing {{}}\n"),
            "3:9: expected the name of a message of TensorFlow",
        ),
        (&format!("{head}graph\ngraph\n"), "4:1: expected the end of the file, found \"graph\""),
    ] {
        let error = snapshot::parse(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text:?}:\n{error}");
    }
    let error = snapshot::parse(b"ckdiff snapshot 1\n\xff").unwrap_err().to_string();
    assert!(error.starts_with("2:1: snapshot is not text in UTF-8"), "{error}");
}

#[test]
fn no_line_of_a_snapshot_can_be_lost_in_silence() {
    let text = snapshot::text(&fixtures::open("snapshots/2.21/module")).unwrap();
    let whole = snapshot::parse(&text).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..lines.len() {
        let mut fewer = lines.clone();
        let line = fewer.remove(at);
        if line.starts_with('#') {
            continue;
        }
        let fewer: String = fewer.iter().map(|line| format!("{line}\n")).collect();
        if let Ok(parsed) = snapshot::parse(&fewer) {
            assert!(parsed != whole, "{line}");
        }
    }
}

#[test]
fn damaged_models_have_snapshots_that_can_be_read() {
    let mut random = Random::new(2);
    for path in
        ["pairs/loop_sets/lhs.meta", "pairs/function_body/lhs.meta", "pairs/saver_sharded/lhs.meta"]
    {
        let bytes = std::fs::read(std::path::Path::new("tests/data").join(path)).unwrap();
        for _ in 0..damage::mutations(200, 10) {
            let mut damaged = bytes.clone();
            damage::mutate(&mut damaged, &mut random);
            read_snapshot(&[&[0], &*damaged].concat());
        }
    }
}

#[test]
fn damaged_texts_are_refused_or_read_and_never_panic() {
    let text = snapshot::text(&fixtures::open("snapshots/2.21/keras_1")).unwrap();
    let mut random = Random::new(1);
    for _ in 0..damage::mutations(2_000, 1) {
        let mut damaged = text.as_bytes().to_vec();
        damage::mutate(&mut damaged, &mut random);
        read_snapshot(&damaged);
    }
}

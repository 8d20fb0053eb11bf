//! Documents: the recognition of their message type and form.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ckdiff::artifact::{Artifact, ArtifactKind, Document, FileKind, Form, ReadOptions, Sniffed};
use ckdiff::json;
use ckdiff::message::Unknown;
use ckdiff::schema::{KnownType, Schema};
use ckdiff::text;
use serde_json::Value;

use crate::support::command::ckdiff;
use crate::support::{Random, oracle, sha256};

fn read(path: &Path, options: &ReadOptions) -> ckdiff::Result<Document<'static>> {
    Document::open(path, Schema::tensorflow(), options)
}

/// Reads `bytes` as a file with this name.
fn read_as(name: &str, bytes: &[u8]) -> ckdiff::Result<Document<'static>> {
    Document::read(bytes, Path::new(name), Schema::tensorflow(), &ReadOptions::default())
}

fn type_of(document: &Document<'_>) -> String {
    document.message().ty().full_name.to_string()
}

fn to_text(document: &Document<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    text::print(document.message(), &text::PrintOptions::default(), &mut out).unwrap();
    out
}

fn to_json(document: &Document<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let options = json::PrintOptions { unknown: Unknown::Drop, ..Default::default() };
    json::print(document.message(), &options, &mut out).unwrap();
    out
}

/// The digest of the canonical form: protobuf's encoding with map entries sorted by key.
fn of_canonical(facts: &Value) -> &Value {
    facts.get("ascending").unwrap_or(&facts["canonical"])
}

/// The files of the oracle, each with its message type and the digest of its canonical form.
fn known(list: &str) -> Vec<(PathBuf, String, String)> {
    let oracle = oracle("messages.json");
    let known = |facts: &Value| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let path = Path::new("tests/data").join(text(&facts["path"]));
        (path, text(&facts["message"]), text(&of_canonical(facts)["sha256"]))
    };
    oracle[list].as_array().unwrap().iter().map(known).collect()
}

#[test]
fn every_message_of_the_corpus_is_recognized() {
    for (path, message, canonical) in [known("messages"), known("texts")].concat() {
        let document = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(type_of(&document), message, "{}", path.display());
        if document.form() == Form::Binary {
            assert_eq!(sha256(document.message().bytes()), canonical, "{}", path.display());
        }
        let artifact = Artifact::open(&path).unwrap();
        assert!(artifact.message().is_some(), "{}", path.display());
    }
}

#[test]
fn messages_are_recognized_in_every_form_without_a_name() {
    for (path, message, forms) in in_every_form() {
        for (form, bytes) in forms {
            let again = read_as("nameless", &bytes)
                .unwrap_or_else(|error| panic!("{} as {form}: {error}", path.display()));
            assert_eq!(again.form(), form, "{}", path.display());
            assert_eq!(type_of(&again), message, "{} as {form}", path.display());
        }
    }
}

/// Every non-empty message of the corpus in each form: its path, its type, and the forms.
fn in_every_form() -> impl Iterator<Item = (PathBuf, String, [(Form, Vec<u8>); 3])> {
    [known("messages"), known("texts")].concat().into_iter().filter_map(|(path, message, _)| {
        let document = read(&path, &ReadOptions::default()).unwrap();
        let binary = document.message().bytes().to_vec();
        let forms = [
            (Form::Text, to_text(&document)),
            (Form::Json, to_json(&document)),
            (Form::Binary, binary),
        ];
        (!document.message().bytes().is_empty()).then_some((path, message, forms))
    })
}

#[test]
fn messages_are_recognized_under_misleading_names() {
    let names = [
        "saved_model.pb",
        "graph.pbtxt",
        "model.ckpt-7.meta",
        "saver.json",
        "checkpoint",
        "fingerprint.pb",
        "notes.txt",
    ];
    let mut read = 0;
    for (path, message, forms) in in_every_form() {
        for (form, bytes) in forms {
            for name in names {
                // Binary bytes with a colon, such as `weights:`, may be taken for a text with a control character in it.
                if form == Form::Binary && name.ends_with("txt") && bytes.contains(&b':') {
                    continue;
                }
                let found = read_as(name, &bytes);
                let found =
                    found.unwrap_or_else(|error| panic!("{} {form}: {error}", path.display()));
                let found = (type_of(&found), found.form());
                assert_eq!(found, (message.clone(), form), "{} as {name}", path.display());
                read += 1;
            }
        }
    }
    assert!(read > 1_000, "{read}");
}

#[test]
fn a_later_version_may_have_more_fields() {
    for (path, message, forms) in in_every_form() {
        if path.ends_with("unknown_fields.meta") {
            continue;
        }
        let [.., (_, mut bytes)] = forms;
        // A number, a string and a message.
        for (number, rest) in [(700u32, &b"\x05"[..]), (701, b"\x03new"), (702, b"\x02\x08\x01")] {
            let tag = number << 3 | if number == 700 { 0 } else { 2 };
            bytes.extend([tag as u8 | 0x80, (tag >> 7) as u8]);
            bytes.extend(rest);
        }
        let found = read_as("nameless", &bytes);
        let found = found.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(type_of(&found), message, "{}", path.display());
    }
}

#[test]
fn a_truncated_file_is_recognized_by_its_start() {
    let mut cut = 0;
    for (path, message, forms) in in_every_form() {
        let [.., (_, bytes)] = forms;
        for parts in [2, 3] {
            let (name, end) = (path.file_name().unwrap(), bytes.len() * (parts - 1) / parts);
            if end < 200 {
                continue;
            }
            // Either the cut is between two fields, or the parser of the right type reports where the bytes end.
            match read_as(name.to_str().unwrap(), &bytes[..end]) {
                Ok(found) => assert_eq!(type_of(&found), message, "{}", path.display()),
                Err(error) => assert!(error.offset().is_some(), "{}: {error}", path.display()),
            }
            cut += 1;
        }
    }
    assert!(cut > 50, "{cut}");
}

#[test]
fn the_name_decides_the_type_of_an_empty_message() {
    let names = [
        ("saved_model.pb", "tensorflow.SavedModel"),
        ("model.ckpt-7.meta", "tensorflow.MetaGraphDef"),
        ("checkpoint", "tensorflow.CheckpointState"),
        ("frozen_graph.pbtxt", "tensorflow.GraphDef"),
        ("graph.json", "tensorflow.GraphDef"),
    ];
    for (name, message) in names {
        let content: &[u8] = if name.ends_with("json") { b"{}" } else { b"" };
        assert_eq!(type_of(&read_as(name, content).unwrap()), message, "{name}");
    }
    for (name, content) in [("x.pb", ""), ("x.pbtxt", "# nothing\n"), ("x.json", " {} ")] {
        let error = read_as(name, content.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("could be of any type"), "{name}: {error}");
    }
}

#[test]
fn the_content_outweighs_the_extension() {
    let graph = b"node { name: 'a' op: 'NoOp' }";
    for name in ["graph.pb", "model.meta", "graph.json", "graph.txt", "graph"] {
        assert_eq!(read_as(name, graph).unwrap().form(), Form::Text, "{name}");
    }
    let graph = br#"{"node": [{"name": "a", "op": "NoOp"}]}"#;
    for name in ["graph.pb", "graph.pbtxt", "graph.json"] {
        assert_eq!(read_as(name, graph).unwrap().form(), Form::Json, "{name}");
    }
    // The lengths of the node and of its name are bytes that look like the start of a text.
    let name = "n".repeat(58);
    let node = [b"\x0a\x3a", name.as_bytes(), b"\x12\x05Const"].concat();
    let graph = [b"\x0a", &[node.len() as u8][..], &node].concat();
    assert_eq!((node.len(), graph[1], graph[3]), (67, b'C', b':'));
    assert_eq!(read_as("graph", &graph).unwrap().form(), Form::Binary);
}

#[test]
fn a_comment_may_name_the_message() {
    let text = b"# proto-file: x.proto\n# proto-message: tensorflow.NodeDef\n\nname: 'a'\n";
    assert_eq!(type_of(&read_as("x", text).unwrap()), "tensorflow.NodeDef");
    let error = read_as("x", b"name: 'a'").unwrap_err().to_string();
    assert!(error.contains("this could be") && error.contains("tensorflow.NodeDef"), "{error}");
}

#[test]
fn a_wrong_message_type_is_reported_with_the_likely_one() {
    let cases = [
        ("saved_models/builder/saved_model.pb", "GraphDef", "tensorflow.SavedModel"),
        ("graphs/frozen.pb", "tensorflow.SavedModel", "tensorflow.GraphDef"),
        ("graphs/frozen.pb", "MetaGraphDef", "tensorflow.GraphDef"),
        ("graphs/training.meta", "GraphDef", "tensorflow.MetaGraphDef"),
        ("graphs/saver_def.pb", "CheckpointState", "tensorflow.SaverDef"),
    ];
    for (path, wrong, right) in cases {
        let run = ckdiff(&["convert", path, "-", "--message", wrong]);
        assert_eq!(run.code, 2, "{path}");
        let reported =
            format!("ckdiff: error: {path}: this looks like {right}, not like tensorflow.");
        assert!(run.stderr.starts_with(&reported), "{path}: {}", run.stderr);
        let run = ckdiff(&["show", path, "--message", right]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{path}");
    }
    // For text and JSON the error names the first unknown field.
    for (path, wrong, reported) in [
        (
            "saved_models/builder_text/saved_model.pbtxt",
            "GraphDef",
            ":1:1: tensorflow.GraphDef has no field saved_model_schema_version",
        ),
        ("graphs/frozen.pb.json", "MetaGraphDef", ":2:3: "),
    ] {
        let run = ckdiff(&["convert", path, "-", "--message", wrong]);
        assert_eq!(run.code, 2, "{path}");
        assert!(
            run.stderr.starts_with(&format!("ckdiff: error: {path}{reported}")),
            "{}",
            run.stderr
        );
    }
    let run = ckdiff(&["convert", "graphs/frozen.pb", "-", "--message", "GrafDef"]);
    assert!(run.stderr.contains("no message GrafDef in the schema; did you mean GraphDef?"));
}

#[test]
fn files_of_other_kinds_are_named_in_the_error() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let cases: [(&[u8], &str); 4] = [
        (pointer, "Git LFS pointer"),
        (b"\x1f\x8b\x08\x00\x00\x00", "compressed with gzip"),
        (b"\x89HDF\r\n", "HDF5"),
        (b"PK\x03\x04", "archive"),
    ];
    for (content, what) in cases {
        for name in ["graph.pb", "graph.pbtxt", "checkpoint"] {
            let error = read_as(name, content).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.ckpt-1.meta");
        fs::write(&path, content).unwrap();
        let error = Artifact::open(&path).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

/// A graph of realistic size, mostly constants: the size of constants does not affect recognition.
#[test]
fn large_constants_do_not_hide_what_a_graph_is() {
    let weights = "\\337\\001\\302>".repeat(300_000);
    let node = |name: &str, rest: &str| format!("node {{ name: '{name}' op: 'Const' {rest} }}");
    let value = format!(
        "attr {{ key: 'value' value {{ tensor {{ dtype: DT_FLOAT tensor_content: \"{weights}\" }} }} }}"
    );
    let graph = format!("{} {} {}", node("a", &value), node("b", ""), node("c", "input: 'a'"));
    for (message, text) in [
        ("tensorflow.GraphDef", graph.clone()),
        (
            "tensorflow.MetaGraphDef",
            format!("meta_info_def {{ tags: 'serve' }} graph_def {{ {graph} }}"),
        ),
        (
            "tensorflow.SavedModel",
            format!(
                "saved_model_schema_version: 1 meta_graphs {{ meta_info_def {{ tags: 'serve' }} graph_def {{ {graph} }} }}"
            ),
        ),
    ] {
        let schema = Schema::tensorflow();
        let ty = schema.message(message).unwrap();
        let (parsed, _) =
            text::parse(schema, ty, text.as_bytes(), &text::ParseOptions::default()).unwrap();
        let found = read_as("x", parsed.bytes()).unwrap();
        assert_eq!(type_of(&found), message);
        // A truncated file is still recognized, with the help of its name.
        let cut = &parsed.bytes()[..parsed.bytes().len() - 1_000];
        let error = read_as("saved_model.pb", cut).unwrap_err().to_string();
        assert!(error.contains("needs") && error.contains("left"), "{message}: {error}");
    }
}

#[test]
fn nested_groups_are_walked_once_not_once_for_each_type() {
    let levels = 900;
    // Field 200, which no message type has.
    let (open, close) = (b"\xc3\x0c", b"\xc4\x0c");
    let filler = b"\x08\x01".repeat(20_000);
    let bytes = [open.repeat(levels), filler, close.repeat(levels)].concat();
    assert!(read_as("nameless", &bytes).is_err());
}

#[test]
fn damage_is_reported_with_its_offset_if_the_type_was_recognized() {
    let mut graph = fs::read("tests/data/graphs/frozen.pb").unwrap();
    graph.truncate(graph.len() / 2);
    let error = read_as("frozen_graph.pb", &graph).unwrap_err();
    assert!(error.offset().is_some(), "{error}");
    let mut random = Random::new(7);
    for _ in 0..2_000 {
        let len = random.below(200) as usize;
        let bytes = random.bytes(len);
        // Either result is fine; a panic is not.
        let _ = read_as("x", &bytes);
    }
}

#[test]
fn a_directory_of_a_saved_model_is_its_graphs() {
    for name in ["builder", "builder_text", "module"] {
        let dir = Path::new("tests/data/saved_models").join(name);
        let artifact = Artifact::open(&dir).unwrap();
        assert_eq!(*artifact.kind(), ArtifactKind::Known(KnownType::SavedModel));
        let found = Sniffed::of_path(&dir);
        let FileKind::SavedModel(file) = found.kind() else { panic!("{found:?}") };
        assert!(file.starts_with(&dir));
    }
}

#[test]
fn a_stream_is_refused_before_its_end_if_its_start_decides() {
    let safetensors = fs::read("tests/data/safetensors/demo.safetensors").unwrap();
    for (head, says) in [
        (b"\x89HDF\r\n\x1a\n".as_slice(), "a Keras HDF5 file"),
        (&safetensors, "a file of a safetensors checkpoint"),
    ] {
        let mut rest = io::repeat(0).take(1 << 20);
        let (path, options) = (Path::new("pipe"), ReadOptions::default());
        let read = Document::read(head.chain(&mut rest), path, Schema::tensorflow(), &options);
        assert!(read.unwrap_err().to_string().contains(says), "{says}");
        assert!(rest.limit() > 900_000, "{} bytes are left", rest.limit());
    }
}

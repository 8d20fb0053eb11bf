//! Messages from file to file: which one it is, in which form, and what becomes of it.

use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::artifact::{Artifact, Document, Form, ReadOptions, saved_model};
use ckdiff::json;
use ckdiff::message::Unknown;
use ckdiff::schema::Schema;
use ckdiff::text;
use serde_json::Value;

use crate::command::{ckdiff, ckdiff_of};
use crate::support::{oracle, sha256};

fn read(path: &Path, options: &ReadOptions) -> ckdiff::Result<Document<'static>> {
    Document::open(path, Schema::tensorflow(), options)
}

/// Reads bytes that come under this name.
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

/// The digest of the canonical form: protobuf's, with maps in ascending order of their keys.
fn of_canonical(facts: &Value) -> &Value {
    facts.get("ascending").unwrap_or(&facts["canonical"])
}

/// The files of the oracle, each with its message and the digest of its canonical form.
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
fn every_message_of_the_corpus_is_recognised() {
    for (path, message, canonical) in [known("messages"), known("texts")].concat() {
        let document = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(type_of(&document), message, "{}", path.display());
        if document.form() == Form::Binary {
            assert_eq!(sha256(document.message().bytes()), canonical, "{}", path.display());
        }
        let artifact = Artifact::open(&path).unwrap();
        assert!(matches!(artifact, Artifact::Message(_)), "{}", path.display());
    }
}

#[test]
fn messages_are_recognised_in_every_form_without_a_name() {
    for (path, message, _) in [known("messages"), known("texts")].concat() {
        let document = read(&path, &ReadOptions::default()).unwrap();
        if document.message().bytes().is_empty() {
            continue;
        }
        let forms = [
            (Form::Binary, document.message().bytes().to_vec()),
            (Form::Text, to_text(&document)),
            (Form::Json, to_json(&document)),
        ];
        for (form, bytes) in forms {
            let again = read_as("nameless", &bytes)
                .unwrap_or_else(|error| panic!("{} as {form}: {error}", path.display()));
            assert_eq!(again.form(), form, "{}", path.display());
            assert_eq!(type_of(&again), message, "{} as {form}", path.display());
        }
    }
}

#[test]
fn an_empty_message_is_what_its_name_says() {
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
        assert!(error.contains("could be of any type; --message says which"), "{name}: {error}");
    }
}

#[test]
fn what_is_inside_tells_more_than_the_extension() {
    let graph = b"node { name: 'a' op: 'NoOp' }";
    for name in ["graph.pb", "model.meta", "graph.json", "graph.txt", "graph"] {
        assert_eq!(read_as(name, graph).unwrap().form(), Form::Text, "{name}");
    }
    let graph = br#"{"node": [{"name": "a", "op": "NoOp"}]}"#;
    for name in ["graph.pb", "graph.pbtxt", "graph.json"] {
        assert_eq!(read_as(name, graph).unwrap().form(), Form::Json, "{name}");
    }
    // The length of a node and that of its name look like text for a while.
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
fn a_wrong_message_is_told_by_what_it_looks_like() {
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
        let told = format!("ckdiff: error: {path}: this looks like {right}, not like tensorflow.");
        assert!(run.stderr.starts_with(&told), "{path}: {}", run.stderr);
        let run = ckdiff(&["show", path, "--message", right]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{path}");
    }
    // Text and JSON tell by their first name that does not fit.
    for (path, wrong, told) in [
        (
            "saved_models/builder_text/saved_model.pbtxt",
            "GraphDef",
            ":1:1: tensorflow.GraphDef has no field saved_model_schema_version",
        ),
        ("graphs/frozen.pb.json", "MetaGraphDef", ":2:3: "),
    ] {
        let run = ckdiff(&["convert", path, "-", "--message", wrong]);
        assert_eq!(run.code, 2, "{path}");
        assert!(run.stderr.starts_with(&format!("ckdiff: error: {path}{told}")), "{}", run.stderr);
    }
    let run = ckdiff(&["convert", "graphs/frozen.pb", "-", "--message", "GrafDef"]);
    assert!(run.stderr.contains("no message GrafDef in the schema; did you mean GraphDef?"));
}

#[test]
fn what_holds_no_message_is_named() {
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
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.ckpt-1.meta");
        fs::write(&path, content).unwrap();
        let error = Artifact::open(&path).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn the_extensions_say_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let convert = |from: &str, to: &str| {
        let run = ckdiff(&["convert", from, to]);
        assert_eq!((run.code, run.text(), run.stderr.as_str()), (0, "", ""), "{to}");
    };
    convert("graphs/frozen.pb", &path("graph.pbtxt"));
    convert(&path("graph.pbtxt"), &path("graph.json"));
    convert(&path("graph.json"), &path("graph.binpb"));
    let data = |name: &str| fs::read(format!("tests/data/graphs/{name}")).unwrap();
    assert_eq!(fs::read(path("graph.pbtxt")).unwrap(), data("frozen.pb.tensorflow.pbtxt"));
    assert_eq!(fs::read(path("graph.binpb")).unwrap(), data("frozen.pb"));
    let json: Value = serde_json::from_slice(&fs::read(path("graph.json")).unwrap()).unwrap();
    assert_eq!(json, serde_json::from_slice::<Value>(&data("frozen.pb.json")).unwrap());
}

#[test]
fn standard_input_and_output_take_part() {
    let binary = fs::read("tests/data/graphs/frozen.pb").unwrap();
    let text = ckdiff_of(&["convert", "-", "-"], &binary);
    assert_eq!((text.code, text.stderr.as_str()), (0, ""));
    assert_eq!(text.stdout, fs::read("tests/data/graphs/frozen.pbtxt").unwrap());
    let back = ckdiff_of(&["convert", "-", "-", "--to=binary", "-j2"], &text.stdout);
    assert_eq!(back.stdout, binary);
    let protoc = ckdiff_of(&["convert", "-", "-", "--style=protoc"], &binary);
    assert_eq!(protoc.stdout, fs::read("tests/data/graphs/frozen.pb.protoc.pbtxt").unwrap());
    let line = ckdiff_of(&["convert", "-", "-", "--single-line"], &binary);
    assert_eq!(line.text().lines().count(), 1);
    assert!(line.text().ends_with('\n') && !line.text().ends_with(" \n"));
    let json = ["convert", "-", "-", "--to=json", "--compact", "--original-names"];
    let json = ckdiff_of(&json, &binary);
    assert!(json.text().contains(r#""producer":"#) && json.text().contains(r#""dtype""#));
    assert_eq!(json.text().lines().count(), 1);
    // What is not as it is said to be.
    assert_eq!(ckdiff_of(&["convert", "-", "-", "--from=text"], &binary).code, 2);
    assert_eq!(ckdiff_of(&["convert", "-", "-", "--from=json"], &binary).code, 2);
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("broken.pbtxt"), "node { name: 'a' op: }").unwrap();
    fs::write(path("out.pb"), "before").unwrap();
    for out in ["out.pb", "new.pb", "new.json"] {
        let run = ckdiff(&["convert", &path("broken.pbtxt"), &path(out), "--message=GraphDef"]);
        assert_eq!(run.code, 2);
    }
    // Half of it is printed before the Any of an unknown type comes.
    let run = ckdiff(&["convert", "graphs/any_of_unknown_type.meta", &path("out.json")]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("graphs/any_of_unknown_type.meta: "), "{}", run.stderr);
    assert_eq!(fs::read(path("out.pb")).unwrap(), b"before");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
    let directory = ckdiff(&["convert", "graphs/frozen.pb", &path("")]);
    assert!(directory.stderr.contains("this is a directory"), "{}", directory.stderr);
    assert_eq!(ckdiff(&["convert", "graphs/frozen.pb", &path("no/such/out.pb")]).code, 2);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("graph.pb");
    fs::copy("tests/data/graphs/frozen.pb", &file).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let path = file.display().to_string();
    // Onto itself, and in another form than its name says.
    assert_eq!(ckdiff(&["convert", &path, &path, "--to=text"]).code, 0);
    assert_eq!(fs::read(&file).unwrap(), fs::read("tests/data/graphs/frozen.pbtxt").unwrap());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(ckdiff(&["convert", &path, &path]).code, 0);
    assert_eq!(fs::read(&file).unwrap(), fs::read("tests/data/graphs/frozen.pb").unwrap());
}

#[test]
fn what_a_form_cannot_carry_is_told_in_one_line() {
    let run = ckdiff(&["convert", "graphs/unknown_fields.meta", "-"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let start = "ckdiff: warning: 16 unknown fields have no place in text: meta_info_def.100, ";
    assert!(run.stderr.starts_with(start), "{}", run.stderr);
    let refused = ckdiff(&["convert", "graphs/unknown_fields.meta", "-", "--to=json"]);
    assert_eq!(refused.code, 2);
    let args = ["convert", "graphs/unknown_fields.meta", "-", "--to=json", "--drop-unknown"];
    let dropped = ckdiff(&args);
    assert_eq!(dropped.code, 0);
    assert!(dropped.stderr.contains("unknown fields have no place in JSON"), "{}", dropped.stderr);
    let binary = ckdiff(&["convert", "graphs/unknown_fields.meta", "-", "--to=binary"]);
    assert_eq!((binary.code, binary.stderr.as_str()), (0, ""), "binary keeps everything");
    let nans = ckdiff(&["convert", "graphs/nan_payloads.pb", "-"]);
    assert!(nans.stderr.contains("NaN payloads have no place in text"), "{}", nans.stderr);
}

#[test]
fn unknown_fields_that_are_shown_are_not_called_lost() {
    let args = ["convert", "graphs/unknown_fields.meta", "-", "--style=protoc"];
    let run = ckdiff(&args);
    assert_eq!(run.code, 0);
    let start = "ckdiff: warning: 16 unknown fields are shown by number and cannot be read back: ";
    assert!(run.stderr.starts_with(start), "{}", run.stderr);
    assert!(run.text().contains("100: "), "{}", run.text());
    let one = ckdiff_of(
        &["convert", "-", "-", "--message=VersionDef", "--style=protoc"],
        b"\x08\x03\x90\x4e\x01",
    );
    let said =
        "ckdiff: warning: 1 unknown field is shown by number and cannot be read back: 1250\n";
    assert_eq!((one.text(), one.stderr.as_str()), ("producer: 3\n1250: 1\n", said));
    let dropped = ckdiff(&[&args[..], &["--drop-unknown"]].concat());
    assert!(dropped.stderr.contains("fields have no place in text"), "{}", dropped.stderr);
}

#[test]
fn what_is_dropped_is_named_once_for_each_place() {
    let text = b"a: 1 a: 2 b { c: 1 } a: 3 producer: 3";
    let args = ["convert", "-", "-", "--message=VersionDef", "--drop-unknown"];
    let run = ckdiff_of(&args, text);
    assert_eq!((run.code, run.text()), (0, "producer: 3\n"));
    let said = "ckdiff: warning: 4 unknown fields have no place in the schema: a, b\n";
    assert_eq!(run.stderr, said);
    let run = ckdiff_of(&args, br#"{"a": 1, "producer": 3, "a": 2}"#);
    let said = "ckdiff: warning: 2 unknown fields have no place in the schema: a\n";
    assert_eq!((run.text(), run.stderr.as_str()), ("producer: 3\n", said));
}

#[test]
fn control_characters_in_quotes_are_text() {
    let args = ["convert", "-", "-", "--message=NodeDef"];
    for text in [&b"name: \"a\x01\""[..], b"# it's\nop: 'NoOp' name: 'a\x01'"] {
        let run = ckdiff_of(&args, text);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.text().starts_with("name: \"a\\001\"\n"), "{}", run.text());
    }
}

#[test]
fn a_message_of_the_users_schema_is_what_the_user_says() {
    let folder = tempfile::tempdir().unwrap();
    let proto = folder.path().join("two.proto");
    let two = "syntax = \"proto3\"; message A { string a = 1; } message B { int32 b = 2; }";
    fs::write(&proto, two).unwrap();
    let proto = proto.display().to_string();
    let args = ["convert", "-", "-", "--message=B", "--style=protoc", "--proto", &proto];
    let run = ckdiff_of(&args, b"\x0a\x05hello");
    assert_eq!((run.code, run.text()), (0, "1: \"hello\"\n"), "{}", run.stderr);
}

#[test]
fn nested_groups_are_walked_once_not_once_for_each_type() {
    let levels = 900;
    // Field 200, which no message has.
    let (open, close) = (b"\xc3\x0c", b"\xc4\x0c");
    let filler = b"\x08\x01".repeat(20_000);
    let bytes = [open.repeat(levels), filler, close.repeat(levels)].concat();
    assert!(read_as("nameless", &bytes).is_err());
}

#[test]
fn the_prefix_of_a_checkpoint_and_a_directory_stand_for_the_graphs() {
    let hint = ckdiff(&["convert", "demo/model.ckpt", "-"]);
    assert_eq!(hint.code, 2);
    assert!(hint.stderr.contains("no such file; there is demo/model.ckpt.meta"), "{}", hint.stderr);
    let file = ckdiff(&["convert", "saved_models/builder/saved_model.pb", "-"]);
    for dir in ["saved_models/builder", "saved_models/builder/"] {
        let run = ckdiff(&["convert", dir, "-"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert_eq!(run.stdout, file.stdout);
    }
    let text = ckdiff(&["convert", "saved_models/builder_text", "-", "--message=SavedModel"]);
    assert_eq!((text.code, text.stderr.as_str()), (0, ""));
    assert!(ckdiff(&["convert", "demo", "-"]).stderr.contains("this is a directory"));
}

#[test]
fn an_error_in_a_text_shows_the_place() {
    let run = ckdiff_of(
        &["convert", "-", "-", "--message=GraphDef"],
        "node {\n  name: \"ä\" op \"x\"\n}".as_bytes(),
    );
    assert_eq!(run.code, 2);
    let lines: Vec<_> = run.stderr.lines().collect();
    assert!(lines[0].starts_with("ckdiff: error: standard input:2:"), "{}", run.stderr);
    assert_eq!(lines[1], "    name: \"ä\" op \"x\"");
    let column: usize = lines[0].split(':').nth(4).unwrap().parse().unwrap();
    assert_eq!(lines[2].trim_start(), "^");
    assert_eq!(lines[2].chars().count(), 2 + column);
}

const SCHEMA: &str = r#"syntax = "proto3";
package user;
import "google/protobuf/any.proto";
import "google/protobuf/timestamp.proto";
import "tensorflow/core/framework/graph.proto";
import "sub/part.proto";
message Run {
  string title = 1;
  google.protobuf.Timestamp at = 2;
  tensorflow.GraphDef graph = 3;
  part.Part part = 4;
}
"#;
const PART: &str = "syntax = \"proto3\"; package part; message Part { int32 n = 1; }";
const RUN: &str = "title: \"x\"\nat {\n  seconds: 1\n}\ngraph {\n  node {\n    name: \"a\"\n  }\n}\npart {\n  n: 7\n}\n";

#[test]
fn any_schema_of_the_user_will_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir_all(folder.path().join("imports/sub")).unwrap();
    fs::write(path("run.proto"), SCHEMA).unwrap();
    fs::write(path("imports/sub/part.proto"), PART).unwrap();
    fs::write(path("run.txt"), RUN).unwrap();
    let (proto, imports) = (path("run.proto"), path("imports"));
    let schema = ["--proto", &proto, "-I", &imports];
    // The file defines one message only.
    let input = path("run.txt");
    let text = [&["convert", &input, "-", "--to=json"], &schema[..]].concat();
    let run = ckdiff(&text);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.json()["at"], "1970-01-01T00:00:01Z");
    let named = [&["convert", "-", "-", "--message=Run"], &schema[..]].concat();
    assert_eq!(ckdiff_of(&named, &run.stdout).text(), RUN);
    let shown = [&["show", &input], &schema[..]].concat();
    assert!(ckdiff(&shown).text().ends_with(RUN));

    // The same, compiled.
    let set = ckdiff::schema::descriptor_set();
    fs::write(path("run.binpb"), set).unwrap();
    let run = ckdiff_of(
        &["convert", "-", "-", "--message=VersionDef", "--descriptor-set", &path("run.binpb")],
        b"producer: 3",
    );
    assert_eq!((run.code, run.text(), run.stderr.as_str()), (0, "producer: 3\n", ""));
}

#[test]
fn a_schema_that_does_not_compile_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("syntax.proto"), "syntax = \"proto3\";\nmessage A {\n  strin\n}\n").unwrap();
    fs::write(path("type.proto"), "syntax = \"proto3\";\nmessage A {\n  B b = 1;\n}\n").unwrap();
    fs::write(path("import.proto"), "syntax = \"proto3\";\n\nimport \"no/such.proto\";\n").unwrap();
    for (file, place) in [("syntax", ":4:1: "), ("type", ":3:3: "), ("import", ":3:")] {
        let file = path(&format!("{file}.proto"));
        let run = ckdiff(&["convert", "graphs/frozen.pb", "-", "--proto", &file]);
        assert_eq!(run.code, 2, "{file}");
        assert!(run.stderr.contains(&format!(".proto{place}")), "{file}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    let missing = ckdiff(&["convert", "graphs/frozen.pb", "-", "--proto", "no/such.proto"]);
    assert!(missing.stderr.contains("no/such.proto: cannot open"), "{}", missing.stderr);
    let set = ckdiff(&["convert", "graphs/frozen.pb", "-", "--descriptor-set", "graphs/frozen.pb"]);
    assert_eq!(set.code, 2);
}

#[test]
fn a_directory_of_a_saved_model_is_its_graphs() {
    for name in ["builder", "builder_text", "module"] {
        let dir = Path::new("tests/data/saved_models").join(name);
        let artifact = Artifact::open(&dir).unwrap();
        assert_eq!(artifact.kind(), "SavedModel");
        assert!(saved_model(&dir).is_some_and(|file| file.starts_with(&dir)));
    }
}

#[test]
fn two_messages_cannot_be_compared_yet_and_are_told_so() {
    let run = ckdiff(&["graphs/frozen.pb", "graphs/frozen.pbtxt"]);
    assert_eq!((run.code, run.text()), (2, ""));
    assert!(
        run.stderr.contains("this is a graph; so far, only checkpoints are compared"),
        "{}",
        run.stderr
    );
}

#[test]
fn damage_is_told_by_its_place_also_where_the_message_was_found_out() {
    let mut graph = fs::read("tests/data/graphs/frozen.pb").unwrap();
    graph.truncate(graph.len() / 2);
    let error = read_as("frozen_graph.pb", &graph).unwrap_err();
    assert!(error.offset().is_some(), "{error}");
    let mut random = crate::support::Random::new(7);
    for _ in 0..2_000 {
        let len = random.below(200) as usize;
        let bytes = random.bytes(len);
        // An answer or an error, and never a panic.
        let _ = read_as("x", &bytes);
    }
}

#[test]
fn fmt_lays_files_out_in_place_and_only_where_it_must() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (messy, tidy) = ("node{name:'a'}# first\n", "node {\n  name: 'a'\n}  # first\n");
    fs::write(path("messy.pbtxt"), messy).unwrap();
    fs::write(path("tidy.pbtxt"), tidy).unwrap();
    fs::write(path("broken.pbtxt"), "node { name: }").unwrap();
    let (messy_path, tidy_path, broken) =
        (path("messy.pbtxt"), path("tidy.pbtxt"), path("broken.pbtxt"));
    let check = ckdiff(&["fmt", "--check", &messy_path, &tidy_path]);
    assert_eq!((check.code, check.text()), (1, format!("{messy_path}\n").as_str()));
    assert_eq!(fs::read_to_string(path("messy.pbtxt")).unwrap(), messy);
    // What can be laid out is, also where another file cannot be.
    let run = ckdiff(&["fmt", &broken, &messy_path, &tidy_path]);
    assert_eq!((run.code, run.text()), (2, ""));
    assert!(run.stderr.contains("broken.pbtxt:1:14: "), "{}", run.stderr);
    assert_eq!(fs::read_to_string(path("messy.pbtxt")).unwrap(), tidy);
    let again = ckdiff(&["fmt", "--check", &messy_path, &tidy_path]);
    assert_eq!((again.code, again.text(), again.stderr.as_str()), (0, "", ""));
    assert_eq!(ckdiff_of(&["fmt", "-"], messy.as_bytes()).text(), tidy);
    assert_eq!(ckdiff_of(&["fmt", "--check", "-"], messy.as_bytes()).code, 1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing else is left");
}

/// A graph of real size, most of it constants: what it is does not depend on how large they are.
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
        // Cut short, it is still that, and its name helps.
        let cut = &parsed.bytes()[..parsed.bytes().len() - 1_000];
        let error = read_as("saved_model.pb", cut).unwrap_err().to_string();
        assert!(error.contains("needs") && error.contains("left"), "{message}: {error}");
    }
}

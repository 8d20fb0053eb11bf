//! Schemas of the user, as source or compiled.

use std::fs;

use crate::support::command::{ckdiff, ckdiff_of};

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
fn any_schema_of_the_user_is_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    fs::create_dir_all(directory.path().join("imports/sub")).unwrap();
    fs::write(path("run.proto"), SCHEMA).unwrap();
    fs::write(path("imports/sub/part.proto"), PART).unwrap();
    fs::write(path("run.txt"), RUN).unwrap();
    let (proto, imports) = (path("run.proto"), path("imports"));
    let schema = ["--proto", &proto, "-I", &imports];
    // The message type may be omitted, since the file defines only one.
    let input = path("run.txt");
    let text = [&["convert", &input, "-", "--to=json"], &schema[..]].concat();
    let run = ckdiff(&text);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.json()["at"], "1970-01-01T00:00:01Z");
    let named = [&["convert", "-", "-", "--message=Run"], &schema[..]].concat();
    assert_eq!(ckdiff_of(&named, &run.stdout).text(), RUN);
    let shown = [&["show", &input], &schema[..]].concat();
    assert!(ckdiff(&shown).text().ends_with(RUN));

    // The same with a compiled schema.
    let set = ckdiff::schema::descriptor_set();
    fs::write(path("run.binpb"), set).unwrap();
    let run = ckdiff_of(
        &["convert", "-", "-", "--message=VersionDef", "--descriptor-set", &path("run.binpb")],
        b"producer: 3",
    );
    assert_eq!((run.code, run.text(), run.stderr.as_str()), (0, "producer: 3\n", ""));
}

#[test]
fn the_user_names_the_message_of_a_schema() {
    let directory = tempfile::tempdir().unwrap();
    let proto = directory.path().join("two.proto");
    let two = "syntax = \"proto3\"; message A { string a = 1; } message B { int32 b = 2; }";
    fs::write(&proto, two).unwrap();
    let proto = proto.display().to_string();
    let args = ["convert", "-", "-", "--message=B", "--style=protoc", "--proto", &proto];
    let run = ckdiff_of(&args, b"\x0a\x05hello");
    assert_eq!((run.code, run.text()), (0, "1: \"hello\"\n"), "{}", run.stderr);
}

#[test]
fn a_schema_that_does_not_compile_is_reported_with_its_location() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
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

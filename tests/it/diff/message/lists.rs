//! `--as-set` and `--key`: lists that are compared as sets or by keys.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use crate::support::command::{Run, assert_valid, ckdiff, ckdiff_of};

const SCHEMA: &str = r#"syntax = "proto3";
package user;
import "google/protobuf/any.proto";
message Run {
  repeated string tag = 1;
  repeated Step step = 2;
  map<string, Step> named = 3;
  Step first = 4;
  google.protobuf.Any any = 5;
  repeated double loss = 6;
}
message Step {
  string name = 1;
  Id id = 2;
  repeated Step inner = 3;
}
message Id { int32 number = 1; repeated int32 part = 2; }
"#;

/// Two messages of the user's schema, and the result of their comparison.
struct Runs(TempDir);

impl Runs {
    fn new(lhs: &str, rhs: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in [("run.proto", SCHEMA), ("lhs.txt", lhs), ("rhs.txt", rhs)] {
            fs::write(directory.path().join(name), text).unwrap();
        }
        Self(directory)
    }

    fn diff(&self, args: &[&str]) -> Run {
        let path = |name: &str| self.0.path().join(name).display().to_string();
        let (lhs, rhs, proto) = (path("lhs.txt"), path("rhs.txt"), path("run.proto"));
        let own = [lhs.as_str(), &rhs, "--proto", &proto, "--message=Run", "--format=json"];
        ckdiff(&[&own[..], args].concat())
    }

    /// The changes, one line each.
    fn changes(&self, args: &[&str]) -> Vec<String> {
        let run = self.diff(args);
        assert!(run.code < 2, "{args:?}: {}", run.stderr);
        let report = run.json();
        assert_valid(&report);
        lines(&report)
    }
}

fn lines(report: &serde_json::Value) -> Vec<String> {
    let line = |change: &serde_json::Value| {
        let text = |key: &str| change[key].as_str().unwrap_or("-").to_owned();
        let weight = if change["weight"] == "cosmetic" { "~" } else { "" };
        format!("{weight}{}: {} => {}", text("path"), text("lhs"), text("rhs"))
    };
    report["changes"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn lists_are_compared_as_options_say() {
    let runs = Runs::new(
        "tag: ['a', 'b', 'b'] loss: [1, 2] step { name: 'x' id { number: 1 } } step { name: 'y' }",
        "tag: ['b', 'a', 'c'] loss: [2, 1] step { name: 'y' } step { name: 'x' id { number: 2 } }",
    );
    assert_eq!(
        runs.changes(&["--as-set=tag", "--as-set=loss"]),
        [
            r#"tag[2]: "b" => -"#,
            r#"tag[2]: - => "c""#,
            r#"step[0]: name: "x" id { number: 1 } => -"#,
            r#"step[1]: - => name: "x" id { number: 2 }"#,
        ]
    );
    assert_eq!(
        runs.changes(&["--as-set=*", "--key=step=name"]),
        [
            r#"tag[2]: "b" => -"#,
            r#"tag[2]: - => "c""#,
            r#"step["x"].id.number: 1 => 2"#,
            "~step: order of 2 => order of 2"
        ],
        "a key wins over a set"
    );
    // A key in a nested message, and two keys.
    assert_eq!(
        runs.changes(&["--as-set=tag", "--as-set=loss", "--key=**.step=id.number,name"])[2..],
        [
            r#"step["1, x"]: name: "x" id { number: 1 } => -"#,
            r#"step["2, x"]: - => name: "x" id { number: 2 }"#
        ]
    );
}

#[test]
fn items_with_equal_keys_are_matched_in_order() {
    let runs = Runs::new(
        "step { name: 'x' id { number: 1 } } step { name: 'x' id { number: 2 } } step { id { number: 7 } }",
        "step { id { number: 8 } } step { name: 'x' id { number: 1 } } step { name: 'x' id { number: 3 } } step { name: 'x' }",
    );
    assert_eq!(
        runs.changes(&["--key=step=name"]),
        [
            r#"step["x"].id.number: 2 => 3"#,
            r#"step[""].id.number: 7 => 8"#,
            r#"step["x"]: - => name: "x""#,
            "~step: order of 3 => order of 3",
        ]
    );
}

#[test]
fn patterns_reach_into_maps_and_any_at_every_depth() {
    let inner = |a: &str, b: &str| {
        let steps = format!("inner {{ name: '{a}' }} inner {{ name: '{b}' }}");
        format!(
            "named {{ key: 'k' value {{ {steps} inner {{ {steps} }} }} }}
             any {{ [type.googleapis.com/user.Step] {{ {steps} }} }}"
        )
    };
    let runs = Runs::new(&inner("a", "b"), &inner("b", "a"));
    assert_eq!(runs.changes(&[]).len(), 7);
    for (pattern, left) in [
        ("**.inner", 2),
        ("named.inner", 4),
        ("named.**.inner", 4),
        ("any.[type.googleapis.com/user.Step].inner", 5),
        ("any.*.inner", 5),
    ] {
        assert_eq!(runs.changes(&["--as-set", pattern]).len(), left, "{pattern}");
    }
}

#[test]
fn a_pattern_that_matches_no_list_is_refused_with_a_suggestion() {
    let runs = Runs::new("tag: 'a'", "tag: 'b'");
    for (arg, why) in [
        ("--as-set=tags", "user.Run has no field tags; did you mean tag?"),
        (
            "--as-set=zzzzzz",
            "user.Run has no field zzzzzz; it has tag, step, named, first, any, loss",
        ),
        ("--as-set=first.nam", "user.Step has no field nam; did you mean name?"),
        ("--as-set=first", "user.Run.first is not a list; it has tag, step, loss"),
        ("--as-set=named", "user.Run.named is a map, whose entries are always paired by key"),
        ("--as-set=tag.name", "user.Run.tag holds no message"),
        ("--as-set=**.nam", "user.Run has no field nam; did you mean named?"),
        (
            "--key=tag=name",
            "the items of user.Run.tag are of type string, and have no fields that could be keys",
        ),
        (
            "--key=step=nam",
            r#"user.Step has no single field "nam" to use as a key; it has name, id"#,
        ),
        (
            "--key=step=inner",
            r#"user.Step has no single field "inner" to use as a key; it has name, id"#,
        ),
        (
            "--key=step=id.part",
            r#"user.Id has no single field "part" to use as a key; it has number"#,
        ),
        (
            "--key=step=name.x",
            r#"user.Step has no single field "x" to use as a key; it has name, id"#,
        ),
        ("--key=step", r#""step" names no key: it must be PATH=FIELD, or PATH=FIELD,FIELD"#),
        (
            "--as-set=a..b",
            r#""a..b" is not a path of fields: expected field names separated by dots"#,
        ),
    ] {
        let run = runs.diff(&[arg]);
        assert_eq!(run.code, 2, "{arg}");
        assert!(run.stderr.contains(why), "{arg}: {}", run.stderr);
    }
}

/// A script that compares many pairs with one command line must not fail if a list is equal, or absent on
/// both sides.
#[test]
fn a_pattern_for_an_equal_list_is_not_an_error() {
    let runs = Runs::new("tag: 'a' loss: 1", "tag: 'b' loss: 1");
    for arg in [
        "--as-set=loss",
        "--as-set=step",
        "--as-set=first.inner",
        "--as-set=named.**.inner",
        "--as-set=loss.**",
        "--as-set=any.[type.googleapis.com/user.Step].inner",
        "--key=**.step=id.number,name",
    ] {
        assert_eq!(runs.changes(&[arg]), [r#"tag[0]: "a" => "b""#], "{arg}");
    }
}

/// Nodes are compared by meaning, but their other fields like those of any message; path patterns apply to these.
#[test]
fn a_pattern_that_applied_is_right_wherever_it_leads() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let graph = |names: &str| {
        let info = format!("experimental_debug_info {{ original_node_names: {names} }}");
        format!("node {{ name: 'n' op: 'NoOp' {info} }}")
    };
    fs::write(path("lhs.pbtxt"), graph("['a', 'b']")).unwrap();
    fs::write(path("rhs.pbtxt"), graph("['b', 'a']")).unwrap();
    let (lhs, rhs) = (path("lhs.pbtxt"), path("rhs.pbtxt"));
    let list = "--as-set=node.experimental_debug_info.original_node_names";
    assert_eq!(ckdiff(&[&lhs, &rhs, "--strict"]).code, 1);
    assert_eq!(ckdiff(&[&lhs, &rhs, "--strict", list]).code, 0);
}

#[test]
fn the_user_decides_only_about_lists_without_a_meaning_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let meta = |kinds: [&str; 2], nodes: [&str; 2], assets: [&str; 2]| {
        let collection = kinds.map(|kind| format!("value: '{kind}'")).join(" ");
        let nodes = nodes.map(|name| format!("node {{ name: '{name}' op: 'NoOp' }}")).join(" ");
        let assets =
            assets.map(|file| format!("asset_file_def {{ filename: '{file}' }}")).join(" ");
        format!(
            "graph_def {{ {nodes} }} {assets}
             collection_def {{ key: 'kinds' value {{ bytes_list {{ {collection} }} }} }}"
        )
    };
    fs::write(path("lhs.pbtxt"), meta(["a", "b"], ["n", "m"], ["f", "g"])).unwrap();
    fs::write(path("rhs.pbtxt"), meta(["b", "a"], ["m", "n"], ["g", "f"])).unwrap();
    let diff = |args: &[&str]| {
        let (lhs, rhs) = (path("lhs.pbtxt"), path("rhs.pbtxt"));
        ckdiff(&[&[lhs.as_str(), &rhs, "--format=json"][..], args].concat())
    };
    assert_eq!(diff(&[]).code, 1);
    let run = diff(&["--as-set=collection_def.*.value", "--key=asset_file_def=filename"]);
    assert_eq!(
        (run.code, lines(&run.json())),
        (
            0,
            vec![
                "~graph_def.node: order of 2 => order of 2".to_owned(),
                "~asset_file_def: order of 2 => order of 2".to_owned()
            ]
        )
    );
    let report = run.json();
    assert_valid(&report);
    assert_eq!(report["options"]["as_set"], json!(["collection_def.*.value"]));
    assert_eq!(
        report["options"]["key"],
        json!([{"list": "asset_file_def", "fields": ["filename"]}])
    );
    for (arg, why) in [
        ("--as-set=graph_def.node", "tensorflow.GraphDef.node is compared by what it means"),
        ("--as-set=graph_def.**.input", "tensorflow.NodeDef.input is compared by what it means"),
        ("--key=graph_def.library.function=signature.name", "is compared by what it means"),
        ("--as-set=signature_def.nam", "tensorflow.SignatureDef has no field nam"),
    ] {
        let run = diff(&[arg]);
        assert_eq!(run.code, 2, "{arg}");
        assert!(run.stderr.contains(why), "{arg}: {}", run.stderr);
    }
    let objects = ["tf2/ckpt-1", "tf2/ckpt-2"];
    let run = ckdiff(&[&objects[..], &["--as-set=nodes.children"]].concat());
    assert_eq!((run.code, run.stderr.contains("paths start with object_graph")), (2, true));
    let run = ckdiff(&["retrain/baseline.ckpt", "retrain/retrained.ckpt", "--as-set=a"]);
    assert_eq!((run.code, run.stderr.contains("there is no message to compare")), (2, true));
}

#[test]
fn a_message_without_a_package_is_not_one_of_tensorflow() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let proto =
        "syntax = 'proto3'; message GraphDef { repeated string node = 1; string version = 2; }";
    fs::write(path("own.proto"), proto).unwrap();
    fs::write(path("lhs.txt"), "node: 'a'").unwrap();
    fs::write(path("rhs.txt"), "node: 'b'").unwrap();
    let own = ["--proto", &path("own.proto"), "--message=GraphDef"];
    let run = ckdiff(&[&[&*path("lhs.txt"), &path("rhs.txt")], &own[..]].concat());
    assert_eq!(run.code, 1, "{}", run.text());
}

#[test]
fn standard_input_is_a_side() {
    let graph = b"node { name: 'a' op: 'NoOp' }";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("graph.pbtxt").display().to_string();
    fs::write(&path, graph).unwrap();
    assert_eq!(ckdiff_of(&["-", &path], graph).code, 0);
    assert_eq!(ckdiff_of(&[&path, "-"], b"node { name: 'b' op: 'NoOp' }").code, 1);
    let both = ckdiff_of(&["-", "-"], graph);
    assert_eq!((both.code, both.stderr.contains("cannot be both sides")), (2, true));
}

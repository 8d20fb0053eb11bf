//! `ckdiff export`: from file to file.

use std::fs;

use crate::support::command::ckdiff;

struct Directory(tempfile::TempDir);

impl Directory {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Runs `export` into a file with this name, and returns stderr.
    fn export(&self, from: &str, to: &str, options: &[&str]) -> String {
        let run = ckdiff(&[&["export", from, &self.path(to)][..], options].concat());
        assert_eq!((run.code, run.text()), (0, ""), "{}", run.stderr);
        run.stderr
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }
}

/// The file as text: the maps of TensorFlow's binary files have another order.
fn as_text(path: &str) -> String {
    let run = ckdiff(&["convert", path, "-"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.text().to_owned()
}

#[test]
fn exported_files_equal_those_of_tensorflow() {
    let directory = Directory::new();
    for (name, options) in [
        ("stripped", &["--strip-default-attrs"][..]),
        ("no_devices", &["--clear-devices"]),
        ("own_saver", &["--clear-extraneous-savers"]),
        ("collections", &["--collection", "losses", "--collection=numbers", "--collection=savers"]),
    ] {
        let said = directory.export("meta_graphs/towers.meta", "out.meta", options);
        assert_eq!(said, "", "{name}");
        let expected = as_text(&format!("meta_graphs/towers_{name}.meta"));
        assert_eq!(as_text(&directory.path("out.meta")), expected, "{name}");
    }
    let said = directory.export("meta_graphs/queues.meta", "all.meta", &[]);
    assert_eq!(
        (said.as_str(), as_text(&directory.path("all.meta"))),
        ("", as_text("meta_graphs/queues.meta"))
    );
}

#[test]
fn a_scope_is_copied_from_one_graph_to_another() {
    let directory = Directory::new();
    let said =
        directory.export("meta_graphs/unbound.meta", "part.pbtxt", &["--export-scope", "part/"]);
    let expected = "ckdiff: warning: inputs from outside part/, which an import must bind: $unbound_inputs_outside\n";
    assert_eq!(said, expected);
    let options = [
        "--import-scope=copy",
        "--into=meta_graphs/base.meta",
        "--input-map",
        "$unbound_inputs_outside=base/y:0",
    ];
    let said = directory.export(&directory.path("part.pbtxt"), "both.json", &options);
    assert_eq!(said, "ckdiff: warning: the scope copy exists; the graph is in copy_1\n");
    // In one command, from the graph that contains the scope.
    let said = directory.export(
        "meta_graphs/unbound.meta",
        "again.json",
        &[&options[..], &["--export-scope=part/"]].concat(),
    );
    assert_eq!(said, "ckdiff: warning: the scope copy exists; the graph is in copy_1\n");
    assert_eq!(directory.bytes("both.json"), directory.bytes("again.json"));
    let run = ckdiff(&[
        "meta_graphs/bound.meta",
        &directory.path("both.json"),
        "--only",
        "graph",
        "-n",
        "all",
    ]);
    assert!(run.text().contains("1 change"), "{}", run.text());
    assert!(run.text().contains("saver"), "{}", run.text());
}

#[test]
fn a_graph_becomes_a_meta_graph_and_gets_tags() {
    let directory = Directory::new();
    let options = ["--tag=serve", "--tag=gpu", "--meta-graph-version=v7", "--stripped-op-list"];
    assert_eq!(directory.export("graphs/frozen.pb", "frozen.pbtxt", &options), "");
    let text = String::from_utf8(directory.bytes("frozen.pbtxt")).unwrap();
    let start = "meta_info_def {\n  meta_graph_version: \"v7\"\n  stripped_op_list {\n    op {\n      name: \"AddV2\"\n";
    assert!(text.starts_with(start), "{}", &text[..200]);
    assert!(text.contains("\n  tags: \"serve\"\n  tags: \"gpu\"\n}\ngraph_def {\n"));
}

#[test]
fn a_failed_export_changes_nothing() {
    let directory = Directory::new();
    fs::write(directory.path("out.meta"), "as it was").unwrap();
    let out = directory.path("out.meta");
    let towers = "meta_graphs/towers.meta";
    for (args, said) in [
        (
            &[towers, &out, "--export-scope=towr"][..],
            "towers.meta: no node has a name that begins with towr; did you mean tower?",
        ),
        (&[towers, &out, "--collection=loss"], "there is no collection loss; did you mean losses?"),
        (
            &["meta_graphs/unbound_scope.meta", &out, "--import-scope=a"],
            "unbound inputs, which input_map must bind",
        ),
        (&["saved_models/builder", &out], "expected a meta graph or a graph, found SavedModel"),
        (&["graphs/saver_def.pb", &out], "expected a meta graph or a graph, found saver"),
        (&[towers, &out, "--into=nothing"], "nothing"),
        (&[towers, "out.unknown"], "--to binary"),
        (&["nothing", &out], "nothing"),
    ] {
        let run = ckdiff(&[&["export"], args].concat());
        assert_eq!((run.code, run.text()), (2, ""), "{args:?}");
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert_eq!(directory.bytes("out.meta"), b"as it was");
    }
    assert_eq!(ckdiff(&["export", towers, &out, "--input-map", "a"]).code, 2);
}

#[test]
fn omissions_are_reported() {
    let directory = Directory::new();
    let said = directory.export("graphs/signatures.meta", "same.meta", &["--import-scope=a"]);
    assert_eq!(said, "");
    let into = format!("--into={}", directory.path("same.meta"));
    let said =
        directory.export("graphs/signatures.meta", "both.meta", &["--import-scope=b", &into]);
    assert!(said.starts_with("ckdiff: warning: left out, because "), "{said}");
    assert!(
        said.contains(
            "already has it: signature_def[\"empty\"], signature_def[\"serving_default\"]"
        ),
        "{said}"
    );
}

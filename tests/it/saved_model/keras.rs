//! The Keras metadata of SavedModels: messages with JSON inside, compared by the values in it.

use std::fs;
use std::path::Path;
use std::slice;

use ckdiff::schema::keras::{SavedMetadata, SavedObject};
use prost::Message;
use serde_json::{Value, json};

use crate::support::command::{Run, assert_valid, ckdiff, ckdiff_that_ends};
use crate::support::directory::copy;

const METADATA: &str = "keras_metadata.pb";

/// The metadata of one object with each of these paths, as wire bytes.
fn metadata(objects: &[(&str, &str)]) -> Vec<u8> {
    let node = |(node_id, (path, text)): (i32, &(&str, &str))| SavedObject {
        node_id,
        node_path: (*path).to_owned(),
        metadata: (*text).to_owned(),
        ..SavedObject::default()
    };
    SavedMetadata { nodes: (0..).zip(objects).map(node).collect() }.encode_to_vec()
}

/// Compares two files; the changes as `weight path: lhs => rhs`, without the start of paths that all of one object share.
fn changes(lhs: &[u8], rhs: &[u8]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let paths = ["lhs", "rhs"].map(|side| dir.path().join(side).join(METADATA));
    for (path, bytes) in paths.iter().zip([lhs, rhs]) {
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let [lhs, rhs] = paths.each_ref().map(|path| path.to_str().unwrap());
    let run = ckdiff_that_ends(&[lhs, rhs, "--format=json", "--no-group"]);
    let report = run.json();
    assert_valid(&report);
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let changes = report["changes"].as_array().unwrap().iter().map(|change| {
        let path = text(&change["path"]);
        let path = path.strip_prefix(r#"nodes["root"].metadata"#).unwrap_or(&path);
        let path = path.strip_prefix('.').unwrap_or(path);
        let (lhs, rhs) = (text(&change["lhs"]), text(&change["rhs"]));
        format!("{} {path}: {lhs} => {rhs}", text(&change["weight"]))
    });
    let changes: Vec<String> = changes.collect();
    let differs = changes.iter().any(|change| change.starts_with("semantic"));
    assert_eq!(run.code, i32::from(differs), "{}", run.stderr);
    changes
}

fn changes_of_json(lhs: &str, rhs: &str) -> Vec<String> {
    changes(&metadata(&[("root", lhs)]), &metadata(&[("root", rhs)]))
}

#[test]
fn another_loss_is_told_by_its_path_and_two_builds_are_the_same() {
    let run = ckdiff(&["pairs/keras_loss/lhs", "pairs/keras_loss/rhs", "--format=json"]);
    let report = run.json();
    assert_valid(&report);
    let semantic = |change: &&Value| change["weight"] == "semantic";
    let found: Vec<&Value> =
        report["changes"].as_array().unwrap().iter().filter(semantic).collect();
    let path = r#"keras_metadata.nodes["root"].metadata.training_config.loss"#;
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["path"], &found[0]["lhs"]), (&json!(path), &json!(r#""mse""#)));
    assert_eq!((run.code, &found[0]["rhs"]), (1, &json!(r#""mae""#)));
    assert_eq!(ckdiff(&["pairs/keras_twin/lhs", "pairs/keras_twin/rhs"]).code, 0);
    let ignored = "--ignore=keras_metadata.**.loss";
    let run = ckdiff(&["pairs/keras_loss/lhs", "pairs/keras_loss/rhs", ignored]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.text());
}

#[test]
fn values_are_compared_as_json() {
    let deep = |inside: &str| format!("{}{inside}{}", "[".repeat(200), "]".repeat(200));
    for (lhs, rhs, expected) in [
        (r#"{"a": 1, "b": "x"}"#, r#"{"b":"\u0078","a":1.0}"#, vec![]),
        (r#"{"a": 1e2}"#, r#"{"a": 100}"#, vec![]),
        (r#"{"a": 1}"#, r#"{"a": "1"}"#, vec![r#"semantic a: 1 => "1""#]),
        (r#"{"a": null}"#, "{}", vec!["semantic a: null => -"]),
        (
            r#"{"a": {"b-c": [1]}}"#,
            r#"{"a": {"b-c": [2]}}"#,
            vec![r#"semantic a["b-c"][0]: 1 => 2"#],
        ),
        (
            "[9007199254740992]",
            "[9007199254740993]",
            vec!["semantic [0]: 9007199254740992 => 9007199254740993"],
        ),
        (r#"{"a": 1e400}"#, r#"{"a": 2e400}"#, vec!["semantic a: 1e400 => 2e400"]),
        (r#"{"a": 1, "a": 2}"#, r#"{"a": 3, "a": 2}"#, vec![]),
        (
            r#"{"shared_object_id": 1, "keras_version": "2.1", "a": 1}"#,
            r#"{"shared_object_id": 2, "keras_version": "2.2", "a": 1}"#,
            vec![r#"cosmetic keras_version: "2.1" => "2.2""#, "cosmetic shared_object_id: 1 => 2"],
        ),
        (r#"{"a": "\ud800"}"#, r#"{"a": "\ud801"}"#, vec![r#"semantic a: "\ud800" => "\ud801""#]),
        ("{\"a\": [1,\n2]}", r#"{"a": 3}"#, vec!["semantic a: [1, 2] => 3"]),
        ("not JSON", "{}", vec![r#"semantic : "not JSON" => "{}""#]),
        ("", "{}", vec![r#"semantic : "" => "{}""#]),
        ("not JSON", "not JSON", vec![]),
        (&deep("1"), &deep("1"), vec![]),
    ] {
        assert_eq!(changes_of_json(lhs, rhs), expected, "{lhs} {rhs}");
    }
}

#[test]
fn items_of_lists_are_aligned_by_content_then_by_class_and_name() {
    let layer = |class: &str, name: &str, units: u32, id: u32| {
        format!(
            r#"{{"class_name": "{class}", "config": {{"name": "{name}", "units": {units}}}, "shared_object_id": {id}}}"#
        )
    };
    let list = |layers: &[String]| format!(r#"{{"layers": [{}]}}"#, layers.join(", "));
    let (a, b) = (layer("Dense", "a", 1, 1), layer("Dense", "b", 2, 2));
    let new = layer("Dropout", "new", 3, 2);
    let inserted = changes_of_json(
        &list(&[a.clone(), b.clone()]),
        &list(&[a.clone(), new.clone(), layer("Dense", "b", 2, 3)]),
    );
    assert_eq!(
        inserted,
        [
            format!("semantic layers[1]: - => {new}"),
            "cosmetic layers[2].shared_object_id: 2 => 3".into()
        ]
    );
    let also_changed = changes_of_json(
        &list(&[a.clone(), b]),
        &list(&[a.clone(), new.clone(), layer("Dense", "b", 4, 2)]),
    );
    assert_eq!(
        also_changed,
        [
            format!("semantic layers[1]: - => {new}"),
            "semantic layers[2].config.units: 2 => 4".into()
        ]
    );
    // Another class is another layer; another name of the same class is a changed name.
    let replaced = changes_of_json(&list(slice::from_ref(&a)), &list(slice::from_ref(&new)));
    assert_eq!(
        replaced,
        [format!("semantic layers[0]: {a} => -"), format!("semantic layers[0]: - => {new}")]
    );
    let renamed = changes_of_json(&list(&[a]), &list(&[layer("Dense", "c", 1, 1)]));
    assert_eq!(renamed, [r#"semantic layers[0].config.name: "a" => "c""#]);
}

#[test]
fn objects_are_paired_by_path_and_their_numbers_do_not_matter() {
    let lhs = metadata(&[("root", "{}"), ("root.b", r#"{"a": 1}"#)]);
    let rhs = metadata(&[("root", "{}"), ("root.new", "{}"), ("root.b", r#"{"a": 2}"#)]);
    assert_eq!(
        changes(&lhs, &rhs),
        [
            r#"cosmetic nodes["root.b"].node_id: 1 => 2"#,
            r#"semantic nodes["root.b"].metadata.a: 1 => 2"#,
            r#"semantic nodes["root.new"]: - => node_id: 1 node_path: "root.new" metadata: "{}""#,
        ]
    );
}

#[test]
fn json_of_any_depth_and_size_is_compared_without_a_panic() {
    let deep = |inside: &str| format!("{}{inside}{}", "[".repeat(100_000), "]".repeat(100_000));
    let found = changes_of_json(&deep("1"), &deep("2"));
    assert_eq!(found.len(), 1, "{found:?}");
    let open = changes_of_json(&"[".repeat(100_000), &"{\"a\":".repeat(100_000));
    assert_eq!(open.len(), 1, "{open:?}");
    let numbers = |last: &str| format!("[{}{last}]", "7,".repeat(200_000));
    assert_eq!(changes_of_json(&numbers("1"), &numbers("2")).len(), 1);
    let members = |last: u32| {
        let members: Vec<String> = (0..50_000).map(|n| format!("\"{n}\": {n}")).collect();
        format!("{{{}, \"last\": {last}}}", members.join(","))
    };
    assert_eq!(changes_of_json(&members(1), &members(2)), ["semantic last: 1 => 2"]);
}

/// Compares a copy of a SavedModel with the original, after `edit`.
fn edited(edit: impl FnOnce(&Path)) -> (Run, tempfile::TempDir) {
    let dir = copy("pairs/keras_loss/lhs");
    edit(dir.path());
    (ckdiff(&["pairs/keras_loss/lhs", dir.path().to_str().unwrap(), "--format=json"]), dir)
}

#[test]
fn metadata_of_one_side_is_one_change() {
    let (run, _dir) = edited(|dir| fs::remove_file(dir.join(METADATA)).unwrap());
    let report = run.json();
    assert_eq!(run.code, 1);
    let found = report["changes"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(
        (&found[0]["path"], &found[0]["kind"]),
        (&json!("keras_metadata"), &json!("removed"))
    );
}

#[test]
fn damaged_metadata_is_an_error_that_names_the_file() {
    let graph = fs::read("tests/data/pairs/keras_loss/lhs/saved_model.pb").unwrap();
    for bytes in [&[0xff; 9][..], b"\x0a\x05\x1a\x10a", b"\x0a\x03\x2a\x01\xff", &graph] {
        let (run, dir) = edited(|dir| fs::write(dir.join(METADATA), bytes).unwrap());
        let file = dir.path().join(METADATA);
        assert_eq!(run.code, 2, "{bytes:x?}");
        assert!(run.stderr.contains(file.to_str().unwrap()), "{}", run.stderr);
        let shown = ckdiff(&["show", dir.path().to_str().unwrap()]);
        assert_eq!(shown.code, 2);
        assert!(shown.stderr.contains(METADATA), "{}", shown.stderr);
    }
    // An empty file is a message without objects.
    let (run, _dir) = edited(|dir| fs::write(dir.join(METADATA), "").unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
}

/// The layer of each group of objects that only one side of an edit has, by the path of the first.
fn layers(lhs: &str, rhs: &str) -> Vec<(String, Value)> {
    let report = ckdiff(&[lhs, rhs, "--format=json", "--no-group"]).json();
    assert_valid(&report);
    let groups = report["changes"].as_array().unwrap().iter();
    let groups = groups.filter(|change| change.get("node_id").is_some());
    groups.map(|change| (change["path"].to_string(), change["layer"].clone())).collect()
}

#[test]
fn a_layer_that_came_or_went_has_the_name_that_keras_knows() {
    let [lhs, rhs] = ["edits/tk_dropout_removed/lhs", "edits/tk_dropout_removed/rhs"];
    let named = |layers: &[(String, Value)]| {
        let named = layers.iter().filter(|(_, layer)| !layer.is_null());
        let text = |layer: &Value| format!("{} {}", layer["class"], layer["name"]).replace('"', "");
        named.map(|(_, layer)| text(layer)).collect::<Vec<_>>()
    };
    assert_eq!(named(&layers(lhs, rhs)), ["Dropout dropout", "Dropout dropout_1"]);
    assert_eq!(named(&layers(rhs, lhs)), ["Dropout dropout", "Dropout dropout_1"]);
    let text = ckdiff(&[lhs, rhs]).text().to_owned();
    assert!(text.contains("removed  layer dropout (Dropout); 17 objects"), "{text}");
}

#[test]
fn metadata_that_cannot_be_read_names_no_layer() {
    let long = format!(r#"{{"class_name": "{}", "name": "a"}}"#, "C".repeat(5_000));
    for unreadable in
        ["", "{", "[]", r#"{"class_name": 1, "name": "a"}"#, r#"{"name": "a"}"#, &long]
    {
        let dir = copy("edits/tk_dropout_removed/lhs");
        let path = dir.path().join(METADATA);
        let mut metadata = SavedMetadata::decode(&*fs::read(&path).unwrap()).unwrap();
        metadata.nodes.iter_mut().for_each(|node| node.metadata = unreadable.to_owned());
        fs::write(&path, metadata.encode_to_vec()).unwrap();
        let layers = layers(dir.path().to_str().unwrap(), "edits/tk_dropout_removed/rhs");
        assert_eq!(layers.len(), 2, "{layers:?}");
        assert!(layers.iter().all(|(_, layer)| layer.is_null()), "{layers:?}");
    }
}

//! Sharded checkpoints: the paths that open them, and indexes that contradict their shards.

use std::fs;
use std::path::Path;

use ckdiff::checkpoint::Checkpoint;
use insta::assert_snapshot;

use super::{DIR, file_of, tensors};

/// A copy of the sharded checkpoint.
fn copy() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(Path::new(DIR).join("sharded")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), dir.path().join(entry.file_name())).unwrap();
    }
    dir
}

/// The damage and the errors of tensors, with `DIR` for the directory.
fn errors(dir: &Path, name: &str) -> String {
    let errors = match Checkpoint::open(dir.join(name)) {
        Err(error) => vec![error.to_string()],
        Ok(checkpoint) => {
            let of_tensors = checkpoint.tensors().filter_map(|entry| entry.source.as_ref().err());
            checkpoint.damage().iter().chain(of_tensors).map(ToString::to_string).collect()
        }
    };
    errors.join("\n").replace(dir.to_str().unwrap(), "DIR")
}

const INDEX: &str = "model.safetensors.index.json";

/// Replaces text in the index.
fn edit(dir: &Path, from: &str, to: &str) {
    let path = dir.join(INDEX);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn an_index_a_shard_and_the_directory_open_all_shards() {
    let whole = tensors(&Checkpoint::open(Path::new(DIR).join("baseline.safetensors")).unwrap());
    let dir = copy();
    for name in [INDEX, "model-00002-of-00003.safetensors", ""] {
        let checkpoint = Checkpoint::open(dir.path().join(name)).unwrap();
        assert_eq!(tensors(&checkpoint), whole, "{name}");
        assert_eq!(checkpoint.files().len(), 4);
        assert_eq!(checkpoint.metadata(), [("format".into(), "pt".into())]);
        assert_eq!(errors(dir.path(), name), "");
    }
    // Without its index, a shard is an ordinary file.
    fs::remove_file(dir.path().join(INDEX)).unwrap();
    let shard = Checkpoint::open(dir.path().join("model-00002-of-00003.safetensors")).unwrap();
    assert_eq!((shard.files().len(), shard.tensors().len()), (1, 2));
}

#[test]
fn a_directory_opens_its_model() {
    let dir = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| {
        fs::copy(Path::new(DIR).join(from), dir.path().join(to)).unwrap();
    };
    let files = |dir: &Path| Checkpoint::open(dir).map(|checkpoint| checkpoint.files().to_vec());
    fs::write(dir.path().join("config.json"), "{}").unwrap();
    copy("demo.safetensors", "adapter_model.safetensors");
    assert_eq!(files(dir.path()).unwrap(), [dir.path().join("adapter_model.safetensors")]);
    copy("baseline.safetensors", "other.safetensors");
    let error = files(dir.path()).unwrap_err().to_string();
    assert_snapshot!(
        error.replace(dir.path().to_str().unwrap(), "DIR"),
        @"DIR: there is no state file `checkpoint` that names the latest checkpoint; the directory contains adapter_model.safetensors, other.safetensors"
    );
    copy("baseline.safetensors", "model.safetensors");
    assert_eq!(files(dir.path()).unwrap(), [dir.path().join("model.safetensors")]);
    // A state file takes precedence; this one names a missing checkpoint.
    fs::write(dir.path().join("checkpoint"), "model_checkpoint_path: \"gone\"").unwrap();
    assert!(files(dir.path()).unwrap_err().to_string().contains("gone"));
}

#[test]
fn a_missing_shard_is_damage_of_its_tensors() {
    let dir = copy();
    fs::remove_file(dir.path().join("model-00002-of-00003.safetensors")).unwrap();
    assert_snapshot!(errors(dir.path(), INDEX), @r#"
    DIR/model-00002-of-00003.safetensors: tensor encoder.weight: this shard of the checkpoint is missing
    DIR/model-00002-of-00003.safetensors: tensor scale: this shard of the checkpoint is missing
    "#);
    let checkpoint = Checkpoint::open(dir.path().join(INDEX)).unwrap();
    assert!(checkpoint.get_tensor("steps").is_ok());
}

#[test]
fn a_damaged_shard_leaves_the_others() {
    let dir = copy();
    fs::write(dir.path().join("model-00002-of-00003.safetensors"), "nothing").unwrap();
    assert_snapshot!(errors(dir.path(), INDEX), @r#"
    DIR/model-00002-of-00003.safetensors: tensor encoder.weight: the length of the header needs 8 bytes, 7 left
    DIR/model-00002-of-00003.safetensors: tensor scale: the length of the header needs 8 bytes, 7 left
    "#);
}

#[test]
fn an_index_that_its_shards_contradict_is_damage_of_those_tensors() {
    let dir = copy();
    let [first, second] = [1, 2].map(|number| format!("model-{number:05}-of-00003.safetensors"));
    edit(dir.path(), &format!("\"scale\": \"{second}\""), &format!("\"scale\": \"{first}\""));
    edit(dir.path(), "\"steps\": ", "\"more\": ");
    assert_snapshot!(errors(dir.path(), INDEX), @"
    DIR/model-00003-of-00003.safetensors: tensor more: the index names this shard for the tensor, but the shard does not have it
    DIR/model-00002-of-00003.safetensors: tensor scale: shard of the tensor: expected model-00001-of-00003.safetensors, as the index states, found this one
    DIR/model-00003-of-00003.safetensors: tensor steps: shard of the tensor: expected none, as the index does not list it, found this one
    ");
}

#[test]
fn a_tensor_in_two_shards_is_refused() {
    let dir = copy();
    let from = dir.path().join("model-00001-of-00003.safetensors");
    fs::copy(from, dir.path().join("model-00003-of-00003.safetensors")).unwrap();
    assert_snapshot!(errors(dir.path(), INDEX), @"
    DIR/model-00003-of-00003.safetensors: tensor dense_1.weight: shards of the tensor: expected one, found two
    DIR/model-00003-of-00003.safetensors: tensor embed.weight: shards of the tensor: expected one, found two
    DIR/model-00003-of-00003.safetensors: tensor encoder.bias: the index names this shard for the tensor, but the shard does not have it
    DIR/model-00003-of-00003.safetensors: tensor steps: the index names this shard for the tensor, but the shard does not have it
    ");
}

#[test]
fn a_name_given_twice_in_an_index_is_refused() {
    let dir = copy();
    edit(
        dir.path(),
        "\"weight_map\": {",
        "\"weight_map\": {\"scale\": \"model-00001-of-00003.safetensors\",",
    );
    assert_snapshot!(errors(dir.path(), INDEX), @r#"DIR/model-00002-of-00003.safetensors: tensor scale: name: expected a unique name, found "scale" twice"#);
}

#[test]
fn a_shard_is_a_plain_file_beside_the_index() {
    for name in [
        "../model-00001-of-00003.safetensors",
        "/etc/m.safetensors",
        "a/m.safetensors",
        r"a\\m.safetensors",
        "C:m.safetensors",
        "model-00001-of-00003.bin",
        "..",
        "",
        r"m\u0000.safetensors",
    ] {
        let dir = copy();
        edit(dir.path(), "model-00001-of-00003.safetensors", name);
        let error = errors(dir.path(), INDEX);
        assert!(
            error
                .contains("expected the name of a .safetensors file in the directory of the index"),
            "{name}: {error}"
        );
    }
}

#[test]
fn an_index_is_an_object_with_a_map() {
    let dir = copy();
    let cases = [
        "",
        "[]",
        "null",
        "{}",
        r#"{"weight_map":[]}"#,
        r#"{"weight_map":{"a":1}}"#,
        r#"{"weight_map":{}} x"#,
        "\u{feff}{}",
    ];
    let mut said = Vec::new();
    for case in cases {
        fs::write(dir.path().join(INDEX), case).unwrap();
        said.push(errors(dir.path(), INDEX));
    }
    assert_snapshot!(said.join("\n"), @r"
    DIR/model.safetensors.index.json: byte 0: expected a value, found the end
    DIR/model.safetensors.index.json: byte 1: expected an object with a `weight_map`, found a list of length 0
    DIR/model.safetensors.index.json: byte 3: expected an object with a `weight_map`, found null
    DIR/model.safetensors.index.json: byte 1: expected the field weight_map, found none
    DIR/model.safetensors.index.json: byte 13: expected an object, found a list
    DIR/model.safetensors.index.json: byte 19: expected a string, found 1
    DIR/model.safetensors.index.json: byte 18: expected the end, found `x`
    DIR/model.safetensors.index.json: byte 0: expected a value, found `\u{feff}`
    ");
    fs::write(dir.path().join(INDEX), b"{\"weight_map\":{\"\xff\":\"\"}}").unwrap();
    assert_snapshot!(errors(dir.path(), INDEX), @"DIR/model.safetensors.index.json: byte 16: JSON must be UTF-8");
    fs::write(dir.path().join(INDEX), r#"{"weight_map":{}}"#).unwrap();
    assert_eq!(Checkpoint::open(dir.path().join(INDEX)).unwrap().tensors().len(), 0);
}

#[test]
fn metadata_of_all_shards_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let header = |name: &str, value: &str| {
        let entry = r#"{"dtype":"U8","shape":[0],"data_offsets":[0,0]}"#;
        format!(r#"{{"__metadata__":{{"format":"pt","part":"{value}"}},"{name}":{entry}}}"#)
    };
    fs::write(dir.path().join("m-1.safetensors"), file_of(&header("a", "1"), b"")).unwrap();
    fs::write(dir.path().join("m-2.safetensors"), file_of(&header("b", "2"), b"")).unwrap();
    let index = r#"{"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}}"#;
    fs::write(dir.path().join("m.safetensors.index.json"), index).unwrap();
    let checkpoint = Checkpoint::open(dir.path().join("m.safetensors.index.json")).unwrap();
    let pairs = [("format", "pt"), ("part", "1"), ("part", "2")];
    assert_eq!(checkpoint.metadata(), pairs.map(|(key, value)| (key.into(), value.into())));
}

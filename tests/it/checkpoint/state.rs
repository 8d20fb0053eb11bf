//! The state file: a directory can be used wherever a checkpoint path can.

use std::fs;
use std::path::Path;

use ckdiff::checkpoint::{Checkpoint, CheckpointState};
use tempfile::TempDir;

use crate::support::command::ckdiff;
use crate::support::corpus::demo_directory;

/// A directory with checkpoints of these names, all equal, and a state file.
fn directory(checkpoints: &[&str], state: &str) -> TempDir {
    let dir = demo_directory(checkpoints);
    fs::write(dir.path().join("checkpoint"), state).unwrap();
    dir
}

fn error_of(dir: &TempDir) -> String {
    let error = Checkpoint::open(dir.path()).unwrap_err().to_string();
    error.replace(&dir.path().display().to_string(), "DIR")
}

#[test]
fn a_directory_is_its_latest_checkpoint() {
    let state = "model_checkpoint_path: 'b'  all_model_checkpoint_paths: ['a', 'b']  # rotated";
    let dir = directory(&["a", "b", "c"], state);
    let checkpoint = Checkpoint::open(dir.path()).unwrap();
    assert_eq!(checkpoint.path(), dir.path().join("b"));
    assert_eq!(checkpoint.tensors().len(), 2);
    let state = CheckpointState::read(dir.path()).unwrap();
    assert_eq!(state.all_model_checkpoint_paths, [dir.path().join("a"), dir.path().join("b")]);
    assert_eq!(CheckpointState::read(dir.path().join("checkpoint")).unwrap(), state);
}

#[test]
fn every_command_accepts_a_directory() {
    assert_eq!(ckdiff(&["demo", "demo/model.ckpt"]).code, 0);
    assert_eq!(ckdiff(&["demo/", "tf2"]).code, 1);
    let shown = ckdiff(&["show", "demo"]);
    assert!(shown.text().starts_with("demo/model.ckpt: checkpoint V2, 2 tensors"));
    let verified = ckdiff(&["verify", "demo", "demo/model.ckpt.index", "tf2"]);
    assert_eq!(verified.code, 0);
    assert_eq!(verified.text().lines().count(), 2, "each once: {}", verified.text());
    assert!(verified.text().starts_with("ok  demo/model.ckpt: "), "{}", verified.text());
}

#[test]
fn absolute_paths_stay_as_they_are() {
    let elsewhere = directory(&["model"], "");
    let path = elsewhere.path().join("model");
    let dir = directory(&["other"], &format!("model_checkpoint_path: \"{}\"", path.display()));
    assert_eq!(Checkpoint::open(dir.path()).unwrap().path(), path);
}

#[test]
fn a_moved_directory_is_an_error_that_suggests_a_path() {
    let windows = r"C:\models\model-7";
    // On other systems a backslash is part of a name, so this path is relative.
    let taken = if cfg!(windows) { windows.to_owned() } else { format!("DIR/{windows}") };
    let unix = "/another/machine/model-7";
    for (path, taken) in [(unix, unix), (windows, &*taken)] {
        let named = path.replace('\\', r"\\");
        let dir = directory(&["model-7"], &format!("model_checkpoint_path: \"{named}\""));
        let expected = format!(
            "DIR/checkpoint: the latest checkpoint, {taken}, does not exist; DIR/model-7 exists: use \
             that path"
        );
        assert_eq!(error_of(&dir), expected);
    }
}

#[test]
fn errors_in_a_state_file_are_reported() {
    let cases = [
        (
            "model_checkpoint_path: 'gone'",
            "DIR/checkpoint: the latest checkpoint, DIR/gone, does not exist; the directory contains a, b",
        ),
        (
            "",
            "DIR/checkpoint: the state file names no checkpoint: model_checkpoint_path is not given",
        ),
        (
            "all_model_checkpoint_paths: 'a'",
            "DIR/checkpoint: the state file names no checkpoint: model_checkpoint_path is not given",
        ),
    ];
    for (state, expected) in cases {
        assert_eq!(error_of(&directory(&["a", "b"], state)), expected);
    }
    for (state, place) in [
        ("model_checkpoint_path: 'a\n", "DIR/checkpoint:1:"),
        ("model_checkpoint_path: 'a'\nmodel_path: 'b'", "DIR/checkpoint:2:1: "),
        ("\n{}", "DIR/checkpoint:2:1: "),
    ] {
        let error = error_of(&directory(&["a"], state));
        assert!(error.starts_with(place), "{error}");
    }
}

#[test]
fn a_directory_without_a_state_file_is_an_error_that_lists_checkpoints() {
    let dir = directory(&["a", "b"], "");
    fs::remove_file(dir.path().join("checkpoint")).unwrap();
    let expected = "DIR: there is no state file `checkpoint` that names the latest checkpoint; the directory contains a, b";
    assert_eq!(error_of(&dir), expected);
    fs::create_dir(dir.path().join("checkpoint")).unwrap();
    assert_eq!(error_of(&dir), expected);
}

#[test]
fn a_prefix_wins_over_a_directory_of_its_name() {
    let dir = directory(&["model"], "");
    fs::create_dir(dir.path().join("model")).unwrap();
    fs::write(dir.path().join("model/checkpoint"), "model_checkpoint_path: 'gone'").unwrap();
    assert!(Checkpoint::open(dir.path().join("model")).is_ok());
}

#[test]
fn state_files_of_tensorflow_are_read() {
    let read = |name: &str| CheckpointState::read(format!("tests/data/state/{name}")).unwrap();
    let dir = Path::new("tests/data/state");
    assert_eq!(read("relative").model_checkpoint_path, dir.join("model.ckpt-30"));
    assert_eq!(read("many").all_model_checkpoint_paths.len(), 200);
    assert_eq!(read("absolute").model_checkpoint_path, Path::new("/models/run 1/model.ckpt-30"));
    assert_eq!(read("unicode").model_checkpoint_path, dir.join("naïve → 模型 🙂.ckpt"));
    assert_eq!(read("timestamps").all_model_checkpoint_timestamps.len(), 3);
    assert_eq!(read("odd_times").last_preserved_timestamp, f64::INFINITY);
    let by_hand = read("by_hand");
    assert_eq!(by_hand.model_checkpoint_path, dir.join("model.ckpt-2"));
    assert_eq!(by_hand.last_preserved_timestamp, f64::NEG_INFINITY);
}

/// As in TensorFlow's Python.
#[test]
fn the_last_latest_checkpoint_wins() {
    let twice = "model_checkpoint_path: 'a'\nall_model_checkpoint_paths: 'a'\n\
                 last_preserved_timestamp: 1\nmodel_checkpoint_path: 'b'\n\
                 all_model_checkpoint_paths: 'b'\nlast_preserved_timestamp: 2\n";
    let dir = directory(&["a", "b"], twice);
    let state = CheckpointState::read(dir.path()).unwrap();
    assert_eq!(state.latest().unwrap(), dir.path().join("b"));
    assert_eq!(state.all_model_checkpoint_paths, [dir.path().join("a"), dir.path().join("b")]);
    assert_eq!(state.last_preserved_timestamp, 2.0);
    assert_eq!(Checkpoint::open(dir.path()).unwrap().path(), dir.path().join("b"));
    let path = dir.path().to_str().unwrap();
    let file = dir.path().join("checkpoint").display().to_string();
    let warning = format!(
        "ckdiff: warning: {file}: model_checkpoint_path, last_preserved_timestamp: given more than once; the last value counts\n"
    );
    for command in [&["latest", path][..], &["show", path], &["verify", path], &[path, path]] {
        let run = ckdiff(command);
        assert_eq!(run.code, 0, "{command:?}");
        assert_eq!(run.stderr, warning, "{command:?}");
    }
    // The last value is empty.
    let dir = directory(&["a"], "model_checkpoint_path: 'a'\nmodel_checkpoint_path: ''\n");
    let expected =
        "DIR/checkpoint: the state file names no checkpoint: model_checkpoint_path is not given";
    assert_eq!(error_of(&dir), expected);
    // Every value must be one.
    let dir = directory(&["a"], "model_checkpoint_path: 3 model_checkpoint_path: 'a'");
    assert!(error_of(&dir).starts_with("DIR/checkpoint:1:"));
}

//! Runs of a fuzz target on state files: they are read, written anew, and read again.

use std::path::{Component, Path, PathBuf};

use ckdiff::checkpoint::{Checkpoint, CheckpointState, StateOptions};

use super::fuzz_checkpoint::put;

/// Reads a state file, and what is written from it. Returns whether it is one.
pub(crate) fn state_file(dir: &Path, input: &[u8]) -> bool {
    put(&dir.join("checkpoint"), input);
    let Ok(state) = CheckpointState::read(dir) else {
        assert!(
            Checkpoint::open(dir).is_err(),
            "a directory with another state file has no latest"
        );
        return false;
    };
    if let (Err(error), Ok(_)) = (state.latest(), Checkpoint::open(dir)) {
        panic!("a checkpoint is opened that is not found: {error}");
    }
    check_rewritten(dir, &state, false);
    check_rewritten(dir, &state, true);
    true
}

/// Writes a state under another name, with paths as they are or relative to the directory, and reads it.
fn check_rewritten(dir: &Path, state: &CheckpointState, save_relative_paths: bool) {
    const AGAIN: &str = "again";
    let options = |state: &CheckpointState| StateOptions {
        all_model_checkpoint_paths: state.all_model_checkpoint_paths.clone(),
        all_model_checkpoint_timestamps: state.all_model_checkpoint_timestamps.clone(),
        last_preserved_timestamp: Some(state.last_preserved_timestamp),
        save_relative_paths,
        latest_filename: Some(AGAIN.into()),
    };
    let latest = &state.model_checkpoint_path;
    let path = dir.join(AGAIN);
    if let Err(error) = CheckpointState::update(dir, latest, &options(state)) {
        let count = state.all_model_checkpoint_timestamps.len();
        let is_expected = count > 0 || path == *latest;
        return assert!(is_expected, "a state that was read cannot be written: {error}");
    }
    let again = CheckpointState::read(&path).expect("a state that was written can be read");
    let mut all = state.all_model_checkpoint_paths.clone();
    if all.last() != Some(latest) {
        all.push(latest.clone());
    }
    let bits = |times: &[f64]| times.iter().map(|time| time.to_bits()).collect::<Vec<_>>();
    let times = |state: &CheckpointState| {
        let mut times = state.all_model_checkpoint_timestamps.clone();
        times.push(state.last_preserved_timestamp);
        bits(&times)
    };
    assert_eq!(normal(&again.model_checkpoint_path), normal(latest));
    let paths = |paths: &[PathBuf]| paths.iter().map(|path| normal(path)).collect::<Vec<_>>();
    assert_eq!(paths(&again.all_model_checkpoint_paths), paths(&all));
    assert_eq!(times(&again), times(state));
    let first = std::fs::read(&path).expect("it was read before");
    CheckpointState::update(dir, &again.model_checkpoint_path, &options(&again))
        .expect("a state that was written can be written again");
    let second = std::fs::read(&path).expect("it was written");
    assert!(first == second, "{}\n{}", first.escape_ascii(), second.escape_ascii());
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

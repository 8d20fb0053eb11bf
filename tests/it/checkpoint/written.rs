//! Written checkpoints: the same bytes as TensorFlow's.

use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, Entry, IfExists};
use ckdiff::progress::Silent;

/// Every undamaged checkpoint of TensorFlow below `tests/data`, by the path that opens it; without those that a script
/// derived from another (big-endian, compressed).
fn checkpoints() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![PathBuf::from("tests/data")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && !["hostile", "bigendian", "snappy"].contains(&name) {
                directories.push(path);
            } else if let Some(prefix) = path.to_str().unwrap().strip_suffix(".index") {
                found.push(prefix.into());
            } else if let Some(stem) = name.strip_suffix("-00000-of-00002")
                && !name.contains(".data")
            {
                found.push(path.with_file_name(format!("{stem}-?????-of-00002")));
            } else if path.is_file()
                && fs::read(&path).unwrap().ends_with(b"\x57\xfb\x80\x8b\x24\x75\x47\xdb")
                && !name.contains("-of-")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn written_checkpoints_equal_those_of_tensorflow_byte_for_byte() {
    let checkpoints = checkpoints();
    let mut seen = [0, 0];
    let mut wrong = Vec::new();
    for path in checkpoints {
        let checkpoint = Checkpoint::open(&path).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = name.strip_suffix("-?????-of-00002").unwrap_or(name);
        let Ok(builder) = CheckpointBuilder::of(&checkpoint) else {
            wrong.push(format!(
                "{}: {}",
                path.display(),
                CheckpointBuilder::of(&checkpoint).unwrap_err()
            ));
            continue;
        };
        let written = builder.write(
            &directory.path().join(name),
            checkpoint.format(),
            IfExists::Refuse,
            &Silent,
        );
        if let Err(error) = written {
            wrong.push(format!("{}: {error}", path.display()));
            continue;
        }
        seen[usize::from(checkpoint.format().name == "V2")] += 1;
        for file in checkpoint.files() {
            let ours = directory.path().join(file.file_name().unwrap());
            if fs::read(file).unwrap() != fs::read(ours).unwrap_or_default() {
                wrong.push(format!("{} is another", file.display()));
            }
        }
        let count = fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(count, checkpoint.files().len(), "{}", path.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen[0] > 10 && seen[1] > 100, "{seen:?}");
}

#[test]
fn damaged_checkpoints_are_not_written() {
    let mut refused = 0;
    for entry in fs::read_dir("tests/data/hostile").unwrap() {
        let path = entry.unwrap().path();
        let Some(prefix) = path.to_str().unwrap().strip_suffix(".index") else { continue };
        let Ok(checkpoint) = Checkpoint::open(Path::new(prefix)) else { continue };
        let directory = tempfile::tempdir().unwrap();
        let write = |builder: CheckpointBuilder<'_>| {
            builder.write(
                &directory.path().join("p"),
                checkpoint.format(),
                IfExists::Refuse,
                &Silent,
            )
        };
        // A tensor of which only some slices are stored is no damage: a saver of some parts writes it.
        let known = checkpoint.shape_map();
        let is_partial = |e: &Entry| e.source.is_err() && known.contains_key(&e.name);
        let damaged = !checkpoint.damage().is_empty()
            || checkpoint
                .tensors()
                .any(|e| checkpoint.get_tensor(&e.name).is_err() && !is_partial(e));
        match CheckpointBuilder::of(&checkpoint).and_then(write) {
            Ok(_) => assert!(!damaged, "{prefix} was written"),
            Err(error) => {
                refused += 1;
                assert!(damaged, "{prefix}: {error}");
                assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "{prefix}");
            }
        }
    }
    assert!(refused > 10, "{refused}");
}

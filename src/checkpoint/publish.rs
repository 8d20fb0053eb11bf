//! Moves the written files of a checkpoint into place.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::Format;
use super::backup::{self, Backup};
use super::state::BackupEntry;
use crate::error::{Error, Result};
use crate::files::{
    CompleteFile, DirectoryLock, IfExists, OpenFile, Publication, already_exists, directory_of,
};
use crate::formats;
use crate::probe::Probe;

/// Checks that a checkpoint may be written to `path`, before any work is done.
pub(super) fn check_target(path: &Path, format: &Format, existing: IfExists) -> Result<()> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if path.file_name().is_none() || bytes.ends_with(b"/") {
        let kind = "expected the name of a checkpoint, found a directory";
        return Err(Error::usage(kind).in_file(path));
    }
    if OpenFile::at(path).is_some() {
        let kind = "expected the name of a checkpoint, found an open file of a program";
        return Err(Error::usage(kind).in_file(path));
    }
    check_directory(path)?;
    // Another program may be moving these files.
    let _lock = DirectoryLock::acquire(directory_of(path))?;
    if existing == IfExists::Refuse {
        check_free(path)?;
    }
    check_targets(path, (format.files)(path).iter())
}

/// Checks that there is no checkpoint `path`, in any format. The caller holds the lock of the directory.
fn check_free(path: &Path) -> Result<()> {
    match formats::may_be_checkpoint(&Probe::new(path)) {
        true => Err(already_exists(path)),
        false => Ok(()),
    }
}

/// Checks that the directory of `path` exists.
pub(crate) fn check_directory(path: &Path) -> Result<()> {
    let directory = directory_of(path);
    if directory.is_dir() {
        return Ok(());
    }
    Err(Error::not_found(format!("there is no directory {}", directory.display())).in_file(path))
}

/// Checks that the files at `places` belong to the checkpoint `path`, if they exist.
fn check_targets<'p>(path: &Path, places: impl Iterator<Item = &'p PathBuf>) -> Result<()> {
    let old = formats::files_of(path);
    for place in places.filter(|place| place.symlink_metadata().is_ok()) {
        let refused = |kind: String| Err(Error::usage(kind).in_file(place));
        if !old.contains(place) {
            return refused("this file is not part of a checkpoint; it is not replaced".into());
        }
        // A V1 checkpoint may have any name, also that of an index.
        let owner = formats::locate(&Probe::new(place));
        if let Some(owner) = owner.filter(|owner| !(owner.format.files)(path).contains(place)) {
            let owner = owner.path.display();
            return refused(format!(
                "this file is part of the checkpoint {owner}; it is not replaced"
            ));
        }
    }
    Ok(())
}

/// Moves the files of the checkpoint `path` into place. The marker comes last.
///
/// Until the new checkpoint is complete, the old one is kept as a backup, which the state file `state` names as the latest
/// checkpoint instead of it. So the latest checkpoint is complete at any moment, even after a crash. Two programs that publish in one
/// directory take turns. Only a backup whose files
/// contain each other's names (safetensors shards) cannot be opened under its name: after a crash its files must be renamed.
///
/// # Errors
/// If a file cannot be moved. The old checkpoint is then in place again.
pub(crate) fn publish(
    path: &Path,
    existing: IfExists,
    files: Vec<CompleteFile>,
    state: &Path,
) -> Result<()> {
    let places: Vec<_> = files.iter().map(|file| file.target().to_path_buf()).collect();
    let _lock = DirectoryLock::acquire(directory_of(path))?;
    let mut publication = Publication::new(existing);
    files.into_iter().for_each(|file| publication.add(file));
    if existing == IfExists::Refuse {
        // Another program may have written one in the meantime, whose format has files of other names.
        check_free(path)?;
        return publication.publish();
    }
    check_targets(path, places.iter())?;
    // Only these are removed: shards without an index, or of another count, are somebody else's.
    let mut old = backup::left_by_crash(path);
    old.extend(formats::claimed_by(path));
    let backup = Backup::make(path)?;
    let entry = match BackupEntry::set(state, path, backup.as_ref().and_then(Backup::path)) {
        Ok(entry) => entry,
        Err(error) => return backup.map_or(Ok(()), Backup::remove).and(Err(error)),
    };
    if let [.., _, index] = places.as_slice() {
        // An index with data of another checkpoint would be damage; without an index there is no checkpoint.
        let _ = fs::remove_file(index);
    }
    if let Err(error) = publication.publish() {
        if let Some(backup) = backup {
            backup.restore()?;
            entry.undo()?;
            // The state file may still name an older backup, after a crash.
            backup.remove()?;
        }
        return Err(error);
    }
    // Shards with another count, and files of another format. The index goes first, so that it never lacks its data.
    for file in old.iter().rev().filter(|file| !places.contains(file)) {
        match fs::remove_file(file) {
            // It may have been listed twice.
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io("remove", error).in_file(file));
            }
            _ => {}
        }
    }
    entry.finish()?;
    if let Some(backup) = backup {
        backup.remove()?;
    }
    backup::clear(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{Checkpoint, CheckpointBuilder};
    use crate::formats::FORMATS;
    use crate::progress::Silent;
    use crate::tensor::{DType, Shape, Tensor};

    fn tensor(number: f32) -> Tensor {
        Tensor::new(DType::F32, Shape::new(&[1]).unwrap(), number.to_le_bytes().to_vec()).unwrap()
    }

    fn write(path: &Path, number: f32, format: &'static Format) -> PathBuf {
        let tensor = tensor(number);
        builder(&tensor).write(path, format, IfExists::Replace, &Silent).unwrap()
    }

    fn builder(tensor: &Tensor) -> CheckpointBuilder<'_> {
        let mut builder = CheckpointBuilder::default();
        for name in ["v", "w"] {
            builder.add(name, tensor).unwrap();
            builder.next_shard();
        }
        builder
    }

    fn content(path: &Path) -> Vec<u8> {
        Checkpoint::open(path).unwrap().get_tensor("w").unwrap().content().to_vec()
    }

    fn names(directory: &Path) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<_> =
            fs::read_dir(directory).unwrap().map(|e| name(e.unwrap())).collect();
        names.sort();
        names
    }

    /// Publishes the files of the checkpoint `other` under the names of `path`; the last one cannot be moved.
    fn fail_at_last(path: &Path, other: &Path) {
        let directory = directory_of(path);
        let mut files = Vec::new();
        let mut before = names(directory);
        for file in formats::files_of(other) {
            let name = file.file_name().unwrap().to_str().unwrap().replacen("other", "m", 1);
            before = names(directory);
            files.push(CompleteFile::link(&file, &directory.join(name)).unwrap());
        }
        let temporary = names(directory).into_iter().find(|name| !before.contains(name)).unwrap();
        fs::remove_file(directory.join(temporary)).unwrap();
        publish(path, IfExists::Replace, files, &directory.join("checkpoint")).unwrap_err();
    }

    #[test]
    fn a_failed_overwrite_puts_back_the_checkpoint_in_any_format() {
        for format in FORMATS.iter().copied().filter(|format| format.is_writable()) {
            let directory = tempfile::tempdir().unwrap();
            let path = write(&directory.path().join("m"), 1.0, format);
            let other = write(&directory.path().join("other"), 2.0, format);
            let before = names(directory.path());
            fail_at_last(&path, &other);
            assert_eq!(names(directory.path()), before, "{format}");
            assert_eq!(content(&path), 1.0f32.to_le_bytes(), "{format}");
        }
    }

    #[test]
    fn every_file_of_a_checkpoint_leads_to_the_path_that_opens_it() {
        for format in FORMATS.iter().copied().filter(|format| format.is_writable()) {
            for shards in [1, 2] {
                let directory = tempfile::tempdir().unwrap();
                let tensor = tensor(1.0);
                let mut builder = CheckpointBuilder::default();
                builder.add("v", &tensor).unwrap();
                if shards == 2 {
                    builder.next_shard();
                    builder.add("w", &tensor).unwrap();
                }
                let path = directory.path().join("m");
                let path = builder.write(&path, format, IfExists::Refuse, &Silent).unwrap();
                let locate = |path: &Path| (format.locate)(&Probe::new(path));
                assert_eq!(locate(&path).as_ref(), Some(&path), "{format}");
                let files = (format.files)(&path);
                let all: Vec<_> = names(directory.path());
                assert_eq!(files.len(), all.len(), "{format}: {files:?} of {all:?}");
                for file in &files {
                    assert_eq!(locate(file).as_ref(), Some(&path), "{format}: {}", file.display());
                }
                let marker = (format.marker)(&path).expect("the checkpoint exists");
                assert!(files.contains(&marker), "{format}: {}", marker.display());
                let opened: Vec<_> =
                    all.iter().filter_map(|name| (format.open_name)(name)).collect();
                let name = path.file_name().unwrap().to_str().unwrap();
                // A V1 file of any name is a checkpoint, so a single one has no name of its own.
                let is_listed = format.name != "V1" || shards > 1;
                assert_eq!(
                    opened,
                    if is_listed { vec![name.to_owned()] } else { vec![] },
                    "{format}"
                );
            }
        }
    }

    #[test]
    fn a_failed_overwrite_keeps_the_backup_that_the_state_file_names() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("m");
        write(&path, 1.0, FORMATS[0]);
        let other = write(&directory.path().join("other"), 2.0, FORMATS[0]);
        // As after a crash: the backup is complete, and the checkpoint has no index.
        for file in formats::files_of(&path) {
            let name = file.file_name().unwrap().to_str().unwrap();
            let backup = name.replacen('m', "m.ckdiff-previous", 1);
            fs::copy(&file, directory.path().join(backup)).unwrap();
        }
        fs::remove_file(directory.path().join("m.index")).unwrap();
        let state = "model_checkpoint_path: \"m.ckdiff-previous\"\n";
        fs::write(directory.path().join("checkpoint"), state).unwrap();
        fail_at_last(&path, &other);
        assert_eq!(content(directory.path()), 1.0f32.to_le_bytes());
    }
}

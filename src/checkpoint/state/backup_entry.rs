//! The backup entry of a state file, while its latest checkpoint is replaced.

use std::path::{Path, PathBuf};

use super::CheckpointState;
use super::write::{formatted, replace};
use crate::bytes::File;
use crate::checkpoint::backup;
use crate::error::Result;
use crate::files::{is_same_directory, is_same_path};
use crate::probe::Probe;
use crate::schema::tensorflow;
use crate::sniff;

/// A state file that names a backup; `None` if its latest checkpoint is not the one that is replaced.
#[derive(Default)]
pub(in crate::checkpoint) struct BackupEntry(Option<Named>);

struct Named {
    file: PathBuf,
    /// The bytes of the state file with the backup entry.
    with_backup: Vec<u8>,
    /// The state after the checkpoint is replaced.
    after: tensorflow::CheckpointState,
    /// The original bytes; `None` if the state file already named a backup, after a crash.
    before: Option<Vec<u8>>,
}

impl BackupEntry {
    /// Replaces `checkpoint` by `backup`, which is in the same directory, in the state file.
    pub(in crate::checkpoint) fn set(
        file: &Path,
        checkpoint: &Path,
        backup: Option<&Path>,
    ) -> Result<Self> {
        // An unreadable state file leads no reader to a checkpoint.
        let Ok(found) = sniff::read_state_file(&Probe::new(file)) else { return Ok(Self(None)) };
        let (state, before) = (found.state, found.bytes);
        let Ok(named) = CheckpointState::resolved(&state, file) else { return Ok(Self(None)) };
        let latest = &named.model_checkpoint_path;
        let is_backup =
            |path: &Path| is_same_directory(path, checkpoint) && backup::is_of(path, checkpoint);
        let dir = file.parent().unwrap_or(Path::new(""));
        if is_backup(latest) {
            let after = renamed(state, dir, is_backup, checkpoint);
            let file = file.to_path_buf();
            return Ok(Self(Some(Named { file, with_backup: before, after, before: None })));
        }
        let is_it = |path: &Path| is_same_path(path, checkpoint);
        let Some(backup) = backup.filter(|_| is_it(latest)) else { return Ok(Self(None)) };
        let with_backup = formatted(&renamed(state.clone(), dir, is_it, backup))?;
        replace(file, &with_backup)?;
        let file = file.to_path_buf();
        Ok(Self(Some(Named { file, with_backup, after: state, before: Some(before) })))
    }

    /// Replaces the backup by the checkpoint again, unless another program has changed the state file.
    pub(in crate::checkpoint) fn finish(self) -> Result<()> {
        match self.0 {
            Some(named) if read(&named.file)? == named.with_backup => match named.before {
                Some(before) => replace(&named.file, &before),
                None => replace(&named.file, &formatted(&named.after)?),
            },
            _ => Ok(()),
        }
    }

    /// Restores the original state file, unless another program has changed it.
    pub(in crate::checkpoint) fn undo(self) -> Result<()> {
        match self.0 {
            Some(Named { file, with_backup, before: Some(before), .. })
                if read(&file)? == with_backup =>
            {
                replace(&file, &before)
            }
            _ => Ok(()),
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    File::open(file)?.read(sniff::STATE_FILE_BYTES)
}

/// Replaces the file name of every path that `is_it` accepts by that of `to`.
fn renamed(
    mut state: tensorflow::CheckpointState,
    dir: &Path,
    is_it: impl Fn(&Path) -> bool,
    to: &Path,
) -> tensorflow::CheckpointState {
    let latest = &mut state.model_checkpoint_path;
    for path in std::iter::once(latest).chain(&mut state.all_model_checkpoint_paths) {
        if is_it(&dir.join(&path))
            && let Some(name) = to.file_name().and_then(|name| name.to_str())
        {
            *path = Path::new(&path).with_file_name(name).to_string_lossy().into_owned();
        }
    }
    state
}

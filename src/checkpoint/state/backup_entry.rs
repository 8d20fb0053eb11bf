//! The entry of a backup in the state file, while the checkpoint that the state file names is replaced.

use std::fs;
use std::path::{Path, PathBuf};

use super::CheckpointState;
use crate::checkpoint::backup;
use crate::error::{Error, Result};
use crate::files::{self, is_same_folder, is_same_path};
use crate::schema::tensorflow;

/// A state file that names the backup of its latest checkpoint; `None` where its latest checkpoint is another one.
#[derive(Default)]
pub(in crate::checkpoint) struct BackupEntry(Option<Named>);

struct Named {
    file: PathBuf,
    /// The state file's bytes while it names the backup.
    meanwhile: Vec<u8>,
    /// The state once the checkpoint is in place.
    after: tensorflow::CheckpointState,
    /// The state file's bytes before; `None` where it already named a backup, which a crash had left.
    before: Option<Vec<u8>>,
}

impl BackupEntry {
    /// Writes `backup` into the state file wherever it names `checkpoint`, of which `backup` is a copy in the same folder.
    pub(in crate::checkpoint) fn set(
        file: &Path,
        checkpoint: &Path,
        backup: Option<&Path>,
    ) -> Result<Self> {
        let Ok(named) = CheckpointState::read(file) else {
            // No reader finds a checkpoint by a state file that cannot be read.
            return Ok(Self(None));
        };
        let latest = &named.model_checkpoint_path;
        let is_backup =
            |path: &Path| is_same_folder(path, checkpoint) && backup::is_of(path, checkpoint);
        let before = read(file)?;
        let state = super::parse(file).map_err(|error| error.in_file(file))?;
        let dir = file.parent().unwrap_or(Path::new(""));
        if is_backup(latest) {
            let after = renamed(state, dir, is_backup, checkpoint);
            let file = file.to_path_buf();
            return Ok(Self(Some(Named { file, meanwhile: before, after, before: None })));
        }
        let is_it = |path: &Path| is_same_path(path, checkpoint);
        let Some(backup) = backup.filter(|_| is_it(latest)) else { return Ok(Self(None)) };
        super::write::write(file, &renamed(state.clone(), dir, is_it, backup))?;
        let (meanwhile, file) = (read(file)?, file.to_path_buf());
        Ok(Self(Some(Named { file, meanwhile, after: state, before: Some(before) })))
    }

    /// Writes the checkpoint into the state file again, unless another program has written the state file meanwhile.
    pub(in crate::checkpoint) fn finish(self) -> Result<()> {
        match self.0 {
            Some(named) if read(&named.file)? == named.meanwhile => match named.before {
                Some(before) => replace(&named.file, &before),
                None => super::write::write(&named.file, &named.after),
            },
            _ => Ok(()),
        }
    }

    /// Writes the state file as it was before, unless another program has written it meanwhile.
    pub(in crate::checkpoint) fn undo(self) -> Result<()> {
        match self.0 {
            Some(Named { file, meanwhile, before: Some(before), .. })
                if read(&file)? == meanwhile =>
            {
                replace(&file, &before)
            }
            _ => Ok(()),
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).map_err(|error| Error::io("read", error).in_file(file))
}

fn replace(file: &Path, bytes: &[u8]) -> Result<()> {
    files::replace(file, |out| out.write_all(bytes).map_err(files::cannot_write))
}

/// The state with the name of `to` in place of every path that `is_it` accepts.
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

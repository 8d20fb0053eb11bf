//! What a state file names while the checkpoint that it names is replaced.

use std::fs;
use std::path::{Path, PathBuf};

use super::CheckpointState;
use crate::error::{Error, Result};
use crate::files;

/// A state file that names a copy of its latest checkpoint, for as long as that is replaced.
pub(in crate::checkpoint) struct StandIn {
    file: PathBuf,
    /// What it was before.
    state: Vec<u8>,
}

impl StandIn {
    /// Has the state file `file` name `aside` wherever it names `checkpoint`, of which `aside` is a copy in the same folder.
    /// `None` where that is not the latest, or there is no such file.
    pub(in crate::checkpoint) fn set(
        file: &Path,
        checkpoint: &Path,
        aside: &Path,
    ) -> Result<Option<Self>> {
        let is_it = |path: &Path| is_same(path, checkpoint);
        let named = CheckpointState::read(file);
        // Nobody finds a checkpoint by a state file that cannot be read.
        if !named.is_ok_and(|state| is_it(&state.model_checkpoint_path)) {
            return Ok(None);
        }
        let bytes = fs::read(file).map_err(|error| Error::io("read", error).in_file(file))?;
        let mut state = super::parse(file).map_err(|error| error.in_file(file))?;
        let dir = file.parent().unwrap_or(Path::new(""));
        let latest = &mut state.model_checkpoint_path;
        for path in std::iter::once(latest).chain(&mut state.all_model_checkpoint_paths) {
            if is_it(&dir.join(&path))
                && let Some(renamed) = aside.file_name().and_then(|name| name.to_str())
            {
                let spelled = Path::new(&path).with_file_name(renamed);
                *path = spelled.to_string_lossy().into_owned();
            }
        }
        super::write::write(file, &state)?;
        Ok(Some(Self { file: file.to_path_buf(), state: bytes }))
    }

    /// Has the state file be what it was before.
    pub(in crate::checkpoint) fn end(self) -> Result<()> {
        files::replace(&self.file, |out| out.write_all(&self.state).map_err(files::cannot_write))
    }
}

/// Whether two paths lead to one place.
fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        Some((files::folder(path).canonicalize().ok()?, path.file_name()?.to_owned()))
    };
    place(a).is_some_and(|a| Some(a) == place(b))
}

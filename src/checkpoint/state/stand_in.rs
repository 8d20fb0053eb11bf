//! What a state file names while the checkpoint that it names is replaced.

use std::fs;
use std::path::{Path, PathBuf};

use super::CheckpointState;
use crate::checkpoint::aside;
use crate::checkpoint::path::{is_beside, is_same};
use crate::error::{Error, Result};
use crate::files;
use crate::schema::tensorflow;

/// A state file that names a copy of its latest checkpoint, for as long as that is replaced; nothing where it names another.
#[derive(Default)]
pub(in crate::checkpoint) struct StandIn(Option<Named>);

struct Named {
    file: PathBuf,
    /// What it is meanwhile.
    meanwhile: Vec<u8>,
    /// What it is once the checkpoint is there.
    after: tensorflow::CheckpointState,
    /// What it was before; `None` where it named a copy already, which a crash had left.
    before: Option<Vec<u8>>,
}

impl StandIn {
    /// Has the state file `file` name `kept` wherever it names `checkpoint`, of which `kept` is a copy in the same folder.
    pub(in crate::checkpoint) fn set(
        file: &Path,
        checkpoint: &Path,
        kept: Option<&Path>,
    ) -> Result<Self> {
        let Ok(named) = CheckpointState::read(file) else {
            // Nobody finds a checkpoint by a state file that cannot be read.
            return Ok(Self(None));
        };
        let latest = &named.model_checkpoint_path;
        let is_kept = |path: &Path| is_beside(path, checkpoint) && aside::is_of(path, checkpoint);
        let before = read(file)?;
        let state = super::parse(file).map_err(|error| error.in_file(file))?;
        let dir = file.parent().unwrap_or(Path::new(""));
        if is_kept(latest) {
            let after = renamed(state, dir, is_kept, checkpoint);
            let file = file.to_path_buf();
            return Ok(Self(Some(Named { file, meanwhile: before, after, before: None })));
        }
        let is_it = |path: &Path| is_same(path, checkpoint);
        let Some(kept) = kept.filter(|_| is_it(latest)) else { return Ok(Self(None)) };
        super::write::write(file, &renamed(state.clone(), dir, is_it, kept))?;
        let (meanwhile, file) = (read(file)?, file.to_path_buf());
        Ok(Self(Some(Named { file, meanwhile, after: state, before: Some(before) })))
    }

    /// Has the state file name the checkpoint, which is there now; unless somebody else has written it meanwhile.
    pub(in crate::checkpoint) fn finish(self) -> Result<()> {
        match self.0 {
            Some(named) if read(&named.file)? == named.meanwhile => match named.before {
                Some(before) => replace(&named.file, &before),
                None => super::write::write(&named.file, &named.after),
            },
            _ => Ok(()),
        }
    }

    /// Has the state file be what it was before.
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

/// The state with the name of `to` wherever it has a path that `is_it`.
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

//! What a saver saves.

use std::path::{Path, PathBuf};

use super::on_disk::OnDisk;
use super::run::{self, Variables};
use super::{check_nodes, spelled};
use crate::checkpoint::{Draft, Existing, Format};
use crate::error::Result;
use crate::message::Message;
use crate::progress::Progress;
use crate::schema::tensorflow::SaverDef;

/// Something that a [`Saver`](super::Saver) can make a checkpoint of.
pub trait Content {
    /// Writes the checkpoint `path`, and returns what it is opened by. While one is replaced that the state file `state` names,
    /// that names a copy.
    ///
    /// # Errors
    /// When something cannot be written; then there is no checkpoint, or the one that was there before.
    fn write(
        &self,
        saver: &SaverDef,
        path: &Path,
        state: &Path,
        progress: &dyn Progress,
    ) -> Result<PathBuf>;
}

/// Tensors under names of their own; whatever the nodes of a graph say.
impl Content for Draft<'_> {
    fn write(
        &self,
        saver: &SaverDef,
        path: &Path,
        state: &Path,
        progress: &dyn Progress,
    ) -> Result<PathBuf> {
        let format = Format::of(saver.version());
        self.write_beside(path, format, Existing::Replace, state, progress)
    }
}

/// A graph and its variables, which are saved by following the graph's save nodes.
#[derive(Debug, Clone, Copy)]
pub struct Model<'a> {
    /// A `MetaGraphDef`, or a `GraphDef`.
    pub graph: &'a Message<'a>,
    /// What the variables hold.
    pub variables: &'a Variables,
}

impl Content for Model<'_> {
    fn write(
        &self,
        saver: &SaverDef,
        path: &Path,
        state: &Path,
        progress: &dyn Progress,
    ) -> Result<PathBuf> {
        check_nodes(saver)?;
        let mut disk = OnDisk::new(path, progress);
        let saved = run::save(self.graph, saver, spelled(path)?, self.variables, &mut disk)?;
        let saved = PathBuf::from(saved);
        disk.publish(&saved, state)?;
        Ok(saved)
    }
}

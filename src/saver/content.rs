//! The content of a checkpoint: tensors, or a graph with its variables.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::files_writer::CheckpointFilesWriter;
use super::run::{self, Variables};
use super::{check_nodes, utf8};
use crate::checkpoint::{CheckpointBuilder, Format, IfExists, sharded_filename, sharded_filespec};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::meta_graph::with_graph;
use crate::progress::Progress;
use crate::schema::KnownType;
use crate::schema::tensorflow::SaverDef;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

/// Content that a [`Saver`](super::Saver) can save.
pub trait Content {
    /// Writes the checkpoint `path`, and returns the path that opens it. While a checkpoint in the state file `state` is replaced, the
    /// state file names a backup.
    ///
    /// # Errors
    /// If a file cannot be written; then the previous checkpoint, if any, is unchanged.
    fn write(
        &self,
        saver: &SaverDef,
        path: &Path,
        state: &Path,
        progress: &dyn Progress,
    ) -> Result<PathBuf>;

    /// The meta graph to write next to the checkpoint; `None` if there is no graph.
    ///
    /// # Errors
    /// If it cannot be made.
    fn meta_graph(&self) -> Result<Option<Cow<'_, Message<'_>>>> {
        Ok(None)
    }
}

/// Saves tensors by their names, without a graph.
impl Content for CheckpointBuilder<'_> {
    fn write(
        &self,
        saver: &SaverDef,
        path: &Path,
        state: &Path,
        progress: &dyn Progress,
    ) -> Result<PathBuf> {
        let format = Format::of(saver.version())?;
        let write = |path| self.write_with_state(path, format, IfExists::Replace, state, progress);
        if saver.version() == CheckpointFormatVersion::V2 {
            return write(path);
        }
        let opened = self.open_path(path, format)?;
        if saver.sharded && opened == path {
            // One shard has its number too.
            write(&sharded_filename(path, 0, 1))?;
            return Ok(sharded_filespec(path, 1));
        }
        if opened == state {
            let kind = "the checkpoint has the path of the state file";
            return Err(Error::usage(kind).in_file(path));
        }
        write(path)
    }
}

/// A graph and its variables, which are saved by following the graph's save nodes.
#[derive(Debug, Clone, Copy)]
pub struct Model<'a> {
    /// A `MetaGraphDef`, or a `GraphDef`.
    pub graph: &'a Message<'a>,
    /// The values of the variables.
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
        let mut disk = CheckpointFilesWriter::new(path, progress);
        let saved = run::save(self.graph, saver, utf8(path)?, self.variables, &mut disk)?;
        let saved = PathBuf::from(saved);
        disk.publish(&saved, state)?;
        Ok(saved)
    }

    fn meta_graph(&self) -> Result<Option<Cow<'_, Message<'_>>>> {
        if self.graph.ty().known == Some(KnownType::GraphDef) {
            return with_graph(self.graph).map(|meta_graph| Some(Cow::Owned(meta_graph)));
        }
        Ok(Some(Cow::Borrowed(self.graph)))
    }
}

//! The values of a SavedModel's variables.

use std::collections::BTreeMap;
use std::path::Path;

use crate::checkpoint::{Checkpoint, CheckpointBuilder};
use crate::error::{Error, Result};
use crate::graph::object_graph::KEY;
use crate::message::{Message, field};
use crate::progress::Progress;
use crate::saver::plan::restore_plan;
use crate::saver::run::Variables;
use crate::saver::{Content, Model, SaveOptions, Saver};
use crate::schema::field::meta_graph_def;
use crate::schema::tensorflow::SaverDef;
use crate::tensor::Name;

/// The values of a SavedModel's variables.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Values in memory, saved by the nodes of the graph.
    Variables(&'a Variables),
    /// The tensors of a checkpoint that the saver of the SavedModel restores. They are copied in chunks.
    Checkpoint(&'a Checkpoint),
}

impl Values<'_> {
    /// Writes the tensors that `saver` restores to the checkpoint `path`.
    pub(super) fn write(
        &self,
        meta: &Message<'_>,
        saver: &SaverDef,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<()> {
        let save = |content: &dyn Content| {
            let options = SaveOptions {
                write_state: false,
                write_meta_graph: false,
                ..SaveOptions::default()
            };
            Saver::new(saver.clone()).save(content, path, &options, progress).map(drop)
        };
        match self {
            Self::Variables(variables) => save(&Model { graph: meta, variables }),
            Self::Checkpoint(checkpoint) => {
                let keys = keys(meta, saver, checkpoint)?;
                save(&CheckpointBuilder::select(checkpoint, |key| keys.get(key).cloned())?)
            }
        }
    }
}

/// The keys of a checkpoint that `saver` reads, each with the name by which it does; for a model of TensorFlow 2 also the key of
/// the object graph.
fn keys(
    meta: &Message<'_>,
    saver: &SaverDef,
    checkpoint: &Checkpoint,
) -> Result<BTreeMap<Name, Name>> {
    let plan = restore_plan(meta, saver, checkpoint)?;
    if let Some(error) = plan.error() {
        return Err(error.in_file(checkpoint.path()));
    }
    if plan.unknown > 0 {
        let kind = "the saver's tensor names are not constants; pass the values in memory instead of a checkpoint";
        return Err(Error::unsupported(kind));
    }
    let mut keys = BTreeMap::new();
    for read in plan.reads {
        let name = Name::from(&*read.name);
        let Some(key) = read.key else { continue };
        if let Some(other) = keys.insert(key, name.clone()).filter(|other| *other != name) {
            let kind = format!("{other} and {name} are the same tensor of the checkpoint");
            return Err(Error::unsupported(kind).in_file(checkpoint.path()));
        }
    }
    let objects = Name::from(KEY);
    if !plan.is_by_object && checkpoint.has_tensor(KEY) && has_objects(meta) {
        keys.insert(objects.clone(), objects);
    }
    Ok(keys)
}

/// Whether a meta graph was written by TensorFlow 2.
fn has_objects(meta: &Message<'_>) -> bool {
    field(meta.bytes(), meta_graph_def::OBJECT_GRAPH_DEF).is_some()
}

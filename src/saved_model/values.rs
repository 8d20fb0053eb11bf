//! What the variables of a SavedModel hold, and how it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::checkpoint::{Checkpoint, Draft};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Action, Graph, SavedTensor};
use crate::message::Message;
use crate::meta_graph;
use crate::progress::Progress;
use crate::saver::run::Variables;
use crate::saver::{Content, Model, SaveOptions, Saver};
use crate::schema::tensorflow::SaverDef;

/// What the variables of a SavedModel hold.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// What is in memory, saved by the nodes of the graph.
    Variables(&'a Variables),
    /// What a checkpoint has, of which the SavedModel gets what its saver restores; read in pieces, of any size.
    Checkpoint(&'a Checkpoint),
}

impl Values<'_> {
    /// Writes what `saver` restores to the checkpoint `path`.
    pub(super) fn write(
        &self,
        meta: &Message<'_>,
        saver: &SaverDef,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<()> {
        let save = |content: &dyn Content| {
            let options = SaveOptions { write_state: false, ..SaveOptions::default() };
            Saver::new(saver.clone()).save(content, path, &options, progress).map(drop)
        };
        match self {
            Self::Variables(variables) => save(&Model { graph: meta, variables }),
            Self::Checkpoint(checkpoint) => {
                let asked = asked(meta, saver)?;
                check(&asked, checkpoint)?;
                let draft = Draft::select(checkpoint, |name| {
                    asked.contains_key(name.as_bytes()).then(|| name.clone())
                })?;
                save(&draft)
            }
        }
    }
}

/// What the restore nodes behind `saver` read, by key.
fn asked(meta: &Message<'_>, saver: &SaverDef) -> Result<BTreeMap<Vec<u8>, SavedTensor>> {
    let graph = Graph::new(meta_graph::graph_of(meta)?)?;
    let (target, _) = graph.tensor(&saver.restore_op_name)?;
    let mut open: Vec<_> = graph.find(target.name).into_iter().collect();
    let mut seen: BTreeSet<_> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        for source in graph.inputs(graph.node(id)).iter().filter_map(|input| input.source) {
            if seen.insert(source) {
                open.push(source);
            }
        }
    }
    let mut asked = BTreeMap::new();
    let nodes = graph.save_nodes().into_iter();
    for node in nodes.filter(|node| node.action == Action::Restore && seen.contains(&node.node)) {
        let tensors = node.tensors.ok_or_else(|| {
            let name = crate::error::shortened(graph.node(node.node).name).into_owned();
            let kind = format!("{name} does not say by constants what it restores");
            Error::from(ErrorKind::Unsupported(kind))
        })?;
        asked.extend(tensors.into_iter().map(|tensor| (tensor.key.clone().into_bytes(), tensor)));
    }
    Ok(asked)
}

/// Whether a checkpoint has all that is asked for.
fn check(asked: &BTreeMap<Vec<u8>, SavedTensor>, checkpoint: &Checkpoint) -> Result<()> {
    for (key, tensor) in asked {
        // It names a near one.
        let Some(entry) = checkpoint.tensor(key) else {
            return checkpoint.get_tensor(key).map(drop);
        };
        let found = entry.source.as_ref().map_err(Error::clone)?.dtype();
        if tensor.dtype != 0 && tensor.dtype != found.code() {
            let allowed = format!("the graph restores one of type {}", tensor.dtype);
            let error = Error::unexpected("dtype", found, allowed).of_tensor(&entry.name);
            return Err(error.in_file(checkpoint.path()));
        }
    }
    Ok(())
}

//! Checks the graphs of a message against the definitions of their ops, and against a checkpoint.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

use super::{MetaGraph, Restorability, restorability};
use crate::artifact::Document;
use crate::checkpoint::Checkpoint;
use crate::error::{Error, Result};
use crate::graph::object_graph::{ObjectGraph, ObjectGraphKind};
use crate::graph::{Checked, Finding, OpTable, check};
use crate::serial::{self, object};

/// The number of findings, and of misfits of each kind, that are kept.
const KEPT: usize = 1_000;

/// The result for one graph.
#[derive(Debug, Clone)]
pub struct VerifiedGraph {
    /// The file with the graph.
    pub path: PathBuf,
    /// Its tags in a SavedModel.
    pub tags: Vec<String>,
    /// The number of nodes, without those of functions.
    pub nodes: u64,
    /// The nodes that do not conform to the definitions of their ops.
    pub checked: Checked,
    /// Whether the checkpoint can be restored, if there is one.
    pub restorability: Option<Restorability>,
}

impl Serialize for VerifiedGraph {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = object! {
            path: serial::Text(self.path.display()),
            tags: &self.tags,
            nodes: self.nodes,
            problems: self.checked.total(),
            findings: &self.checked.findings,
            fit: &self.restorability,
        };
        report.serialize(serializer)
    }
}

impl VerifiedGraph {
    /// Whether there are no findings and no misfits.
    pub fn passes(&self) -> bool {
        self.checked.findings.is_empty()
            && self.restorability.as_ref().is_none_or(Restorability::fits)
    }
}

/// The findings in the objects of a SavedModel.
fn object_findings(objects: &[u8]) -> Result<impl Iterator<Item = Finding>> {
    let objects = ObjectGraph::new(ObjectGraphKind::Saved, objects)?;
    let findings = objects.findings().to_vec().into_iter();
    Ok(findings.map(|problem| Finding { path: "object_graph_def".into(), problem }))
}

/// Checks the graphs in `document`, if there are any.
///
/// Nodes are checked against `ops`; if that is `None`, against the op list of the graph and the built-in op table.
///
/// # Errors
/// If a graph is too large, or its op list or a saver cannot be decoded.
pub fn graphs(
    document: &Document<'_>,
    checkpoint: Option<&Checkpoint>,
    ops: Option<&OpTable<'_>>,
) -> Result<Vec<VerifiedGraph>> {
    let in_file = |error: Error| error.in_file(document.path());
    let metas = MetaGraph::all_in(document.message()).map_err(in_file)?;
    let verified = |meta: &MetaGraph<'_>| {
        if let Some(error) = &meta.malformed {
            return Err(error.clone());
        }
        let mut checked = match (ops, meta.ops) {
            (Some(ops), _) => check(&meta.graph, ops, KEPT),
            (None, None) => check(&meta.graph, OpTable::builtin(), KEPT),
            (None, Some(own)) => {
                let own = OpTable::decode(own)?;
                check(&meta.graph, &own.over(OpTable::builtin()), KEPT)
            }
        };
        if let Some(objects) = meta.objects {
            checked.findings.extend(object_findings(objects)?);
        }
        Ok(VerifiedGraph {
            path: document.path().to_path_buf(),
            tags: meta.tags.iter().map(ToString::to_string).collect(),
            nodes: meta.graph.nodes().len() as u64,
            checked,
            restorability: checkpoint
                .map(|checkpoint| restorability(meta, checkpoint, KEPT))
                .transpose()?,
        })
    };
    metas.iter().map(verified).collect::<Result<_>>().map_err(in_file)
}

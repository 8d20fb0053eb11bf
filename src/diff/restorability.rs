//! Checks whether the graph of each side can restore its own tensors. A misfit is a finding and does not
//! stop the comparison.

use super::{Finding, Side};
use crate::artifact::Artifact;
use crate::error::Result;
use crate::verify::{MetaGraph, restorability};

/// A finding for each graph whose saver does not fit the checkpoint of its side.
///
/// # Errors
/// If a graph is too large to be counted.
pub(super) fn findings(lhs: &Artifact<'_>, rhs: &Artifact<'_>) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (side, artifact) in [(Side::Lhs, lhs), (Side::Rhs, rhs)] {
        let Some((message, checkpoint)) = artifact.message().zip(artifact.checkpoint()) else {
            continue;
        };
        for meta in MetaGraph::all_in(message.message())? {
            let found = restorability(&meta, checkpoint, 1)?;
            if let Some(saver) = found.decisive().filter(|_| !found.fits()) {
                let first = saver.misfits.first().map(|misfit| format!(", as {misfit}"));
                let why = format!("{}{}", saver.counts, first.unwrap_or_default());
                let problem = format!("it does not fit the checkpoint of {}: {why}", side.name());
                findings.push(Finding { side: Some(side), path: "graph_def".into(), problem });
            }
        }
    }
    Ok(findings)
}

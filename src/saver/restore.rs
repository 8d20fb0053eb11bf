//! Restores a checkpoint by the restore nodes of a graph, and explains why it cannot be restored.

use std::path::Path;

use super::plan::{MisfitReason, RestorePlan, RestoreRequest, run_plan};
use super::run::{Variables, restore, restore_by};
use super::{ObjectKeys, Saver, check_nodes, utf8};
use crate::checkpoint::{self, Checkpoint};
use crate::error::{Error, Result};
use crate::message::Message;

/// The number of tensors that an error lists.
const SHOWN: usize = 10;

impl Saver {
    /// Restores the checkpoint with the prefix `path` into `variables`, by the nodes that this saver has in the graph of a `MetaGraphDef` or `GraphDef`:
    /// TensorFlow's `restore`. If anything fails, the store is unchanged.
    ///
    /// If TensorFlow 2 saved the checkpoint and names are missing from it, they are looked up among its objects. TensorFlow then restores all
    /// variables of the graph; here only the tensors that the saver's nodes request are restored.
    ///
    /// ```
    /// use ckdiff::artifact::{Document, ReadOptions};
    /// use ckdiff::saver::Saver;
    /// use ckdiff::saver::run::Variables;
    /// use ckdiff::schema::Schema;
    /// use ckdiff::schema::tensorflow::MetaGraphDef;
    /// use ckdiff::prost::Message as _;
    ///
    /// let path = "tests/data/demo/model.ckpt";
    /// let meta = Document::open(format!("{path}.meta"), Schema::tensorflow(), &ReadOptions::default())?;
    /// let saver = Saver::new(MetaGraphDef::decode(meta.message().bytes()).unwrap().saver_def.unwrap());
    /// let mut variables = Variables::of(meta.message())?;
    /// saver.restore(meta.message(), path.as_ref(), &mut variables)?;
    /// let error = saver.restore(meta.message(), "nowhere/model.ckpt".as_ref(), &mut variables).unwrap_err();
    /// assert_eq!(error.to_string(), "nowhere/model.ckpt: there is no checkpoint with this prefix");
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// If there is no such checkpoint, or the saver does not name its nodes; as [`run::restore`](super::run::restore), but one error lists all
    /// tensors that are missing or have another shape or dtype.
    pub fn restore(
        &self,
        graph: &Message<'_>,
        path: &Path,
        variables: &mut Variables,
    ) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        check_nodes(self.def())?;
        let text = utf8(path)?;
        if !checkpoint::exists(path) {
            let kind = "there is no checkpoint with this prefix".to_owned();
            return Err(Error::not_found(kind).in_file(path));
        }
        let Err(error) = restore(graph, self.def(), text, variables) else { return Ok(()) };
        // Without a plan, the first error is returned.
        let Ok(checkpoint) = Checkpoint::open_prefix(path) else { return Err(error) };
        let Ok(plan) = run_plan(graph, self.def(), &checkpoint) else { return Err(error) };
        if let Some(error) = plan.error() {
            return Err(error.in_file(path));
        }
        if !plan.is_by_object {
            return Err(error);
        }
        let keys = ObjectKeys::of(&checkpoint)?;
        restore_by(graph, self.def(), text, variables, keys.as_ref())
    }
}

impl RestorePlan {
    /// The error that lists the tensors with misfits, if there are any.
    pub(crate) fn error(&self) -> Option<Error> {
        let count = self.misfits().count();
        if count == 0 {
            return None;
        }
        let describe = |(read, misfit): (&RestoreRequest, &MisfitReason)| {
            let name = crate::error::shortened(&read.name);
            match misfit {
                // Another shape is always refused here, unlike in TensorFlow.
                MisfitReason::Shape { graph, checkpoint, .. } => {
                    format!("{name}: shape {graph} in the graph, {checkpoint} in the checkpoint")
                }
                misfit => format!("{name}: {misfit}"),
            }
        };
        let mut shown: Vec<String> = self.misfits().take(SHOWN).map(describe).collect();
        if count > SHOWN {
            shown.push(format!("and {} more", count - SHOWN));
        }
        let (all, by) =
            (self.reads.len(), if self.is_by_object { ", by the names of objects" } else { "" });
        let shown = shown.join("; ");
        let kind = format!("{count} of {all} tensors cannot be restored{by}: {shown}");
        let is_missing = |(_, misfit): (&RestoreRequest, &MisfitReason)| {
            matches!(misfit, MisfitReason::Missing { .. })
        };
        Some(match self.misfits().any(is_missing) {
            true => Error::not_found(kind),
            false => Error::usage(kind),
        })
    }
}

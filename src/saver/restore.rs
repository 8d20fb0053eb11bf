//! Restoring: the checkpoint by the restore nodes of a graph, by names or by objects, and what is said where they do not go together.

use std::path::Path;

use super::plan::{Problem, Read, RestorePlan, run_plan};
use super::run::{Variables, restore, restore_by};
use super::{ObjectKeys, Saver, check_nodes, spelled};
use crate::checkpoint::{self, Checkpoint};
use crate::error::{Error, ErrorKind, Result};
use crate::message::Message;

/// Tensors that an error tells of one by one.
const TOLD: usize = 10;

impl Saver {
    /// Restores the checkpoint at `path` into `variables`, by the nodes that this saver has in the graph of a `MetaGraphDef` or `GraphDef`:
    /// TensorFlow's `restore`. Either all is restored, or nothing in the store has changed.
    ///
    /// Where names are missing from a checkpoint that TensorFlow 2 saved, what its objects were called is tried in their place. TensorFlow
    /// then restores all variables of the graph; here it is what the saver's nodes ask for.
    ///
    /// ```
    /// use ckdiff::artifact::{Document, ReadOptions};
    /// use ckdiff::saver::Saver;
    /// use ckdiff::saver::run::Variables;
    /// use ckdiff::schema::Schema;
    /// use ckdiff::schema::tensorflow::MetaGraphDef;
    /// use prost::Message as _;
    ///
    /// let path = "tests/data/demo/model.ckpt";
    /// let meta = Document::open(format!("{path}.meta"), Schema::tensorflow(), &ReadOptions::default())?;
    /// let saver = Saver::new(MetaGraphDef::decode(meta.message().bytes()).unwrap().saver_def.unwrap());
    /// let mut variables = Variables::of(meta.message())?;
    /// saver.restore(meta.message(), path.as_ref(), &mut variables)?;
    /// let error = saver.restore(meta.message(), "nowhere/model.ckpt".as_ref(), &mut variables).unwrap_err();
    /// assert_eq!(error.to_string(), "nowhere/model.ckpt: there is no valid checkpoint of this path");
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// When there is no such checkpoint, or the saver does not name its nodes; as [`run::restore`](super::run::restore), but where tensors are missing, or of another shape or
    /// dtype, one error names all of them.
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
        let text = spelled(path)?;
        if !checkpoint::exists(path) {
            let kind = "there is no valid checkpoint of this path".to_owned();
            return Err(Error::from(ErrorKind::NotFound(kind)).in_file(path));
        }
        let Err(error) = restore(graph, self.def(), text, variables) else { return Ok(()) };
        // Where no more can be told, what went wrong first is.
        let Ok(checkpoint) = Checkpoint::open(path) else { return Err(error) };
        let Ok(plan) = run_plan(graph, self.def(), &checkpoint) else { return Err(error) };
        if let Some(told) = plan.error() {
            return Err(told.in_file(path));
        }
        if !plan.is_by_object {
            return Err(error);
        }
        let keys = ObjectKeys::of(&checkpoint)?;
        restore_by(graph, self.def(), text, variables, keys.as_ref())
    }
}

impl RestorePlan {
    /// The error that names all tensors that a plan cannot have; `None` where it has all of them.
    pub(crate) fn error(&self) -> Option<Error> {
        let count = self.problems().count();
        if count == 0 {
            return None;
        }
        let tell = |(read, problem): (&Read, &Problem)| {
            let name = crate::error::shortened(&read.name);
            match problem {
                // Whatever TensorFlow does with it: here it is refused.
                Problem::Shape { graph, checkpoint, .. } => {
                    format!("{name}: shape {graph} in the graph, {checkpoint} in the checkpoint")
                }
                problem => format!("{name}: {problem}"),
            }
        };
        let mut told: Vec<String> = self.problems().take(TOLD).map(tell).collect();
        if count > TOLD {
            told.push(format!("and {} more", count - TOLD));
        }
        let (all, by) =
            (self.reads.len(), if self.is_by_object { ", by the names of objects" } else { "" });
        let told = told.join("; ");
        let kind = format!("{count} of {all} tensors cannot be restored{by}: {told}");
        let is_missing =
            |(_, problem): (&Read, &Problem)| matches!(problem, Problem::Missing { .. });
        Some(match self.problems().any(is_missing) {
            true => ErrorKind::NotFound(kind).into(),
            false => ErrorKind::Usage(kind).into(),
        })
    }
}

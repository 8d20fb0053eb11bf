//! The plan of a restore: each requested tensor with its key in the checkpoint, or the reason why it cannot be restored.

use std::collections::BTreeSet;

use super::misfit::MisfitReason;
use super::restores::{Bodies, RequestedTensor, Restore};
use super::source::RestoreSource;
use super::suggestions::Suggestions;
use crate::checkpoint::Checkpoint;
use crate::error::{Error, Result};
use crate::graph::{Graph, node_of};
use crate::message::Message;
use crate::meta_graph::graph_of;
use crate::saver::ObjectKeys;
use crate::schema::tensorflow::SaverDef;
use crate::tensor::{DType, Name};

/// The tensors that a saver would restore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestorePlan {
    /// The tensors that the restore nodes request, in order: those of the graph, then those of its functions.
    pub reads: Vec<RestoreRequest>,
    /// The number of restore nodes whose tensors are not named by constants, and so are unknown.
    pub unknown: u64,
    /// Whether the names are those of objects: TensorFlow 2 saved the checkpoint, and TensorFlow 1 the graph.
    pub is_by_object: bool,
}

/// A tensor that a restore node reads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoreRequest {
    /// The requested name.
    pub name: String,
    /// The full shape and the slice, such as `7 2 0,3:0,2`; empty for the whole tensor.
    pub slice: String,
    /// The requested dtype, if the node has one.
    pub dtype: Option<DType>,
    /// The known variables that receive the tensor.
    pub variables: Vec<String>,
    /// The key in the checkpoint.
    pub key: Option<Name>,
    /// The reason why the tensor cannot be restored; TensorFlow restores it anyway unless [`MisfitReason::is_refused`].
    pub misfit: Option<MisfitReason>,
}

impl RestorePlan {
    /// The tensors with misfits.
    pub fn misfits(&self) -> impl Iterator<Item = (&RestoreRequest, &MisfitReason)> {
        self.reads.iter().filter_map(|read| Some((read, read.misfit.as_ref()?)))
    }

    /// Whether TensorFlow restores all known tensors.
    pub fn restores(&self) -> bool {
        self.misfits().all(|(_, misfit)| !misfit.is_refused())
    }
}

/// Plans the restore of `checkpoint` by `saver`, in the graph of a `MetaGraphDef` or `GraphDef`.
///
/// If names are missing and TensorFlow 2 saved the checkpoint, they are looked up among its objects, as in TensorFlow. Tensors that cannot
/// be read have no misfit here: reading them reports their damage.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::checkpoint::Checkpoint;
/// use ckdiff::saver::plan::restore_plan;
/// use ckdiff::schema::Schema;
/// use ckdiff::schema::tensorflow::MetaGraphDef;
/// use ckdiff::prost::Message as _;
///
/// let path = "tests/data/fit/renamed/model.ckpt";
/// let meta = Document::open(format!("{path}.meta"), Schema::tensorflow(), &ReadOptions::default())?;
/// let saver = MetaGraphDef::decode(meta.message().bytes()).unwrap().saver_def.unwrap();
/// let plan = restore_plan(meta.message(), &saver, &Checkpoint::open(path)?)?;
/// let (read, misfit) = plan.misfits().next().unwrap();
/// assert_eq!(read.name, "dense/kernal");
/// assert_eq!(misfit.to_string(), "the checkpoint has no such tensor; did you mean dense/kernel?");
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the message has no graph, or the graph lacks the saver's node; if the object graph of the checkpoint cannot be read.
pub fn restore_plan(
    message: &Message<'_>,
    saver: &SaverDef,
    checkpoint: &Checkpoint,
) -> Result<RestorePlan> {
    plan_of(message, saver, RestoreSource::new(checkpoint), checkpoint)
}

/// As [`restore_plan`], for [`run`](crate::saver::run), which reads both formats and slices of any dtype, unlike TensorFlow.
pub(in crate::saver) fn run_plan(
    message: &Message<'_>,
    saver: &SaverDef,
    checkpoint: &Checkpoint,
) -> Result<RestorePlan> {
    plan_of(message, saver, RestoreSource::new(checkpoint).for_run(), checkpoint)
}

fn plan_of(
    message: &Message<'_>,
    saver: &SaverDef,
    source: RestoreSource<'_>,
    checkpoint: &Checkpoint,
) -> Result<RestorePlan> {
    let graph = Graph::new(graph_of(message)?)?;
    let start = graph.find(node_of(&saver.restore_op_name)).ok_or_else(|| {
        let shown = crate::error::shortened(&saver.restore_op_name);
        let kind = format!("the graph lacks the restore node of the saver, {shown:?}");
        Error::not_found(kind)
    })?;
    let bodies = Bodies::new(&graph)?;
    let restores = bodies.restores();
    let mine = bodies.reach(&restores, start);
    let mine: Vec<&Restore<'_>> = mine.into_iter().filter_map(|at| restores.get(at)).collect();
    let requested = || mine.iter().flat_map(|restore| restore.requested());
    let keys = ObjectKeys::of(checkpoint)?;
    let source = source.for_names(keys.as_ref(), requested().map(|(_, requested)| &*requested.key));
    let read_already: BTreeSet<&[u8]> =
        requested().map(|(_, requested)| requested.key.as_bytes()).collect();
    let unread = source.names(keys.as_ref()).filter(|name| !read_already.contains(name.as_bytes()));
    let mut suggestions = Suggestions::new(unread.collect());
    let reads =
        requested().map(|(op, requested)| read(&source, &mut suggestions, op, requested)).collect();
    let unknown = mine.iter().filter(|restore| restore.tensors.is_none()).count() as u64;
    Ok(RestorePlan { reads, unknown, is_by_object: source.keys().is_some() })
}

fn read(
    source: &RestoreSource<'_>,
    suggestions: &mut Suggestions<'_>,
    op: &str,
    requested: &RequestedTensor,
) -> RestoreRequest {
    let misfit = match source.misfit(op, requested) {
        Some((MisfitReason::Missing { .. }, _)) => {
            Some(MisfitReason::Missing { suggestion: suggestions.to(&requested.key) })
        }
        other => other.map(|(misfit, _)| misfit),
    };
    let variables = requested.variables.iter().map(|variable| variable.variable.clone());
    RestoreRequest {
        name: requested.key.clone(),
        slice: requested.slice.clone(),
        dtype: DType::from_code(requested.dtype),
        variables: variables.filter(|name| !name.is_empty()).collect(),
        key: source.key(&requested.key).cloned(),
        misfit,
    }
}

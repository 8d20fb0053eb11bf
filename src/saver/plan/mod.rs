//! What a saver would restore, without restoring it: each tensor that its restore nodes name, and what a checkpoint has for it.

mod held;
mod problem;
mod restores;
mod suggestions;

pub(crate) use held::Held;
pub use problem::{Kind, Problem};
pub(crate) use restores::{Asked, Bodies, Restore, node_name};
pub(crate) use suggestions::Suggestions;

use std::collections::BTreeSet;

use super::{ObjectKeys, graph_of};
use crate::checkpoint::Checkpoint;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::Graph;
use crate::message::Message;
use crate::schema::tensorflow::SaverDef;
use crate::tensor::{DType, Name};

/// What a saver would restore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestorePlan {
    /// Each tensor that its restore nodes name, in their order: those of the graph, then those of its functions.
    pub reads: Vec<Read>,
    /// Its restore nodes whose tensors are not named by constants: what they restore is not known.
    pub unknown: u64,
    /// Whether names stand for objects: the checkpoint was saved by TensorFlow 2, the graph is of TensorFlow 1.
    pub is_by_object: bool,
}

/// A tensor that a restore node reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// What the node asks for.
    pub name: String,
    /// The full shape and the slice of it, as in `7 2 0,3:0,2`; nothing where it is whole.
    pub slice: String,
    /// Its type, where the node says so.
    pub dtype: Option<DType>,
    /// The variables that are given it, as far as they can be found.
    pub variables: Vec<String>,
    /// The key that it is read from.
    pub key: Option<Name>,
    /// What keeps it from being restored; TensorFlow restores it all the same where [`Problem::is_refused`] says no.
    pub problem: Option<Problem>,
}

impl RestorePlan {
    /// Those that cannot be restored as they are.
    pub fn problems(&self) -> impl Iterator<Item = (&Read, &Problem)> {
        self.reads.iter().filter_map(|read| Some((read, read.problem.as_ref()?)))
    }

    /// Whether TensorFlow restores all that is known.
    pub fn restores(&self) -> bool {
        self.problems().all(|(_, problem)| !problem.is_refused())
    }
}

/// What `saver` would restore of `checkpoint`, in the graph of a `MetaGraphDef` or `GraphDef`.
///
/// Where names are missing and TensorFlow 2 saved the checkpoint, they are looked for among its objects, as TensorFlow does. Tensors that
/// cannot be read are passed over: their damage is told by reading them.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::checkpoint::Checkpoint;
/// use ckdiff::saver::plan::restore_plan;
/// use ckdiff::schema::Schema;
/// use ckdiff::schema::tensorflow::MetaGraphDef;
/// use prost::Message as _;
///
/// let path = "tests/data/fit/renamed/model.ckpt";
/// let meta = Document::open(format!("{path}.meta"), Schema::tensorflow(), &ReadOptions::default())?;
/// let saver = MetaGraphDef::decode(meta.message().bytes()).unwrap().saver_def.unwrap();
/// let plan = restore_plan(meta.message(), &saver, &Checkpoint::open(path)?)?;
/// let (read, problem) = plan.problems().next().unwrap();
/// assert_eq!(read.name, "dense/kernal");
/// assert_eq!(problem.to_string(), "the checkpoint has no such tensor; did you mean dense/kernel?");
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// When the message has no graph, or the graph no node of the saver's name; when the object graph of the checkpoint cannot be read.
pub fn restore_plan(
    message: &Message<'_>,
    saver: &SaverDef,
    checkpoint: &Checkpoint,
) -> Result<RestorePlan> {
    plan_of(message, saver, Held::new(checkpoint), checkpoint)
}

/// As [`restore_plan`], without what only TensorFlow's ops cannot do: [`run`](super::run) reads both formats, and slices of any type.
pub(super) fn run_plan(
    message: &Message<'_>,
    saver: &SaverDef,
    checkpoint: &Checkpoint,
) -> Result<RestorePlan> {
    plan_of(message, saver, Held::new(checkpoint).by_run(), checkpoint)
}

fn plan_of(
    message: &Message<'_>,
    saver: &SaverDef,
    held: Held<'_>,
    checkpoint: &Checkpoint,
) -> Result<RestorePlan> {
    let graph = Graph::new(graph_of(message)?)?;
    let start = graph.find(node_name(&saver.restore_op_name)).ok_or_else(|| {
        let shown = crate::error::shortened(&saver.restore_op_name);
        let kind = format!("the saver restores by the node {shown:?}, and the graph has none such");
        Error::from(ErrorKind::NotFound(kind))
    })?;
    let bodies = Bodies::new(&graph)?;
    let restores = bodies.restores();
    let mine = bodies.reach(&restores, start);
    let mine: Vec<&Restore<'_>> = mine.into_iter().filter_map(|at| restores.get(at)).collect();
    let asked = || mine.iter().flat_map(|restore| restore.asked());
    let keys = ObjectKeys::of(checkpoint)?;
    let held = held.of_names(keys.as_ref(), asked().map(|(_, asked)| &*asked.key));
    let read_already: BTreeSet<&[u8]> = asked().map(|(_, asked)| asked.key.as_bytes()).collect();
    let left = held.names(keys.as_ref()).filter(|name| !read_already.contains(name.as_bytes()));
    let mut suggestions = Suggestions::new(left.collect());
    let reads = asked().map(|(op, asked)| read(&held, &mut suggestions, op, asked)).collect();
    let unknown = mine.iter().filter(|restore| restore.tensors.is_none()).count() as u64;
    Ok(RestorePlan { reads, unknown, is_by_object: held.keys().is_some() })
}

fn read(held: &Held<'_>, suggestions: &mut Suggestions<'_>, op: &str, asked: &Asked) -> Read {
    let problem = match held.problem(op, asked) {
        Some((Problem::Missing { .. }, _)) => {
            Some(Problem::Missing { suggestion: suggestions.to(&asked.key) })
        }
        other => other.map(|(problem, _)| problem),
    };
    let variables = asked.takers.iter().map(|taker| taker.variable.clone());
    Read {
        name: asked.key.clone(),
        slice: asked.slice.clone(),
        dtype: DType::from_code(asked.dtype),
        variables: variables.filter(|name| !name.is_empty()).collect(),
        key: held.key(&asked.key).cloned(),
        problem,
    }
}

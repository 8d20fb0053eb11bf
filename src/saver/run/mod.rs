//! Runs the nodes of a saver on a store of variables, as TensorFlow's `session.run` does.
//!
//! ```text
//! Placeholder, PlaceholderWithDefault, Const, Identity, NoOp, Pack, Reshape, Select, Shape, StaticRegexFullMatch, StringJoin
//! RestoreV2, Restore, RestoreSlice    SaveV2, Save, SaveSlices, ShardedFilename, ShardedFilespec, MergeV2Checkpoints
//! VariableV2, Variable, Assign        VarHandleOp, AssignVariableOp, ReadVariableOp, DisableCopyOnRead
//! MutableHashTableV2, MutableHashTableOfTensorsV2, MutableDenseHashTableV2, LookupTableExportV2, LookupTableImportV2
//! StatefulPartitionedCall, PartitionedCall, If, StatelessIf, Case, StatelessCase, and functions of the library by their names
//! ```
//! These are the ops in savers of TensorFlow 0.x to 2.21. The savers of TensorFlow 2's SavedModels are two functions, whose arguments are
//! the variables. Nodes run one after the other, each after its inputs. Stricter than TensorFlow: a resource variable accepts only values of
//! its node's shape. More lenient: V1's restore ops also read V2, and slices can have any dtype.
//!
//! Memory: nodes may create one megabyte, and sixteen times the size of the graph and of the largest checkpoint. A tensor is read once, and
//! shared with the store.

mod arrays;
mod assign;
mod branches;
mod calls;
mod checkpoints;
mod files;
mod frame;
mod functions;
mod operation;
mod ops;
mod schedule;
mod session;
mod tables;
mod value;
mod variables;
mod writer;

#[doc(hidden)]
pub use self::{
    variables::{Table, TableKey, VariableKey},
    writer::{MergeOptions, NamedTensor, WriteCheckpoint},
};
pub use variables::Variables;

use super::ObjectKeys;
use crate::error::{Error, Result};
use crate::graph::{Graph, NodeId, TensorName, node_of};
use crate::message::Message;
use crate::meta_graph::graph_of;
use crate::schema::tensorflow::SaverDef;
use checkpoints::Checkpoints;
use frame::{Frame, FrameInput};
use session::Session;

/// Restores the checkpoint at `path` by the nodes of `saver`. If anything fails, the store is unchanged.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::saver::run::{Variables, restore};
/// use ckdiff::schema::Schema;
/// use ckdiff::schema::tensorflow::{MetaGraphDef, SaverDef};
/// use ckdiff::prost::Message as _;
///
/// let path = "tests/data/demo/model.ckpt";
/// let meta = Document::open(format!("{path}.meta"), Schema::tensorflow(), &ReadOptions::default())?;
/// let saver = MetaGraphDef::decode(meta.message().bytes()).unwrap().saver_def.unwrap();
/// let mut variables = Variables::of(meta.message())?;
/// restore(meta.message(), &saver, path, &mut variables)?;
/// assert_eq!(variables.find("v1").and_then(|v1| v1.elements::<f32>()), Some(vec![1.0, 1.0, 1.0]));
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the graph lacks a node, has a cycle or an op that savers do not have; if the checkpoint cannot be read, lacks a key, or has another
/// dtype or shape. The error names the node and the key.
pub fn restore(
    message: &Message<'_>,
    saver: &SaverDef,
    path: &str,
    variables: &mut Variables,
) -> Result<()> {
    restore_by(message, saver, path, variables, None)
}

/// As [`restore`]; nodes request tensors by the names in `keys`, if there are any.
pub(super) fn restore_by(
    message: &Message<'_>,
    saver: &SaverDef,
    path: &str,
    variables: &mut Variables,
    keys: Option<&ObjectKeys>,
) -> Result<()> {
    let graph = Graph::new(graph_of(message)?)?;
    let target = node(&graph, node_of(&saver.restore_op_name), "restore_op_name")?;
    let mut session = Session::new(&graph, variables, None, Checkpoints::new(keys));
    let mut frame = Frame::new(&graph, filename(&graph, saver, path)?);
    frame.run(&mut session, &[target])?;
    let changed = session.finish();
    variables.take(changed);
    Ok(())
}

/// Saves variables to `path` by the nodes of `saver`, and returns the value of its save tensor, the path of the checkpoint.
///
/// # Errors
/// As [`restore`]; if a variable has no value, or `to` fails.
pub fn save(
    message: &Message<'_>,
    saver: &SaverDef,
    path: &str,
    variables: &Variables,
    to: &mut dyn WriteCheckpoint,
) -> Result<String> {
    let graph = Graph::new(graph_of(message)?)?;
    let (target, output) = tensor(&graph, &saver.save_tensor_name, "save_tensor_name")?;
    let mut session = Session::new(&graph, variables, Some(to), Checkpoints::default());
    let mut frame = Frame::new(&graph, filename(&graph, saver, path)?);
    frame.run(&mut session, &[target])?;
    let saved = frame.tensor(&session, target, output)?;
    Ok(value::text(&saved, "save tensor")?.to_owned())
}

/// The path as the value of the filename tensor.
fn filename(graph: &Graph<'_>, saver: &SaverDef, path: &str) -> Result<FrameInput> {
    let (fed, output) = tensor(graph, &saver.filename_tensor_name, "filename_tensor_name")?;
    if output != 0 {
        let expected = "output 0, the only one that can be fed";
        return Err(Error::unexpected("filename tensor", format!("output {output}"), expected));
    }
    Ok(FrameInput::Fed(fed, value::of_string(path)?.into()))
}

/// The node in a field of a `SaverDef`.
fn node(graph: &Graph<'_>, name: &str, field: &'static str) -> Result<NodeId> {
    let missing = || {
        let shown = crate::error::shortened(name);
        let kind = match name {
            "" => "the saver names no node".to_owned(),
            _ => format!("the graph has no node {shown}"),
        };
        Error::not_found(kind).in_field(field)
    };
    graph.find(name).ok_or_else(missing)
}

/// The tensor in a field of a `SaverDef`: a node and the number of its output.
fn tensor(graph: &Graph<'_>, name: &str, field: &'static str) -> Result<(NodeId, usize)> {
    let tensor = TensorName::parse(name);
    let output = tensor.output().ok_or_else(|| {
        let shown = crate::error::shortened(name);
        Error::unexpected("tensor", shown, "NODE:OUTPUT, a node's name and a number")
            .in_field(field)
    })?;
    Ok((node(graph, tensor.node, field)?, output))
}

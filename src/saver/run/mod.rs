//! A saver is run on a store of variables: what `session.run` of its nodes does, without a session.
//!
//! ```text
//! Placeholder, PlaceholderWithDefault, Const, Identity, NoOp, Pack, Reshape, Select, Shape, StaticRegexFullMatch, StringJoin
//! RestoreV2, Restore, RestoreSlice    SaveV2, Save, SaveSlices, ShardedFilename, ShardedFilespec, MergeV2Checkpoints
//! VariableV2, Variable, Assign        VarHandleOp, AssignVariableOp, ReadVariableOp, DisableCopyOnRead
//! MutableHashTableV2, MutableHashTableOfTensorsV2, MutableDenseHashTableV2, LookupTableExportV2, LookupTableImportV2
//! StatefulPartitionedCall, PartitionedCall, and functions of the library by their names
//! ```
//! These are the ops that savers of TensorFlow 0.x to 2.21 are made of; those of TensorFlow 2's SavedModels are two functions, which get
//! their variables as arguments. Nodes run one after the other, each behind all that it takes or
//! waits for. Stricter than TensorFlow: a resource variable takes no value of another shape than its node has. More lenient: V1's restore
//! ops read V2 too, and slices are of any dtype.
//!
//! Memory: what nodes make may take sixteen times what the graph and the largest checkpoint take, and a megabyte. A tensor is read once,
//! and shared with the store.

mod arrays;
mod assign;
mod calls;
mod cut;
mod files;
mod frame;
mod plan;
mod session;
mod tables;
mod value;
mod variables;

pub use variables::{Table, TableKey, VariableKey, Variables};

use super::ObjectKeys;

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Graph, NodeId, TensorName, node_of};
use crate::message::Message;
use crate::schema::tensorflow::SaverDef;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::Tensor;

use files::Files;
use frame::{Frame, Given};
use session::Session;

/// A tensor that is to be written to a checkpoint.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// Its key.
    pub name: &'a [u8],
    /// The full shape and the slice of it that this is, as in `4 2 0,2:0,2`; nothing where it is whole.
    pub slice_spec: &'a str,
    /// Its content, of the slice's shape.
    pub tensor: &'a Tensor,
}

/// Where the nodes of a saver write to.
pub trait WriteCheckpoint {
    /// Writes a checkpoint of these tensors, in their order: in V2 under the prefix `path`, in V1 as the file `path`.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(
        &mut self,
        path: &str,
        tensors: &[Written<'_>],
        format: CheckpointFormatVersion,
    ) -> Result<()>;

    /// Makes one V2 checkpoint of several, which are not needed any more.
    ///
    /// # Errors
    /// When that fails.
    fn merge(&mut self, parts: &[&str], path: &str, options: MergeOptions) -> Result<()>;
}

/// How checkpoints are merged, in the words of `MergeV2Checkpoints`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeOptions {
    /// Whether the folders of the parts are removed.
    pub delete_old_dirs: bool,
    /// Whether parts may be missing.
    pub allow_missing_files: bool,
}

/// Restores the checkpoint at `path` by the nodes of `saver`. Either all is restored, or nothing in the store has changed.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::saver::run::{Variables, restore};
/// use ckdiff::schema::Schema;
/// use ckdiff::schema::tensorflow::{MetaGraphDef, SaverDef};
/// use prost::Message as _;
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
/// When the graph lacks a node that is needed, has a cycle or an op that is none of a saver's; when the checkpoint cannot be read, lacks
/// a key, or holds another dtype or shape. The error names the node, and the key where there is one.
pub fn restore(
    message: &Message<'_>,
    saver: &SaverDef,
    path: &str,
    variables: &mut Variables,
) -> Result<()> {
    restore_by(message, saver, path, variables, None)
}

/// As [`restore`], of a checkpoint whose keys are others than the names that nodes ask for.
pub(super) fn restore_by(
    message: &Message<'_>,
    saver: &SaverDef,
    path: &str,
    variables: &mut Variables,
    keys: Option<&ObjectKeys>,
) -> Result<()> {
    let graph = Graph::new(super::graph_of(message)?)?;
    let target = node(&graph, node_of(&saver.restore_op_name), "restore_op_name")?;
    let mut session = Session::new(&graph, variables, None, Files::with(keys));
    let mut frame = Frame::new(&graph, filename(&graph, saver, path)?);
    frame.run(&mut session, &[target])?;
    let changed = session.finish();
    variables.take(changed);
    Ok(())
}

/// Saves variables to `path` by the nodes of `saver`; returns what its save tensor holds then: the path of the checkpoint.
///
/// # Errors
/// As [`restore`]; when a variable holds nothing, or `to` fails.
pub fn save(
    message: &Message<'_>,
    saver: &SaverDef,
    path: &str,
    variables: &Variables,
    to: &mut dyn WriteCheckpoint,
) -> Result<String> {
    let graph = Graph::new(super::graph_of(message)?)?;
    let (target, output) = tensor(&graph, &saver.save_tensor_name, "save_tensor_name")?;
    let mut session = Session::new(&graph, variables, Some(to), Files::default());
    let mut frame = Frame::new(&graph, filename(&graph, saver, path)?);
    frame.run(&mut session, &[target])?;
    let saved = frame.tensor(&session, target, output)?;
    Ok(value::text(&saved, "save tensor")?.to_owned())
}

/// The path, for the tensor that takes it.
fn filename(graph: &Graph<'_>, saver: &SaverDef, path: &str) -> Result<Given> {
    let (fed, output) = tensor(graph, &saver.filename_tensor_name, "filename_tensor_name")?;
    if output != 0 {
        let allowed = "the first output of a node is fed";
        return Err(Error::unexpected("filename tensor", format!("output {output}"), allowed));
    }
    Ok(Given::Fed(fed, value::of_string(path)?.into()))
}

/// The node that a field of a SaverDef names.
fn node(graph: &Graph<'_>, name: &str, field: &'static str) -> Result<NodeId> {
    let missing = || {
        let shown = crate::error::shortened(name);
        let kind = match name {
            "" => "the saver names no node".to_owned(),
            _ => format!("the graph has no node {shown}"),
        };
        Error::from(ErrorKind::NotFound(kind)).in_field(field)
    };
    graph.find(name).ok_or_else(missing)
}

/// The output of a node that a field of a SaverDef names.
fn tensor(graph: &Graph<'_>, name: &str, field: &'static str) -> Result<(NodeId, usize)> {
    let tensor = TensorName::parse(name);
    let output = tensor.output().ok_or_else(|| {
        let shown = crate::error::shortened(name);
        Error::unexpected("tensor", shown, "it must be a node's name, a colon and a number")
            .in_field(field)
    })?;
    Ok((node(graph, tensor.node, field)?, output))
}

//! Debug information: where in a program nodes were created. Kept for exported and imported nodes, under their new names.
//!
//! ```text
//! traces, name_to_trace_id: NODE "@" FUNCTION → trace; of a node outside of functions NODE "@", or NODE
//! name_to_trace_id → traces_by_id → frames_by_id → files
//! ```
//! TensorFlow writes the traces of the running program, under the names that nodes have in it. Here the debug information of the
//! graph, or of the sibling file, is written instead, under the names in the new graph. All files are kept, since frames refer to
//! them by number.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem::take;
use std::path::{Path, PathBuf};

use prost::Message as _;

use super::names::{ExportScope, ImportScope, Rename};
use super::parts::Parts;
use super::replace::unknown;
use crate::error::{Error, Result};
use crate::message::{Message, canonical_tensorflow, field, fields, nested, string};
use crate::schema::KnownType;
use crate::schema::field::{graph_def, meta_graph_def, node_def};
use crate::schema::tensorflow::GraphDebugInfo;

/// The type of debug information.
const DEBUG_INFO: &str = KnownType::GraphDebugInfo.full_name();

/// The file for the debug information of a meta graph: its sibling with the extension `debug`.
///
/// # Errors
/// If that is the file of the meta graph, or the path has no file name.
pub fn debug_info_file(meta_graph: &Path) -> Result<PathBuf> {
    let file = meta_graph.with_extension("debug");
    if meta_graph.file_name().is_some() && file != meta_graph {
        return Ok(file);
    }
    let kind = "the meta graph and its debug information would be the same file";
    Err(Error::usage(kind).in_file(meta_graph))
}

/// The `GraphDebugInfo` in the graph of `meta`, a `MetaGraphDef`, if there is one.
///
/// # Errors
/// If `meta` is another message, or the debug information cannot be decoded.
pub fn own_debug_info<'s>(meta: &Message<'s>) -> Result<Option<Message<'s>>> {
    let graph = Parts::of(meta)?.graph.unwrap_or_default();
    let (info, ty) = (field(graph, graph_def::DEBUG_INFO), meta.schema().message(DEBUG_INFO));
    let info = info.zip(ty).map(|(info, ty)| Message::decode(meta.schema(), ty, info.to_vec()));
    info.transpose()
}

/// Checks that a message is debug information.
pub(crate) fn check_debug_info(info: &Message<'_>) -> Result<()> {
    match &*info.ty().full_name {
        DEBUG_INFO => Ok(()),
        other => Err(Error::unexpected("message", other, DEBUG_INFO)),
    }
}

/// The part of `info`, the `GraphDebugInfo` of a graph, for the nodes of `meta`, under their names there: a `MetaGraphDef` that was
/// exported from that graph with `export_scope` and imported into `import_scope` (each may be empty).
///
/// ```
/// use ckdiff::artifact::{Document, Form, ReadOptions};
/// use ckdiff::meta_graph::{ExportOptions, debug_info, export};
/// use ckdiff::schema::Schema;
/// use std::path::Path;
///
/// let read = |text: &str, message: &str| {
///     let options = ReadOptions { message: Some(message.into()), form: Some(Form::Text), ..ReadOptions::default() };
///     Document::read(text.as_bytes(), Path::new("text"), Schema::tensorflow(), &options)
/// };
/// let graph = "graph_def { node { name: 'a/x' op: 'NoOp' } node { name: 'b/x' op: 'NoOp' } }";
/// let graph = read(graph, "tensorflow.MetaGraphDef")?;
/// let traces = "traces { key: 'a/x@' value {} } traces { key: 'b/x@' value {} }";
/// let traces = read(traces, "tensorflow.GraphDebugInfo")?;
/// let options = ExportOptions { export_scope: "a".into(), ..ExportOptions::default() };
/// let exported = export(graph.message(), &options)?;
/// let kept = debug_info(traces.message(), &exported.message, "a", "")?;
/// assert_eq!(kept.bytes(), read("traces { key: 'x@' value {} }", "tensorflow.GraphDebugInfo")?.message().bytes());
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If `info` is not a `GraphDebugInfo`.
pub fn debug_info<'s>(
    info: &Message<'s>,
    meta: &Message<'_>,
    export_scope: &str,
    import_scope: &str,
) -> Result<Message<'s>> {
    check_debug_info(info)?;
    let nodes = fields(nested(meta.bytes(), meta_graph_def::GRAPH_DEF), graph_def::NODE);
    let nodes: BTreeSet<&str> = nodes.map(|node| string(node, node_def::NAME)).collect();
    let scope = ExportScope::new(export_scope);
    let below = import_scope.strip_suffix('/').unwrap_or(import_scope).to_owned();
    let placed = ImportScope { scope: below, ..ImportScope::default() };
    let name = |node: &str| {
        let inside = scope.is_none_or(|scope| scope.has(node));
        let bare = scope.map_or(Cow::Borrowed(node), |scope| scope.rename(node));
        let name = placed.rename(&bare);
        (inside && nodes.contains(&*name)).then(|| name.into_owned())
    };
    let bytes = of_nodes(info.bytes(), &name)?;
    Message::decode(info.schema(), info.ty(), bytes)
}

/// The debug information of all functions, and of the nodes outside of functions for which `name` returns a name.
pub(super) fn of_nodes(info: &[u8], name: &dyn Fn(&str) -> Option<String>) -> Result<Vec<u8>> {
    let mut kept = GraphDebugInfo::decode(info)
        .map_err(|error| Error::malformed("message", DEBUG_INFO, error))?;
    let rename = |key: String| {
        let (node, function) = key.split_at(key.find('@').unwrap_or(key.len()));
        match function {
            "" | "@" => Some(format!("{}{function}", name(node)?)),
            _ => Some(key),
        }
    };
    let traces = take(&mut kept.traces).into_iter();
    kept.traces = traces.filter_map(|(key, trace)| Some((rename(key)?, trace))).collect();
    let ids = take(&mut kept.name_to_trace_id).into_iter();
    kept.name_to_trace_id = ids.filter_map(|(key, id)| Some((rename(key)?, id))).collect();
    let ids: BTreeSet<u64> = kept.name_to_trace_id.values().copied().collect();
    kept.traces_by_id.retain(|id, _| ids.contains(id));
    let traces = kept.traces.values().chain(kept.traces_by_id.values());
    let frames: BTreeSet<u64> = traces.flat_map(|trace| trace.frame_id.iter().copied()).collect();
    kept.frames_by_id.retain(|id, _| frames.contains(id));
    let bytes = [kept.encode_to_vec(), unknown(DEBUG_INFO, info)].concat();
    Ok(canonical_tensorflow(DEBUG_INFO, &bytes)?.into_owned())
}

//! Where in a program nodes were made: of the nodes that are exported or imported, by the names that they have then.
//!
//! ```text
//! traces, name_to_trace_id: NODE "@" FUNCTION → where; of a node outside of functions NODE "@", or NODE
//! name_to_trace_id → traces_by_id → frames_by_id → files
//! ```
//! TensorFlow writes the traces of its own program, by the names that nodes have there. A file has no such program, so what is written is
//! what the graph brought along, or the file beside it; and names are those of the graph that is written. Of the files, which go by their
//! numbers, none is left out.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::fields::{self, bytes_in, records, text_in};
use super::names::{Placed, Rename, Scope};
use super::parts::Parts;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::bytes_of;
use crate::message::{Message, Packed, Value, Writer};
use crate::schema::field::graph_debug_info::stack_trace::FRAME_ID;
use crate::schema::field::graph_debug_info::{
    FRAMES_BY_ID, NAME_TO_TRACE_ID, TRACES, TRACES_BY_ID,
};
use crate::schema::field::{graph_def, map_entry, meta_graph_def, node_def};
use crate::schema::{Kind, WireType};

/// The type of debug information.
const DEBUG_INFO: &str = "tensorflow.GraphDebugInfo";

/// The file of debug information beside a meta graph: of its name, with the extension `debug`.
///
/// # Errors
/// When that is the meta graph itself, or there is no name.
pub fn debug_info_file(meta_graph: &Path) -> Result<PathBuf> {
    let file = meta_graph.with_extension("debug");
    if meta_graph.file_name().is_some() && file != meta_graph {
        return Ok(file);
    }
    let kind = "the meta graph and its debug information would be one file".into();
    Err(Error::from(ErrorKind::Usage(kind)).in_file(meta_graph))
}

/// The debug information that the graph of `meta`, a `MetaGraphDef`, brings along: a `GraphDebugInfo`; `None` where it brings none.
///
/// # Errors
/// When it is another message, or what it brings is none.
pub fn own_debug_info<'s>(meta: &Message<'s>) -> Result<Option<Message<'s>>> {
    let graph = Parts::of(meta)?.graph.unwrap_or_default();
    let (info, ty) = (bytes_in(graph, graph_def::DEBUG_INFO), meta.schema().message(DEBUG_INFO));
    let info = info.zip(ty).map(|(info, ty)| Message::decode(meta.schema(), ty, info.to_vec()));
    info.transpose()
}

/// Whether a message is debug information.
pub(crate) fn check_debug_info(info: &Message<'_>) -> Result<()> {
    match &*info.ty().full_name {
        DEBUG_INFO => Ok(()),
        other => Err(Error::unexpected("message", other, format!("it must be {DEBUG_INFO}"))),
    }
}

/// The part of `info`, the `GraphDebugInfo` of a graph, that is of the nodes in `meta`: a `MetaGraphDef` that was exported from that graph
/// as `export_scope`, and imported under `import_scope`, where these are not empty. It goes by the names that nodes have in `meta`.
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
/// When `info` is no `GraphDebugInfo`.
pub fn debug_info<'s>(
    info: &Message<'s>,
    meta: &Message<'_>,
    export_scope: &str,
    import_scope: &str,
) -> Result<Message<'s>> {
    check_debug_info(info)?;
    let graph = bytes_in(meta.bytes(), meta_graph_def::GRAPH_DEF).unwrap_or_default();
    let nodes: BTreeSet<&str> = records(graph)
        .filter(|record| record.number == graph_def::NODE)
        .map(|record| text_in(bytes_of(&record), node_def::NAME))
        .collect();
    let scope = Scope::new(export_scope);
    let below = import_scope.strip_suffix('/').unwrap_or(import_scope).to_owned();
    let placed = Placed { scope: below, ..Placed::default() };
    let name = |node: &str| {
        let inside = scope.is_none_or(|scope| scope.has(node));
        let bare = scope.map_or(Cow::Borrowed(node), |scope| scope.rename(node));
        let name = placed.rename(&bare);
        (inside && nodes.contains(&*name)).then(|| name.into_owned())
    };
    let bytes = of_nodes(info.bytes(), &name)?;
    Message::decode(info.schema(), info.ty(), bytes)
}

/// The debug information of the nodes outside of functions that `name` has a name for, and of all functions.
pub(super) fn of_nodes(info: &[u8], name: &dyn Fn(&str) -> Option<String>) -> Result<Vec<u8>> {
    let mut kept = Writer::default();
    let (mut traces, mut frames) = (BTreeSet::new(), BTreeSet::new());
    for record in records(info).filter(|r| matches!(r.number, TRACES | NAME_TO_TRACE_ID)) {
        let entry = bytes_of(&record);
        let key = text_in(entry, map_entry::KEY);
        let (node, function) = key.split_at(key.find('@').unwrap_or(key.len()));
        let node = match function {
            "" | "@" => name(node),
            _ => Some(node.to_owned()),
        };
        let Some(node) = node else { continue };
        traces.extend(number_in(entry));
        frames.extend(frames_of(
            bytes_in(entry, map_entry::VALUE).filter(|_| record.number == TRACES),
        ));
        kept.tag(record.number, WireType::Len);
        kept.open();
        fields::write(map_entry::KEY, format!("{node}{function}").as_bytes(), &mut kept);
        records(entry)
            .filter(|field| field.number != map_entry::KEY)
            .for_each(|field| kept.raw(field.bytes));
        kept.close();
    }
    for record in records(info).filter(|record| record.number == TRACES_BY_ID) {
        let entry = bytes_of(&record);
        if traces.contains(&key_in(entry)) {
            frames.extend(frames_of(bytes_in(entry, map_entry::VALUE)));
            kept.raw(record.bytes);
        }
    }
    for record in records(info) {
        let is_kept = match record.number {
            TRACES | NAME_TO_TRACE_ID | TRACES_BY_ID => false,
            FRAMES_BY_ID => frames.contains(&key_in(bytes_of(&record))),
            _ => true,
        };
        if is_kept {
            kept.raw(record.bytes);
        }
    }
    // Other names may stand in another order.
    Ok(fields::canonical(DEBUG_INFO, &kept.finish())?.into_owned())
}

/// The number that is the key of an entry; 0 where it is not given.
fn key_in(entry: &[u8]) -> u64 {
    fixed_in(entry, map_entry::KEY).unwrap_or_default()
}

/// The number of the trace that an entry leads to, where it leads to one by its number.
fn number_in(entry: &[u8]) -> Option<u64> {
    fixed_in(entry, map_entry::VALUE)
}

fn fixed_in(entry: &[u8], number: u32) -> Option<u64> {
    let fixed = |record: crate::message::Record<'_>| match record.value {
        Value::Fixed64(value) if record.number == number => Some(value),
        _ => None,
    };
    records(entry).filter_map(fixed).last()
}

/// The numbers of the frames in a `StackTrace`.
fn frames_of(trace: Option<&[u8]>) -> Vec<u64> {
    let mut frames = Vec::new();
    for record in records(trace.unwrap_or_default()).filter(|record| record.number == FRAME_ID) {
        match record.value {
            Value::Fixed64(frame) => frames.push(frame),
            Value::Len(packed) => {
                let values = Packed::new(Kind::Fixed64, packed, 0).map_while(Result::ok);
                frames.extend(values.filter_map(|value| match value {
                    Value::Fixed64(frame) => Some(frame),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    frames
}

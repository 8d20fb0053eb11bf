//! The overview of a message: schema `ckdiff-show-message/1`.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::json;
use crate::message::{Losses, Message, Unknown};
use crate::report::{Contents, Directory, Graph, MetaGraph, Overview};
use crate::serial;

use super::layout;

/// Writes the overview of a message; returns what its JSON form cannot represent.
///
/// # Errors
/// When `out` cannot be written, or the message is shown whole and has no JSON form.
pub fn write(overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<Losses> {
    let mut losses = Losses::default();
    let mut report = Report {
        schema: "ckdiff-show-message/1",
        path: &overview.path,
        kind: overview.kind,
        message: overview.message,
        form: overview.form.name().to_lowercase(),
        bytes: overview.bytes,
        meta_graphs: None,
        graph: None,
        content: None,
        directory: overview.directory.as_ref(),
    };
    match &overview.contents {
        Contents::MetaGraphs(graphs) => report.meta_graphs = Some(graphs),
        Contents::Graph(graph) => report.graph = Some(graph),
        Contents::Other(message) => report.content = Some(content(message, &mut losses)?),
    }
    layout::write(&report, out)?;
    Ok(losses)
}

/// The message in the JSON form of protobuf.
fn content(message: &Message<'_>, losses: &mut Losses) -> io::Result<Box<RawValue>> {
    let options = json::PrintOptions {
        layout: json::Layout::Compact,
        unknown: Unknown::Drop,
        ..json::PrintOptions::default()
    };
    let mut out = Vec::new();
    losses.add(json::print(message, &options, &mut out)?);
    let text = String::from_utf8(out).map_err(io::Error::other)?;
    Ok(RawValue::from_string(text)?)
}

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    #[serde(serialize_with = "serial::path")]
    path: &'a Path,
    kind: &'a str,
    message: &'a str,
    form: String,
    bytes: u64,
    meta_graphs: Option<&'a [MetaGraph]>,
    graph: Option<&'a Graph>,
    content: Option<Box<RawValue>>,
    directory: Option<&'a Directory>,
}

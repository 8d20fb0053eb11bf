//! What is in a message: schema `ckdiff-show-message/1`.

mod callable;
mod directory;
mod meta_graph;
mod structured_value;

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::artifact::Form;
use crate::json;
use crate::message::{Losses, Message, Unknown};
use crate::report::{Contents, Overview};

use directory::DirectoryOut;
use meta_graph::{GraphOut, MetaGraphOut};

use super::layout;

/// Tells a program what is in a message; returns what JSON has no place for.
///
/// # Errors
/// When `out` cannot be written, or the message is to be shown whole and has no JSON form.
pub fn write(overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<Losses> {
    let mut losses = Losses::default();
    let (meta_graphs, graph, content) = match &overview.contents {
        Contents::MetaGraphs(graphs) => (
            Some({
                let directory = overview.directory.as_ref();
                graphs.iter().map(|graph| MetaGraphOut::new(graph, directory)).collect()
            }),
            None,
            None,
        ),
        Contents::Graph(graph) => (None, Some(GraphOut::new(graph)), None),
        Contents::Other(message) => (None, None, Some(content(message, &mut losses)?)),
    };
    let report = Report {
        schema: "ckdiff-show-message/1",
        path: overview.path.to_string_lossy(),
        kind: overview.kind,
        message: overview.message,
        form: match overview.form {
            Form::Binary => "binary",
            Form::Text => "text",
            Form::Json => "json",
        },
        bytes: overview.bytes,
        meta_graphs,
        graph,
        content,
        directory: overview.directory.as_ref().map(DirectoryOut::new),
    };
    layout::write(&report, out)?;
    Ok(losses)
}

/// The message as protobuf's JSON.
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
    path: Cow<'a, str>,
    kind: &'a str,
    message: &'a str,
    form: &'static str,
    bytes: u64,
    meta_graphs: Option<Vec<MetaGraphOut<'a>>>,
    graph: Option<GraphOut<'a>>,
    content: Option<Box<RawValue>>,
    directory: Option<DirectoryOut<'a>>,
}

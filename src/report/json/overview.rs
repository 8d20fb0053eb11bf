//! What is in a message: schema `ckdiff-show-message/1`.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::artifact::Form;
use crate::json;
use crate::message::{Losses, Message, Unknown};
use crate::report::{
    Argument, Contents, Function, Graph, MetaGraph, Overview, Placeholder, TensorType, Variable,
};

use super::layout;
use super::number::Float;

/// Tells a program what is in a message; returns what JSON has no place for.
///
/// # Errors
/// When `out` cannot be written, or the message is to be shown whole and has no JSON form.
pub fn write(overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<Losses> {
    let mut losses = Losses::default();
    let (meta_graphs, graph, content) = match &overview.contents {
        Contents::MetaGraphs(graphs) => {
            (Some(graphs.iter().map(MetaGraphOut::new).collect()), None, None)
        }
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
}

#[derive(Serialize)]
struct MetaGraphOut<'a> {
    tags: &'a [String],
    meta_graph_version: &'a str,
    tensorflow_version: &'a str,
    tensorflow_git_version: &'a str,
    stripped_default_attrs: bool,
    graph: GraphOut<'a>,
    signatures: Vec<SignatureOut<'a>>,
    collections: Vec<CollectionOut<'a>>,
    saver: Option<SaverOut<'a>>,
    assets: Vec<AssetOut<'a>>,
    objects: Option<u64>,
}

#[derive(Serialize)]
struct GraphOut<'a> {
    producer: i32,
    min_consumer: i32,
    nodes: u64,
    ops: Vec<OpOut<'a>>,
    variables: Vec<TypedOut<'a>>,
    placeholders: Vec<TypedOut<'a>>,
    functions: Vec<FunctionOut<'a>>,
}

#[derive(Serialize)]
struct OpOut<'a> {
    op: &'a str,
    nodes: u64,
    in_functions: u64,
}

#[derive(Serialize)]
struct TypedOut<'a> {
    name: &'a str,
    dtype: Option<&'a str>,
    shape: Option<&'a [Option<u64>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trainable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tensors: Option<&'a [String]>,
}

#[derive(Serialize)]
struct FunctionOut<'a> {
    name: &'a str,
    inputs: u64,
    outputs: u64,
    nodes: u64,
}

#[derive(Serialize)]
struct SignatureOut<'a> {
    name: &'a str,
    method: &'a str,
    inputs: Vec<TypedOut<'a>>,
    outputs: Vec<TypedOut<'a>>,
}

#[derive(Serialize)]
struct CollectionOut<'a> {
    name: &'a str,
    kind: Option<&'static str>,
    items: u64,
}

#[derive(Serialize)]
struct SaverOut<'a> {
    format: &'static str,
    max_to_keep: i32,
    sharded: bool,
    keep_checkpoint_every_n_hours: Float,
    filename_tensor: &'a str,
    save_tensor: &'a str,
    restore_op: &'a str,
}

#[derive(Serialize)]
struct AssetOut<'a> {
    filename: &'a str,
    tensor: &'a str,
}

impl<'a> MetaGraphOut<'a> {
    fn new(graph: &'a MetaGraph) -> Self {
        Self {
            tags: &graph.tags,
            meta_graph_version: &graph.meta_graph_version,
            tensorflow_version: &graph.tensorflow_version,
            tensorflow_git_version: &graph.tensorflow_git_version,
            stripped_default_attrs: graph.stripped_default_attrs,
            graph: GraphOut::new(&graph.graph),
            signatures: graph
                .signatures
                .iter()
                .map(|signature| SignatureOut {
                    name: &signature.name,
                    method: &signature.method,
                    inputs: signature.inputs.iter().map(TypedOut::argument).collect(),
                    outputs: signature.outputs.iter().map(TypedOut::argument).collect(),
                })
                .collect(),
            collections: graph
                .collections
                .iter()
                .map(|c| CollectionOut { name: &c.name, kind: c.kind, items: c.items })
                .collect(),
            saver: graph.saver.as_ref().map(|saver| SaverOut {
                format: saver.format,
                max_to_keep: saver.max_to_keep,
                sharded: saver.sharded,
                keep_checkpoint_every_n_hours: Float(saver.keep_checkpoint_every_n_hours.into()),
                filename_tensor: &saver.filename_tensor,
                save_tensor: &saver.save_tensor,
                restore_op: &saver.restore_op,
            }),
            assets: graph
                .assets
                .iter()
                .map(|asset| AssetOut { filename: &asset.filename, tensor: &asset.tensor })
                .collect(),
            objects: graph.objects,
        }
    }
}

impl<'a> GraphOut<'a> {
    fn new(graph: &'a Graph) -> Self {
        let op = |op: &'a crate::report::Op| OpOut {
            op: &op.name,
            nodes: op.nodes,
            in_functions: op.in_functions,
        };
        Self {
            producer: graph.producer,
            min_consumer: graph.min_consumer,
            nodes: graph.nodes,
            ops: graph.ops.iter().map(op).collect(),
            variables: graph.variables.iter().map(TypedOut::variable).collect(),
            placeholders: graph.placeholders.iter().map(TypedOut::placeholder).collect(),
            functions: graph.functions.iter().map(FunctionOut::new).collect(),
        }
    }
}

impl<'a> TypedOut<'a> {
    fn new(name: &'a str, ty: &'a TensorType) -> Self {
        let (dtype, shape) = (ty.dtype.as_deref(), ty.shape.as_deref());
        Self { name, dtype, shape, trainable: None, tensors: None }
    }

    fn variable(variable: &'a Variable) -> Self {
        Self { trainable: variable.trainable, ..Self::new(&variable.name, &variable.ty) }
    }

    fn placeholder(placeholder: &'a Placeholder) -> Self {
        Self::new(&placeholder.name, &placeholder.ty)
    }

    fn argument(argument: &'a Argument) -> Self {
        Self { tensors: Some(&argument.tensors), ..Self::new(&argument.name, &argument.ty) }
    }
}

impl<'a> FunctionOut<'a> {
    fn new(function: &'a Function) -> Self {
        let Function { name, inputs, outputs, nodes } = function;
        Self { name, inputs: *inputs, outputs: *outputs, nodes: *nodes }
    }
}

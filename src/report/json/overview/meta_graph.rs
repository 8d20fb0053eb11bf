//! Meta graphs and graphs.

use serde::Serialize;

use super::callable::{CallableOut, ConcreteFunctionOut};
use super::structured_value::{ConstantOut, TypeSpecOut};
use crate::report::{
    Argument, Asset, Directory, Encoding, Function, Graph, MetaGraph, OpRole, Placeholder,
    SpecialOp, TensorType, Variable,
};
use crate::serial::Float;

#[derive(Serialize)]
pub(super) struct MetaGraphOut<'a> {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    assets_error: Option<String>,
    objects: Option<u64>,
    special_ops: Vec<SpecialOpOut<'a>>,
    callables: Vec<CallableOut<'a>>,
    concrete_functions: Vec<ConcreteFunctionOut<'a>>,
}

#[derive(Serialize)]
struct SpecialOpOut<'a> {
    role: &'static str,
    op: &'a str,
    told_by: &'static str,
}

#[derive(Serialize)]
pub(super) struct GraphOut<'a> {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    type_spec: Option<TypeSpecOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<ConstantOut<'a>>,
}

#[derive(Serialize)]
struct FunctionOut<'a> {
    name: &'a str,
    inputs: u64,
    outputs: u64,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<&'a str>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    is_there: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

impl<'a> AssetOut<'a> {
    /// An asset, and of a directory its file.
    fn new(asset: &'a Asset, directory: Option<&Directory>) -> Self {
        let bytes = directory.map(|directory| directory.asset(&asset.filename));
        Self {
            filename: &asset.filename,
            tensor: &asset.tensor,
            is_there: bytes.map(|bytes| bytes.is_some()),
            bytes: bytes.flatten(),
        }
    }
}

impl<'a> MetaGraphOut<'a> {
    pub(super) fn new(graph: &'a MetaGraph, directory: Option<&Directory>) -> Self {
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
            assets_error: graph.assets_error.as_ref().map(ToString::to_string),
            assets: graph.assets.iter().map(|asset| AssetOut::new(asset, directory)).collect(),
            objects: graph.objects,
            special_ops: graph.special_ops.iter().map(SpecialOpOut::new).collect(),
            callables: graph.callables.iter().map(CallableOut::new).collect(),
            concrete_functions: graph
                .concrete_functions
                .iter()
                .map(ConcreteFunctionOut::new)
                .collect(),
        }
    }
}

impl<'a> SpecialOpOut<'a> {
    fn new(op: &'a SpecialOp) -> Self {
        let role = match op.role {
            OpRole::Main => "main_op",
            OpRole::LegacyInit => "legacy_init_op",
            OpRole::Init => "init_op",
            OpRole::Train => "train_op",
        };
        Self { role, op: &op.name, told_by: op.told_by }
    }
}

impl<'a> GraphOut<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
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
        Self {
            name,
            dtype,
            shape,
            trainable: None,
            tensors: None,
            encoding: None,
            type_spec: None,
            default: None,
        }
    }

    fn variable(variable: &'a Variable) -> Self {
        Self { trainable: variable.trainable, ..Self::new(&variable.name, &variable.ty) }
    }

    fn placeholder(placeholder: &'a Placeholder) -> Self {
        Self::new(&placeholder.name, &placeholder.ty)
    }

    fn argument(argument: &'a Argument) -> Self {
        let (encoding, type_spec) = match &argument.encoding {
            Encoding::Dense => (None, None),
            Encoding::Sparse => (Some("sparse"), None),
            Encoding::Composite(spec) => (Some("composite"), Some(TypeSpecOut::new(spec))),
        };
        Self {
            tensors: Some(&argument.tensors),
            encoding,
            type_spec,
            default: argument.default.as_ref().map(ConstantOut::new),
            ..Self::new(&argument.name, &argument.ty)
        }
    }
}

impl<'a> FunctionOut<'a> {
    fn new(function: &'a Function) -> Self {
        let Function { name, inputs, outputs, nodes, alias } = function;
        let alias = alias.as_deref();
        Self { name, inputs: *inputs, outputs: *outputs, nodes: *nodes, alias }
    }
}

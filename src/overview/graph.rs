//! The summary of a graph, whose nodes are decoded one at a time.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::records::decode;
use crate::error::Result;
use crate::graph::{VariableKind, is_placeholder};
use crate::message::{Value, fields, int32, nested, records};
use crate::schema::field::{function_def, function_def_library, graph_def, node_def};
use crate::schema::tensorflow::{self, attr_value};
use crate::tensor::DType;

/// The summary of a graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Graph {
    /// The producer version: the version of GraphDef that its writer used.
    pub producer: i32,
    /// The oldest version of GraphDef whose readers accept it.
    pub min_consumer: i32,
    /// The number of nodes, without those of functions.
    pub nodes: u64,
    /// Its ops, those with the most nodes first.
    pub ops: Vec<Op>,
    /// Its variables, in the order of their nodes.
    pub variables: Vec<Variable>,
    /// Its placeholders, in the order of their nodes.
    pub placeholders: Vec<Placeholder>,
    /// Its function library, by name.
    pub functions: Vec<Function>,
}

/// An op.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Op {
    /// Its name.
    #[serde(rename = "op")]
    pub name: String,
    /// The number of its nodes in the graph.
    pub nodes: u64,
    /// The number of its nodes in functions.
    pub in_functions: u64,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// The name of its node.
    pub name: String,
    /// Its dtype and shape.
    #[serde(flatten)]
    pub ty: TensorType,
    /// Whether it is in the collection of trainable variables; `None` where there is no such collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trainable: Option<bool>,
}

/// A placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Placeholder {
    /// Its name.
    pub name: String,
    /// Its dtype and shape.
    #[serde(flatten)]
    pub ty: TensorType,
}

/// A function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The number of arguments.
    pub inputs: u64,
    /// The number of results.
    pub outputs: u64,
    /// The number of nodes in its body.
    pub nodes: u64,
    /// Its alias, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
}

/// The dtype and shape of a tensor; the graph may lack parts of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TensorType {
    /// TensorFlow's name of the dtype, such as `float32` or `float32_ref`; `None` where it is not recorded.
    pub dtype: Option<String>,
    /// The dimensions, `None` for an unknown one; `None` where the rank is unknown.
    pub shape: Option<Vec<Option<u64>>>,
}

impl TensorType {
    /// The dtype with this code and this shape; without a shape, the rank is unknown.
    pub(crate) fn new(code: i32, shape: Option<&tensorflow::TensorShapeProto>) -> Self {
        let dims = shape.filter(|shape| !shape.unknown_rank).map(|shape| &shape.dim);
        Self {
            dtype: dtype(code),
            shape: dims.map(|dims| dims.iter().map(|dim| u64::try_from(dim.size).ok()).collect()),
        }
    }
}

/// `float32 [?, 3]`; a shape of unknown rank is `[…]`.
impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.dtype.as_deref().unwrap_or("?"), self.dims())
    }
}

impl TensorType {
    /// The shape: `[?, 3]`, or `[…]` if the rank is unknown.
    pub fn dims(&self) -> String {
        let Some(shape) = &self.shape else { return "[…]".into() };
        let dim = |dim: &Option<u64>| dim.map_or_else(|| "?".into(), |dim| dim.to_string());
        format!("[{}]", shape.iter().map(dim).collect::<Vec<_>>().join(", "))
    }
}

/// The name of a dtype, which may be a reference; an unknown code stays a number.
fn dtype(code: i32) -> Option<String> {
    match (DType::from_code(code), DType::from_reference(code)) {
        _ if code == 0 => None,
        (Some(dtype), _) => Some(dtype.to_string()),
        (None, Some(dtype)) => Some(format!("{dtype}_ref")),
        (None, None) => Some(code.to_string()),
    }
}

/// Nodes of each op, in the graph and in functions.
type Counts = BTreeMap<Vec<u8>, (u64, u64)>;

impl Graph {
    /// Summarizes a `GraphDef`.
    pub(super) fn new(bytes: &[u8]) -> Result<Self> {
        let mut found = Self::default();
        let mut ops = Counts::new();
        for record in records(bytes) {
            match (record.number, record.value) {
                (graph_def::NODE, Value::Len(node)) => found.node(node, &mut ops)?,
                (graph_def::LIBRARY, Value::Len(library)) => found.library(library, &mut ops)?,
                // The deprecated field that `versions` replaced.
                (graph_def::VERSION, Value::Varint(version)) => found.producer = int32(version),
                (graph_def::VERSIONS, Value::Len(versions)) => {
                    let versions: tensorflow::VersionDef = decode(versions)?;
                    (found.producer, found.min_consumer) =
                        (versions.producer, versions.min_consumer);
                }
                _ => {}
            }
        }
        found.functions.sort_by(|a, b| a.name.cmp(&b.name));
        let op = |(name, (nodes, in_functions)): (Vec<u8>, _)| Op {
            name: String::from_utf8_lossy(&name).into_owned(),
            nodes,
            in_functions,
        };
        found.ops = ops.into_iter().map(op).collect();
        found.ops.sort_by_key(|op| std::cmp::Reverse(op.nodes + op.in_functions));
        Ok(found)
    }

    /// Sets the aliases of functions, from pairs of name and alias.
    pub(super) fn name_aliases(&mut self, aliases: &[(String, String)]) {
        for (name, alias) in aliases {
            let at = self.functions.binary_search_by(|function| function.name.cmp(name));
            if let Some(function) = at.ok().and_then(|at| self.functions.get_mut(at)) {
                function.alias = Some(alias.clone());
            }
        }
    }

    fn node(&mut self, node: &[u8], ops: &mut Counts) -> Result<()> {
        self.nodes += 1;
        let op = nested(node, node_def::OP);
        count(ops, op).0 += 1;
        let op = std::str::from_utf8(op).unwrap_or_default();
        if VariableKind::of_op(op).is_some() {
            let (name, ty) = declared(node)?;
            self.variables.push(Variable { name, ty, trainable: None });
        } else if is_placeholder(op) {
            let (name, ty) = declared(node)?;
            self.placeholders.push(Placeholder { name, ty });
        }
        Ok(())
    }

    fn library(&mut self, library: &[u8], ops: &mut Counts) -> Result<()> {
        for function in fields(library, function_def_library::FUNCTION) {
            let signature: tensorflow::OpDef = decode(nested(function, function_def::SIGNATURE))?;
            let nodes = fields(function, function_def::NODE_DEF);
            nodes.clone().for_each(|node| count(ops, nested(node, node_def::OP)).1 += 1);
            self.functions.push(Function {
                name: signature.name,
                inputs: signature.input_arg.len() as u64,
                outputs: signature.output_arg.len() as u64,
                nodes: nodes.count() as u64,
                alias: None,
            });
        }
        Ok(())
    }
}

fn count<'a>(ops: &'a mut Counts, op: &[u8]) -> &'a mut (u64, u64) {
    ops.entry(op.to_vec()).or_default()
}

/// The name of a node, and its attributes `dtype` and `shape`.
fn declared(node: &[u8]) -> Result<(String, TensorType)> {
    let node: tensorflow::NodeDef = decode(node)?;
    let value = |name| node.attr.get(name).and_then(|attr| attr.value.as_ref());
    let dtype = match value("dtype") {
        Some(attr_value::Value::Type(code)) => *code,
        _ => 0,
    };
    let shape = match value("shape") {
        Some(attr_value::Value::Shape(shape)) => Some(shape),
        _ => None,
    };
    let ty = TensorType::new(dtype, shape);
    Ok((node.name, ty))
}

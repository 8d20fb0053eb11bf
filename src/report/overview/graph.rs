//! A graph, node by node: no more than one of them is decoded at a time.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::records::{content, decode, nested};
use crate::error::Result;
use crate::message::{Records, Value, int32};
use crate::schema::field::{function_def, function_def_library, graph_def, node_def};
use crate::schema::tensorflow::{self, attr_value};
use crate::tensor::DType;

/// Ops whose nodes are variables.
const VARIABLES: &[&[u8]] = &[b"VariableV2", b"Variable", b"VarHandleOp", b"AutoReloadVariable"];

/// Ops whose nodes are fed.
const PLACEHOLDERS: &[&[u8]] = &[b"Placeholder", b"PlaceholderV2", b"PlaceholderWithDefault"];

/// A graph at a glance.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Graph {
    /// The version of the graph's rules that its writer had.
    pub producer: i32,
    /// The oldest version whose reader understands it.
    pub min_consumer: i32,
    /// How many nodes it has, those of functions apart.
    pub nodes: u64,
    /// Its ops, those with the most nodes first.
    pub ops: Vec<Op>,
    /// Its variables, in the order of their nodes.
    pub variables: Vec<Variable>,
    /// What is fed to it, in the order of their nodes.
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
    /// How many nodes of the graph are of it.
    pub nodes: u64,
    /// How many nodes of functions are.
    pub in_functions: u64,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// The name of its node.
    pub name: String,
    /// What it holds.
    #[serde(flatten)]
    pub ty: TensorType,
    /// Whether it is in the collection of trainable variables; `None` where there is no such collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trainable: Option<bool>,
}

/// A node that is fed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Placeholder {
    /// Its name.
    pub name: String,
    /// What it takes.
    #[serde(flatten)]
    pub ty: TensorType,
}

/// A function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// How many arguments it takes.
    pub inputs: u64,
    /// How many results it gives.
    pub outputs: u64,
    /// How many nodes its body has.
    pub nodes: u64,
    /// What else it is called; `None` where there is no other name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
}

/// The type and shape of a tensor, as far as a graph says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TensorType {
    /// TensorFlow's name, as `float32` or `float32_ref`; `None` where it is not given.
    pub dtype: Option<String>,
    /// The dimensions, `None` for one that is open; `None` where even their number is.
    pub shape: Option<Vec<Option<u64>>>,
}

impl TensorType {
    /// The type of this code with this shape; without one, the number of dimensions is open.
    pub(super) fn new(code: i32, shape: Option<&tensorflow::TensorShapeProto>) -> Self {
        let dims = shape.filter(|shape| !shape.unknown_rank).map(|shape| &shape.dim);
        Self {
            dtype: dtype(code),
            shape: dims.map(|dims| dims.iter().map(|dim| u64::try_from(dim.size).ok()).collect()),
        }
    }
}

/// `float32 [?, 3]`; a shape that is open is `[…]`.
impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.dtype.as_deref().unwrap_or("?"), self.dims())
    }
}

impl TensorType {
    /// The shape: `[?, 3]`, where it is open `[…]`.
    pub fn dims(&self) -> String {
        let Some(shape) = &self.shape else { return "[…]".into() };
        let dim = |dim: &Option<u64>| dim.map_or_else(|| "?".into(), |dim| dim.to_string());
        format!("[{}]", shape.iter().map(dim).collect::<Vec<_>>().join(", "))
    }
}

/// The name of a type, of a reference too; a number we do not know stays one.
fn dtype(code: i32) -> Option<String> {
    const REFERENCE: i32 = 100;
    match (DType::from_code(code), DType::from_code(code - REFERENCE)) {
        _ if code == 0 => None,
        (Some(dtype), _) => Some(dtype.to_string()),
        (None, Some(dtype)) => Some(format!("{dtype}_ref")),
        (None, None) => Some(code.to_string()),
    }
}

/// Nodes of each op, in the graph and in functions.
type Counts = BTreeMap<Vec<u8>, (u64, u64)>;

impl Graph {
    /// Looks through a `GraphDef`.
    pub(super) fn new(bytes: &[u8]) -> Result<Self> {
        let mut found = Self::default();
        let mut ops = Counts::new();
        for record in Records::new(bytes, 0) {
            let record = record?;
            let content = content(&record);
            match record.number {
                graph_def::NODE => found.node(content, &mut ops)?,
                graph_def::LIBRARY => found.library(content, &mut ops)?,
                // What came before `versions`.
                graph_def::VERSION => {
                    if let Value::Varint(version) = record.value {
                        found.producer = int32(version);
                    }
                }
                graph_def::VERSIONS => {
                    let versions: tensorflow::VersionDef = decode(content)?;
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

    /// Takes in other names of functions, by function.
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
        let op = op(node)?;
        count(ops, op).0 += 1;
        if VARIABLES.contains(&op) {
            let (name, ty) = declared(node)?;
            self.variables.push(Variable { name, ty, trainable: None });
        } else if PLACEHOLDERS.contains(&op) {
            let (name, ty) = declared(node)?;
            self.placeholders.push(Placeholder { name, ty });
        }
        Ok(())
    }

    fn library(&mut self, library: &[u8], ops: &mut Counts) -> Result<()> {
        for function in nested(library, function_def_library::FUNCTION) {
            let function = content(&function?);
            let mut found = Function::default();
            for record in Records::new(function, 0) {
                let record = record?;
                match record.number {
                    function_def::SIGNATURE => {
                        let signature: tensorflow::OpDef = decode(content(&record))?;
                        found.inputs = signature.input_arg.len() as u64;
                        found.outputs = signature.output_arg.len() as u64;
                        found.name = signature.name;
                    }
                    function_def::NODE_DEF => {
                        found.nodes += 1;
                        count(ops, op(content(&record))?).1 += 1;
                    }
                    _ => {}
                }
            }
            self.functions.push(found);
        }
        Ok(())
    }
}

fn count<'a>(ops: &'a mut Counts, op: &[u8]) -> &'a mut (u64, u64) {
    ops.entry(op.to_vec()).or_default()
}

/// The op of a node.
fn op(node: &[u8]) -> Result<&[u8]> {
    let op = nested(node, node_def::OP).last().transpose()?;
    Ok(op.map(|op| content(&op)).unwrap_or_default())
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

//! The dtype and shape of a node's outputs.

use std::borrow::Cow;

use prost::Message as _;

use super::{Graph, Node, OpTable, TensorName, default_of, is_placeholder};
use crate::error::{Error, Result, shortened};
use crate::message::nested;
use crate::schema::field::function_def;
use crate::schema::tensorflow::attr_value;
use crate::schema::tensorflow::op_def::ArgDef;
use crate::schema::tensorflow::{AttrValue, OpDef, TensorShapeProto};
use crate::suggestion;
use crate::tensor::REFERENCE;

/// The dtype and shape of a tensor in a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The number of the dtype in `types.proto`, plus 100 for a reference to a variable.
    pub dtype: i32,
    /// The shape in the graph; `unknown_rank` if it has none.
    pub shape: TensorShapeProto,
}

impl<'m> Graph<'m> {
    /// The node of the tensor `x` or `x:0`, and the number of its output.
    ///
    /// # Errors
    /// If the graph has no such node, or the colon is not followed by a number.
    pub fn tensor(&self, name: &str) -> Result<(&Node<'m>, usize)> {
        if name.is_empty() {
            return Err(Error::not_found("the name of the tensor is empty"));
        }
        let tensor = TensorName::parse(name);
        let number = tensor.output().ok_or_else(|| {
            let expected = "NODE:OUTPUT, a node's name and a number";
            Error::unexpected("name of a tensor", shortened(name), expected)
        })?;
        let id = self.find(tensor.node).ok_or_else(|| {
            let names = self.nodes().iter().map(|node| node.name);
            let hint = suggestion::hint(tensor.node.as_bytes(), names);
            Error::not_found(format!("the graph has no {}{hint}", shortened(name)))
        })?;
        Ok((self.node(id), number))
    }

    /// The dtype and shape of the tensor `name`, by the definition of its op in `ops` or in the function library. The shape is that
    /// of the attribute `_output_shapes`, which TensorFlow's exports have, or else of `shape`.
    ///
    /// # Errors
    /// If the graph has no such tensor, or its op is unknown.
    pub fn output(&self, name: &str, ops: &OpTable<'_>) -> Result<Output> {
        let (node, number) = self.tensor(name)?;
        let op = self.function(node.op).or_else(|| ops.definition(node.op).map(Cow::Borrowed));
        let op = op.ok_or_else(|| {
            let kind = format!("the op {} of {name} is unknown", shortened(node.op));
            Error::not_found(kind)
        })?;
        let dtype = dtype(node, &op, number).map_err(|given| no_output(node, number, given))?;
        Ok(Output { dtype, shape: shape(node, number) })
    }

    /// The signature of a function in the library.
    fn function<'t>(&self, name: &str) -> Option<Cow<'t, OpDef>> {
        let function = self.library().functions.iter().find(|function| function.name == name)?;
        OpDef::decode(nested(function.bytes, function_def::SIGNATURE)).ok().map(Cow::Owned)
    }
}

/// The dtype of an output of a node, or else the number of its outputs.
fn dtype(node: &Node<'_>, op: &OpDef, number: usize) -> std::result::Result<i32, usize> {
    let mut before = 0usize;
    for arg in &op.output_arg {
        let (dtypes, times) = of_arg(node, op, arg);
        // All tensors of a repeated argument have one type.
        let found =
            number.checked_sub(before).filter(|at| *at < dtypes.len().saturating_mul(times));
        if let Some(dtype) = found.and_then(|at| dtypes.get(at % dtypes.len())) {
            return Ok(dtype.saturating_add(if arg.is_ref { REFERENCE } else { 0 }));
        }
        before = before.saturating_add(dtypes.len().saturating_mul(times));
    }
    Err(before)
}

fn no_output(node: &Node<'_>, number: usize, given: usize) -> Error {
    let (name, s) = (shortened(node.name), if given == 1 { "" } else { "s" });
    Error::not_found(format!("there is no output {number}: {name} has {given} output{s}"))
}

/// The dtype of an output of a node; `None` if the node lacks an attribute that gives its outputs.
///
/// # Errors
/// If the node has no such output.
pub(crate) fn output_dtype(node: &Node<'_>, op: &OpDef, number: usize) -> Result<Option<i32>> {
    if !op.output_arg.iter().all(|arg| is_given(node, op, arg)) {
        return Ok(None);
    }
    dtype(node, op, number).map(Some).map_err(|given| no_output(node, number, given))
}

/// The dtypes of the first `count` inputs of a node; `None` if the node lacks an attribute that gives them.
pub(crate) fn input_dtypes(node: &Node<'_>, op: &OpDef, count: usize) -> Option<Vec<i32>> {
    let mut all = Vec::new();
    for arg in &op.input_arg {
        if !is_given(node, op, arg) {
            return None;
        }
        let (mut dtypes, times) = of_arg(node, op, arg);
        let reference = if arg.is_ref { REFERENCE } else { 0 };
        dtypes.iter_mut().for_each(|dtype| *dtype = dtype.saturating_add(reference));
        let left = count - all.len();
        let len = dtypes.len().saturating_mul(times).min(left);
        all.extend(dtypes.into_iter().cycle().take(len));
    }
    Some(all)
}

/// Whether a node has the attributes that give the tensors of an argument.
fn is_given(node: &Node<'_>, op: &OpDef, arg: &ArgDef) -> bool {
    let names = [&arg.type_attr, &arg.type_list_attr, &arg.number_attr];
    names.into_iter().all(|name| name.is_empty() || attr(node, op, name).is_some())
}

/// The number of the output `name:number`, the form of inputs in functions, among all outputs of a node.
pub(crate) fn output_index(
    node: &Node<'_>,
    op: &OpDef,
    name: &str,
    number: usize,
) -> Option<usize> {
    let mut before = 0usize;
    for arg in &op.output_arg {
        let (dtypes, times) = of_arg(node, op, arg);
        // The type of a polymorphic function is no attribute of its calls.
        let count = dtypes.len().saturating_mul(times);
        if arg.name == name {
            return before.checked_add(number).filter(|_| number < count);
        }
        before = before.saturating_add(count);
    }
    None
}

/// The types of an argument, and how often they are repeated.
fn of_arg(node: &Node<'_>, op: &OpDef, arg: &ArgDef) -> (Vec<i32>, usize) {
    if !arg.type_list_attr.is_empty() {
        return (types(attr(node, op, &arg.type_list_attr)), 1);
    }
    let dtypes = match arg.type_attr.as_str() {
        "" => vec![arg.r#type],
        name => types(attr(node, op, name)),
    };
    let times = match (arg.number_attr.as_str(), attr(node, op, &arg.number_attr)) {
        ("", _) => 1,
        (_, Some(attr_value::Value::I(times))) => usize::try_from(times).unwrap_or(0),
        _ => 0,
    };
    (dtypes, times)
}

/// An attribute of a node, or its default.
fn attr(node: &Node<'_>, op: &OpDef, name: &str) -> Option<attr_value::Value> {
    match node.attr(name) {
        Some(bytes) => AttrValue::decode(bytes).ok()?.value,
        None => default_of(op, name)?.value.clone(),
    }
}

fn types(value: Option<attr_value::Value>) -> Vec<i32> {
    match value {
        Some(attr_value::Value::Type(dtype)) => vec![dtype],
        Some(attr_value::Value::List(list)) => list.r#type,
        _ => Vec::new(),
    }
}

/// The shape that its node states for an output.
fn shape(node: &Node<'_>, number: usize) -> TensorShapeProto {
    let unknown = || TensorShapeProto { dim: Vec::new(), unknown_rank: true };
    let listed = listed_shapes(node).into_iter().nth(number);
    listed.or_else(|| own_shape(node)).unwrap_or_else(unknown)
}

/// The shapes that a node states for its outputs: all of them, the only one, or none.
pub(crate) fn output_shapes(node: &Node<'_>) -> Vec<TensorShapeProto> {
    let listed = listed_shapes(node);
    if listed.is_empty() { own_shape(node).into_iter().collect() } else { listed }
}

/// The value of an attribute, if it can be read.
fn attribute(node: &Node<'_>, name: &str) -> Option<attr_value::Value> {
    AttrValue::decode(node.attr(name)?).ok()?.value
}

/// The shapes that a graph records for the outputs of a node.
fn listed_shapes(node: &Node<'_>) -> Vec<TensorShapeProto> {
    match attribute(node, "_output_shapes") {
        Some(attr_value::Value::List(list)) => list.shape,
        _ => Vec::new(),
    }
}

/// The shape that a constant, a placeholder or a variable has of its own.
fn own_shape(node: &Node<'_>) -> Option<TensorShapeProto> {
    let of = |name| attribute(node, name);
    match (node.op, of("shape"), of("value")) {
        ("Const", _, Some(attr_value::Value::Tensor(tensor))) => tensor.tensor_shape,
        // The attribute `shape` of other ops may be that of something else, as of `Reshape`.
        (op, Some(attr_value::Value::Shape(shape)), _)
            if is_placeholder(op) || op == "VariableV2" =>
        {
            Some(shape)
        }
        _ => None,
    }
}

//! What the outputs of a node are: type and shape.

use std::borrow::Cow;

use prost_reflect::prost::Message as _;

use super::wire::fields;
use super::{Graph, Node, OpTable, default_of};
use crate::bytes::suggestion;
use crate::error::{Error, ErrorKind, Result, shortened};
use crate::schema::field::function_def;
use crate::schema::tensorflow::attr_value::{self, ListValue};
use crate::schema::tensorflow::op_def::ArgDef;
use crate::schema::tensorflow::{AttrValue, OpDef, TensorShapeProto};

/// What is behind the number of a type for the reference to one.
const REFERENCE: i32 = 100;

/// What a tensor of a graph is.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The number of its type in `types.proto`; references to variables have 100 more.
    pub dtype: i32,
    /// Its shape, as far as the graph says; `unknown_rank` where it says nothing.
    pub shape: TensorShapeProto,
}

impl<'m> Graph<'m> {
    /// The node behind the name of a tensor, `x` or `x:0`, and the number of its output.
    ///
    /// # Errors
    /// When the graph has no such node, or no number is behind the colon.
    pub fn tensor(&self, name: &str) -> Result<(&Node<'m>, usize)> {
        if name.is_empty() {
            return Err(ErrorKind::NotFound("no tensor is named".into()).into());
        }
        let (node, number) = name.rsplit_once(':').unwrap_or((name, "0"));
        let number = number.parse().map_err(|_| {
            let allowed = "it must be the name of a node, a colon and a number";
            Error::unexpected("name of a tensor", shortened(name), allowed)
        })?;
        let id = self.find(node).ok_or_else(|| {
            let names = self.nodes().iter().map(|node| node.name);
            let hint = suggestion::hint(node.as_bytes(), names);
            Error::from(ErrorKind::NotFound(format!("the graph has no {}{hint}", shortened(name))))
        })?;
        Ok((self.node(id), number))
    }

    /// What the tensor `name` is, by the definition of its op in `ops` or in the graph's library. The shape is what the node says:
    /// in `_output_shapes`, which TensorFlow's exports have, else in an attribute `shape`.
    ///
    /// # Errors
    /// When the graph has no such tensor, or its op is not known.
    pub fn output(&self, name: &str, ops: &OpTable<'_>) -> Result<Output> {
        let (node, number) = self.tensor(name)?;
        let op = self.function(node.op).or_else(|| ops.definition(node.op).map(Cow::Borrowed));
        let op = op.ok_or_else(|| {
            let kind = format!("the op {} of {name} is not known", shortened(node.op));
            Error::from(ErrorKind::NotFound(kind))
        })?;
        let dtype = dtype(node, &op, number).map_err(|given| {
            let allowed = format!("{} gives {given}", shortened(node.name));
            Error::unexpected("number of an output", number, allowed)
        })?;
        Ok(Output { dtype, shape: shape(node, number) })
    }

    /// What a function of the library takes and gives.
    fn function<'t>(&self, name: &str) -> Option<Cow<'t, OpDef>> {
        let function = self.library().functions.iter().find(|function| function.name == name)?;
        let signature = fields(function.bytes, function_def::SIGNATURE).last().unwrap_or_default();
        OpDef::decode(signature).ok().map(Cow::Owned)
    }
}

/// The type of an output of a node; else how many outputs it has.
fn dtype(node: &Node<'_>, op: &OpDef, number: usize) -> std::result::Result<i32, usize> {
    let mut before = 0usize;
    for arg in &op.output_arg {
        let (dtypes, times) = of_arg(node, op, arg);
        // Of an argument of many tensors all are of one type.
        let found =
            number.checked_sub(before).filter(|at| *at < dtypes.len().saturating_mul(times));
        if let Some(dtype) = found.and_then(|at| dtypes.get(at % dtypes.len())) {
            return Ok(dtype.saturating_add(if arg.is_ref { REFERENCE } else { 0 }));
        }
        before = before.saturating_add(dtypes.len().saturating_mul(times));
    }
    Err(before)
}

/// The place that the output `number` of the argument `name` has among all outputs of a node: in functions, inputs are spelled so.
pub(crate) fn place_of(node: &Node<'_>, op: &OpDef, name: &str, number: usize) -> Option<usize> {
    let mut before = 0usize;
    for arg in &op.output_arg {
        let (dtypes, times) = of_arg(node, op, arg);
        // A function of any type says so by no attribute of its calls.
        let count = dtypes.len().saturating_mul(times);
        if arg.name == name {
            return before.checked_add(number).filter(|_| number < count);
        }
        before = before.saturating_add(count);
    }
    None
}

/// The types of an argument, and how often they come.
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

/// An attribute of a node, or what its op has for it.
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

/// The shape of an output, as far as its node says.
fn shape(node: &Node<'_>, number: usize) -> TensorShapeProto {
    let of = |name: &str| AttrValue::decode(node.attr(name)?).ok()?.value;
    let listed = match of("_output_shapes") {
        Some(attr_value::Value::List(ListValue { shape, .. })) => shape.into_iter().nth(number),
        _ => None,
    };
    let own = || match (node.op, of("shape"), of("value")) {
        ("Const", _, Some(attr_value::Value::Tensor(tensor))) => tensor.tensor_shape,
        // Those of other ops may be of something else, as with `Reshape`.
        ("Placeholder" | "PlaceholderV2" | "PlaceholderWithDefault" | "VariableV2", shape, _) => {
            match shape {
                Some(attr_value::Value::Shape(shape)) => Some(shape),
                _ => None,
            }
        }
        _ => None,
    };
    let unknown = || TensorShapeProto { dim: Vec::new(), unknown_rank: true };
    listed.or_else(own).unwrap_or_else(unknown)
}

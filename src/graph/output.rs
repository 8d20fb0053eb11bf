//! What the outputs of a node are: type and shape.

use std::borrow::Cow;

use prost_reflect::prost::Message as _;

use super::wire::fields;
use super::{Graph, Node, OpTable, default_of};
use crate::bytes::near;
use crate::error::{Error, ErrorKind, Result, shortened};
use crate::schema::tensorflow::attr_value::{self, ListValue};
use crate::schema::tensorflow::op_def::ArgDef;
use crate::schema::tensorflow::{AttrValue, OpDef, TensorShapeProto};

/// What is behind the number of a type for the reference to one.
const REFERENCE: i32 = 100;

/// The most tensors that a node may give; TensorFlow's own ops give a few, and one for each variable of a checkpoint.
const MOST: usize = 1 << 24;

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
            let hint = near::hint(node.as_bytes(), names);
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
        let dtypes = dtypes(node, &op)?;
        let dtype = dtypes.get(number).copied().ok_or_else(|| {
            let allowed = format!("{} gives {}", shortened(node.name), dtypes.len());
            Error::unexpected("number of an output", number, allowed)
        })?;
        Ok(Output { dtype, shape: shape(node, number) })
    }

    /// What a function of the library takes and gives.
    fn function<'t>(&self, name: &str) -> Option<Cow<'t, OpDef>> {
        let function = self.library().functions.iter().find(|function| function.name == name)?;
        let signature = fields(function.bytes, 1).last().unwrap_or_default();
        OpDef::decode(signature).ok().map(Cow::Owned)
    }
}

/// The types of all outputs of a node.
fn dtypes(node: &Node<'_>, op: &OpDef) -> Result<Vec<i32>> {
    let mut all = Vec::new();
    for arg in &op.output_arg {
        let reference = if arg.is_ref { REFERENCE } else { 0 };
        let (dtypes, times) = of_arg(node, op, arg);
        let more = dtypes.len().saturating_mul(times);
        if all.len().saturating_add(more) > MOST {
            let allowed = format!("{MOST} is the most");
            return Err(Error::unexpected("number of outputs", more, allowed));
        }
        let dtypes = dtypes.iter().map(|dtype| dtype.saturating_add(reference));
        all.extend(dtypes.cycle().take(more));
    }
    Ok(all)
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

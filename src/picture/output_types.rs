//! The dtypes and shapes of the tensors on edges, as far as the graph records them.

use std::collections::BTreeMap;

use prost::Message as _;

use crate::graph::{
    Graph, Input, Node, NodeId, NodeKind, OpTable, VariableKind, is_placeholder, output_dtype,
    output_index, output_shapes,
};
use crate::message::{entry, fields, int32, nested, varint};
use crate::overview::TensorType;
use crate::schema::field::function_def::{self, arg_attrs};
use crate::schema::field::{map_entry, op_def};
use crate::schema::tensorflow::attr_value::Value;
use crate::schema::tensorflow::{AttrValue, TensorShapeProto};

/// The types of the outputs of a graph's nodes. Shapes are decoded once for each node.
pub(super) struct OutputTypes<'p, 'm> {
    graph: &'p Graph<'m>,
    ops: &'p OpTable<'m>,
    /// The `FunctionDef`, if the graph is the body of a function.
    function: &'m [u8],
    shapes: BTreeMap<NodeId, Vec<TensorShapeProto>>,
}

impl<'p, 'm> OutputTypes<'p, 'm> {
    pub(super) fn new(graph: &'p Graph<'m>, ops: &'p OpTable<'m>, function: &'m [u8]) -> Self {
        Self { graph, ops, function, shapes: BTreeMap::new() }
    }

    /// The type of the tensor that an input gets; `None` if its shape is not recorded.
    pub(super) fn of(&mut self, input: &Input<'m>) -> Option<TensorType> {
        let id = input.source?;
        let node = self.graph.node(id);
        if let NodeKind::Argument(at) = node.kind {
            return argument_type(self.function, at);
        }
        let op = self.ops.definition(node.op);
        let number = match input.port.split_once(':') {
            None => input.port.parse().ok()?,
            Some((name, number)) => output_index(node, op?, name, number.parse().ok()?)?,
        };
        let shapes = self.shapes.entry(id).or_insert_with(|| output_shapes(node));
        let shape = shapes.get(number).filter(|shape| !shape.unknown_rank)?;
        let dtype = op.and_then(|op| output_dtype(node, op, number).ok().flatten());
        Some(TensorType::new(dtype.unwrap_or_default(), Some(shape)))
    }
}

/// The type that a variable or placeholder declares, if it has a shape.
pub(super) fn declared_type(node: &Node<'_>) -> Option<TensorType> {
    if VariableKind::of_op(node.op).is_none() && !is_placeholder(node.op) {
        return None;
    }
    let shape = node.declared_shape()?;
    let dtype = node.types("dtype").first().copied().unwrap_or_default();
    Some(TensorType { shape: Some(shape), ..TensorType::new(dtype, None) })
}

/// The type of an argument of a function; `None` if its shape is not recorded.
pub(super) fn argument_type(function: &[u8], at: u32) -> Option<TensorType> {
    let signature = nested(function, function_def::SIGNATURE);
    let argument = fields(signature, op_def::INPUT_ARG).nth(at as usize)?;
    let dtype = varint(argument, op_def::arg_def::TYPE).map_or(0, int32);
    // The key 0 is left out of an entry.
    let is = |found: &&[u8]| varint(found, map_entry::KEY).unwrap_or(0) == u64::from(at);
    let found = fields(function, function_def::ARG_ATTR).find(is)?;
    let attrs = fields(nested(found, map_entry::VALUE), arg_attrs::ATTR);
    let shapes = attrs.map(entry).find(|(name, _)| *name == "_output_shapes")?.1;
    let Some(Value::List(list)) = AttrValue::decode(shapes).ok()?.value else { return None };
    let shape = list.shape.first().filter(|shape| !shape.unknown_rank)?;
    Some(TensorType::new(dtype, Some(shape)))
}

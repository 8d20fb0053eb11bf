//! The class of a layer, known by the op that computes with its weights.

use crate::graph::{Graph, Node, NodeId, NodeKind, VariableKind, is_constant, truth};
use crate::message::{field, fields, varint};
use crate::schema::field::{
    attr_value, tensor_proto,
    tensor_shape_proto::{self, dim},
};

/// A class of layers, as Keras calls it.
struct LayerClass {
    name: &'static str,
    /// The ops that compute with the weights.
    ops: &'static [&'static str],
    /// The number of the input that has the weights.
    weights: usize,
    /// The sizes that the shape of the weights states; `None` if the weights are not those of such a layer.
    sizes: fn(&[i64]) -> Option<String>,
}

const CLASSES: [LayerClass; 6] = [
    LayerClass { name: "Dense", ops: &["MatMul"], weights: 1, sizes: in_and_out },
    LayerClass { name: "Conv2D", ops: &["Conv2D"], weights: 1, sizes: in_and_out },
    LayerClass { name: "Conv3D", ops: &["Conv3D"], weights: 1, sizes: in_and_out },
    LayerClass {
        name: "DepthwiseConv2D",
        ops: &["DepthwiseConv2dNative"],
        weights: 1,
        sizes: in_and_multiplied,
    },
    LayerClass {
        name: "BatchNormalization",
        ops: &["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"],
        weights: 1,
        sizes: only_one,
    },
    LayerClass { name: "Embedding", ops: &["ResourceGather"], weights: 0, sizes: in_and_out },
];

/// Ops that pass on the values of a variable.
const PASSING: [&str; 3] = ["ReadVariableOp", "Identity", "Cast"];

/// Ops whose input is a variable rather than its values.
const OF_VARIABLES: [&str; 2] = ["ReadVariableOp", "ResourceGather"];

/// The maximum number of ops between a variable and the op that computes with it.
const MAX_PASSING: usize = 8;

/// The class and the sizes of the layer that nodes are: `Dense 20 → 64`. `None` if they are no layer or several.
pub(super) fn of(graph: &Graph<'_>, ids: impl Iterator<Item = NodeId>) -> Option<String> {
    let mut layers = ids.filter_map(|id| of_node(graph, id));
    layers.next().filter(|_| layers.next().is_none())
}

fn of_node(graph: &Graph<'_>, id: NodeId) -> Option<String> {
    let node = graph.node(id);
    let class = CLASSES.iter().find(|class| class.ops.contains(&node.op))?;
    let weights = weights(graph, id, class.weights)?;
    let Some(mut shape) = shape(weights) else { return Some(class.name.to_owned()) };
    if node.attr("transpose_b").is_some_and(truth) {
        shape.reverse();
    }
    Some(format!("{} {}", class.name, (class.sizes)(&shape)?))
}

/// The node that has the values of an input, if they are weights: a variable, a constant, or a variable that is the argument of a
/// function.
fn weights<'g, 'm>(graph: &'g Graph<'m>, id: NodeId, input: usize) -> Option<&'g Node<'m>> {
    let (mut user, mut input) = (id, input);
    for _ in 0..MAX_PASSING {
        let source = graph.inputs_of(user).get(input)?.source?;
        let node = graph.node(source);
        let is_argument = matches!(node.kind, NodeKind::Argument(_));
        let is_variable = is_argument && OF_VARIABLES.contains(&graph.node(user).op);
        if is_variable || VariableKind::of_op(node.op).is_some() || is_constant(node.op) {
            return Some(node);
        }
        if !PASSING.contains(&node.op) {
            return None;
        }
        (user, input) = (source, 0);
    }
    None
}

/// The shape that a variable or a constant states; `None` if there is none, or it is not known as a whole.
fn shape(weights: &Node<'_>) -> Option<Vec<i64>> {
    let shape = match is_constant(weights.op) {
        true => {
            field(field(weights.attr("value")?, attr_value::TENSOR)?, tensor_proto::TENSOR_SHAPE)
        }
        false => field(weights.attr("shape")?, attr_value::SHAPE),
    };
    let size = |dim| varint(dim, dim::SIZE).unwrap_or_default().cast_signed();
    let sizes: Vec<i64> = fields(shape?, tensor_shape_proto::DIM).map(size).collect();
    sizes.iter().all(|&size| size >= 0).then_some(sizes)
}

/// The last two sizes: `20 → 64`.
fn in_and_out(shape: &[i64]) -> Option<String> {
    let [.., from, to] = shape else { return None };
    Some(format!("{from} → {to}"))
}

/// The channels, and how many come of them: of `[3, 3, 32, 2]`, `32 → 64`.
fn in_and_multiplied(shape: &[i64]) -> Option<String> {
    let [.., from, multiplier] = shape else { return None };
    Some(format!("{from} → {}", from.checked_mul(*multiplier)?))
}

/// The only size.
fn only_one(shape: &[i64]) -> Option<String> {
    let [size] = shape else { return None };
    Some(size.to_string())
}

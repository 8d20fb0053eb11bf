//! The class of a layer that was added, by the op that computes with its weights.

use ckdiff::artifact::{Artifact, Form};
use ckdiff::diff::Detail;

use crate::support::graph::pairs::{artifact, attr, compared, of_lines, semantic};

/// A graph has one node per line as `NAME = OP(INPUTS) ATTRIBUTE`: the shape of a variable as `3x5`, a constant of a shape as
/// `const 3x5`, or `transposed`.
fn graph(nodes: &str) -> Artifact<'static> {
    of_lines(nodes, |text| {
        let (kind, sizes) = text.trim().rsplit_once(' ').unwrap_or(("", text.trim()));
        let dims: String = sizes
            .split('x')
            .filter_map(|size| size.parse::<i64>().ok())
            .map(|size| format!("dim {{ size: {size} }}"))
            .collect();
        match (kind, sizes) {
            ("const", _) => attr(
                "value",
                &format!(
                    "tensor {{ dtype: DT_FLOAT tensor_shape {{ {dims} }} tensor_content: '' }}"
                ),
            ),
            (_, "transposed") => attr("transpose_b", "b: true"),
            _ if dims.is_empty() => dims,
            _ => attr("shape", &format!("shape {{ {dims} }}")),
        }
    })
}

/// A case: the nodes that come to `x = Placeholder()`, and the layer that they are.
const CASES: &[(&str, Option<&str>)] = &[
    ("d/w = VariableV2() 20x64\nd/r = Identity(d/w)\nd/m = MatMul(x, d/r)", Some("Dense 20 → 64")),
    (
        "d/w = VarHandleOp() 2x3\nd/r = ReadVariableOp(d/w)\nd/m = MatMul(x, d/r)",
        Some("Dense 2 → 3"),
    ),
    ("d/w = Const() const 4x5\nd/m = MatMul(x, d/w)", Some("Dense 4 → 5")),
    ("d/w = VariableV2() 64x20\nd/m = MatMul(x, d/w) transposed", Some("Dense 20 → 64")),
    ("c/w = VariableV2() 3x3x16x32\nc/c = Conv2D(x, c/w)", Some("Conv2D 16 → 32")),
    (
        "c/w = VariableV2() 3x3x16x2\nc/c = DepthwiseConv2dNative(x, c/w)",
        Some("DepthwiseConv2D 16 → 32"),
    ),
    ("n/g = VariableV2() 8\nn/n = FusedBatchNormV3(x, n/g)", Some("BatchNormalization 8")),
    ("e/t = VarHandleOp() 1000x16\ne/g = ResourceGather(e/t, x)", Some("Embedding 1000 → 16")),
    // Sizes that are not known, or not those of such a layer.
    ("d/w = VariableV2()\nd/m = MatMul(x, d/w)", Some("Dense")),
    ("d/w = VariableV2() 7\nd/m = MatMul(x, d/w)", None),
    ("c/w = VariableV2() 1x1x9223372036854775807x2\nc/c = DepthwiseConv2dNative(x, c/w)", None),
    // No weights, or several layers.
    ("s/a = Tanh(x)\ns/m = MatMul(s/a, x)", None),
    ("s/v = VariableV2() 2x2\ns/m = MatMul(x, s/v)\ns/n = MatMul(s/m, s/v)", None),
    // A variable that reads itself.
    ("s/a = Identity(s/b)\ns/b = Identity(s/a)\ns/m = MatMul(x, s/a)", None),
];

fn layer_of(lhs: &Artifact<'_>, rhs: &Artifact<'_>) -> Option<String> {
    let diff = compared(lhs, rhs);
    let groups: Vec<_> = semantic(&diff)
        .into_iter()
        .filter_map(|change| match &change.detail {
            Detail::Nodes(nodes) => Some(nodes),
            _ => None,
        })
        .collect();
    let [nodes] = groups.as_slice() else { panic!("{:?}", diff.changes) };
    nodes.layer.clone()
}

#[test]
fn a_layer_has_a_class_and_sizes() {
    let lhs = graph("x = Placeholder()");
    for (more, layer) in CASES {
        let rhs = graph(&format!("x = Placeholder()\n{more}"));
        assert_eq!(layer_of(&lhs, &rhs).as_deref(), *layer, "{more}");
        assert_eq!(layer_of(&rhs, &lhs).as_deref(), *layer, "without {more}");
    }
}

#[test]
fn a_layer_in_a_function_has_a_class() {
    let function = |nodes: &str, last: &str| {
        artifact(
            format!(
                "graph_def {{ node {{ name: 'x' op: 'Placeholder' }} node {{ name: 'w' op: 'VarHandleOp' }}
                 node {{ name: 'call' op: 'f' input: 'x' input: 'w' }}
                 library {{ function {{
                   signature {{ name: 'f' input_arg {{ name: 'a' type: DT_FLOAT }} input_arg {{ name: 'v' type: DT_RESOURCE }}
                     output_arg {{ name: 'y' type: DT_FLOAT }} }}
                   node_def {{ name: 'out' op: 'Relu' input: '{last}' }} {nodes}
                   ret {{ key: 'y' value: 'out:activations:0' }} }} }} }}"
            )
            .as_bytes(),
            Form::Text,
        )
    };
    let lhs = function("", "a");
    let rhs = function(
        "node_def { name: 'd/read' op: 'ReadVariableOp' input: 'v' }
         node_def { name: 'd/MatMul' op: 'MatMul' input: 'a' input: 'd/read:value:0' }",
        "d/MatMul:product:0",
    );
    assert_eq!(layer_of(&lhs, &rhs).as_deref(), Some("Dense"));
}

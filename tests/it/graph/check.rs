//! Checks of nodes against the definitions of their ops.

use ckdiff::graph::{DeviceSpec, Graph, OpTable, check};
use ckdiff::message::Message;
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::{GraphDef, NodeDef};
use prost::Message as _;

use crate::support::graph::files::graph_files;
use crate::support::message_forms::{from_text, ty};

/// The findings in a graph, given as text.
fn findings(text: &str) -> Vec<String> {
    let graph = from_text(ty("tensorflow.GraphDef"), text.as_bytes()).unwrap();
    let checked = check(&Graph::new(graph.bytes()).unwrap(), OpTable::builtin(), 10);
    assert_eq!(checked.more, 0);
    checked.findings.iter().map(ToString::to_string).collect()
}

/// Graphs of the corpus that TensorFlow 2.21 does not import either, with the reason.
const BROKEN: &[(&str, &str)] = &[
    (
        "graphs/handles.pb",
        r#"node["resource"]: attribute "dtype" is missing, and op Const has no default"#,
    ),
    ("graphs/names.meta", r#"node["A.-_/\\1/.starts_with.a-dot"]: TensorFlow refuses this name"#),
];

#[test]
fn graphs_that_tensorflow_imports_have_no_findings() {
    let mut broken = 0;
    for file in graph_files() {
        let ops = OpTable::decode(&file.ops[..]).unwrap().over(OpTable::builtin());
        for ops in [&ops, OpTable::builtin()] {
            let findings = check(&Graph::new(&file.graph).unwrap(), ops, 5).findings;
            let lines: Vec<_> = findings.iter().map(ToString::to_string).collect();
            match BROKEN.iter().find(|(path, _)| *path == file.path) {
                Some((_, line)) => {
                    assert!(lines[0].starts_with(line), "{lines:?}");
                    broken += 1;
                }
                None => assert!(lines.is_empty(), "{}: {lines:?}", file.path),
            }
        }
    }
    assert_eq!(broken, 2 * BROKEN.len());
}

#[test]
fn names_ops_and_devices_of_nodes_are_checked() {
    for (text, expected) in [
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'Matmul' input: 'a' input: 'a' }",
            &[
                r#"node["b"].op: "Matmul" is neither an op nor a function of the library; did you mean MatMul?"#,
            ][..],
        ),
        ("node { name: 'a' }", &[r#"node["a"].op: is missing"#][..]),
        (
            "node { name: 'a b' op: 'NoOp' } node { name: '_a' op: 'NoOp' } node { name: 'a>.b/c-d' op: 'NoOp' }",
            &[
                r#"node["a b"]: TensorFlow refuses this name: a name starts with a letter, a digit or a dot, followed by these or _ / - >"#,
                r#"node["_a"]: TensorFlow refuses this name: a name starts with a letter, a digit or a dot, followed by these or _ / - >"#,
            ][..],
        ),
        (
            "node { name: 'a' op: 'NoOp' } node { name: 'a' op: 'NoOp' }",
            &[r#"node["a"]: the name is taken by an earlier node"#][..],
        ),
        (
            "node { name: 'a' op: 'Old' } versions { producer: 8 }",
            &[
                r#"node["a"].op: op Old was removed in GraphDef version 8; the graph's producer version is 8"#,
            ][..],
        ),
        ("node { name: 'a' op: 'Old' } versions { producer: 7 }", &[][..]),
        (
            "node { name: 'a' op: 'NoOp' device: '/job:w/gpu:x' } node { name: 'b' op: 'NoOp' device: '/job:w/task:0/device:GPU:*' }",
            &[
                r#"node["a"].device: "/gpu:x" is not a part of a device: /job:NAME/replica:N/task:N/device:TYPE:N, or some of its parts"#,
            ][..],
        ),
    ] {
        assert_eq!(findings(text), expected, "{text}");
    }
}

#[test]
fn attributes_are_checked_against_the_op_definition() {
    for (text, expected) in [
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'Identity' input: 'a' }",
            &[r#"node["b"]: attribute "T" is missing, and op Identity has no default"#][..],
        ),
        (
            r"node { name: 'a' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }
attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} tensor_content: '\000\000\200' } } } }",
            &[
                r#"node["a"].attr["value"]: cannot be read: bytes of tensor_content: expected 4, as float32 of shape [] has, found 3"#,
            ][..],
        ),
        (
            "node { name: 'b' op: 'MaxPool' }",
            &[r#"node["b"]: attributes "ksize", "padding", "strides" are missing, and op MaxPool has no default"#, r#"node["b"]: has 0 data inputs, but op MaxPool accepts 1"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'Identity' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } attr { key: '_free' value { b: true } } attr { key: 'half_pixel_centers' value { b: true } } }",
            &[r#"node["b"].attr["half_pixel_centers"]: attribute "half_pixel_centers" is not in op Identity"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'Identity' input: 'a' attr { key: 'T' value { s: 'float' } } }",
            &[r#"node["b"].attr["T"]: is string, but op Identity accepts type"#][..],
        ),
        (
            "node { name: 'b' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INVALID } } }",
            &[r#"node["b"].attr["dtype"]: is DT_INVALID, which is not a type"#][..],
        ),
        (
            "node { name: 'b' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT_REF } } }",
            &[r#"node["b"].attr["dtype"]: is a reference to float32, which an attribute may not be"#][..],
        ),
        (
            "node { name: 'b' op: 'Placeholder' attr { key: 'dtype' value { } } }",
            &[r#"node["b"].attr["dtype"]: is nothing, but op Placeholder accepts type"#][..],
        ),
        (
            "node { name: 'b' op: 'Placeholder' attr { key: 'dtype' value { placeholder: 'T' } } }",
            &[r#"node["b"].attr["dtype"]: is placeholder, but op Placeholder accepts type"#][..],
        ),
        (
            "node { name: 'b' op: 'IdentityN' attr { key: 'T' value { list { i: 1 } } } }",
            &[r#"node["b"].attr["T"]: is list(int), but op IdentityN accepts list(type)"#, r#"node["b"]: has 0 data inputs, but op IdentityN accepts 1"#][..],
        ),
        (
            "node { name: 'b' op: 'IdentityN' attr { key: 'T' value { list { } } } }",
            &[r#"node["b"].attr["T"]: has 0 items, but op IdentityN accepts 1 or more"#][..],
        ),
        (
            "node { name: 'b' op: 'AddN' attr { key: 'N' value { i: 0 } } attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"].attr["N"]: is 0, but op AddN accepts 1 or more"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'BatchToSpace' input: 'a' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'Tidx' value { type: DT_STRING } } attr { key: 'block_size' value { i: 2 } } }",
            &[r#"node["b"].attr["Tidx"]: is string, but op BatchToSpace accepts int32 or int64"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'BiasAdd' input: 'a' input: 'a' attr { key: 'data_format' value { s: 'CHWN' } } attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"].attr["data_format"]: is "CHWN", but op BiasAdd accepts "NHWC" or "NCHW""#][..],
        ),
        (
            "node { name: 'b' op: 'PartitionedCall' attr { key: 'Tin' value { list { } } } attr { key: 'Tout' value { list { } } } attr { key: 'f' value { func { name: 'f' } } } }",
            &[r#"node["b"].attr["f"]: function "f" is not in the library"#][..],
        ),
    ] {
        assert_eq!(findings(text), expected, "{text}");
    }
}

#[test]
fn inputs_must_name_existing_outputs() {
    for (text, expected) in [
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'Identity' input: 'aa' attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"].input[0]: no node "aa"; did you mean a?"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'MatMul' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"]: has 1 data input, but op MatMul accepts 2"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'AddN' input: 'a' input: 'a' input: 'a' attr { key: 'N' value { i: 2 } } attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"]: has 3 data inputs, but op AddN accepts 2"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'IdentityN' input: 'a' attr { key: 'T' value { list { type: [DT_FLOAT, DT_FLOAT] } } } }",
            &[r#"node["b"]: has 1 data input, but op IdentityN accepts 2"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'Identity' input: '^a' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"].input[1]: data input "a" comes after control input "^a""#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'NoOp' input: '^' input: '^a:0' input: '^c' }",
            &[r#"node["b"].input[0]: names no node"#, r#"node["b"].input[1]: control input "^a:0" has an output number, which only data inputs have"#, r#"node["b"].input[2]: no node "c""#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'Identity' input: 'a:1' attr { key: 'T' value { type: DT_FLOAT } } } node { name: 'c' op: 'Identity' input: 'a:x' attr { key: 'T' value { type: DT_FLOAT } } } node { name: 'd' op: 'Identity' input: 'a:-1' attr { key: 'T' value { type: DT_FLOAT } } } node { name: 'e' op: 'Identity' input: '' attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"].input[0]: "a:1": node "a" has 1 output"#, r#"node["c"].input[0]: "x" in "a:x" is not the number of an output"#, r#"node["d"].input[0]: "-1" in "a:-1" is not the number of an output"#, r#"node["e"].input[0]: names no node"#][..],
        ),
        (
            "node { name: 'a' op: 'NoOp' } node { name: 'b' op: 'Identity' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"].input[0]: "a": node "a" has 0 outputs"#][..],
        ),
        (
            "node { name: 'b' op: 'Identity' input: 'b' attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"]: is an input of itself"#][..],
        ),
        (
            "node { name: 'a' op: 'NoOp' input: '^b' } node { name: 'b' op: 'NoOp' input: '^c' } node { name: 'c' op: 'NoOp' input: '^a' } node { name: 'd' op: 'NoOp' input: '^c' }",
            &[r#"node["a"]: is in a cycle with b, c, and no node of it is a NextIteration"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'Merge' input: 'a' input: 'c' attr { key: 'N' value { i: 2 } } attr { key: 'T' value { type: DT_FLOAT } } } node { name: 'c' op: 'NextIteration' input: 'b' attr { key: 'T' value { type: DT_FLOAT } } }",
            &[][..],
        ),
        (
            "node { name: 'b' op: 'Merge' input: 'c' input: 'c' attr { key: 'N' value { i: 2 } } attr { key: 'T' value { type: DT_FLOAT } } } node { name: 'c' op: 'NextIteration' input: 'b' attr { key: 'T' value { type: DT_FLOAT } } }",
            &[r#"node["b"]: is in a cycle with c, and no node of it is a NextIteration"#][..],
        ),
    ] {
        assert_eq!(findings(text), expected, "{text}");
    }
}

#[test]
fn functions_are_checked_by_their_own_rules() {
    for (text, expected) in [
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x:0' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x:1' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["f"].node_def["n"].input[0]: "x:1": "x" is 1 tensor"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } } node_def { name: 'm' op: 'Identity' input: 'n' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["f"].node_def["m"].input[0]: "n" is a node without an output; the form is n:OUTPUT:0"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } } node_def { name: 'm' op: 'Identity' input: 'n:out:0' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["f"].node_def["m"].input[0]: node "n" has no output "out"; did you mean output?"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } } node_def { name: 'm' op: 'Identity' input: 'n:output:1' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["f"].node_def["m"].input[0]: "n:output:1": "output" is 1 tensor"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'z' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["f"].node_def["n"].input[0]: no node or argument "z""#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'z' value: 'n:output:0' } } }",
            &[r#"library.function["f"].ret["z"]: function f has no output "z""#, r#"library.function["f"].ret: output "y" is missing"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'm:output:0' } } }",
            &[r#"library.function["f"].ret["y"]: no node or argument "m""#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } control_ret { key: 'c' value: 'm' } } }",
            &[r#"library.function["f"].control_ret["c"]: function f has no control output "c""#, r#"library.function["f"].control_ret["c"]: no node "m""#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'x' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'x' } } }",
            &[r#"library.function["f"].node_def["x"]: the name is that of an argument"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x:0' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["f"]: an earlier function of this name differs"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[][..],
        ),
        (
            "library { function { signature { name: 'MatMul' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["MatMul"]: the name is that of an op"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'f' input: 'x' }
  ret { key: 'y' value: 'n:y:0' } } }",
            &[r#"library.function["f"]: function f calls itself"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'g' input: 'x' }
  ret { key: 'y' value: 'n:y:0' } } function { signature { name: 'g' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'PartitionedCall' input: 'x' attr { key: 'Tin' value { list { type: DT_FLOAT } } } attr { key: 'Tout' value { list { type: DT_FLOAT } } } attr { key: 'f' value { func { name: 'f' } } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["f"]: function f calls itself, through g"#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type_attr: 'T' } output_arg { name: 'y' type_attr: 'T' } attr { name: 'T' type: 'type' } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { placeholder: 'T' } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type_attr: 'T' } output_arg { name: 'y' type_attr: 'T' } attr { name: 'T' type: 'type' } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { placeholder: 'U' } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["f"].node_def["n"].attr["T"]: function f has no attribute "U""#][..],
        ),
        (
            "library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"library.function["f"].node_def["n"]: attribute "T" is missing, and op Identity has no default"#][..],
        ),
        (
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
node { name: 'b' op: 'f' input: 'a' input: 'a' } node { name: 'c' op: 'Identity' input: 'b:1' attr { key: 'T' value { type: DT_FLOAT } } }
library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
  node_def { name: 'n' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
  ret { key: 'y' value: 'n:output:0' } } }",
            &[r#"node["b"]: has 2 data inputs, but op f accepts 1"#, r#"node["c"].input[0]: "b:1": node "b" has 1 output"#][..],
        ),
    ] {
        assert_eq!(findings(text), expected, "{text}");
    }
}

fn node(name: String, op: &str, input: Vec<String>) -> NodeDef {
    NodeDef { name, op: op.into(), input, ..Default::default() }
}

fn checked(node: Vec<NodeDef>, limit: usize) -> ckdiff::graph::Checked {
    let graph = GraphDef { node, ..Default::default() }.encode_to_vec();
    let ty = ty("tensorflow.GraphDef");
    let graph = Message::decode(Schema::tensorflow(), ty, graph).unwrap();
    check(&Graph::new(graph.bytes()).unwrap(), OpTable::builtin(), limit)
}

#[test]
fn a_long_cycle_is_found() {
    const LEN: usize = 100_000;
    let after = |at: usize| vec![format!("^n{at}")];
    let chain =
        |at| node(format!("n{at}"), "NoOp", if at == 0 { Vec::new() } else { after(at - 1) });
    let mut nodes: Vec<_> = (0..LEN).map(chain).collect();
    assert_eq!(checked(nodes.clone(), 5).findings, []);
    nodes[0].input = after(LEN - 1);
    let found = checked(nodes, 5).findings;
    let problem =
        "is in a cycle with n1, n2, n3 and 99996 more, and no node of it is a NextIteration";
    let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(lines, [format!("node[\"n0\"]: {problem}")]);
}

#[test]
fn a_million_findings_are_counted_and_the_first_ones_reported() {
    let wrong = vec!["gone:1".to_owned(); 1_000_000];
    let checked = checked(vec![node("a".into(), "NoOp", wrong)], 2);
    let lines: Vec<_> = checked.findings.iter().map(ToString::to_string).collect();
    let problem = "no node \"gone\"";
    let expected = [0, 1].map(|input| format!("node[\"a\"].input[{input}]: {problem}"));
    assert_eq!(lines, expected);
    // The number of all other findings.
    assert_eq!(checked.more, 999_999);
}

#[test]
fn truncated_graphs_are_survived() {
    let (mut cut, mut accepted) = (0, 0);
    for file in graph_files() {
        for end in (0..file.graph.len()).step_by(997) {
            cut += 1;
            if let Ok(graph) = Graph::new(&file.graph[..end]) {
                check(&graph, OpTable::builtin(), 3);
                accepted += 1;
            }
        }
    }
    // A graph that is cut inside a node is refused; an empty graph is accepted.
    assert!(accepted > 25 && accepted < cut, "{accepted} of {cut}");
}

#[test]
fn devices_have_one_form() {
    for (text, canonical) in [
        ("", ""),
        ("/", ""),
        ("/job:*/cpu:*", "/device:CPU:*"),
        ("/gpu:0", "/device:GPU:0"),
        ("/GPU:1/task:2/job:a_b", "/job:a_b/task:2/device:GPU:1"),
        ("/replica:0/device:XLA_CPU:00", "/replica:0/device:XLA_CPU:0"),
        ("/device:TPU", "/device:TPU:*"),
        ("/device:*:3", "/device:*:3"),
        ("/task:1/task:2", "/task:2"),
    ] {
        let device: DeviceSpec = text.parse().unwrap();
        assert_eq!(device.to_string(), canonical, "{text}");
        assert_eq!(canonical.parse::<DeviceSpec>().unwrap(), device, "{text}");
    }
    for text in ["gpu:0", "@a", "/job:", "/job:1", "/gpu:x", "/task:-1", "//", "/cpu:0/", "/é"] {
        let error = text.parse::<DeviceSpec>().unwrap_err().to_string();
        assert!(error.contains(" is not a part of a device"), "{error}");
    }
}

/// The search for similar names has a total time limit.
#[test]
fn suggestions_for_long_names_are_fast() {
    let name = |kind: char, at: usize| format!("{kind}{at}{}", "x".repeat(500));
    let mut nodes: Vec<_> = (0..100).map(|at| node(name('a', at), "NoOp", Vec::new())).collect();
    let missing = (0..1_000).map(|at| format!("^{}", name('b', at))).collect();
    nodes.push(node("last".into(), "NoOp", missing));
    let start = std::time::Instant::now();
    let found = checked(nodes, 1_000).findings;
    assert_eq!(found.len(), 1_000);
    assert!(found[0].to_string().contains("did you mean"), "{}", found[0]);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

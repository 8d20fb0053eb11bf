//! Small pairs of graphs in which a rename and another edit touch each other: each edit is reported once.

use crate::support::graph::pairs::{compared, lines, of_lines, semantic};

/// Description, lhs, rhs, and the number of semantic changes; a graph has one node per line as `NAME = OP(INPUTS)`.
const PAIRS: &[(&str, &str, &str, usize)] = &[
    (
        "the last node of a renamed scope, taken at another place",
        "in = Placeholder()\na/x = Tanh(in)\na/y = Tanh(a/x)\nc = Const()\nout = RealDiv(a/y, c)",
        "in = Placeholder()\nb/x = Tanh(in)\nb/y = Tanh(b/x)\nc = Const()\nout = RealDiv(c, b/y)",
        2,
    ),
    (
        "the last node of a renamed scope, with a new node behind it",
        "in = Placeholder()\na/x = Tanh(in)\na/y = Tanh(a/x)\nout = Relu(a/y)",
        "in = Placeholder()\nb/x = Tanh(in)\nb/y = Tanh(b/x)\nnew = Exp(b/y)\nout = Relu(new)",
        2,
    ),
    (
        "two variables whose new names sort the other way round",
        "v1/v = VariableV2()\nv1/i = Const()\nv1/a = Assign(v1/v, v1/i)\nv1/r = Identity(v1/v)
v2/v = VariableV2()\nv2/i = Const()\nv2/a = Assign(v2/v, v2/i)\nv2/r = Identity(v2/v)\nout = Sub(v1/r, v2/r)",
        "z/v = VariableV2()\nz/i = Const()\nz/a = Assign(z/v, z/i)\nz/r = Identity(z/v)
y/v = VariableV2()\ny/i = Const()\ny/a = Assign(y/v, y/i)\ny/r = Identity(y/v)\nout = Sub(z/r, y/r)",
        2,
    ),
];

#[test]
fn edits_next_to_a_rename_are_reported_by_themselves() {
    for (what, lhs, rhs, expected) in PAIRS {
        let [lhs, rhs] = [lhs, rhs].map(|nodes| of_lines(nodes, |_| String::new()));
        let (there, back) = (compared(&lhs, &rhs), compared(&rhs, &lhs));
        let counts = [&there, &back].map(|diff| semantic(diff).len());
        assert_eq!(counts, [*expected; 2], "{what}\n{}\n{}", lines(&there), lines(&back));
    }
}

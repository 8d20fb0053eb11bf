//! What is said of added and removed nodes: their scope, their variables, and what they are between.

use ckdiff::artifact::Artifact;
use ckdiff::diff::{ChangeKind, Detail};

use crate::support::graph::pairs::{attr, compared, of_lines, semantic};

/// A graph has one node per line as `NAME = OP(INPUTS) SHAPE`, the shape optional.
fn graph(nodes: &str) -> Artifact<'static> {
    of_lines(nodes, |shape| {
        let sizes = shape.trim().split('x').filter(|size| !size.is_empty());
        let dims: String = sizes.map(|size| format!("dim {{ size: {size} }}")).collect();
        if dims.is_empty() { dims } else { attr("shape", &format!("shape {{ {dims} }}")) }
    })
}

/// A case: description, lhs, the nodes that rhs has more; then the last step of the path, variables, inputs and consumers.
type Case = (&'static str, &'static str, &'static str, &'static str, [&'static [&'static str]; 3]);

const CASES: &[Case] = &[
    (
        "a layer with its optimizer",
        "x = Placeholder()\ny = Relu(x)",
        "d/kernel = VariableV2() 4x8\nd/kernel/Adam = VariableV2() 4x8\nd/m = MatMul(x, d/kernel)\nd/Relu = Relu(d/m)\nz = Sum(d/Relu)
train/d = ApplyAdam(d/kernel, d/kernel/Adam)",
        "d/",
        [&["kernel [4, 8]"], &["x"], &[]],
    ),
    (
        "a function of other nodes",
        "x = Placeholder()\nc = Const()\ny = Relu(x)",
        "s/a = Mul(x, c)\ns/b = Sub(s/a, y)",
        "s/",
        [&[], &["x", "y"], &[]],
    ),
    (
        "a handle that is read",
        "h = VarHandleOp()\nx = Placeholder()",
        "s/read = ReadVariableOp(h)\ns/mul = Mul(s/read, x)",
        "s/",
        [&[], &["x"], &[]],
    ),
    (
        "moving averages in several scopes",
        "x = Placeholder()",
        "a/ema = VariableV2() 2\nb/ema = VariableV2() 2\nupdate_1 = Sum(a/ema, b/ema)",
        "…/ema/",
        [&[], &[], &[]],
    ),
    (
        "a variable whose nodes are in several scopes",
        "x = Placeholder()",
        "w/part_1 = VariableV2() 3x5\ninit/w = Assign(w/part_1)\ngather = Gather(w/part_1, x)\ngrad/w = Tanh(gather)\ntrain/w = Sub(w/part_1, grad/w)",
        "w/part_1",
        [&["part_1 [3, 5]"], &[], &[]],
    ),
    ("no scope in common", "x = Placeholder()", "a = Tanh(x)\nb = Exp(a)", "a", [&[], &[], &[]]),
];

#[test]
fn groups_say_where_they_are() {
    for &(what, lhs, more, path, [variables, inputs, consumers]) in CASES {
        let (lhs, rhs) = (graph(lhs), graph(&format!("{lhs}\n{more}")));
        for (kind, diff) in
            [(ChangeKind::Added, compared(&lhs, &rhs)), (ChangeKind::Removed, compared(&rhs, &lhs))]
        {
            let [change] = *semantic(&diff) else { panic!("{what}: {:?}", diff.changes) };
            let Detail::Nodes(nodes) = &change.detail else { panic!("{what}: {change:?}") };
            assert_eq!(change.kind, kind, "{what}");
            assert_eq!(change.path.key_in("node"), Some(path), "{what}");
            assert_eq!(nodes.variables, variables, "{what}");
            assert_eq!(nodes.inputs, inputs, "{what}");
            assert_eq!(nodes.consumers, consumers, "{what}");
        }
    }
}

#[test]
fn a_layer_is_between_its_neighbors() {
    let lhs = graph("x = Placeholder()\ny = Relu(x)\nsave/SaveV2 = SaveV2()");
    let rhs = graph(
        "x = Placeholder()\nd/bias = VariableV2() 8\nd/add = Add(x, d/bias)\ny = Relu(d/add)\nsave/SaveV2 = SaveV2(d/bias)",
    );
    let diff = compared(&lhs, &rhs);
    let added = diff.changes.iter().find_map(|change| match &change.detail {
        Detail::Nodes(nodes) if change.kind == ChangeKind::Added => Some(nodes),
        _ => None,
    });
    let added = added.expect("two nodes are new");
    // The saver saves the variable, and computes nothing from it.
    assert_eq!((&*added.inputs, &*added.consumers), (&["x".into()][..], &["y".into()][..]));
}

#[test]
fn lists_are_short_whatever_the_graph() {
    let more: String = (0..40).map(|at| format!("s/v{at} = VariableV2() 2\n")).collect();
    let uses: String = (0..40).map(|at| format!("u{at} = Tanh(s/v{at})\n")).collect();
    let long = "n".repeat(5_000);
    let lhs = format!("{long} = Placeholder()\n{}", uses.replace("(s/v", "(old"));
    let rhs = format!("{long} = Placeholder()\n{more}s/all = Neg({long})\n{uses}");
    let diff = compared(&graph(lhs.trim()), &graph(rhs.trim()));
    for change in semantic(&diff) {
        let Detail::Nodes(nodes) = &change.detail else { continue };
        assert!(nodes.variables.len() <= 8 && nodes.consumers.len() <= 8);
        assert!(nodes.inputs.is_empty(), "a long name is not repeated");
    }
}

//! Small pairs of graphs in which TensorFlow numbered nodes anew, and pairs that only look like it.

use ckdiff::artifact::Artifact;
use ckdiff::diff::{ChangeKind, Diff};

use crate::support::graph::pairs::{attr, compared, lines, of_lines, semantic};

/// A case: description, lhs, rhs, the renames, and the other semantic changes: kind and last step of the path.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [(&'static str, &'static str)],
);

/// A graph has one node per line as `NAME = OP(INPUTS) SHAPE @COLOCATED`, the last two optional.
const CASES: &[Case] = &[
    (
        "a layer in front",
        "x = Placeholder()
dense/kernel = VariableV2() 8x4\ndense/MatMul = MatMul(x, dense/kernel)\ndense/Relu = Relu(dense/MatMul)
dense_1/kernel = VariableV2() 4x2\ndense_1/MatMul = MatMul(dense/Relu, dense_1/kernel)\ny = Sum(dense_1/MatMul)
g/dense_1/grad = MatMul(y, dense_1/kernel)\ng/dense/grad = MatMul(g/dense_1/grad, dense/kernel)
update_dense/kernel = Assign(dense/kernel, g/dense/grad)\nupdate_dense_1/kernel = Assign(dense_1/kernel, g/dense_1/grad)",
        "x = Placeholder()
dense/kernel = VariableV2() 8x8\ndense/MatMul = MatMul(x, dense/kernel)\ndense/Relu = Relu(dense/MatMul)
dense_1/kernel = VariableV2() 8x4\ndense_1/MatMul = MatMul(dense/Relu, dense_1/kernel)\ndense_1/Relu = Relu(dense_1/MatMul)
dense_2/kernel = VariableV2() 4x2\ndense_2/MatMul = MatMul(dense_1/Relu, dense_2/kernel)\ny = Sum(dense_2/MatMul)
g/dense_2/grad = MatMul(y, dense_2/kernel)\ng/dense_1/grad = MatMul(g/dense_2/grad, dense_1/kernel)
g/dense/grad = MatMul(g/dense_1/grad, dense/kernel)
update_dense/kernel = Assign(dense/kernel, g/dense/grad)\nupdate_dense_1/kernel = Assign(dense_1/kernel, g/dense_1/grad)
update_dense_2/kernel = Assign(dense_2/kernel, g/dense_2/grad)",
        &[("dense", "dense_1"), ("dense_1", "dense_2")],
        &[("added", "dense/kernel")],
    ),
    (
        "the same layers, built later in a process",
        "x = Placeholder()\ndense/k = VariableV2() 2\ndense/m = MatMul(x, dense/k)\ndense_1/k = VariableV2() 2\ndense_1/m = MatMul(dense/m, dense_1/k)",
        "x = Placeholder()\ndense_1/k = VariableV2() 2\ndense_1/m = MatMul(x, dense_1/k)\ndense_2/k = VariableV2() 2\ndense_2/m = MatMul(dense_1/m, dense_2/k)",
        &[("dense", "dense_1"), ("dense_1", "dense_2")],
        &[],
    ),
    (
        "two numbers exchanged",
        "a_1/v = VariableV2() 3\na_1/r = Identity(a_1/v)\na_2/v = VariableV2() 5\na_2/r = Identity(a_2/v)\ny = Sub(a_1/r, a_2/r)",
        "a_2/v = VariableV2() 3\na_2/r = Identity(a_2/v)\na_1/v = VariableV2() 5\na_1/r = Identity(a_1/v)\ny = Sub(a_2/r, a_1/r)",
        &[("a_1", "a_2"), ("a_2", "a_1")],
        &[],
    ),
    (
        "a sum before numbered sums",
        "w = Placeholder()\nx = Placeholder()\nAddN = AddN(w, x)\np = Tanh(AddN)\nAddN_1 = AddN(x, p)\nq = Exp(AddN_1)",
        "w = Placeholder()\nx = Placeholder()\nAddN = AddN(w, w)\ns = Log(AddN)\nAddN_1 = AddN(w, x)\np = Tanh(AddN_1)\nAddN_2 = AddN(x, p)\nq = Exp(AddN_2)",
        &[("AddN", "AddN_1"), ("AddN_1", "AddN_2")],
        &[("added", "AddN")],
    ),
    (
        "equal layers exchanged in the data flow",
        "x = Placeholder()\na_1 = Tanh(x)\na_2 = Tanh(a_1)\ny = Relu(a_2)",
        "x = Placeholder()\na_1 = Tanh(a_2)\na_2 = Tanh(x)\ny = Relu(a_1)",
        &[],
        &[("modified", "a_1"), ("modified", "a_2"), ("modified", "y")],
    ),
    (
        "an input from another numbered node",
        "x = Placeholder()\na_1 = Tanh(x)\na_2 = Tanh(x)\ny = Relu(a_1)\nz = Exp(a_2)",
        "x = Placeholder()\na_1 = Tanh(x)\na_2 = Tanh(x)\ny = Relu(a_2)\nz = Exp(a_2)",
        &[],
        &[("modified", "y")],
    ),
    (
        "an input from another numbered node, beside a new one",
        "x = Placeholder()\na = Tanh(x)\na_1 = Tanh(a)\ny = Relu(a)\nz = Exp(a_1)",
        "x = Placeholder()\na = Tanh(x)\na_1 = Tanh(a)\na_2 = Tanh(a_1)\ny = Relu(a_1)\nz = Exp(a_1)\nw = Log(a_2)",
        &[],
        &[("modified", "y"), ("added", "a_2")],
    ),
    (
        "inputs from other numbered nodes, beside numbers that moved",
        "x = Placeholder()\na/v = VariableV2() 3\na/m = Mul(x, a/v)\na_1/v = VariableV2() 5\na_1/m = Mul(a/m, a_1/v)
a_2/v = VariableV2() 9\na_2/m = Mul(a_1/m, a_2/v)\ny = Sub(a/m, a_2/m)",
        "x = Placeholder()\na/v = VariableV2() 7\na/m = Mul(x, a/v)\na_1/v = VariableV2() 3\na_1/m = Mul(a/m, a_1/v)
a_2/v = VariableV2() 5\na_2/m = Mul(a_1/m, a_2/v)\na_3/v = VariableV2() 9\na_3/m = Mul(a_2/m, a_3/v)\ny = Sub(a_3/m, a_3/m)",
        &[("a", "a_1"), ("a_1", "a_2"), ("a_2", "a_3")],
        &[("added", "a"), ("modified", "y")],
    ),
    (
        "a colocation with a node that was numbered anew",
        "a/v = VariableV2() 3\na/r = Identity(a/v)\na_1/v = VariableV2() 5\na_1/r = Identity(a_1/v)\ny = Sub(a/r, a_1/r) @a_1/v",
        "a/v = VariableV2() 7\na/r = Identity(a/v)\nw = Log(a/r)\na_1/v = VariableV2() 3\na_1/r = Identity(a_1/v)\na_2/v = VariableV2() 5\na_2/r = Identity(a_2/v)\ny = Sub(a_1/r, a_2/r) @a_2/v",
        &[("a", "a_1"), ("a_1", "a_2")],
        &[("added", "a")],
    ),
    (
        "a colocation with a name that means another node",
        "a/v = VariableV2() 3\na/r = Identity(a/v)\na_1/v = VariableV2() 5\na_1/r = Identity(a_1/v)\ny = Sub(a/r, a_1/r) @a_1/v",
        "a/v = VariableV2() 7\na/r = Identity(a/v)\nw = Log(a/r)\na_1/v = VariableV2() 3\na_1/r = Identity(a_1/v)\na_2/v = VariableV2() 5\na_2/r = Identity(a_2/v)\ny = Sub(a_1/r, a_2/r) @a_1/v",
        &[("a", "a_1"), ("a_1", "a_2")],
        &[("added", "a"), ("modified", "y")],
    ),
];

fn graph(nodes: &str) -> Artifact<'static> {
    of_lines(nodes, |attrs| {
        let attrs = attrs.split_whitespace().map(|text| match text.strip_prefix('@') {
            Some(beside) => attr("_class", &format!("list {{ s: \"loc:@{beside}\" }}")),
            None => {
                let sizes = text.split('x').map(|size| format!("dim {{ size: {size} }} "));
                attr("shape", &format!("shape {{ {}}}", sizes.collect::<String>()))
            }
        });
        attrs.collect()
    })
}

/// The two sides of changes.
type Texts = Vec<(String, String)>;

/// The renames, and the kinds and nodes of the other semantic changes.
fn told(diff: &Diff) -> (Texts, Texts) {
    let (mut renames, mut others) = (Vec::new(), Vec::new());
    for change in semantic(diff) {
        let text = |side: &Option<String>| side.clone().unwrap_or_default();
        if change.kind == ChangeKind::Renamed {
            renames.push((text(&change.lhs), text(&change.rhs)));
            continue;
        }
        let path = change.path.to_string();
        let node = path.split('"').nth(1).unwrap().to_owned();
        others.push((change.kind.name().to_owned(), node));
    }
    renames.sort();
    others.sort();
    (renames, others)
}

#[test]
fn what_was_numbered_anew_is_renamed_and_what_was_rewired_is_not() {
    for (what, lhs, rhs, renames, others) in CASES {
        let [lhs, rhs] = [lhs, rhs].map(|nodes| graph(nodes));
        let (there, back) = (compared(&lhs, &rhs), compared(&rhs, &lhs));
        let texts = lines(&there) + "\n" + &lines(&back);
        let (found, changed) = told(&there);
        let pairs: Vec<_> = found.iter().map(|(l, r)| (&**l, &**r)).collect();
        assert_eq!(pairs, *renames, "{what}\n{texts}");
        assert_eq!(changed.len(), others.len(), "{what}\n{texts}");
        let mut wanted = others.to_vec();
        wanted.sort_unstable();
        for ((kind, node), (wanted, start)) in changed.iter().zip(wanted) {
            assert_eq!(kind, wanted, "{what}\n{texts}");
            assert!(node.starts_with(start.split('/').next().unwrap()), "{what}\n{texts}");
        }
        let mut mirrored: Vec<_> = told(&back).0.into_iter().map(|(l, r)| (r, l)).collect();
        mirrored.sort();
        assert_eq!(mirrored, found, "{what}\n{texts}");
        assert_eq!(told(&back).1.len(), changed.len(), "{what}\n{texts}");
    }
}

/// Layers of the same ops, each with a constant of its own; they are named in their order.
fn layers_of_constants(values: std::ops::Range<usize>) -> Artifact<'static> {
    let (mut nodes, mut last) = (vec!["x = Placeholder()".to_owned()], "x".to_owned());
    for (at, value) in values.enumerate() {
        let layer = if at == 0 { "dense".to_owned() } else { format!("dense_{at}") };
        nodes.push(format!("{layer}/kernel = Const() {value}"));
        nodes.push(format!("{layer}/product = MatMul({last}, {layer}/kernel)"));
        nodes.push(format!("{layer}/active = Relu({layer}/product)"));
        last = format!("{layer}/active");
    }
    of_lines(&nodes.join("\n"), |value| match value.trim() {
        "" => String::new(),
        value => attr("value", &format!("tensor {{ dtype: DT_FLOAT float_val: {value} }}")),
    })
}

#[test]
fn constants_tell_layers_apart_that_are_alike_otherwise() {
    let (lhs, rhs) = (layers_of_constants(1..30), layers_of_constants(0..30));
    for (diff, kind) in
        [(compared(&lhs, &rhs), ChangeKind::Added), (compared(&rhs, &lhs), ChangeKind::Removed)]
    {
        let changes = semantic(&diff);
        let others: Vec<_> = changes.iter().filter(|c| c.kind != ChangeKind::Renamed).collect();
        let [change] = others.as_slice() else { panic!("{}", lines(&diff)) };
        assert_eq!((change.kind, change.path.key_in("node")), (kind, Some("dense/")));
    }
}

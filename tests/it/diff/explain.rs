//! Changes that are reported together: equal edits, and what follows from others.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ckdiff::artifact::Artifact;
use ckdiff::diff::{self, Change, ChangeKind, Diff, DiffOptions, Grouping, ReportedChange, Weight};
use ckdiff::progress::Silent;

use crate::support::graph::pairs::{attr, compared, every_pair, of_lines};

/// A node per line as `NAME = OP(INPUTS) ATTRIBUTES`, the attributes as `name: VALUE` of an `AttrValue`.
fn graph(nodes: &str) -> Artifact<'static> {
    of_lines(nodes, |attrs| {
        let attrs = attrs.split(';').filter_map(|text| text.trim().split_once(": "));
        attrs.map(|(key, value)| attr(key, value)).collect()
    })
}

fn reported(diff: &Diff) -> Vec<ReportedChange<'_>> {
    diff.reported().filter(|reported| reported.change.weight == Weight::Semantic).collect()
}

/// Each reported change: its kind, the number of equal edits, and the number of changes that follow.
fn counts(diff: &Diff) -> Vec<(ChangeKind, u64, usize)> {
    let mut counts: Vec<_> =
        reported(diff).iter().map(|t| (t.change.kind, t.count(), t.follows().count())).collect();
    counts.sort_unstable();
    counts
}

/// A reported change: its path, the number of equal edits, and of changes that follow.
type Expected = (&'static str, u64, usize);

/// Description, lhs, rhs, and the changes that are reported.
const EDITS: &[(&str, &str, &str, &[Expected])] = &[
    (
        "one attribute of several nodes",
        "a = Cast() t: f: 1\nb = Cast() t: f: 1\nc = Tanh() t: f: 1",
        "a = Cast() t: f: 2\nb = Cast() t: f: 2\nc = Tanh() t: f: 2",
        &[(r#"graph_def.node["a"].attr["t"]"#, 3, 0)],
    ),
    (
        "other values of one attribute",
        "a = Cast() t: f: 1\nb = Cast() t: f: 1",
        "a = Cast() t: f: 2\nb = Cast() t: f: 3",
        &[(r#"graph_def.node["a"].attr["t"]"#, 1, 0), (r#"graph_def.node["b"].attr["t"]"#, 1, 0)],
    ),
    (
        "equal values of other attributes",
        "a = Cast() t: f: 1\nb = Cast() u: f: 1",
        "a = Cast() t: f: 2\nb = Cast() u: f: 2",
        &[(r#"graph_def.node["a"].attr["t"]"#, 1, 0), (r#"graph_def.node["b"].attr["u"]"#, 1, 0)],
    ),
    (
        "another op with other attributes",
        "a = Relu() t: f: 1\nb = Tanh(a)",
        "a = Elu() u: f: 1\nb = Tanh(a)",
        &[(r#"graph_def.node["a"].op"#, 1, 2)],
    ),
    (
        "a wider variable, with its initial value and its slot",
        "v = VariableV2() shape: shape { dim { size: 8 } }
v/Adam = VariableV2() shape: shape { dim { size: 8 } }
v/Initializer/zeros = Const() value: tensor { dtype: DT_FLOAT tensor_shape { dim { size: 8 } } float_val: 0 }
w = Cast() t: f: 1",
        "v = VariableV2() shape: shape { dim { size: 16 } }
v/Adam = VariableV2() shape: shape { dim { size: 16 } }
v/Initializer/zeros = Const() value: tensor { dtype: DT_FLOAT tensor_shape { dim { size: 16 } } float_val: 0 }
w = Cast() t: f: 2",
        &[
            (r#"graph_def.node["v"].attr["shape"]"#, 3, 0),
            (r#"graph_def.node["w"].attr["t"]"#, 1, 0),
        ],
    ),
    (
        "two variables that are wider by other sizes",
        "v = VariableV2() shape: shape { dim { size: 8 } }\nw = VariableV2() shape: shape { dim { size: 8 } }",
        "v = VariableV2() shape: shape { dim { size: 16 } }\nw = VariableV2() shape: shape { dim { size: 32 } }",
        &[
            (r#"graph_def.node["v"].attr["shape"]"#, 1, 0),
            (r#"graph_def.node["w"].attr["shape"]"#, 1, 0),
        ],
    ),
    (
        "a gradient beside its op, and another edit",
        "a = Relu() t: f: 1\nb = Tanh() u: f: 1\ngradients/a_grad/x = Mul() v: f: 1",
        "a = Relu() t: f: 2\nb = Tanh() u: f: 5\ngradients/a_grad/x = Mul() v: f: 9",
        &[(r#"graph_def.node["a"].attr["t"]"#, 1, 1), (r#"graph_def.node["b"].attr["u"]"#, 1, 0)],
    ),
    (
        "a gradient alone",
        "a = Relu()\ngradients/a_grad/x = Mul() v: f: 1",
        "a = Relu()\ngradients/a_grad/x = Mul() v: f: 9",
        &[(r#"graph_def.node["gradients/a_grad/x"].attr["v"]"#, 1, 0)],
    ),
    (
        "two activations replaced far from each other",
        "x = Placeholder()\na = Relu(x)\na1 = Neg(a)\nb = Relu(a1)\nb1 = Exp(b)",
        "x = Placeholder()\nc = Elu(x)\na1 = Neg(c)\nd = Selu(a1)\nb1 = Exp(d)",
        &[(r#"graph_def.node["a"]"#, 1, 1), (r#"graph_def.node["b"]"#, 1, 1)],
    ),
    (
        "exchanged inputs that have numbers in their names",
        "x_1 = Placeholder()\nx_2 = Placeholder() t: f: 1\na = Neg(x_1)\nb = Exp(x_2)",
        "x_1 = Placeholder()\nx_2 = Placeholder() t: f: 1\na = Neg(x_2)\nb = Exp(x_1)",
        &[(r#"graph_def.node["a"].input[0]"#, 1, 1)],
    ),
    (
        "long values that differ behind their start",
        "a = Cast() t: s: LONG0\nb = Cast() t: s: LONG0",
        "a = Cast() t: s: LONG1\nb = Cast() t: s: LONG2",
        &[(r#"graph_def.node["a"].attr["t"]"#, 1, 0), (r#"graph_def.node["b"].attr["t"]"#, 1, 0)],
    ),
    (
        "long constants that differ behind their start",
        "a = Const() value: CONST0\nb = Const() value: CONST0\nc = Const() value: CONST0",
        "a = Const() value: CONST1\nb = Const() value: CONST2\nc = Const() value: CONST1",
        &[(r#"graph_def.node["a"].attr["value"].tensor"#, 2, 0), (r#"graph_def.node["b"].attr["value"].tensor"#, 1, 0)],
    ),
    (
        "initial values of two variables",
        "v/Initializer/zeros = Const() value: SCALAR0\nw/Initializer/zeros = Const() value: SCALAR0",
        "v/Initializer/zeros = Const() value: SCALAR1\nw/Initializer/zeros = Const() value: SCALAR2",
        &[
            (r#"graph_def.node["v/Initializer/zeros"].attr["value"].tensor"#, 1, 0),
            (r#"graph_def.node["w/Initializer/zeros"].attr["value"].tensor"#, 1, 0),
        ],
    ),
    (
        "a value, and what has nothing to do with it",
        "a = Cast() t: f: 1\nv/Initializer/zeros = Const() value: SCALAR0\ngradients/b/Const = Const() value: SCALAR0\nc = Relu()",
        "a = Cast() t: f: 2\nv/Initializer/zeros = Const() value: SCALAR1\ngradients/b/Const = Const() value: SCALAR2\nc = Relu(^a)",
        &[
            (r#"graph_def.node["a"].attr["t"]"#, 1, 0),
            (r#"graph_def.node["v/Initializer/zeros"].attr["value"].tensor"#, 1, 0),
            (r#"graph_def.node["gradients/b/Const"].attr["value"].tensor"#, 1, 0),
            (r#"graph_def.node["c"].input["^a"]"#, 1, 0),
        ],
    ),
    (
        "another type, and casts to it",
        "x = Placeholder() dtype: type: DT_FLOAT\ny = Exp(x)\nc = Const() value: SCALAR0\nz = Sub(y, c)",
        "x = Placeholder() dtype: type: DT_DOUBLE\nto = Cast(x)\ny = Exp(to)\nc = Const() value: DOUBLE0\nz = Sub(y, c)",
        &[(r#"graph_def.node["x"].attr["dtype"]"#, 2, 1)],
    ),
    (
        "seeds that are drawn for each node",
        "r = RandomUniform() seed2: i: 1\ns = RandomUniform() seed2: i: 2\nv/Initializer/u/seed = Const() value: SCALAR0",
        "r = RandomUniform() seed2: i: 3\ns = RandomUniform() seed2: i: 5\nv/Initializer/u/seed = Const() value: SCALAR1",
        &[(r#"graph_def.node["r"].attr["seed2"]"#, 3, 0)],
    ),
    (
        "a node more, which moves seeds",
        "x = Placeholder()\nr = RandomUniform(x) seed2: i: 1",
        "x = Placeholder()\nnew = Tanh(x)\nr = RandomUniform(x) seed2: i: 2",
        &[(r#"graph_def.node["new"]"#, 1, 1)],
    ),
];

/// The text of a case with the values that its words stand for: the long ones differ behind what a report shows.
fn with_values(nodes: &str) -> String {
    let mut text = nodes.to_owned();
    for number in ["0", "1", "2"] {
        let constant = |dtype: &str, size: usize, values: &str| {
            let dim = if size > 0 { format!("dim {{ size: {size} }}") } else { String::new() };
            format!("tensor {{ dtype: {dtype} tensor_shape {{ {dim} }} {values} }}")
        };
        let zeros = "float_val: 0 ".repeat(99);
        text = text
            .replace(&format!("LONG{number}"), &format!("'{}{number}'", "a".repeat(5_000)))
            .replace(
                &format!("CONST{number}"),
                &constant("DT_FLOAT", 100, &format!("{zeros} float_val: {number}")),
            )
            .replace(
                &format!("SCALAR{number}"),
                &constant("DT_FLOAT", 0, &format!("float_val: {number}")),
            )
            .replace(
                &format!("DOUBLE{number}"),
                &constant("DT_DOUBLE", 0, &format!("double_val: {number}")),
            );
    }
    text
}

#[test]
fn an_edit_is_told_once_and_two_edits_twice() {
    for (what, lhs, rhs, expected) in EDITS {
        let (lhs, rhs) = (graph(&with_values(lhs)), graph(&with_values(rhs)));
        let (diff, back) = (compared(&lhs, &rhs), compared(&rhs, &lhs));
        assert_eq!(counts(&diff), mirrored(&back), "{what}");
        let found: Vec<_> = reported(&diff)
            .iter()
            .map(|t| (t.change.path.to_string(), t.count(), t.follows().count()))
            .collect();
        let found: Vec<_> = found.iter().map(|(path, n, m)| (&**path, *n, *m)).collect();
        assert_eq!(found, *expected, "{what}");
    }
}

/// The pairs of the repository, compared in both directions and without groups.
fn diffs() -> impl Iterator<Item = (String, [Diff; 3])> {
    every_pair().into_iter().map(|(name, sides)| {
        let [lhs, rhs] = sides.map(|side| Artifact::open(side).unwrap());
        let alone = DiffOptions { grouping: Grouping::Off, ..DiffOptions::default() };
        let compare = |a, b, options| diff::diff(a, b, options, &Silent).unwrap();
        let grouped = &DiffOptions::default();
        let diffs = [
            compare(&lhs, &rhs, grouped),
            compare(&rhs, &lhs, grouped),
            compare(&lhs, &rhs, &alone),
        ];
        (name, diffs)
    })
}

#[test]
fn every_change_is_in_one_group_and_none_is_lost() {
    let mut grouped = 0;
    for (name, [diff, _, alone]) in diffs() {
        let positions: Vec<usize> =
            diff.groups.iter().flat_map(|g| g.members.iter().chain(&g.follows)).copied().collect();
        let unique: BTreeSet<usize> = positions.iter().copied().collect();
        assert_eq!(positions.len(), diff.changes.len(), "{name}");
        assert_eq!(unique.len(), diff.changes.len(), "{name}");
        assert_eq!(diff.changes, alone.changes, "{name}");
        assert!(diff.groups.len() <= alone.groups.len(), "{name}");
        assert_eq!(diff.verdict(), alone.verdict(), "{name}");
        // The weight of a group is that of each of its changes.
        let is_of =
            |reported: ReportedChange<'_>, change: &Change| change.weight == reported.change.weight;
        assert!(
            diff.reported().all(|t| t.members().chain(t.follows()).all(|c| is_of(t, c))),
            "{name}"
        );
        grouped += alone.groups.len() - diff.groups.len();
    }
    assert!(grouped > 50, "{grouped}");
}

#[test]
fn swapped_sides_have_the_same_groups() {
    for (name, [there, back, _]) in diffs() {
        let semantic = |diff: &Diff| {
            diff.changes.iter().filter(|change| change.weight == Weight::Semantic).count()
        };
        if semantic(&there) != semantic(&back) {
            // An op definition that only grew is cosmetic; one that shrank is not.
            assert!(["op_changed", "op_grew"].contains(&&*name), "{name}");
            continue;
        }
        assert_eq!(counts(&there), mirrored(&back), "{name}");
    }
}

#[test]
fn many_changes_without_a_cause_take_linear_time() {
    const COUNT: usize = 40_000;
    // Values of the model, and of gradients that have nothing to do with them.
    let nodes = |side: usize| -> String {
        let pair = |at: usize| {
            let value = 2 * at + side;
            format!("a{at} = Cast() t: f: {value}.5\ngradients/b{at}/c = Cast() t: f: {value}.25\n")
        };
        (0..COUNT).map(pair).collect()
    };
    let (lhs, rhs) = (graph(nodes(0).trim_end()), graph(nodes(1).trim_end()));
    let started = Instant::now();
    let diff = compared(&lhs, &rhs);
    assert_eq!(reported(&diff).len(), 2 * COUNT);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// The counts of a comparison with the kinds of the swapped one.
fn mirrored(back: &Diff) -> Vec<(ChangeKind, u64, usize)> {
    let swapped = |(kind, count, follows)| match kind {
        ChangeKind::Added => (ChangeKind::Removed, count, follows),
        ChangeKind::Removed => (ChangeKind::Added, count, follows),
        kind => (kind, count, follows),
    };
    let mut mirrored: Vec<_> = counts(back).into_iter().map(swapped).collect();
    mirrored.sort_unstable();
    mirrored
}

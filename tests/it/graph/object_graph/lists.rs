//! Layers and variables in lists, whose keys are numbers: they are paired by what they are.

use ckdiff::artifact::Artifact;
use ckdiff::diff::{Diff, Status, TensorDiff, Weight};

use super::changes::compared;

/// The fixtures of a directory, each of which is compared with `base` or another.
fn lists(lhs: &str, rhs: &str) -> Diff {
    let open = |name: &str| Artifact::open(format!("tests/data/layer_lists/{name}")).unwrap();
    compared(&open(lhs), &open(rhs))
}

/// The variables, one line each: status, full name, and the key without its end, on both sides if it changed.
fn variables(diff: &Diff) -> Vec<String> {
    let end = "/.ATTRIBUTES/VARIABLE_VALUE";
    let line = |tensor: &TensorDiff| {
        let key = tensor.name.as_str()?.strip_suffix(end)?;
        let from = tensor.renamed_from.as_ref().and_then(|name| name.as_str()?.strip_suffix(end));
        let from = from.map(|from| format!(" from {from}")).unwrap_or_default();
        let name = tensor.full_name.as_ref().and_then(|name| name.as_str()).unwrap_or("?");
        Some(format!("{} {name}: {key}{from}", tensor.status.name()))
    };
    diff.tensors.iter().filter_map(line).collect()
}

fn semantic(diff: &Diff) -> Vec<String> {
    let changes = diff.reported().map(|found| found.change);
    let changes = changes.filter(|change| change.weight == Weight::Semantic);
    changes.map(|change| format!("{} {}", change.kind.name(), change.path)).collect()
}

#[test]
fn variables_meet_whatever_their_numbers() {
    let table: &[(&str, &str, &[&str])] = &[
        (
            "base",
            "retrained",
            &[
                "different dense/bias: layer-0/bias",
                "different dense/kernel: layer-0/kernel",
                "different dense_1/bias: layer-1/bias",
                "different dense_1/kernel: layer-1/kernel",
            ],
        ),
        (
            "base",
            "widened",
            &[
                "shape dense/bias: layer-0/bias",
                "shape dense/kernel: layer-0/kernel",
                "identical dense_1/bias: layer-1/bias",
                "shape dense_1/kernel: layer-1/kernel",
            ],
        ),
        (
            "base",
            "middle",
            &[
                "identical dense/bias: layer-0/bias",
                "identical dense/kernel: layer-0/kernel",
                "added extra/bias: layer-1/bias",
                "added extra/kernel: layer-1/kernel",
                "identical dense_1/bias: layer-2/bias from layer-1/bias",
                "identical dense_1/kernel: layer-2/kernel from layer-1/kernel",
            ],
        ),
        (
            "middle",
            "base",
            &[
                "identical dense/bias: layer-0/bias",
                "identical dense/kernel: layer-0/kernel",
                "removed extra/bias: layer-1/bias",
                "identical dense_1/bias: layer-1/bias from layer-2/bias",
                "removed extra/kernel: layer-1/kernel",
                "identical dense_1/kernel: layer-1/kernel from layer-2/kernel",
            ],
        ),
        (
            "base",
            "twice",
            &[
                "identical dense_2/bias: layer-0/bias",
                "identical dense_2/kernel: layer-0/kernel",
                "identical dense_3/bias: layer-1/bias",
                "identical dense_3/kernel: layer-1/kernel",
            ],
        ),
        (
            "alike",
            "alike_front",
            &[
                "added dense/bias: layer-0/bias",
                "added dense/kernel: layer-0/kernel",
                "identical dense_1/bias: layer-1/bias from layer-0/bias",
                "identical dense_1/kernel: layer-1/kernel from layer-0/kernel",
                "identical dense_2/bias: layer-2/bias from layer-1/bias",
                "identical dense_2/kernel: layer-2/kernel from layer-1/kernel",
            ],
        ),
        (
            "named",
            "exchanged",
            &[
                "different second/bias: layer-0/bias from layer-1/bias",
                "different second/kernel: layer-0/kernel from layer-1/kernel",
                "different first/bias: layer-1/bias from layer-0/bias",
                "different first/kernel: layer-1/kernel from layer-0/kernel",
            ],
        ),
    ];
    for (lhs, rhs, expected) in table {
        assert_eq!(variables(&lists(lhs, rhs)), *expected, "{lhs} against {rhs}");
    }
}

#[test]
fn an_item_that_comes_or_moves_is_one_change() {
    for (lhs, rhs, expected) in [
        ("base", "retrained", None),
        ("base", "twice", None),
        ("base", "middle", Some("added object_graph.nodes[\"layer-1\"]")),
        ("middle", "base", Some("removed object_graph.nodes[\"layer-1\"]")),
        ("base", "front", Some("added object_graph.nodes[\"layer-0\"]")),
    ] {
        let found = semantic(&lists(lhs, rhs));
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{lhs} against {rhs}");
    }
    for (lhs, rhs) in [("named", "exchanged"), ("exchanged", "named")] {
        let found = semantic(&lists(lhs, rhs));
        assert_eq!(found.len(), 1, "{lhs} against {rhs}: {found:?}");
        assert!(found[0].starts_with("renamed object_graph.nodes[\"layer-"), "{found:?}");
    }
}

#[test]
fn swapping_the_sides_swaps_the_pairs_of_lists() {
    let names = [
        "base",
        "retrained",
        "widened",
        "middle",
        "twice",
        "front",
        "alike",
        "alike_front",
        "named",
        "exchanged",
    ];
    for lhs in names {
        for rhs in names {
            let pairs = |diff: &Diff, is_swapped: bool| {
                let keys = |tensor: &TensorDiff| {
                    let to = tensor.rhs.is_some().then(|| tensor.name.to_string());
                    let from = tensor.renamed_from.as_ref().unwrap_or(&tensor.name).to_string();
                    let from = tensor.lhs.is_some().then_some(from);
                    if is_swapped { (to, from) } else { (from, to) }
                };
                let mut all: Vec<_> = diff.tensors.iter().map(keys).collect();
                all.sort();
                all
            };
            let (there, back) = (lists(lhs, rhs), lists(rhs, lhs));
            assert_eq!(pairs(&there, false), pairs(&back, true), "{lhs} against {rhs}");
            assert_eq!(there.verdict(), back.verdict(), "{lhs} against {rhs}");
            assert_eq!(semantic(&there).len(), semantic(&back).len(), "{lhs} against {rhs}");
            let is_same = there.tensors.iter().all(|tensor| tensor.status == Status::Identical);
            assert!(lhs != rhs || is_same && semantic(&there).is_empty(), "{lhs}");
        }
    }
}

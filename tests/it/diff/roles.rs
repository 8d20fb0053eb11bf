//! Whether weights changed, or only optimizer state: checkpoints written by TensorFlow.

use serde_json::Value;

use crate::support::command::{assert_valid, ckdiff};
use crate::support::named_snapshot;

/// The names of all tensors of each role, from the JSON report.
fn roles(lhs: &str, rhs: &str) -> [Vec<String>; 4] {
    let report = ckdiff(&[lhs, rhs, "--format=json", "--only=tensors"]).json();
    assert_valid(&report);
    let tensors = report["tensors"].as_array().unwrap();
    [Value::from("weight"), "optimizer".into(), "counter".into(), Value::Null].map(|role| {
        let of = tensors.iter().filter(|tensor| tensor["role"] == role);
        let short = |name: &str| name.replace("/.ATTRIBUTES/VARIABLE_VALUE", "");
        of.map(|tensor| short(tensor["name"].as_str().unwrap())).collect()
    })
}

#[test]
fn the_object_graph_knows_slots_and_counters() {
    let [weights, optimizer, counters, none] =
        roles("roles/module/trained-1", "roles/module/trained-2");
    assert_eq!(weights, ["net/frozen", "net/kernel"]);
    assert_eq!(
        optimizer,
        [
            "net/kernel/.OPTIMIZER_SLOT/optimizer/m",
            "net/kernel/.OPTIMIZER_SLOT/optimizer/v",
            "optimizer/beta1_power",
            "optimizer/beta2_power"
        ]
    );
    assert_eq!(counters, ["save_counter", "step"]);
    assert_eq!(none, ["_CHECKPOINTABLE_OBJECT_GRAPH"]);
}

#[test]
fn weights_under_the_name_of_the_optimizer_are_weights() {
    let [weights, optimizer, counters, _] = roles("roles/keras/before-1", "roles/keras/after-2");
    let numbered = |numbers: std::ops::Range<u32>, list: &str| -> Vec<String> {
        numbers.map(|at| format!("optimizer/{list}/{at}")).collect()
    };
    assert_eq!(weights, numbered(0..4, "_trainable_variables"));
    let mut expected = numbered(2..10, "_variables");
    expected.insert(0, "optimizer/_learning_rate".into());
    assert_eq!(optimizer, expected);
    assert_eq!(counters, ["optimizer/_iterations", "save_counter"]);
}

#[test]
fn names_of_tensorflow_1_decide_where_the_variable_exists() {
    let [weights, optimizer, counters, none] =
        roles("roles/graph/before.ckpt", "roles/graph/after.ckpt");
    assert_eq!(weights, ["dense/bias", "dense/kernel", "other/Adam"]);
    assert_eq!(
        optimizer,
        [
            "beta1_power",
            "beta2_power",
            "dense/bias/Adam",
            "dense/bias/Adam_1",
            "dense/kernel/Adam",
            "dense/kernel/Adam_1",
            "dense/kernel/Momentum"
        ]
    );
    assert_eq!((counters, none), (vec!["global_step".to_owned()], Vec::new()));
}

/// One side has an object graph, the other has names of TensorFlow 1: the roles of the object graph apply to both.
#[test]
fn a_graph_on_one_side_is_enough() {
    for pair in [
        ["by_name/objects.ckpt", "by_name/names.ckpt"],
        ["by_name/names.ckpt", "by_name/objects.ckpt"],
    ] {
        let [weights, optimizer, ..] = roles(pair[0], pair[1]);
        assert_eq!((weights.len(), optimizer.len()), (2, 2), "{weights:?} {optimizer:?}");
    }
}

#[test]
fn a_reader_sees_at_once_whether_weights_moved() {
    for (name, lhs, rhs) in [
        ("keras", "roles/keras/before-1", "roles/keras/after-2"),
        ("names", "roles/graph/before.ckpt", "roles/graph/after.ckpt"),
        ("optimizer_alone", "roles/module/trained-3", "roles/module/trained-4"),
    ] {
        let run = ckdiff(&[lhs, rhs]);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{name}");
        named_snapshot("roles", name, run.text());
    }
    let text = |lhs, rhs| ckdiff(&[lhs, rhs]).text().to_owned();
    let alone = text("roles/module/trained-3", "roles/module/trained-4");
    assert!(
        alone.starts_with(
            "Different: all 2 weights are identical;\n1 of 4 optimizer tensors changed"
        ),
        "{alone}"
    );
    let moved = text("roles/module/trained-2", "roles/module/trained-3");
    assert!(
        moved.contains(
            "  weights: 1 of 2 changed, 51.1% · optimizer: 0 of 4 · counters: 1 of 2, 2 → 3\n"
        ),
        "{moved}"
    );
}

#[test]
fn checkpoints_of_weights_alone_report_no_roles() {
    let run = ckdiff(&["compare/lhs.ckpt", "compare/rhs.ckpt"]);
    assert!(!run.text().contains("weights:"), "{}", run.text());
}

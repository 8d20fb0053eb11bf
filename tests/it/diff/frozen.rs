//! Comparisons of a checkpoint with a frozen graph that TensorFlow wrote.

use std::fs;

use crate::support::command::{Run, assert_valid, ckdiff};
use crate::support::named_snapshot;

const MODELS: [&str; 4] = ["reference", "resource", "partitioned", "partitioned_resource"];

fn diff(directory: &str, lhs: &str, rhs: &str, more: &[&str]) -> Run {
    let path = |name: &str| format!("frozen/{directory}/{name}");
    ckdiff(&[&[path(lhs).as_str(), &path(rhs)][..], more].concat())
}

/// The names and results of the compared tensors.
fn statuses(run: &Run) -> Vec<String> {
    let report = run.json();
    assert_valid(&report);
    let line = |tensor: &serde_json::Value| {
        format!("{} {}", tensor["name"].as_str().unwrap(), tensor["status"].as_str().unwrap())
    };
    report["tensors"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn a_graph_frozen_from_a_checkpoint_has_its_values() {
    let names = ["dense/bias identical", "dense/kernel identical", "logits/kernel identical"];
    for model in MODELS {
        for (lhs, rhs) in [("model.ckpt", "frozen.pb"), ("frozen.pb", "model.ckpt")] {
            let run = diff(model, lhs, rhs, &["--format=json"]);
            assert_eq!(
                (run.code, statuses(&run)),
                (0, names.map(String::from).to_vec()),
                "{model}"
            );
            assert_eq!(run.json()["summary"]["not_frozen"], 4, "{model}");
        }
    }
    let run = diff("reference", "model.ckpt", "frozen.pb", &[]);
    named_snapshot("frozen", "same", run.text());
}

#[test]
fn a_graph_frozen_before_the_last_step_has_other_values() {
    for model in MODELS {
        let run = diff(model, "later.ckpt", "frozen.pb", &["--format=json"]);
        let names = ["dense/bias different", "dense/kernel different", "logits/kernel different"];
        assert_eq!((run.code, statuses(&run)), (1, names.map(String::from).to_vec()), "{model}");
    }
    let run = diff("partitioned", "frozen.pb", "later.ckpt", &[]);
    assert_eq!(run.code, 1);
    named_snapshot("frozen", "other_values", run.text());
    assert_eq!(diff("reference", "later.ckpt", "frozen.pb", &["--rtol=100", "--atol=100"]).code, 0);
}

#[test]
fn filters_that_leave_no_tensor_of_the_graph_are_trouble() {
    let run = diff("reference", "model.ckpt", "frozen.pb", &["--include=**/Momentum"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("the filters leave no tensor that the graph has"),
        "{}",
        run.stderr
    );
    assert_eq!(diff("reference", "later.ckpt", "frozen.pb", &["--exclude=**"]).code, 2);
}

/// TensorFlow 2 names constants after the nodes that read them, so `--rename` is needed, and suggested.
#[test]
fn constants_of_tensorflow_2_match_by_a_rename() {
    let run = diff("module", "model.ckpt", "frozen.pb", &[]);
    assert_eq!(run.code, 1);
    named_snapshot("frozen", "module", run.text());
    let to = "matmul/ReadVariableOp/resource";
    let kernel = format!("--rename=^net/kernel/.*={to}");
    let bias = "--rename=^net/bias/.*=add/ReadVariableOp/resource";
    let run = diff("module", "model.ckpt", "frozen.pb", &[&kernel, bias]);
    assert_eq!(run.code, 0, "{}", run.text());
    let run = diff(
        "module",
        "frozen.pb",
        "model.ckpt",
        &[
            "--rename=^matmul/.*=net/kernel/.ATTRIBUTES/VARIABLE_VALUE",
            "--rename=^add/.*=net/bias/.ATTRIBUTES/VARIABLE_VALUE",
        ],
    );
    assert_eq!(run.code, 0, "{}", run.text());
}

#[test]
fn a_variable_only_in_the_graph_is_a_difference_unlike_a_constant() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("graph.pbtxt").display().to_string();
    let constant = |name: &str, values: &str, dim: u32| {
        format!(
            "node {{ name: '{name}' op: 'Const' attr {{ key: 'dtype' value {{ type: DT_FLOAT }} }}
             attr {{ key: 'value' value {{ tensor {{ dtype: DT_FLOAT
             tensor_shape {{ dim {{ size: {dim} }} }} {values} }} }} }} }}"
        )
    };
    let read =
        |name: &str| format!("node {{ name: '{name}/read' op: 'Identity' input: '{name}' }}");
    let v1 = constant("v1", "float_val: 1", 3);
    let diff = |graph: &str| {
        fs::write(&path, graph).unwrap();
        ckdiff(&["demo/v1format.ckpt", &path, "--format=json"])
    };
    let run = diff(&v1);
    assert_eq!((run.code, statuses(&run)), (0, vec!["v1 identical".into()]));
    let run = diff(&format!("{v1} {}", constant("shape", "float_val: 1", 9)));
    assert_eq!((run.code, statuses(&run)), (0, vec!["v1 identical".into()]));
    let new = constant("new", "float_val: 1", 9);
    let run = diff(&format!("{v1} {new} {}", read("new")));
    assert_eq!((run.code, statuses(&run)), (1, vec!["new added".into(), "v1 identical".into()]));
    // Too many elements to read, of which only one is stored.
    let run =
        diff(&format!("{v1} {} {}", constant("new", "float_val: 1", 4_000_000_000), read("new")));
    assert_eq!((run.code, statuses(&run)), (1, vec!["new added".into(), "v1 identical".into()]));
    let run = diff(&constant("v1", "float_val: 1", 4));
    assert_eq!((run.code, statuses(&run)), (1, vec!["v1 shape".into()]));
    // A constant that cannot be read is trouble, as in a checkpoint.
    let run = diff(&constant("v1", "tensor_content: 'abc'", 3));
    assert_eq!((run.code, statuses(&run)), (2, vec!["v1 error".into()]));
    let run = diff("node { name: 'x' op: 'Placeholder' }");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("only if it is frozen"), "{}", run.stderr);
}

#[test]
fn parts_that_form_no_variable_are_reported_by_themselves() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("graph.pbtxt").display().to_string();
    let part = |number: u32, dim: u32| {
        format!(
            "node {{ name: 'v2/part_{number}' op: 'Const' attr {{ key: 'value' value {{ tensor {{
             dtype: DT_FLOAT tensor_shape {{ dim {{ size: {dim} }} }} float_val: -1 }} }} }} }}"
        )
    };
    let diff = |parts: [(u32, u32); 2]| {
        fs::write(&path, parts.map(|(number, dim)| part(number, dim)).join(" ")).unwrap();
        ckdiff(&["demo/v1format.ckpt", &path, "--format=json"])
    };
    assert_eq!(statuses(&diff([(1, 3), (0, 2)])), ["v2 identical"]);
    assert_eq!(statuses(&diff([(0, 3), (1, 3)])), ["v2/part_0 added", "v2/part_1 added"]);
}

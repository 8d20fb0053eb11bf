//! Parts with equal bytes and different meaning; and which changes follow a rename.

use ckdiff::artifact::Form;
use ckdiff::diff::{Diff, Verdict};

use crate::support::graph::pairs::{artifact, compared, lines, semantic};

/// Compares two meta graphs, given as text.
fn of_texts(lhs: &str, rhs: &str) -> Diff {
    compared(&artifact(lhs.as_bytes(), Form::Text), &artifact(rhs.as_bytes(), Form::Text))
}

/// A function of one argument that returns `ret`.
fn function(name: &str, op: &str, ret: &str) -> String {
    format!(
        "function {{ signature {{ name: '{name}' input_arg {{ name: 'x' type: DT_FLOAT }}
           output_arg {{ name: 'y' type: DT_FLOAT }} }}
         node_def {{ name: 'node' op: '{op}' input: 'x' attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}
         ret {{ key: 'y' value: '{ret}' }} }}"
    )
}

fn library(functions: &[String], node: &str) -> String {
    let all: String = functions.concat();
    format!("graph_def {{ {node} library {{ {all} }} }}")
}

#[test]
fn returning_another_output_is_a_change() {
    let lhs = library(&[function("f", "TopKV2", "node:values:0")], "");
    let rhs = library(&[function("f", "TopKV2", "node:indices:0")], "");
    let diff = of_texts(&lhs, &rhs);
    assert_eq!(diff.verdict(), Verdict::Different, "{}", lines(&diff));
    let (lhs, rhs) =
        (lhs.replace("node:values:0", "gone:y:0"), rhs.replace("node:indices:0", "lost:y:0"));
    assert_eq!(of_texts(&lhs, &rhs).verdict(), Verdict::Different);
}

/// Two functions that exchanged names, so that an unchanged call calls the other one.
#[test]
fn a_call_of_a_function_whose_name_was_reused_is_a_change() {
    let call =
        "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }";
    for call in [
        format!("{call} node {{ name: 'c' op: 'f_1' input: 'x' }}"),
        format!(
            "{call} node {{ name: 'c' op: 'PartitionedCall' input: 'x'
             attr {{ key: 'f' value {{ func {{ name: 'f_1' }} }} }} }}"
        ),
    ] {
        let lhs = [function("f_1", "Neg", "node:y:0"), function("f_2", "Exp", "node:y:0")];
        let rhs = [function("f_1", "Exp", "node:y:0"), function("f_2", "Neg", "node:y:0")];
        let diff = of_texts(&library(&lhs, &call), &library(&rhs, &call));
        assert_eq!(diff.verdict(), Verdict::Different, "{}", lines(&diff));
        // With the call renamed as well, the same function is called.
        let same = of_texts(&library(&lhs, &call), &library(&rhs, &call.replace("f_1", "f_2")));
        assert_eq!(same.verdict(), Verdict::Same, "{}", lines(&same));
    }
}

#[test]
fn a_constant_of_another_dtype_has_its_values_compared_too() {
    let constant = |attr: &str, tensor: &str, value: &str| {
        format!(
            "graph_def {{ node {{ name: 'c' op: 'Const' attr {{ key: 'dtype' value {{ type: {attr} }} }}
             attr {{ key: 'value' value {{ tensor {{ dtype: {tensor} tensor_shape {{}} {value} }} }} }} }} }}"
        )
    };
    let lhs = constant("DT_FLOAT", "DT_FLOAT", "float_val: 1");
    // A graph that TensorFlow cannot import is still compared.
    let diff = of_texts(&lhs, &constant("DT_FLOAT", "DT_DOUBLE", "double_val: 2"));
    assert_eq!(diff.verdict(), Verdict::Different, "{}", lines(&diff));
    let diff = of_texts(&lhs, &constant("DT_DOUBLE", "DT_DOUBLE", "double_val: 7"));
    assert!(lines(&diff).contains("value"), "{}", lines(&diff));
}

fn two_scopes(output: &str, first: &str, second: &str) -> String {
    let node = |name: &str, op: &str| {
        format!(
            "node {{ name: '{name}' op: '{op}' attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}"
        )
    };
    format!(
        "graph_def {{ {} {} {} }} signature_def {{ key: 's' value {{ outputs {{ key: 'o' value {{ name: '{output}' }} }} }} }}",
        node(first, "Neg"),
        node("a/y", "Exp"),
        node(second, "Abs"),
    )
}

#[test]
fn a_node_that_kept_its_name_does_not_follow_its_scope() {
    let lhs = two_scopes("a/y:0", "a/x", "b/y");
    let diff = of_texts(&lhs, &two_scopes("b/y:0", "b/x", "b/y"));
    assert!(lines(&diff).contains("signature_def"), "{}", lines(&diff));
    let diff = of_texts(&lhs, &two_scopes("a/y:0", "b/x", "b/y"));
    assert!(!lines(&diff).contains("signature_def"), "{}", lines(&diff));
}

#[test]
fn signature_keys_do_not_follow_renamed_nodes() {
    let graph = |node: &str, key: &str| {
        format!(
            "graph_def {{ node {{ name: '{node}' op: 'Placeholder' attr {{ key: 'dtype' value {{ type: DT_FLOAT }} }} }} }}
             signature_def {{ key: 's' value {{ inputs {{ key: '{key}' value {{ name: '{node}:0' }} }} }} }}"
        )
    };
    let diff = of_texts(&graph("input", "input"), &graph("features", "features"));
    assert!(lines(&diff).contains("signature_def"), "{}", lines(&diff));
    let diff = of_texts(&graph("input", "input"), &graph("features", "input"));
    assert!(!lines(&diff).contains("signature_def"), "{}", lines(&diff));
}

#[test]
fn swapped_inputs_have_the_same_weight_from_both_sides() {
    let graph = |inputs: &str, ops: &str| {
        format!(
            "meta_info_def {{ stripped_op_list {{ {ops} }} }}
             graph_def {{ node {{ name: 'a' op: 'NoOp' }} node {{ name: 'b' op: 'NoOp' }}
             node {{ name: 'c' op: 'Own' {inputs} }} }}"
        )
    };
    let own = "op { name: 'Own' input_arg { name: 'x' type: DT_FLOAT } input_arg { name: 'y' type: DT_FLOAT } is_commutative: true }";
    let (ab, ba) = ("input: 'a' input: 'b'", "input: 'b' input: 'a'");
    let there = of_texts(&graph(ab, own), &graph(ba, ""));
    let back = of_texts(&graph(ba, ""), &graph(ab, own));
    assert_eq!(there.verdict(), back.verdict(), "{}{}", lines(&there), lines(&back));
}

#[test]
fn keys_of_maps_follow_functions_that_exchanged_names() {
    let function = |name: &str, op: &str| {
        format!(
            "function {{ signature {{ name: '{name}' input_arg {{ name: 'x' type: DT_FLOAT }} output_arg {{ name: 'y' type: DT_FLOAT }} }}
             node_def {{ name: 'n' op: '{op}' input: 'x' attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }} ret {{ key: 'y' value: 'n:y:0' }} }}"
        )
    };
    let graph = |[tanh, exp]: [&str; 2]| {
        format!(
            "meta_info_def {{ function_aliases {{ key: '{tanh}' value: 'squash' }} function_aliases {{ key: '{exp}' value: 'grow' }} }}
             graph_def {{ library {{ {} {} }} }}",
            function(tanh, "Tanh"),
            function(exp, "Exp")
        )
    };
    for names in [["__inference_f_2", "__inference_f_1"], ["__inference_f_7", "__inference_f_8"]] {
        let diff = of_texts(&graph(["__inference_f_1", "__inference_f_2"]), &graph(names));
        assert!(semantic(&diff).is_empty(), "{}", lines(&diff));
    }
}

#[test]
fn collection_entries_follow_nodes_of_any_name() {
    let long = "n".repeat(2_500);
    for name in ["with space", "a\\\\b", "\u{e4}", &long] {
        let node = format!("node {{ name: '{name}' op: 'NoOp' }}");
        let collection = format!(
            "collection_def {{ key: 'train_op' value {{ node_list {{ value: 'kept' value: '{name}' }} }} }}"
        );
        let kept = "collection_def { key: 'train_op' value { node_list { value: 'kept' } } }";
        let diff = of_texts(
            &format!("graph_def {{ node {{ name: 'kept' op: 'NoOp' }} {node} }} {collection}"),
            &format!("graph_def {{ node {{ name: 'kept' op: 'NoOp' }} }} {kept}"),
        );
        assert_eq!(diff.changes.len(), 1, "{}", lines(&diff));
    }
}

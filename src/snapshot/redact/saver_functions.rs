//! Functions that save and restore: TensorFlow 2 makes them when it exports a model, and each version makes others.

use std::collections::BTreeSet;

use crate::graph::{SaveOp, calls_function};
use crate::schema::tensorflow::attr_value::Value;
use crate::schema::tensorflow::{FunctionDef, GraphDef, NodeDef};

/// Empties the functions that save or restore, and removes the arguments of the nodes that call them: they are the variables, in an
/// order that may be random.
pub(super) fn empty(graph: &mut GraphDef) {
    let mut emptied = BTreeSet::new();
    for function in super::functions(graph).filter(|function| is_saver(function)) {
        function.node_def.clear();
        function.ret.clear();
        function.control_ret.clear();
        function.attr.clear();
        function.arg_attr.clear();
        let signature = function.signature.get_or_insert_default();
        signature.input_arg.clear();
        signature.control_output.clear();
        emptied.insert(signature.name.clone());
    }
    if !emptied.is_empty() {
        super::each_node(graph, |node| without_arguments(node, &emptied));
    }
}

fn is_saver(function: &FunctionDef) -> bool {
    function.node_def.iter().any(|node| SaveOp::of(&node.op).is_some())
}

fn without_arguments(node: &mut NodeDef, emptied: &BTreeSet<String>) {
    let called = match node.attr.get("f").map(|attr| &attr.value) {
        Some(Some(Value::Func(function))) if calls_function(&node.op) => &function.name,
        _ => return,
    };
    if emptied.contains(called) {
        node.input.clear();
        node.attr.remove("Tin");
    }
}

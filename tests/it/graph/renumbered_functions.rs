//! Functions of layers that TensorFlow numbered anew: a layer in the middle of three.

use ckdiff::artifact::{Artifact, Form};
use ckdiff::diff::{Change, ChangeKind, Detail};

use crate::support::graph::pairs::{artifact, compared, semantic};

/// The ops of the layers of a model, from the first to the last.
const BEFORE: &[&str] = &["Tanh", "Exp", "Softmax"];
const AFTER: &[&str] = &["Tanh", "Log1p", "Exp", "Softmax"];

/// The name of a layer.
fn layer(at: usize) -> String {
    if at == 0 { "dense".into() } else { format!("dense_{at}") }
}

/// A model of layers, as TensorFlow 2 exports it: a function for each layer, and one that calls them all, with a dropout behind one of
/// them. The number of the first function is `counter`.
fn model(ops: &[&str], counter: usize) -> Artifact<'static> {
    let (mut nodes, mut functions) = (String::new(), String::new());
    let (mut arguments, mut calls, mut last) = (String::new(), String::new(), "x".to_owned());
    for (at, op) in ops.iter().enumerate() {
        let (name, number) = (layer(at), counter + 7 * at);
        // What tells the layers apart in the graph.
        let size = op.len();
        nodes += &format!(
            "node {{ name: '{name}/kernel' op: 'VarHandleOp' attr {{ key: 'shape' value {{ shape {{ dim {{ size: {size} }} }} }} }} }}\n"
        );
        let function = format!("__inference_{name}_layer_call_fn_{number}");
        functions += &format!(
            "function {{ signature {{ name: '{function}' input_arg {{ name: 'inputs' type: DT_FLOAT }}
               input_arg {{ name: 'unknown' type: DT_RESOURCE }} output_arg {{ name: 'identity' type: DT_FLOAT }} }}
             node_def {{ name: 'read' op: 'ReadVariableOp' input: 'unknown' }}
             node_def {{ name: 'MatMul' op: 'MatMul' input: 'inputs' input: 'read:value:0' }}
             node_def {{ name: '{op}' op: '{op}' input: 'MatMul:product:0' }}
             ret {{ key: 'identity' value: '{op}:y:0' }} }}\n"
        );
        arguments += &format!("input_arg {{ name: '{name}_{number}' type: DT_RESOURCE }}\n");
        calls += &format!(
            "node_def {{ name: '{name}/call' op: 'StatefulPartitionedCall' input: '{last}' input: '{name}_{number}'
               attr {{ key: 'f' value {{ func {{ name: '{function}' }} }} }} }}\n"
        );
        last = format!("{name}/call:output:0");
        if *op == "Exp" {
            calls += &format!("node_def {{ name: 'dropout' op: 'Identity' input: '{last}' }}\n");
            last = "dropout:output:0".into();
        }
    }
    artifact(
        format!(
            "graph_def {{ {nodes} library {{ {functions}
               function {{ signature {{ name: '__inference_sequential_layer_call_fn_{}'
                 input_arg {{ name: 'x' type: DT_FLOAT }} {arguments} output_arg {{ name: 'y' type: DT_FLOAT }} }}
               {calls} ret {{ key: 'y' value: '{last}' }} }} }} }}",
            counter + 99
        )
        .as_bytes(),
        Form::Text,
    )
}

/// The functions that came or went, without counters.
fn whole_functions<'d>(changes: &[&'d Change], kind: ChangeKind) -> Vec<&'d str> {
    let of_kind = changes.iter().filter(|change| change.kind == kind);
    let whole = of_kind.filter_map(|change| {
        let name = change.path.key_in("function")?;
        change.path.to_string().ends_with(&format!("function[{name:?}]")).then_some(name)
    });
    whole.filter_map(|name| Some(name.rsplit_once('_')?.0)).collect()
}

/// The nodes of functions that changed, with those that came or went.
fn nodes<'d>(changes: &[&'d Change]) -> Vec<&'d str> {
    changes.iter().filter_map(|change| change.path.key_in("node_def")).collect()
}

#[test]
fn functions_follow_their_layers() {
    let (lhs, rhs) = (model(BEFORE, 100), model(AFTER, 300));
    for (diff, kind) in
        [(compared(&lhs, &rhs), ChangeKind::Added), (compared(&rhs, &lhs), ChangeKind::Removed)]
    {
        let changes = semantic(&diff);
        // The new layer has the name and number that the second had.
        assert_eq!(whole_functions(&changes, kind), ["__inference_dense_1_layer_call_fn"]);
        // No layer computes with another op.
        let ops: Vec<_> = nodes(&changes).into_iter().filter(|n| AFTER.contains(n)).collect();
        assert_eq!(ops, [""; 0]);
    }
}

#[test]
fn arguments_follow_the_nodes_that_use_them() {
    let (lhs, rhs) = (model(BEFORE, 100), model(AFTER, 300));
    let diff = compared(&lhs, &rhs);
    let in_caller = |path: &str| path.contains("sequential") && path.contains("input[");
    let mut inputs = Vec::new();
    for change in semantic(&diff) {
        inputs.push(change.path.to_string());
        if let Detail::Nodes(nodes) = &change.detail {
            inputs.extend(nodes.boundary.iter().map(|change| change.path.to_string()));
        }
    }
    inputs.retain(|path| in_caller(path));
    // Only the layer behind the new one has another input.
    let [input] = inputs.as_slice() else { panic!("{inputs:?}") };
    assert!(input.contains("dense_2/call") && input.ends_with("input[0]"), "{input}");
}

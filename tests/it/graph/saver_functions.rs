//! The functions that save and restore in a SavedModel of TensorFlow 2: whatever is changed in one is a difference, and a change of the
//! order of keys is none.

use std::fs;

use ckdiff::schema::tensorflow::attr_value::Value;
use ckdiff::schema::tensorflow::{FunctionDef, MetaGraphDef, NodeDef, SavedModel};
use prost::Message as _;

use crate::support::graph::pairs::{lines, pair, semantic};

fn model() -> MetaGraphDef {
    let bytes = fs::read("tests/data/saved_models/module/saved_model.pb").unwrap();
    SavedModel::decode(bytes.as_slice()).unwrap().meta_graphs.remove(0)
}

/// The functions of the library that save or restore.
fn savers(meta: &mut MetaGraphDef) -> Vec<&mut FunctionDef> {
    let library = meta.graph_def.as_mut().unwrap().library.as_mut().unwrap();
    let is_saver = |function: &&mut FunctionDef| {
        function.node_def.iter().any(|node| node.op == "SaveV2" || node.op == "RestoreV2")
    };
    library.function.iter_mut().filter(is_saver).collect()
}

/// Checks that the models differ after `edit`, which gets the function at `position`.
#[track_caller]
fn assert_differs(position: usize, what: &str, edit: impl FnOnce(&mut FunctionDef)) {
    let mut edited = model();
    edit(savers(&mut edited).swap_remove(position));
    assert_ne!(edited, model(), "{what}");
    let diff = pair(&model(), &edited);
    assert!(!semantic(&diff).is_empty(), "{what}: {}", lines(&diff));
}

#[test]
fn every_edit_of_a_saver_function_is_a_difference() {
    let mut original = model();
    let functions = savers(&mut original);
    assert_eq!(functions.len(), 2);
    for (position, function) in functions.iter().enumerate() {
        for (at, node) in function.node_def.iter().enumerate() {
            let what = |edit: &str| format!("{}: {edit}", node.name);
            assert_differs(position, &what("removed"), |f| drop(f.node_def.remove(at)));
            for input in 0..node.input.len() {
                let edit = |f: &mut FunctionDef| drop(f.node_def[at].input.remove(input));
                assert_differs(position, &what("without an input"), edit);
            }
            let later = function.node_def.iter().skip(at + 1).position(|other| other.op == node.op);
            let Some(other) = later.map(|later| at + 1 + later) else { continue };
            for input in 0..node.input.len().min(function.node_def[other].input.len()) {
                assert_differs(position, &what("inputs exchanged"), |f| {
                    let [a, b] = f.node_def.get_disjoint_mut([at, other]).unwrap();
                    std::mem::swap(&mut a.input[input], &mut b.input[input]);
                });
            }
        }
        let signature = function.signature.as_ref().unwrap();
        for argument in 0..signature.input_arg.len() {
            assert_differs(position, "without an argument", |f| {
                f.signature.as_mut().unwrap().input_arg.remove(argument);
            });
        }
        for result in function.ret.keys() {
            assert_differs(position, "without a result", |f| drop(f.ret.remove(result)));
        }
        for result in function.control_ret.keys() {
            let edit = |f: &mut FunctionDef| drop(f.control_ret.remove(result));
            assert_differs(position, "without a control result", edit);
        }
    }
}

/// Two variables that get each other's values: the call is the same, and its arguments mean something else.
#[test]
fn exchanged_values_are_told_by_the_call() {
    let mut edited = model();
    let restore = savers(&mut edited).swap_remove(0);
    let is_assign = |op: &str| op == "AssignVariableOp";
    let assigns: Vec<usize> =
        (0..restore.node_def.len()).filter(|&at| is_assign(&restore.node_def[at].op)).collect();
    let [a, b] = restore.node_def.get_disjoint_mut([assigns[0], assigns[1]]).unwrap();
    std::mem::swap(&mut a.input[0], &mut b.input[0]);
    let diff = pair(&model(), &edited);
    let told = lines(&diff);
    assert!(told.contains("input") && told.contains("kernel") && told.contains("layer"), "{told}");
}

/// The calls of saver functions outside of any function: without one of its inputs, TensorFlow refuses the graph.
#[test]
fn every_input_of_a_call_counts() {
    let mut original = model();
    let names: Vec<String> =
        savers(&mut original).iter().map(|f| f.signature.as_ref().unwrap().name.clone()).collect();
    let is_call = |node: &NodeDef| {
        let called = node.attr.get("f").and_then(|attr| attr.value.as_ref());
        matches!(called, Some(Value::Func(called)) if names.contains(&called.name))
    };
    let nodes = &original.graph_def.as_ref().unwrap().node;
    let mut edits = 0;
    for (at, node) in nodes.iter().enumerate().filter(|(_, node)| is_call(node)) {
        for input in 0..node.input.len() {
            let mut edited = original.clone();
            edited.graph_def.as_mut().unwrap().node[at].input.remove(input);
            for (lhs, rhs) in [(&original, &edited), (&edited, &original)] {
                let diff = pair(lhs, rhs);
                assert!(!semantic(&diff).is_empty(), "{}, input {input}", node.name);
            }
            edits += 1;
        }
    }
    assert!(edits > 3, "{edits}");
}

#[test]
fn data_after_a_control_input_is_a_difference() {
    let mut original = model();
    let functions = savers(&mut original);
    let has_both = |node: &NodeDef| {
        node.input.len() > 1
            && node.input.last().unwrap().starts_with('^')
            && !node.input[0].starts_with('^')
    };
    let mut found = 0;
    for (position, function) in functions.iter().enumerate() {
        for (at, node) in function.node_def.iter().enumerate().filter(|(_, node)| has_both(node)) {
            found += 1;
            assert_differs(position, &node.name, |f| f.node_def[at].input.rotate_right(1));
        }
    }
    assert!(found > 0);
}

#[test]
fn another_order_of_keys_is_no_difference() {
    let mut edited = model();
    for function in savers(&mut edited) {
        let saver = function.node_def.iter().position(|node| node.op.ends_with("V2")).unwrap();
        let is_save = function.node_def[saver].op == "SaveV2";
        let saver = function.node_def[saver].clone();
        // The first two tensors change places: their keys, dtypes, values and consumers.
        for list in ["tensor_names", "shape_and_slices"] {
            let name = format!("{}/{list}", saver.name);
            let list = function.node_def.iter_mut().find(|node| node.name == name).unwrap();
            let Some(Value::Tensor(names)) = &mut list.attr.get_mut("value").unwrap().value else {
                panic!("{name} is no constant")
            };
            names.string_val.swap(0, 1);
        }
        for node in &mut function.node_def {
            if let Some(Value::List(dtypes)) =
                node.attr.get_mut("dtypes").and_then(|a| a.value.as_mut())
            {
                dtypes.r#type.swap(0, 1);
            }
        }
        for node in &mut function.node_def {
            if node.name == saver.name && is_save {
                node.input.swap(3, 4);
            }
            for input in &mut node.input {
                let exchanged = [("tensors:0", "tensors:1"), ("tensors:1", "tensors:0")];
                let to = exchanged.iter().find(|(from, _)| input.ends_with(from));
                if let Some((from, to)) = to.filter(|_| input.starts_with("RestoreV2:")) {
                    *input = input.replace(from, to);
                }
            }
        }
    }
    let diff = pair(&model(), &edited);
    assert!(semantic(&diff).is_empty(), "{}", lines(&diff));
}

#[test]
fn a_function_without_its_entry_is_a_difference() {
    let mut edited = model();
    let entries = &mut edited.object_graph_def.as_mut().unwrap().concrete_functions;
    let name = entries.keys().min().unwrap().clone();
    entries.remove(&name);
    for (lhs, rhs) in [(model(), &edited), (edited.clone(), &model())] {
        let told = lines(&pair(&lhs, rhs));
        assert!(told.contains(&format!("concrete_functions[{name:?}]")), "{told}");
        assert!(told.starts_with("semantic"), "{told}");
    }
}

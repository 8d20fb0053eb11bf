//! Differences outside of the nodes of two graphs: in separate libraries and functions, object graphs, graphs inside an
//! `Any`, node fields besides inputs and attributes, and assets; and reports about nodes of functions.

use std::fs;

use ckdiff::artifact::{Artifact, Form};
use ckdiff::diff::Diff;

use crate::support::command::ckdiff;
use crate::support::graph::pairs::{compared, lines, semantic};
use crate::support::message_forms::document;

/// A document with a message of TensorFlow's.
fn file(message: &str, bytes: &[u8], form: Form) -> Artifact<'static> {
    document(&format!("tensorflow.{message}"), form, bytes).into()
}

/// Compares two texts, each with its message type.
fn texts(lhs: (&str, &str), rhs: (&str, &str)) -> Diff {
    let open = |(message, text): (&str, &str)| file(message, text.as_bytes(), Form::Text);
    compared(&open(lhs), &open(rhs))
}

/// Checks the changes between two texts of one message type, and that a text equals itself.
#[track_caller]
fn check(message: &str, lhs: &str, rhs: &str, expected: &str) {
    assert_eq!(lines(&texts((message, lhs), (message, rhs))), expected, "{message}");
    assert_eq!(lines(&texts((message, rhs), (message, rhs))), "", "{message}");
}

/// A function of one node that returns the node's output.
fn function(name: &str, op: &str) -> String {
    format!(
        "signature {{ name: '{name}' input_arg {{ name: 'x' type: DT_FLOAT }} output_arg {{ name: 'y' type: DT_FLOAT }} }}
         node_def {{ name: 'n' op: '{op}' input: 'x' attr {{ key: 'T' value {{ type: DT_FLOAT }} }} }}
         ret {{ key: 'y' value: 'n:0' }}"
    )
}

#[test]
fn libraries_are_compared_by_their_functions() {
    let library = |functions: &[String]| {
        functions.iter().map(|f| format!("function {{ {f} }}\n")).collect::<String>()
    };
    let (f, g) = (function("f", "Tanh"), function("g", "Exp"));
    let other = function("f", "Sigmoid");
    let change = "semantic modified function[\"f\"].node_def[\"n\"].op: Tanh | Sigmoid\n";
    check(
        "FunctionDefLibrary",
        &library(&[f.clone(), g.clone()]),
        &library(&[g.clone(), other.clone()]),
        change,
    );
    // A graph is compared with a library by the graph's library.
    let graph = format!("library {{ {} }}", library(&[f.clone(), g.clone()]));
    let diff = texts(("GraphDef", &graph), ("FunctionDefLibrary", &library(&[g.clone(), other])));
    assert_eq!(lines(&diff), change);
    let diff =
        texts(("FunctionDefLibrary", &library(std::slice::from_ref(&f))), ("GraphDef", &graph));
    assert_eq!(semantic(&diff).len(), 1, "{}", lines(&diff));
    // A different counter in the name is not a change.
    let counted = |number: u8| library(&[function(&format!("__inference_f_{number}"), "Tanh")]);
    let diff = texts(("FunctionDefLibrary", &counted(1)), ("FunctionDefLibrary", &counted(2)));
    assert_eq!(semantic(&diff).len(), 0, "{}", lines(&diff));
}

#[test]
fn functions_are_compared_by_their_bodies() {
    check(
        "FunctionDef",
        &function("f", "Tanh"),
        &function("f", "Sigmoid"),
        "semantic modified node_def[\"n\"].op: Tanh | Sigmoid\n",
    );
    check(
        "FunctionDef",
        "attr { key: 'a' value { i: 1 } } arg_attr { key: 0 value { attr { key: 'b' value { i: 1 } } } }",
        "attr { key: 'a' value { i: 2 } } arg_attr { key: 0 value { attr { key: 'b' value { i: 2 } } } }",
        "semantic modified attr[\"a\"]: 1 | 2\nsemantic modified arg_attr[\"0\"].attr[\"b\"]: 1 | 2\n",
    );
}

#[test]
fn parts_of_object_graphs_are_compared_by_themselves() {
    let child = |id: u8| format!("children {{ node_id: {id} local_name: 'a' }}");
    let change = "semantic modified children[0].node_id: 1 | 2\n";
    check("SavedObject", &child(1), &child(2), change);
    check("TrackableObjectGraph.TrackableObject", &child(1), &child(2), change);
    check(
        "SavedConcreteFunction",
        "bound_inputs: 1",
        "bound_inputs: 2",
        "semantic modified bound_inputs: [1] | [2]\n",
    );
    let in_any = |id: u8| {
        format!(
            "meta_info_def {{ any_info {{ [x.com/tensorflow.SavedObject] {{ {} }} }} }}",
            child(id)
        )
    };
    let at = "meta_info_def.any_info.[x.com/tensorflow.SavedObject].";
    check(
        "MetaGraphDef",
        &in_any(1),
        &in_any(2),
        &change.replace("children", &format!("{at}children")),
    );
}

#[test]
fn messages_in_an_any_are_compared_by_field() {
    let node = |op: &str| format!("node {{ name: 'n' op: '{op}' }}");
    let library = |op: &str| format!("library {{ function {{ {} }} }}", function("f", op));
    let objects = |name: &str| {
        format!(
            "nodes {{ children {{ node_id: 1 local_name: '{name}' }} }} nodes {{ variable {{ name: '{name}' }} }}"
        )
    };
    let model = |key: u8, content: &str| {
        format!(
            "graph_def {{ {} {} versions {{ min_consumer: {key} }} }}
             object_graph_def {{ {} }}
             meta_info_def {{ any_info {{ {content} }} }}
             collection_def {{ key: 'c' value {{ any_list {{ value {{ {content} }} }} }} }}",
            node("NoOp"),
            library("Tanh"),
            objects("v"),
        )
    };
    let functions = |op: &str| format!("function {{ {} }}", function("f", op));
    for (ty, lhs, rhs) in [
        ("GraphDef", node("NoOp"), node("Const")),
        ("GraphDef", library("Exp"), library("Sin")),
        ("FunctionDefLibrary", functions("Exp"), functions("Sin")),
        ("SavedObjectGraph", objects("a"), objects("b")),
    ] {
        let in_any = |text: &str| format!("[x.com/tensorflow.{ty}] {{ {text} }}");
        for key in [1, 2] {
            let (lhs, rhs) = (model(1, &in_any(&lhs)), model(key, &in_any(&rhs)));
            let diff = texts(("MetaGraphDef", &lhs), ("MetaGraphDef", &rhs));
            let reported = semantic(&diff);
            let in_any = reported
                .iter()
                .filter(|c| c.path.to_string().contains(&format!("/tensorflow.{ty}]")));
            assert!(in_any.count() >= 2, "{ty}: {}", lines(&diff));
            let outside = reported.iter().filter(|c| c.path.to_string().starts_with("graph_def"));
            assert_eq!(outside.count(), usize::from(key == 2), "{ty}: {}", lines(&diff));
        }
    }
}

#[test]
fn other_fields_of_a_node_are_compared() {
    let node = |more: &str| format!("name: 'n' op: 'NoOp' {more}");
    let graph = |more: &str| format!("node {{ {} }}", node(more));
    let typed = |id: &str| format!("experimental_type {{ type_id: {id} }}");
    check(
        "GraphDef",
        &graph(&typed("TFT_TENSOR")),
        &graph(&typed("TFT_DATASET")),
        "semantic modified node[\"n\"].experimental_type.type_id: TFT_TENSOR | TFT_DATASET\n",
    );
    check(
        "FunctionDef",
        &format!("node_def {{ {} }}", node("")),
        &format!("node_def {{ {} }}", node(&typed("TFT_DATASET"))),
        "semantic added node_def[\"n\"].experimental_type: - | type_id: TFT_DATASET\n",
    );
    let debug = |name: &str| format!("experimental_debug_info {{ original_node_names: '{name}' }}");
    let diff = texts(("GraphDef", &graph(&debug("a"))), ("GraphDef", &graph(&debug("b"))));
    assert!(semantic(&diff).is_empty() && diff.changes.len() == 1, "{}", lines(&diff));
}

#[test]
fn unknown_fields_of_a_node_are_compared() {
    // A node with an attribute, and unknown fields: field 100, or field 1 (the name) as a number.
    let graph = |more: &[u8]| {
        let node = [b"\x0a\x01n\x12\x04NoOp\x2a\x07\x0a\x01a\x12\x02\x18\x05".as_slice(), more];
        let node = node.concat();
        file("GraphDef", &[&[0x0a, node.len() as u8], &*node].concat(), Form::Binary)
    };
    let diff = compared(&graph(&[0xa0, 0x06, 1]), &graph(&[0xa0, 0x06, 2]));
    let reported = lines(&diff);
    assert!(semantic(&diff).len() == 1 && reported.contains("node[\"n\"]"), "{reported}");
    let diff = compared(&graph(&[0x08, 1]), &graph(&[0x08, 2]));
    let reported = lines(&diff);
    assert!(semantic(&diff).len() == 1 && reported.contains("node[\"n\"]"), "{reported}");
}

#[test]
fn assets_in_directories_too_deep_are_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let model = |name: &str, depth: usize, asset: &str| {
        let dir = directory.path().join(name);
        let deep = dir.join("assets").join(vec!["d"; depth].join("/"));
        fs::create_dir_all(&deep).unwrap();
        fs::copy("tests/data/fit/object_good/saved/saved_model.pb", dir.join("saved_model.pb"))
            .unwrap();
        fs::write(deep.join("vocabulary"), asset).unwrap();
        dir.display().to_string()
    };
    for (depth, code) in [(16, 1), (17, 2)] {
        let (lhs, rhs) =
            (model(&format!("l{depth}"), depth, "a"), model(&format!("r{depth}"), depth, "b"));
        let run = ckdiff(&[&lhs, &rhs, "--only", "graph"]);
        assert_eq!(run.code, code, "{}{}", run.text(), run.stderr);
        let limit = "depth of directories: expected at most 16, found 17";
        assert_eq!(run.stderr.contains(limit), code == 2, "{}", run.stderr);
    }
}

#[test]
fn reports_show_changes_of_nodes_in_functions() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, functions: [&str; 3]| {
        let path = directory.path().join(name);
        let function = |(name, nodes): (&str, &str)| {
            let nodes = format!("node_def {{ name: 'n' op: 'NoOp' }} {nodes}");
            format!("function {{ signature {{ name: '{name}' }} {nodes} }}\n")
        };
        let functions: String = ["f", "g", "h"].into_iter().zip(functions).map(function).collect();
        fs::write(&path, format!("library {{ {functions} }}")).unwrap();
        path.display().to_string()
    };
    let node = |name: &str| format!("node_def {{ name: '{name}' op: 'Timestamp' }}");
    let lhs = write("lhs.pbtxt", [&node("old"), &node("gone"), ""]);
    let rhs = write("rhs.pbtxt", [&node("new"), "", &node("extra")]);
    let run = ckdiff(&[&lhs, &rhs, "--message", "GraphDef"]);
    insta::assert_snapshot!(run.text().split_once("Functions").unwrap().1, @r"
     (3)
      f: new  renamed  old → new, 1 node
      g: gone  removed  Timestamp
      h: extra  added  Timestamp
    ");
}

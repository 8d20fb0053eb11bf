//! Savers, functions and op definitions with a hundred thousand parts: time and memory grow no faster than the file.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ckdiff::artifact::{Artifact, Form};
use ckdiff::diff::Diff;
use ckdiff::schema::tensorflow::attr_value::{ListValue, Value};
use ckdiff::schema::tensorflow::meta_graph_def::MetaInfoDef;
use ckdiff::schema::tensorflow::op_def::{ArgDef, AttrDef};
use ckdiff::schema::tensorflow::{
    AttrValue, DataType, FunctionDef, FunctionDefLibrary, GraphDef, MetaGraphDef, NameAttrList,
    NodeDef, OpDef, SavedModel,
};
use prost::Message;

use crate::support::graph::pairs::{compared, pair, semantic};
use crate::support::graph::plan::{attr, strings};
use crate::support::message_forms::document;

const MANY: usize = 100_000;

/// Asserts that a comparison finishes within a time limit.
fn soon(compare: impl FnOnce() -> Diff) -> Diff {
    let start = Instant::now();
    let diff = compare();
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(20), "{taken:?}");
    diff
}

fn opened(message: &impl Message, name: &str) -> Artifact<'static> {
    document(name, Form::Binary, &message.encode_to_vec()).into()
}

fn node(name: String, op: &str, input: Vec<String>, attrs: Vec<(&str, Value)>) -> NodeDef {
    let attr: BTreeMap<_, _> =
        attrs.into_iter().map(|(name, value)| (name.to_owned(), attr(value))).collect();
    NodeDef { name, op: op.into(), input, attr, ..NodeDef::default() }
}

fn constant(name: &str, texts: &[String]) -> NodeDef {
    let tensor = strings(texts);
    let attrs = vec![("dtype", Value::Type(tensor.dtype)), ("value", Value::Tensor(tensor.into()))];
    node(name.into(), "Const", vec![], attrs)
}

fn save(name: String, data: Vec<String>, port: &str) -> NodeDef {
    let r#type = vec![DataType::DtFloat as i32; data.len()];
    let types = Value::List(Box::new(ListValue { r#type, ..ListValue::default() }));
    let mut input: Vec<_> = ["file", "names", "slices"].map(|name| format!("{name}{port}")).into();
    input.extend(data);
    node(name, "SaveV2", input, vec![("dtypes", types)])
}

/// The constants of a saver with many tensors.
fn constants(prefix: &str) -> Vec<NodeDef> {
    let names: Vec<_> = (0..MANY).map(|at| format!("{prefix}{at}")).collect();
    vec![
        constant("file", &["model".into()]),
        constant("names", &names),
        constant("slices", &vec![String::new(); MANY]),
    ]
}

fn meta(node: Vec<NodeDef>, function: Vec<FunctionDef>) -> MetaGraphDef {
    let library = Some(FunctionDefLibrary { function, ..FunctionDefLibrary::default() });
    let graph_def = Some(GraphDef { node, library, ..GraphDef::default() });
    MetaGraphDef { graph_def, ..MetaGraphDef::default() }
}

#[test]
fn a_thousand_savers_that_share_a_hundred_thousand_names() {
    let graph = |prefix: &str, data: usize| {
        let mut nodes = constants(prefix);
        nodes.push(node("v".into(), "VariableV2", vec![], vec![]));
        nodes.extend((0..1_000).map(|at| save(format!("save_{at}"), vec!["v".into(); data], "")));
        meta(nodes, vec![])
    };
    let diff = soon(|| pair(&graph("a", 1), &graph("b", 1)));
    assert_eq!(semantic(&diff).len(), 1);
}

#[test]
fn a_variable_that_is_saved_under_a_hundred_thousand_names() {
    let graph = |prefix: &str| {
        let mut nodes = constants(prefix);
        nodes.push(node("v".into(), "VariableV2", vec![], vec![]));
        nodes.push(save("save".into(), vec!["v".into(); MANY], ""));
        meta(nodes, vec![])
    };
    let diff = soon(|| pair(&graph("a"), &graph("b")));
    assert_eq!(semantic(&diff).len(), MANY);
}

#[test]
fn a_hundred_thousand_calls_of_a_saver_of_as_many_tensors() {
    let graph = |counter: u32| {
        let name = format!("__inference_save_{counter}");
        let arguments = (0..MANY).map(|at| ArgDef { name: format!("x{at}"), ..ArgDef::default() });
        let signature =
            OpDef { name: name.clone(), input_arg: arguments.collect(), ..OpDef::default() };
        let mut node_def = constants("a");
        let data = (0..MANY).map(|at| format!("x{at}")).collect();
        node_def.push(save("save".into(), data, ":output:0"));
        let function =
            FunctionDef { signature: Some(signature), node_def, ..FunctionDef::default() };
        let calls = (0..MANY).map(|at| {
            let f = NameAttrList { name: name.clone(), ..NameAttrList::default() };
            node(format!("call_{at}"), "PartitionedCall", vec![], vec![("f", Value::Func(f))])
        });
        meta(calls.collect(), vec![function])
    };
    let diff = soon(|| pair(&graph(1), &graph(2)));
    assert_eq!(semantic(&diff).len(), 0);
}

#[test]
fn a_hundred_thousand_meta_graphs() {
    let model = |order: &mut dyn Iterator<Item = usize>| {
        let graph = |at: usize| {
            let info = MetaInfoDef { tags: vec![format!("t{at}")], ..MetaInfoDef::default() };
            MetaGraphDef { meta_info_def: Some(info), ..MetaGraphDef::default() }
        };
        let meta_graphs = order.map(graph).collect();
        let model = SavedModel { meta_graphs, ..SavedModel::default() };
        opened(&model, "tensorflow.SavedModel")
    };
    let (lhs, rhs) = (model(&mut (0..MANY)), model(&mut (1..MANY).rev()));
    assert_eq!(semantic(&soon(|| compared(&lhs, &rhs))).len(), 1);
}

#[test]
fn a_function_of_a_hundred_thousand_results_of_each_kind() {
    let graph = |op: &str| {
        let names = || (0..MANY).map(|at| format!("r{at}"));
        let args = names().map(|name| ArgDef { name, ..ArgDef::default() });
        let signature = OpDef { name: "f".into(), output_arg: args.collect(), ..OpDef::default() };
        let function = FunctionDef {
            signature: Some(signature),
            node_def: vec![node("n".into(), op, vec![], vec![])],
            ret: names().map(|name| (name, "n:y:0".into())).collect(),
            control_ret: names().map(|name| (name, "n".into())).collect(),
            ..FunctionDef::default()
        };
        meta(vec![], vec![function])
    };
    assert_eq!(semantic(&soon(|| pair(&graph("A"), &graph("B")))).len(), 1);
}

#[test]
fn an_op_of_a_hundred_thousand_attributes_and_allowed_values() {
    let definition = |from: usize| {
        let texts = (from..MANY).rev().map(|at| at.to_string().into_bytes()).collect();
        let list = Value::List(Box::new(ListValue { s: texts, ..ListValue::default() }));
        let allowed = AttrDef {
            name: "allowed".into(),
            allowed_values: Some(AttrValue { value: Some(list) }),
            ..AttrDef::default()
        };
        let attrs = (from..MANY).rev().map(|at| AttrDef {
            name: format!("a{at}"),
            default_value: Some(attr(Value::B(true))),
            ..AttrDef::default()
        });
        let attr = attrs.chain([allowed]).collect();
        opened(&OpDef { name: "Op".into(), attr, ..OpDef::default() }, "tensorflow.OpDef")
    };
    let (lhs, rhs) = (definition(1), definition(0));
    let diff = soon(|| compared(&lhs, &rhs));
    assert!(!diff.changes.is_empty());
    assert_eq!(semantic(&diff).len(), 0);
}

//! Graphs that no real saver has: they are refused with a reason, or run in time and memory in proportion to the graph.

use ckdiff::checkpoint::Checkpoint;
use ckdiff::message::Message;
use ckdiff::saver::builder::{BuilderOptions, build};
use ckdiff::saver::run::{Variables, restore};
use ckdiff::schema::tensorflow::attr_value::Value;
use ckdiff::schema::tensorflow::{AttrValue, GraphDef, MetaGraphDef, NodeDef, SaverDef};
use ckdiff::tensor::{DType, Tensor};
use prost::Message as _;

use crate::support::message_forms::{decoded, parsed};
use crate::support::saver::meta_graph;
use crate::support::{Random, dtypes, named_snapshot};

const CHECKPOINT: &str = "tests/data/savers/run/of_references/model.ckpt";

fn saver() -> SaverDef {
    SaverDef {
        filename_tensor_name: "file:0".into(),
        restore_op_name: "all".into(),
        ..SaverDef::default()
    }
}

/// A node as text.
fn node(name: &str, op: &str, inputs: &str, attrs: &str) -> String {
    let inputs: String =
        inputs.split(' ').filter(|i| !i.is_empty()).map(|i| format!("input: '{i}' ")).collect();
    let attrs: String = attrs
        .split(" | ")
        .filter_map(|attr| attr.split_once('='))
        .map(|(key, value)| format!("attr {{ key: '{key}' value {{ {value} }} }} "))
        .collect();
    format!("node {{ name: '{name}' op: '{op}' {inputs}{attrs}}}\n")
}

fn string(name: &str, text: &str) -> String {
    let value = format!(
        "tensor {{ dtype: DT_STRING tensor_shape {{ dim {{ size: 1 }} }} string_val: '{text}' }}"
    );
    node(name, "Const", "", &format!("dtype=type: DT_STRING | value={value}"))
}

fn variable(name: &str, op: &str, dtype: &str, dims: &[i64]) -> String {
    let dims: String = dims.iter().map(|dim| format!("dim {{ size: {dim} }} ")).collect();
    let shared =
        if op == "VarHandleOp" { format!(" | shared_name=s: '{name}'") } else { String::new() };
    node(name, op, "", &format!("dtype=type: {dtype} | shape=shape {{ {dims}}}{shared}"))
}

/// Restores `key` into a variable.
fn restoring(key: &str, spec: &str, dtype: &str, rest: &str) -> String {
    node("file", "Placeholder", "", "dtype=type: DT_STRING")
        + &string("names", key)
        + &string("slices", spec)
        + &node(
            "read",
            "RestoreV2",
            "file names slices",
            &format!("dtypes=list {{ type: {dtype} }}"),
        )
        + rest
}

/// The nodes that restore into a new variable `v`.
fn into(dtype: &str, op: &str, dims: &[i64]) -> String {
    let (assign, attr) =
        if op == "VarHandleOp" { ("AssignVariableOp", "dtype") } else { ("Assign", "T") };
    variable("v", op, dtype, dims)
        + &node("all", assign, "v read", &format!("{attr}=type: {dtype}"))
}

fn run(graph: &str) -> Result<Variables, String> {
    let graph = parsed("tensorflow.MetaGraphDef", &format!("graph_def {{\n{graph}}}"));
    let mut variables = Variables::of(&graph).unwrap();
    let result = restore(&graph, &saver(), CHECKPOINT, &mut variables);
    result.map(|()| variables).map_err(|error| error.to_string())
}

#[test]
fn reasons_why_a_saver_cannot_run_are_reported() {
    let float = |key: &str, spec: &str| {
        restoring(key, spec, "DT_FLOAT", &into("DT_FLOAT", "VariableV2", &[2, 3]))
    };
    let with = |rest: &str| restoring("b", "", "DT_FLOAT", rest);
    let cases = [
        float("zz", ""),
        restoring("b", "", "DT_HALF", &into("DT_HALF", "VariableV2", &[2, 3])),
        restoring("b", "", "DT_FLOAT", &into("DT_FLOAT", "VariableV2", &[3, 2])),
        restoring("b", "", "DT_FLOAT", &into("DT_FLOAT", "VariableV2", &[-1, 3])),
        restoring("b", "", "DT_FLOAT", &into("DT_INT32", "VariableV2", &[2, 3])),
        restoring("b", "", "DT_FLOAT", &into("DT_FLOAT", "VarHandleOp", &[3, 2])),
        restoring("b", "", "DT_FLOAT", &into("DT_INT32", "VarHandleOp", &[2, 3])),
        float("b", "2 3 0,1:0,2"),
        float("b", "3 2 0,1:0,2"),
        float("b", "2 3"),
        float("b", "2 3 0,3:0,3"),
        float("b", "2 99999999999999999999 -:-"),
        with(
            &(node("all", "NoOp", "^a", "")
                + &node("a", "Identity", "b", "")
                + &node("b", "Identity", "a", "")),
        ),
        with(&node("all", "NoOp", "^all", "")),
        with(&node("all", "NoOp", "^gone", "")),
        with(&node("all", "Identity", "read:1", "")),
        with(&node("all", "Identity", "read:x", "")),
        with(&node("all", "Identity", "", "")),
        with(&node("all", "Identity", "read", "T=type: DT_HALF")),
        with(&node("all", "MatMul", "read read", "")),
        with(&(node("all", "NoOp", "^p", "") + &node("p", "Placeholder", "", ""))),
        with(&(node("all", "Identity", "v", "") + &variable("v", "VariableV2", "DT_FLOAT", &[2]))),
        with(
            &(node("all", "Identity", "v", "")
                + &variable("v", "VarHandleOp", "DT_FLOAT", &[2])
                + &string("v", "")),
        ),
        with(
            &(node("all", "ReadVariableOp", "v", "")
                + &variable("v", "VariableV2", "DT_FLOAT", &[2])),
        ),
        with(&node("all", "Assign", "read read", "")),
        with(&node("all", "SaveV2", "file names slices read", "dtypes=list { type: DT_FLOAT }")),
        with(&node("all", "SaveV2", "file names slices", "dtypes=list { type: DT_FLOAT }")),
        with(&node("all", "RestoreV2", "file names", "")),
        with(&node("all", "RestoreV2", "read names slices", "dtypes=list { type: DT_FLOAT }")),
        with(&node("all", "RestoreV2", "names names slices", "dtypes=list { type: DT_FLOAT }")),
        with(&node(
            "all",
            "RestoreV2",
            "file names slices",
            "dtypes=list { type: DT_FLOAT type: DT_FLOAT }",
        )),
        with(&node("all", "StaticRegexFullMatch", "file", "pattern=s: '.*'")),
        with(&node("all", "Select", "file file file", "")),
        with(&node("all", "Pack", "file names", "")),
        with(&node("all", "Pack", "file file", "axis=i: 1")),
        with(&node("all", "Reshape", "read file", "")),
        with(&node("all", "ShardedFilename", "file file file", "")),
        with(&node("all", "Const", "", "dtype=type: DT_FLOAT")),
        with(&node("all", "VarHandleOp", "", "")),
        with(&node("none", "NoOp", "", "")),
    ];
    let said: String = cases
        .iter()
        .map(|graph| match run(graph) {
            Ok(_) => "runs\n".to_owned(),
            Err(error) => error.replace(CHECKPOINT, "P") + "\n",
        })
        .collect();
    named_snapshot("saver", "refused", &said);
}

/// A meta graph with these nodes.
fn of_nodes(node: Vec<NodeDef>) -> Message<'static> {
    let graph_def = Some(GraphDef { node, ..GraphDef::default() });
    let bytes = MetaGraphDef { graph_def, ..MetaGraphDef::default() }.encode_to_vec();
    decoded("tensorflow.MetaGraphDef", bytes)
}

fn plain(name: impl Into<String>, op: &str, input: &[&str]) -> NodeDef {
    let input = input.iter().map(|&input| input.to_owned()).collect();
    NodeDef { name: name.into(), op: op.into(), input, ..NodeDef::default() }
}

#[test]
fn a_chain_of_a_million_nodes_is_run() {
    const LEN: usize = 1_000_000;
    let mut nodes = vec![plain("file", "Placeholder", &[]), plain("n0", "Identity", &["file"])];
    nodes
        .extend((1..LEN).map(|at| plain(format!("n{at}"), "Identity", &[&format!("n{}", at - 1)])));
    nodes.push(plain("all", "NoOp", &[&format!("^n{}", LEN - 1)]));
    // The last node comes first, so that every node precedes its input.
    nodes.reverse();
    let graph = of_nodes(nodes);
    restore(&graph, &saver(), CHECKPOINT, &mut Variables::default()).unwrap();
}

#[test]
fn values_that_grow_without_bound_are_refused() {
    for op in ["StringJoin", "Pack"] {
        let mut nodes = vec![plain("file", "Placeholder", &[]), plain("n0", "Identity", &["file"])];
        for at in 1..60 {
            let before = format!("n{}", at - 1);
            nodes.push(plain(format!("n{at}"), op, &[&before, &before]));
        }
        nodes.push(plain("all", "NoOp", &["^n59"]));
        let error = restore(&of_nodes(nodes), &saver(), CHECKPOINT, &mut Variables::default());
        assert!(error.unwrap_err().to_string().contains("bytes of new tensors: expected"), "{op}");
    }
    let huge = "dtype=type: DT_FLOAT | value=tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } } float_val: 1 }";
    let graph = node("file", "Placeholder", "", "") + &node("all", "Const", "", huge);
    assert!(run(&graph).is_err());
}

#[test]
fn a_key_requested_many_times_is_read_once() {
    const TIMES: usize = 200_000;
    let listed = |text: &str| {
        let value = format!(
            "value=tensor {{ dtype: DT_STRING tensor_shape {{ dim {{ size: {TIMES} }} }} {} }}",
            format!("string_val: '{text}' ").repeat(TIMES)
        );
        format!("dtype=type: DT_STRING | {value}")
    };
    let types = format!("dtypes=list {{ {} }}", "type: DT_FLOAT ".repeat(TIMES));
    let graph = node("file", "Placeholder", "", "")
        + &node("names", "Const", "", &listed("b"))
        + &node("slices", "Const", "", &listed(""))
        + &node("all", "RestoreV2", "file names slices", &types);
    run(&graph).unwrap();
}

/// The elements of `whole` within `extents`, selected one by one.
fn naive(whole: &Tensor, extents: &[(u64, u64)]) -> Vec<Vec<u8>> {
    let all: Vec<Vec<u8>> = match whole.dtype().size() {
        Some(size) => whole.content().chunks(size).map(<[u8]>::to_vec).collect(),
        None => whole.byte_elements().unwrap().into_iter().map(<[u8]>::to_vec).collect(),
    };
    let is_in = |at: &u64| {
        let index = whole.shape().unravel(*at);
        index.iter().zip(extents).all(|(i, (from, len))| (*from..from + len).contains(i))
    };
    (0..).zip(all).filter(|(at, _)| is_in(at)).map(|(_, element)| element).collect()
}

#[test]
fn any_slice_of_any_dtype_is_cut_out() {
    let path = "tests/data/dtypes/all.ckpt";
    let checkpoint = Checkpoint::open(path).unwrap();
    let mut random = Random::new(11);
    // The fixture has no cubes of dtype resource or variant.
    for dtype in dtypes(|dtype| dtype != DType::Resource && dtype != DType::Variant) {
        let key = format!("{dtype}/cube");
        let whole = checkpoint.get_tensor(&key).unwrap();
        for _ in 0..6 {
            let extent = |&dim: &u64| {
                let from = random.below(dim);
                (from, 1 + random.below(dim - from))
            };
            let extents: Vec<_> = whole.shape().dims().iter().map(extent).collect();
            let dims: Vec<_> = whole.shape().dims().iter().map(u64::to_string).collect();
            let slice: Vec<_> = extents.iter().map(|(from, len)| format!("{from},{len}")).collect();
            let spec = format!("{} {}", dims.join(" "), slice.join(":"));
            let code = format!("{}", dtype.code());
            let lens: Vec<_> = extents.iter().map(|(_, len)| len.cast_signed()).collect();
            let graph = restoring(&key, &spec, &code, &into(&code, "VarHandleOp", &lens));
            let graph = parsed("tensorflow.MetaGraphDef", &format!("graph_def {{\n{graph}}}"));
            let mut variables = Variables::default();
            restore(&graph, &saver(), path, &mut variables).unwrap();
            let found = variables.find("v").unwrap();
            let whole_of_it: Vec<_> = found.shape().dims().iter().map(|&len| (0, len)).collect();
            assert_eq!(naive(found, &whole_of_it), naive(&whole, &extents), "{key} {spec}");
        }
    }
}

#[test]
fn damaged_meta_graphs_are_run_or_refused() {
    let mut random = Random::new(5);
    for case in ["of_shards", "of_each", "of_v1"] {
        let good = meta_graph(&format!("run/{case}/model.ckpt.meta"));
        let path = format!("tests/data/savers/run/{case}/model.ckpt");
        let known = MetaGraphDef::decode(good.bytes()).unwrap();
        let saver = known.saver_def.clone().unwrap();
        let (mut built, mut refused) = (0, 0);
        for _ in 0..60 {
            let mut other = known.clone();
            let graph = other.graph_def.as_mut().unwrap();
            for _ in 0..1 + random.below(3) {
                damage(graph, &mut random);
            }
            let message = decoded("tensorflow.MetaGraphDef", other.encode_to_vec());
            if let Ok(Some(with_saver)) = build(&message, &BuilderOptions::default()) {
                assert!(with_saver.message.bytes().len() > message.bytes().len());
                built += 1;
            }
            let mut variables = Variables::of(&message).unwrap();
            let before = variables.clone();
            if restore(&message, &saver, &path, &mut variables).is_err() {
                assert_eq!(variables, before);
                refused += 1;
            }
        }
        let both = format!("{case}: {built} built, {refused} refused");
        assert!(built >= 5 && (5..55).contains(&refused), "{both}");
    }
}

/// Changes a node of a graph.
fn damage(graph: &mut GraphDef, random: &mut Random) {
    let any =
        |random: &mut Random, graph: &GraphDef| random.below(graph.node.len() as u64) as usize;
    let (at, other) = (any(random, graph), any(random, graph));
    let (name, op) = (graph.node[other].name.clone(), graph.node[other].op.clone());
    let attr = graph.node[other].attr.clone();
    let node = &mut graph.node[at];
    match random.below(6) {
        0 => node.op = op,
        1 => node.attr = attr,
        2 => node.input.push(name),
        3 => drop(node.input.pop()),
        4 => {
            if let Some(input) = node.input.first_mut() {
                *input = name;
            }
        }
        _ => {
            let code = random.below(40) as i32;
            for name in ["T", "dtype"] {
                node.attr.insert(name.into(), AttrValue { value: Some(Value::Type(code)) });
            }
        }
    }
}

#[test]
fn every_op_that_makes_a_variable_is_restored() {
    for op in ["VariableV2", "Variable", "AutoReloadVariable", "VarHandleOp"] {
        let graph = restoring("b", "", "DT_FLOAT", &into("DT_FLOAT", op, &[2, 3]));
        assert!(run(&graph).is_ok(), "{op}: {:?}", run(&graph).err());
    }
}

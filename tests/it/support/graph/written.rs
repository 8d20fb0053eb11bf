//! Writes plans as meta graphs, with everything that TensorFlow derives from names: savers, collections, placement, frames.

use std::collections::{BTreeMap, BTreeSet};

use ckdiff::graph::OpTable;
use ckdiff::schema::tensorflow::attr_value::{ListValue, Value};
use ckdiff::schema::tensorflow::collection_def::{BytesList, Kind, NodeList};
use ckdiff::schema::tensorflow::meta_graph_def::MetaInfoDef;
use ckdiff::schema::tensorflow::tensor_info::Encoding;
use ckdiff::schema::tensorflow::{
    CollectionDef, DataType, FunctionDef, FunctionDefLibrary, GraphDef, MetaGraphDef, NameAttrList,
    NodeDef, OpDef, OpList, SaveSliceInfoDef, SaverDef, SignatureDef, TensorInfo, VariableDef,
    VersionDef, WhileContextDef, op_def::ArgDef,
};
use prost::Message as _;

use crate::support::graph::plan::{
    Function, Loop, Piece, Plan, Saver, Variable, attr, float, floats, shape, strings,
};

/// The meta graph of a plan.
pub(crate) fn written(plan: &Plan) -> MetaGraphDef {
    let mut node: Vec<_> = plan.nodes.iter().flatten().map(|piece| node(plan, piece)).collect();
    let saver_def = plan.saver.map(|saver| save(plan, saver, &mut node));
    let used: BTreeSet<&str> = node.iter().map(|node| &*node.op).collect();
    let ops = used.iter().filter_map(|op| OpTable::builtin().definition(op).cloned());
    let stripped_op_list = plan.has_op_list.then(|| OpList { op: ops.collect() });
    let function: Vec<_> = plan.functions.iter().map(function).collect();
    let library = FunctionDefLibrary { function, ..FunctionDefLibrary::default() };
    let graph_def = GraphDef {
        node,
        library: (!plan.functions.is_empty()).then_some(library),
        versions: Some(VersionDef { producer: 1087, ..VersionDef::default() }),
        ..GraphDef::default()
    };
    let meta_info_def = MetaInfoDef {
        stripped_op_list,
        tags: vec!["serve".into()],
        tensorflow_version: "1.15.0".into(),
        ..MetaInfoDef::default()
    };
    MetaGraphDef {
        meta_info_def: Some(meta_info_def),
        graph_def: Some(graph_def),
        saver_def,
        collection_def: collections(plan),
        signature_def: signatures(plan),
        ..MetaGraphDef::default()
    }
}

fn output(plan: &Plan, id: usize) -> String {
    format!("{}:0", plan.node(id).name)
}

fn node(plan: &Plan, piece: &Piece) -> NodeDef {
    let data = piece.inputs.iter().map(|&(id, port)| match (&plan.node(id).name, port) {
        (name, 0) => name.clone(),
        (name, port) => format!("{name}:{port}"),
    });
    let controls = piece.controls.iter().map(|&id| format!("^{}", plan.node(id).name));
    let mut attrs: BTreeMap<String, _> =
        piece.attrs.iter().map(|(name, value)| ((*name).into(), attr(value.clone()))).collect();
    if let Some(beside) = piece.beside {
        let class = format!("loc:@{}", plan.node(beside).name).into_bytes();
        let list = ListValue { s: vec![class], ..ListValue::default() };
        attrs.insert("_class".into(), attr(Value::List(list.into())));
    }
    if let Some(found) = piece.enters {
        let frame = format!("{}while_context", plan.loops[found].scope).into_bytes();
        attrs.insert("frame_name".into(), attr(Value::S(frame)));
    }
    if let Some(called) = piece.calls {
        let name = plan.functions[called].full_name();
        let call = NameAttrList { name, ..NameAttrList::default() };
        attrs.insert("f".into(), attr(Value::Func(call)));
    }
    if piece.op == "VarHandleOp" {
        attrs.insert("shared_name".into(), attr(Value::S(piece.name.clone().into_bytes())));
    }
    NodeDef {
        name: piece.name.clone(),
        op: piece.op.into(),
        input: data.chain(controls).collect(),
        device: piece.device.clone(),
        attr: attrs,
        ..NodeDef::default()
    }
}

impl Function {
    fn full_name(&self) -> String {
        format!("__inference_{}_{}", self.name, self.counter)
    }
}

/// A function that adds a constant to its argument.
fn function(function: &Function) -> FunctionDef {
    let arg = |name: &str| ArgDef {
        name: name.into(),
        r#type: DataType::DtFloat as i32,
        ..ArgDef::default()
    };
    let node = |name: &str, op: &str, input: &[&str], attrs: &[(&str, Value)]| NodeDef {
        name: name.into(),
        op: op.into(),
        input: input.iter().map(|&name| name.to_owned()).collect(),
        attr: attrs.iter().map(|(name, value)| ((*name).into(), attr(value.clone()))).collect(),
        ..NodeDef::default()
    };
    let value = Value::Tensor(floats(&[function.constant], 1).into());
    FunctionDef {
        signature: Some(OpDef {
            name: function.full_name(),
            input_arg: vec![arg("x")],
            output_arg: vec![arg("identity")],
            ..OpDef::default()
        }),
        node_def: vec![
            node("add/y", "Const", &[], &[("dtype", float()), ("value", value)]),
            node("add", "AddV2", &["x", "add/y:output:0"], &[("T", float())]),
            node("Identity", "Identity", &["add:z:0"], &[("T", float())]),
        ],
        ret: [("identity".into(), "Identity:output:0".into())].into(),
        ..FunctionDef::default()
    }
}

fn collections(plan: &Plan) -> BTreeMap<String, CollectionDef> {
    let of = |kind| CollectionDef { kind: Some(kind) };
    let bytes = |value| of(Kind::BytesList(BytesList { value }));
    let variables = |trainable: bool| -> Vec<_> {
        let taken = plan.variables.iter().filter(|v| v.is_trainable || !trainable);
        taken.map(|v| variable_def(plan, v).encode_to_vec()).collect()
    };
    let loops: Vec<_> =
        plan.loops.iter().map(|found| while_context(plan, found).encode_to_vec()).collect();
    let nodes: Vec<_> = plan.update_ops.iter().map(|&id| plan.node(id).name.clone()).collect();
    let mut all = BTreeMap::new();
    for (name, items) in [
        ("variables", variables(false)),
        ("trainable_variables", variables(true)),
        ("while_context", loops),
    ] {
        if !items.is_empty() {
            all.insert(name.to_owned(), bytes(items));
        }
    }
    if !nodes.is_empty() {
        all.insert("update_ops".into(), of(Kind::NodeList(NodeList { value: nodes })));
    }
    all
}

fn variable_def(plan: &Plan, variable: &Variable) -> VariableDef {
    let slice = variable.half.map(|half| SaveSliceInfoDef {
        full_name: variable.key(plan),
        full_shape: vec![4],
        var_offset: vec![2 * half as i64],
        var_shape: vec![2],
    });
    VariableDef {
        variable_name: output(plan, variable.node),
        initializer_name: plan.node(variable.assign).name.clone(),
        snapshot_name: output(plan, variable.read),
        initial_value_name: output(plan, variable.initial),
        save_slice_info_def: slice,
        is_resource: variable.is_resource,
        trainable: variable.is_trainable,
        ..VariableDef::default()
    }
}

fn while_context(plan: &Plan, found: &Loop) -> WhileContextDef {
    let outputs = |ids: &[usize]| ids.iter().map(|&id| output(plan, id)).collect();
    WhileContextDef {
        context_name: format!("{}while_context", found.scope),
        parallel_iterations: 10,
        back_prop: true,
        pivot_name: output(plan, found.pivot),
        pivot_for_pred_name: output(plan, found.pivot),
        pivot_for_body_name: output(plan, found.pivot_for_body),
        loop_exit_names: outputs(&found.exits),
        loop_enter_names: outputs(&found.enters),
        ..WhileContextDef::default()
    }
}

fn signatures(plan: &Plan) -> BTreeMap<String, SignatureDef> {
    let info = |id| TensorInfo {
        dtype: DataType::DtFloat as i32,
        tensor_shape: Some(shape(&[-1])),
        encoding: Some(Encoding::Name(output(plan, id))),
    };
    let signature = |(input, out)| SignatureDef {
        inputs: [("x".into(), info(input))].into(),
        outputs: [("y".into(), info(out))].into(),
        method_name: "tensorflow/serving/predict".into(),
        ..SignatureDef::default()
    };
    plan.signatures.iter().map(|(name, &ends)| (name.clone(), signature(ends))).collect()
}

impl Variable {
    /// The name of the variable in checkpoints.
    fn key(&self, plan: &Plan) -> String {
        let name = &plan.node(self.node).name;
        match self.half {
            Some(_) => name.rsplit_once('/').map_or(name.clone(), |(whole, _)| whole.to_owned()),
            None => name.clone(),
        }
    }
}

/// Adds the nodes of a saver, which are numbered in the order of the variables' keys.
fn save(plan: &Plan, saver: Saver, nodes: &mut Vec<NodeDef>) -> SaverDef {
    let mut variables: Vec<_> = plan.variables.iter().map(|v| (v.key(plan), v)).collect();
    variables.sort_by(|a, b| (&a.0, a.1.half).cmp(&(&b.0, b.1.half)));
    let keys: Vec<_> = variables.iter().map(|(key, _)| key.clone()).collect();
    let slice = |v: &Variable| v.half.map_or(String::new(), |half| format!("4 {},2", 2 * half));
    let slices: Vec<_> = variables.iter().map(|(_, v)| slice(v)).collect();
    let types = Value::List(Box::new(ListValue {
        r#type: vec![DataType::DtFloat as i32; keys.len()],
        ..ListValue::default()
    }));
    let mut save = |name: &str, op: &str, input: Vec<String>, attrs: &[(&str, Value)]| {
        let attr =
            attrs.iter().map(|(name, value)| ((*name).into(), attr(value.clone()))).collect();
        let (name, op) = (format!("save/{name}"), op.into());
        nodes.push(NodeDef { name, op, input, attr, ..NodeDef::default() });
    };
    let text = |texts: &[String]| {
        let tensor = strings(texts);
        [("dtype", Value::Type(tensor.dtype)), ("value", Value::Tensor(tensor.into()))]
    };
    let saved =
        variables.iter().map(|(_, v)| plan.node(if v.is_resource { v.read } else { v.node }));
    save("Const", "Const", vec![], &text(&["model".into()]));
    let names =
        |from: &str| ["tensor_names", "shape_and_slices"].map(|end| format!("save/{from}/{end}"));
    let file = || "save/Const".to_owned();
    for which in ["SaveV2", "RestoreV2"] {
        save(&format!("{which}/tensor_names"), "Const", vec![], &text(&keys));
        save(&format!("{which}/shape_and_slices"), "Const", vec![], &text(&slices));
        let mut input = vec![file()];
        input.extend(names(which));
        if which == "SaveV2" {
            input.extend(saved.clone().map(|piece| piece.name.clone()));
        }
        save(which, which, input, &[("dtypes", types.clone())]);
    }
    let after = vec![file(), "^save/SaveV2".into()];
    save("control_dependency", "Identity", after, &[("T", Value::Type(DataType::DtString as i32))]);
    let mut assigns = Vec::new();
    let mut counts = [0, 0];
    for (at, (_, v)) in variables.iter().enumerate() {
        // The nodes of each op are numbered separately.
        let count = &mut counts[usize::from(v.is_resource)];
        let number = *count;
        *count += 1;
        let count = |name: &str| if number == 0 { name.into() } else { format!("{name}_{number}") };
        let from = if at == 0 { "save/RestoreV2".into() } else { format!("save/RestoreV2:{at}") };
        let to = plan.node(v.node).name.clone();
        if v.is_resource {
            save(&count("Identity"), "Identity", vec![from], &[("T", float())]);
            let input = vec![to, format!("save/{}", count("Identity"))];
            save(&count("AssignVariableOp"), "AssignVariableOp", input, &[("dtype", float())]);
            assigns.push(format!("^save/{}", count("AssignVariableOp")));
        } else {
            let class = vec![format!("loc:@{to}").into_bytes()];
            let class = Value::List(Box::new(ListValue { s: class, ..ListValue::default() }));
            save(&count("Assign"), "Assign", vec![to, from], &[("T", float()), ("_class", class)]);
            assigns.push(format!("^save/{}", count("Assign")));
        }
    }
    save("restore_all", "NoOp", assigns, &[]);
    SaverDef {
        filename_tensor_name: "save/Const:0".into(),
        save_tensor_name: "save/control_dependency:0".into(),
        restore_op_name: "save/restore_all".into(),
        max_to_keep: saver.max_to_keep,
        keep_checkpoint_every_n_hours: 10000.0,
        version: 2,
        ..SaverDef::default()
    }
}

//! One order of everything whose order means nothing.

use crate::schema::tensorflow::collection_def::Kind;
use crate::schema::tensorflow::control_flow_context_def::Ctxt;
use crate::schema::tensorflow::{
    CollectionDef, CondContextDef, ControlFlowContextDef, FunctionDef, GraphDef, MetaGraphDef,
    NodeDef, ValuesDef, WhileContextDef,
};

/// Sorts the nodes of a graph by scope and name, its functions by name, and control inputs.
pub(super) fn sort(graph: &mut GraphDef) {
    super::each_node(graph, sort_control_inputs);
    sort_nodes(&mut graph.node);
    let Some(library) = &mut graph.library else { return };
    for function in &mut library.function {
        sort_nodes(&mut function.node_def);
        if let Some(signature) = &mut function.signature {
            signature.control_output.sort_unstable();
        }
    }
    library.function.sort_by(|a, b| name(a).cmp(name(b)));
    library.gradient.sort_by(|a, b| a.function_name.cmp(&b.function_name));
    library.registered_gradients.sort_by(|a, b| {
        (&a.gradient_func, &a.registered_op_type).cmp(&(&b.gradient_func, &b.registered_op_type))
    });
}

fn name(function: &FunctionDef) -> &str {
    function.signature.as_ref().map(|signature| &*signature.name).unwrap_or_default()
}

/// Sorts nodes by scope and name; those without a scope come first.
fn sort_nodes(nodes: &mut [NodeDef]) {
    nodes.sort_by(|a, b| scoped(&a.name).cmp(&scoped(&b.name)));
}

/// The scope of a node, and its name in it.
fn scoped(name: &str) -> (Option<&str>, &str) {
    name.rsplit_once('/').map_or((None, name), |(scope, leaf)| (Some(scope), leaf))
}

/// Puts control inputs behind the others, sorted, each once.
fn sort_control_inputs(node: &mut NodeDef) {
    let is_control = |input: &String| input.starts_with('^');
    if !node.input.iter().any(is_control) {
        return;
    }
    let (mut control, data): (Vec<_>, Vec<_>) =
        std::mem::take(&mut node.input).into_iter().partition(is_control);
    control.sort_unstable();
    control.dedup();
    node.input = data;
    node.input.append(&mut control);
}

/// Sorts the parts of a meta graph that TensorFlow writes from sets, in the order of hashes.
pub(super) fn sort_sets(meta_graph: &mut MetaGraphDef) {
    let name = |asset: &crate::schema::tensorflow::AssetFileDef| asset.filename.clone();
    meta_graph.asset_file_def.sort_by_key(name);
    for (key, collection) in &mut meta_graph.collection_def {
        match &**key {
            "cond_context" => each_item(collection, |item: &mut CondContextDef| sort_cond(item)),
            "while_context" => each_item(collection, |item: &mut WhileContextDef| sort_while(item)),
            _ => {}
        }
    }
}

/// Changes the items of a collection that are messages of one type.
fn each_item<M: prost::Message + Default>(collection: &mut CollectionDef, change: impl Fn(&mut M)) {
    let Some(Kind::BytesList(list)) = &mut collection.kind else { return };
    for bytes in &mut list.value {
        if let Ok(mut item) = M::decode(&**bytes) {
            change(&mut item);
            *bytes = item.encode_to_vec();
        }
    }
}

fn sort_values(values: &mut Option<ValuesDef>) {
    values.iter_mut().for_each(|values| values.values.sort_unstable());
}

fn sort_nested(contexts: &mut [ControlFlowContextDef]) {
    for context in contexts {
        match &mut context.ctxt {
            Some(Ctxt::CondCtxt(cond)) => sort_cond(cond),
            Some(Ctxt::WhileCtxt(context)) => sort_while(context),
            None => {}
        }
    }
}

fn sort_cond(context: &mut CondContextDef) {
    sort_values(&mut context.values_def);
    sort_nested(&mut context.nested_contexts);
}

fn sort_while(context: &mut WhileContextDef) {
    sort_values(&mut context.values_def);
    sort_nested(&mut context.nested_contexts);
}

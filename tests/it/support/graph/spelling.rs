//! Equivalent graphs: nodes in another order, values in another encoding, defaults left out.

use ckdiff::graph::{OpTable, default_of};
use ckdiff::schema::tensorflow::attr_value::Value;
use ckdiff::schema::tensorflow::{DataType, MetaGraphDef, NodeDef};

use crate::support::Random;
use crate::support::graph::plan::{attr, floats, values};

/// An equivalent graph that is encoded differently wherever TensorFlow permits it.
pub(crate) fn rewritten(graph: &MetaGraphDef, random: &mut Random) -> MetaGraphDef {
    let mut spelled = graph.clone();
    let graph = spelled.graph_def.as_mut().unwrap();
    for at in (1..graph.node.len()).rev() {
        graph.node.swap(at, random.below(at as u64 + 1) as usize);
    }
    graph.node.iter_mut().for_each(|node| respell(node, random));
    if let Some(library) = &mut graph.library {
        library.function.reverse();
    }
    graph.versions.as_mut().unwrap().producer += 1;
    let about = spelled.meta_info_def.as_mut().unwrap();
    about.tensorflow_version = "1.15.5".into();
    about.stripped_default_attrs = true;
    spelled
}

fn respell(node: &mut NodeDef, random: &mut Random) {
    if let Some(definition) = OpTable::builtin().definition(&node.op) {
        node.attr.retain(|name, value| default_of(definition, name) != Some(&*value));
    }
    let value = node.attr.get_mut("value").and_then(|attr| attr.value.as_mut());
    if let Some(Value::Tensor(tensor)) = value
        && tensor.dtype == DataType::DtFloat as i32
    {
        **tensor = floats(&values(tensor), random.next());
    }
    node.attr.insert("_noted".into(), attr(Value::I(random.below(9) as i64)));
    let controls = node.input.iter().position(|input| input.starts_with('^'));
    let controls = controls.unwrap_or(node.input.len());
    node.input[controls..].reverse();
    for input in &mut node.input[..controls] {
        if !input.contains(':') && random.below(2) == 1 {
            input.push_str(":0");
        }
    }
}

//! Which functions the nodes of a graph call.

use std::collections::BTreeMap;

use crate::graph::{Graph, Library, Node, NodeId, attrs, node_of};
use crate::message::{fields, nested, string};
use crate::schema::field::attr_value::{self, list_value};
use crate::schema::field::name_attr_list;

/// The functions of a library, by name.
pub(super) struct Functions<'m>(BTreeMap<&'m str, usize>);

impl<'m> Functions<'m> {
    pub(super) fn new(library: &Library<'m>) -> Self {
        // Of several with one name, the first.
        let functions = library.functions.iter().enumerate().rev();
        Self(functions.map(|(at, function)| (function.name, at)).collect())
    }

    /// The positions of the functions that a node calls: by its op or by its attributes.
    pub(super) fn called_by(&self, node: &Node<'m>) -> Vec<usize> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut names = vec![node.op];
        for (_, value) in node.attrs() {
            names.push(attrs::function(value));
            let listed = fields(nested(value, attr_value::LIST), list_value::FUNC);
            names.extend(listed.map(|function| string(function, name_attr_list::NAME)));
        }
        let mut called: Vec<_> =
            names.iter().filter_map(|name| self.0.get(name)).copied().collect();
        called.sort_unstable();
        called.dedup();
        called
    }
}

/// The functions that are called to compute the tensors `outputs`, or by any node if there are none.
pub(super) fn called_for<'m>(
    graph: &Graph<'m>,
    outputs: &[String],
    library: &Library<'m>,
) -> Vec<usize> {
    let functions = Functions::new(library);
    let needed = needed_for(graph, outputs);
    let nodes = graph.iter().filter(|(id, _)| needed.get(id.position()) == Some(&true));
    nodes.flat_map(|(_, node)| functions.called_by(node)).collect()
}

/// Whether each node is needed for the tensors `outputs`; all are if there are none.
fn needed_for(graph: &Graph<'_>, outputs: &[String]) -> Vec<bool> {
    let mut open: Vec<NodeId> =
        outputs.iter().filter_map(|output| graph.find(node_of(output))).collect();
    if open.is_empty() {
        return vec![true; graph.nodes().len()];
    }
    let mut needed = vec![false; graph.nodes().len()];
    while let Some(id) = open.pop() {
        let Some(found @ false) = needed.get_mut(id.position()) else { continue };
        *found = true;
        open.extend(graph.inputs_of(id).iter().filter_map(|input| input.source));
    }
    needed
}

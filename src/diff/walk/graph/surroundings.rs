//! What added or removed nodes are, and where in their graph: the class of the layer, the variables among them, the nodes that they
//! compute from, and those that use them.

use super::layer;
use crate::diff::NodeGroup;
use crate::diff::derived::{is_of_gradients, is_of_saver};
use crate::diff::matching::graph::{PerNode, common_scope, leaf, main_scope};
use crate::diff::walk::names::{LONGEST, MOST, with_shape};
use crate::graph::{Action, Graph, Node, NodeId, SaveOp, VariableKind, is_constant};
use crate::message::field;
use crate::schema::field::attr_value;

/// The op that reads a variable, whose input is the variable rather than data.
const READ: &str = "ReadVariableOp";

/// Finds the surroundings of groups of nodes of `graph`. Only the nodes in the main scope of a group count: what a layer is between
/// is not what its gradients are between.
///
/// `scopes` has the scope of each group.
pub(super) fn find(graph: &Graph<'_>, scopes: &[String], groups: &mut [(Vec<NodeId>, NodeGroup)]) {
    // Gradients and savers are between whatever the model is between.
    let is_derived = |scope: &str| is_of_gradients(scope) || is_of_saver(&format!("{scope}/"));
    let counts = |scope: &&String| !scope.is_empty() && !is_derived(scope);
    let scopes: Vec<_> = scopes.iter().map(|scope| Some(scope).filter(counts)).collect();
    if scopes.iter().all(Option::is_none) {
        return;
    }
    // The number of the group of each node, from 1.
    let mut numbers = PerNode::new(graph);
    for (number, (ids, _)) in (1..).zip(groups.iter()) {
        ids.iter().for_each(|&id| numbers.set(id, number));
    }
    let scope = |number: usize| *scopes.get(number.checked_sub(1)?)?;
    let is_inside = |id, number| scope(number).is_some_and(|s| is_in(graph.node(id).name, s));
    let mut found: Vec<Surroundings> = groups.iter().map(|_| Surroundings::default()).collect();
    for (id, node) in graph.iter() {
        let own = numbers.get(id);
        if is_inside(id, own) && VariableKind::of_op(node.op).is_some() {
            found.get_mut(own - 1).into_iter().for_each(|group| group.variables.push(id));
        }
        let data = graph.inputs_of(id).iter().filter(|input| !input.is_control);
        for source in data.filter_map(|input| input.source) {
            let other = numbers.get(source);
            if other == own {
                continue;
            }
            if is_inside(id, own) && node.op != READ && !is_constant(graph.node(source).op) {
                found
                    .get_mut(own - 1)
                    .into_iter()
                    .for_each(|group| push(&mut group.inputs, source));
            }
            if is_inside(source, other) && !SaveOp::is(node.op, Action::Save) {
                found
                    .get_mut(other - 1)
                    .into_iter()
                    .for_each(|group| push(&mut group.consumers, id));
            }
        }
    }
    for (((ids, nodes), found), scope) in groups.iter_mut().zip(found).zip(&scopes) {
        let Some(scope) = scope else { continue };
        let inside = ids.iter().copied().filter(|&id| is_in(graph.node(id).name, scope));
        nodes.layer = layer::of(graph, inside);
        nodes.variables = variables(graph, &found.variables, scope);
        (nodes.inputs, nodes.consumers) =
            (names(graph, &found.inputs), names(graph, &found.consumers));
    }
}

/// The nodes next to a group, and its variables.
#[derive(Default)]
struct Surroundings {
    inputs: Vec<NodeId>,
    consumers: Vec<NodeId>,
    variables: Vec<NodeId>,
}

/// The scope of a group, without a slash at its end: the one that most of its nodes are in that are no gradients and of no saver, if
/// there are such nodes; otherwise that of its variables. `…/ema` stands for scopes that end alike. Empty if there is none.
pub(super) fn scope_of(graph: &Graph<'_>, ids: &[NodeId]) -> String {
    let names = |ids: &[NodeId]| ids.iter().map(|&id| graph.node(id).name).collect::<Vec<_>>();
    let all = names(ids);
    let is_own = |name: &&str| !is_of_gradients(name) && !is_of_saver(name);
    let own: Vec<&str> = all.iter().copied().filter(is_own).collect();
    let scope = main_scope(if own.is_empty() { &all } else { &own });
    let is_variable = |id: &NodeId| VariableKind::of_op(graph.node(*id).op).is_some();
    let variables: Vec<NodeId> = ids.iter().copied().filter(is_variable).collect();
    let variables = names(&variables);
    if !scope.is_empty() {
        let inside = |scope: &str| own.iter().filter(|name| is_in(name, scope)).count();
        return match variables.as_slice() {
            // One variable, whose name most of the nodes have.
            [only] if is_in(only, scope) && inside(only) * 2 > inside(scope) => (*only).to_owned(),
            _ => scope.to_owned(),
        };
    }
    match variables.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first, others @ ..] => match common_scope(&variables) {
            "" if others.iter().all(|name| leaf(name) == leaf(first)) => {
                format!("…/{}", leaf(first))
            }
            scope => scope.to_owned(),
        },
    }
}

/// Whether a node is in a scope, or gives the scope its name, as a variable does.
fn is_in(name: &str, scope: &str) -> bool {
    name.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn push(ids: &mut Vec<NodeId>, id: NodeId) {
    if ids.len() < MOST && !ids.contains(&id) {
        ids.push(id);
    }
}

fn names(graph: &Graph<'_>, ids: &[NodeId]) -> Vec<String> {
    let names = ids.iter().map(|&id| graph.node(id).name);
    names.filter(|name| name.len() <= LONGEST).map(str::to_owned).collect()
}

/// The variables with their shapes, without those that an optimizer keeps for another one: `kernel [20, 64]`.
fn variables(graph: &Graph<'_>, ids: &[NodeId], scope: &str) -> Vec<String> {
    let mut names: Vec<&str> = ids.iter().map(|&id| graph.node(id).name).collect();
    names.sort_unstable();
    let is_slot = |name: &str| {
        let mut scopes = name.match_indices('/').filter_map(|(at, _)| name.get(..at));
        scopes.any(|scope| names.binary_search(&scope).is_ok())
    };
    let own = ids
        .iter()
        .map(|&id| graph.node(id))
        .filter(|node| node.name.len() <= LONGEST && !is_slot(node.name));
    own.take(MOST).map(|node| variable(node, scope)).collect()
}

fn variable(node: &Node<'_>, scope: &str) -> String {
    let inside = node.name.strip_prefix(scope).and_then(|rest| rest.strip_prefix('/'));
    let name = inside.unwrap_or_else(|| leaf(node.name));
    let shape = node.attr("shape").and_then(|value| field(value, attr_value::SHAPE));
    with_shape(name, shape)
}

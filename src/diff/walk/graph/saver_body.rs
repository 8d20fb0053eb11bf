//! Whether two functions save or restore the same tensors in the same way.
//!
//! The variables of a saver function come in the order of keys, and names are numbered in that order, so neither order nor names may
//! count. A body is therefore hashed from its arguments on: an argument is known by the tensors that it is saved to or restored from, an
//! output of a restore node by its tensor, and every other node by its op, its attributes and its inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::diff::matching::graph::Renames;
use crate::diff::meaning::is_internal;
use crate::error::Result;
use crate::graph::{
    Action, Graph, Input, Node, NodeId, NodeKind, SaveNode, SaveOp, SavedTensor, output_number,
};
use crate::message::{entries, fields, nested, records};
use crate::schema::field::function_def;
use crate::schema::field::op_def::{self, arg_def};

/// The attributes that count in a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attributes {
    All,
    /// Without those that TensorFlow keeps for itself, such as `_output_shapes`.
    OfOps,
}

impl Attributes {
    fn counts(self, name: &str) -> bool {
        self == Self::All || !is_internal(name)
    }
}

/// A hash of what a saver function does: two functions with the same hash do the same. `keys` has the renames of checkpoint keys, for a
/// function of the left side.
///
/// # Errors
/// If the body is too large.
pub(super) fn body_hash(
    function: &[u8],
    keys: Option<&Renames>,
    attributes: Attributes,
) -> Result<u64> {
    let graph = Graph::of_function(function)?;
    let nodes = graph.save_nodes();
    let lists = nodes.iter().flat_map(|node| node.constants.iter().copied()).collect();
    let hashes = vec![None; graph.nodes().len()];
    let mut body = Body { graph: &graph, nodes: &nodes, lists, keys, attributes, hashes };
    let arguments = body.arguments(nested(function, function_def::SIGNATURE));
    let mut all = Vec::new();
    for id in body.order() {
        let hash = body.node(id, &arguments);
        if let Some(known) = body.hashes.get_mut(id.position()) {
            *known = Some(hash);
        }
        all.push(hash);
    }
    all.sort_unstable();
    Ok(hash_of(&(all, results(function, attributes))))
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut state = DefaultHasher::new();
    value.hash(&mut state);
    state.finish()
}

/// A tensor of a checkpoint: whether it is saved or restored, its key on the right side, its slice and its dtype.
type Tensor = (Action, String, String, i32);

/// The types of the results, and the attributes of the function.
fn results(function: &[u8], attributes: Attributes) -> (Vec<u64>, Vec<(&str, &[u8])>) {
    let signature = nested(function, function_def::SIGNATURE);
    let results = fields(signature, op_def::OUTPUT_ARG)
        .map(|result| type_of_argument(result, false))
        .collect();
    let attrs = entries(function, function_def::ATTR).filter(|(name, _)| attributes.counts(name));
    (results, attrs.collect())
}

/// The hash of an argument or a result of a signature, without its name, and without the shape of a variable.
fn type_of_argument(argument: &[u8], is_variable: bool) -> u64 {
    let counts = |number| match number {
        arg_def::NAME => false,
        arg_def::HANDLE_DATA => !is_variable,
        _ => true,
    };
    let fields = records(argument).filter(|field| counts(field.number));
    hash_of(&fields.map(|field| field.bytes).collect::<Vec<_>>())
}

struct Body<'x, 'm> {
    graph: &'x Graph<'m>,
    nodes: &'x [SaveNode],
    /// The constants with the keys and slices of tensors.
    lists: BTreeSet<NodeId>,
    keys: Option<&'x Renames>,
    attributes: Attributes,
    /// The hashes so far, by the number of the node.
    hashes: Vec<Option<u64>>,
}

impl<'m> Body<'_, 'm> {
    /// The hash of each argument: of its tensors, or else of its position among the arguments without any.
    fn arguments(&self, signature: &[u8]) -> Vec<u64> {
        let mut tensors = BTreeMap::<usize, Vec<Tensor>>::new();
        for node in self.nodes {
            for saved in node.tensors.iter().flatten() {
                let kind = saved.variable.map(|variable| self.graph.node(variable).kind);
                if let Some(NodeKind::Argument(at)) = kind {
                    tensors.entry(at as usize).or_default().push(self.tensor(node, saved));
                }
            }
        }
        let mut others = 0;
        let hash = |(at, argument): (usize, &[u8])| {
            let mut tensors = tensors.remove(&at).unwrap_or_default();
            tensors.sort_unstable();
            others += usize::from(tensors.is_empty());
            let position = tensors.is_empty().then_some(others);
            // The shape of a variable is compared where the variable is.
            let is_variable = !tensors.is_empty();
            hash_of(&(tensors, position, type_of_argument(argument, is_variable)))
        };
        fields(signature, op_def::INPUT_ARG).enumerate().map(hash).collect()
    }

    fn tensor(&self, node: &SaveNode, saved: &SavedTensor) -> Tensor {
        let renamed = self.keys.and_then(|keys| keys.new_name(&saved.key));
        let key = renamed.unwrap_or_else(|| saved.key.clone());
        (node.action, key, saved.slice.clone(), saved.dtype)
    }

    /// The nodes, each after its inputs, and at last those of cycles.
    fn order(&self) -> Vec<NodeId> {
        let mut missing: Vec<usize> = vec![0; self.graph.nodes().len()];
        let mut users: Vec<Vec<NodeId>> = vec![Vec::new(); missing.len()];
        for (id, node) in self.graph.iter() {
            for source in self.graph.inputs(node).iter().filter_map(|input| input.source) {
                if let Some(users) = users.get_mut(source.position()) {
                    users.push(id);
                }
                if let Some(missing) = missing.get_mut(id.position()) {
                    *missing += 1;
                }
            }
        }
        let is_ready = |id: &NodeId| missing.get(id.position()) == Some(&0);
        let mut order: Vec<NodeId> = self.graph.iter().map(|(id, _)| id).filter(is_ready).collect();
        let mut at = 0;
        while let Some(id) = order.get(at) {
            at += 1;
            for user in users.get(id.position()).cloned().unwrap_or_default() {
                if let Some(missing) = missing.get_mut(user.position()) {
                    *missing -= 1;
                    if *missing == 0 {
                        order.push(user);
                    }
                }
            }
        }
        let rest = self.graph.iter().map(|(id, _)| id);
        let rest = rest.filter(|id| missing.get(id.position()) != Some(&0));
        order.extend(rest.collect::<Vec<_>>());
        order
    }

    fn node(&self, id: NodeId, arguments: &[u64]) -> u64 {
        let node = self.graph.node(id);
        let kind = match node.kind {
            NodeKind::Argument(at) => (0, arguments.get(at as usize).copied().unwrap_or_default()),
            NodeKind::Result(at) => (1, at.into()),
            NodeKind::ControlResult(_) => (2, 0),
            NodeKind::Node => (3, 0),
        };
        let inputs = self.graph.inputs(node);
        // Data after a control input is malformed.
        let is_sorted = inputs.is_sorted_by_key(|input| input.is_control);
        let (control, mut data): (Vec<&Input<'m>>, Vec<_>) =
            inputs.iter().partition(|input| input.is_control);
        let mut tensors = Vec::new();
        if let Some((op, saver)) = self.saver(id) {
            tensors = self.tensors(op, saver, &data);
            // The path.
            data.truncate(1);
        }
        let mut control: Vec<u64> = control.into_iter().map(|input| self.input(input)).collect();
        control.sort_unstable();
        let data: Vec<u64> = data.into_iter().map(|input| self.input(input)).collect();
        let inputs = (data, control, is_sorted);
        hash_of(&(kind, node.op, node.device, self.attrs(id, node), inputs, tensors))
    }

    fn input(&self, input: &Input<'m>) -> u64 {
        let Some(source) = input.source else { return hash_of(&input.text) };
        let node = self.hashes.get(source.position()).copied().flatten();
        let restored = self.saver(source).filter(|(op, _)| op.action == Action::Restore);
        let tensor = restored.and_then(|(_, saver)| {
            let at = usize::try_from(output_number(input)?).ok()?;
            Some(self.tensor(saver, saver.tensors.as_ref()?.get(at)?))
        });
        match tensor {
            Some(tensor) => hash_of(&(node, tensor)),
            None => hash_of(&(node, input.port)),
        }
    }

    /// The tensors of a save or restore node, each with the value that is saved.
    fn tensors(
        &self,
        op: &SaveOp,
        node: &SaveNode,
        data: &[&Input<'m>],
    ) -> Vec<(Tensor, Option<u64>)> {
        let value = |at: usize| data.get(op.data() + at).map(|&input| self.input(input));
        let tensors = node.tensors.iter().flatten().enumerate();
        let mut tensors: Vec<_> =
            tensors.map(|(at, saved)| (self.tensor(node, saved), value(at))).collect();
        tensors.sort_unstable();
        tensors
    }

    /// A save or restore node whose tensors are known.
    fn saver(&self, id: NodeId) -> Option<(&'static SaveOp, &SaveNode)> {
        let at = self.nodes.binary_search_by_key(&id, |node| node.node).ok()?;
        let node = self.nodes.get(at).filter(|node| node.tensors.is_some())?;
        Some((SaveOp::of(self.graph.node(id).op)?, node))
    }

    /// The attributes that count. The keys, slices and dtypes of tensors count with the tensors.
    fn attrs(&self, id: NodeId, node: &Node<'m>) -> Vec<(&'m str, &'m [u8])> {
        let dtypes = self.saver(id).map(|(op, _)| op.dtypes);
        let is_list = self.lists.contains(&id);
        let counts = |(name, _): &(&str, &[u8])| {
            self.attributes.counts(name) && Some(*name) != dtypes && !(is_list && *name == "value")
        };
        node.attrs().filter(counts).collect()
    }
}

//! The tensors that a graph and its functions restore: keys, slices, dtypes and variables.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::Result;
use crate::graph::{Action, Graph, Node, NodeId, NodeKind, Target, targets_of, truth};

/// The largest number of calls between a variable and an argument that passes it.
const CALLS: usize = 8;

/// A graph, or a function of its library.
pub(crate) struct Body<'m> {
    /// The name of the function; empty for the graph.
    pub(crate) name: &'m str,
    pub(crate) graph: Cow<'m, Graph<'m>>,
}

/// A graph and its functions, with the calls between them.
pub(crate) struct Bodies<'m> {
    /// The graph first.
    pub(crate) all: Vec<Body<'m>>,
    /// The functions by name; the first of each name.
    by_name: BTreeMap<&'m str, usize>,
    /// The first call of each function: the caller and its node.
    called: Vec<Option<(usize, NodeId)>>,
}

/// A restore node.
pub(crate) struct Restore<'m> {
    /// The body of the node.
    pub(crate) body: usize,
    pub(crate) node: NodeId,
    pub(crate) op: &'m str,
    /// The tensors that it restores; `None` if they are not named by constants.
    pub(crate) tensors: Option<Vec<RequestedTensor>>,
}

/// A tensor that a node restores.
pub(crate) struct RequestedTensor {
    pub(crate) key: String,
    /// Empty for the whole tensor.
    pub(crate) slice: String,
    /// 0 if it is unknown.
    pub(crate) dtype: i32,
    pub(crate) variables: Vec<RestoredVariable>,
}

/// A variable that receives a restored tensor.
pub(crate) struct RestoredVariable {
    pub(crate) variable: String,
    /// The declared shape; `None` stands for any shape, and for any dimension.
    pub(crate) shape: Option<Vec<Option<u64>>>,
    pub(crate) is_reshaped: bool,
    /// Whether the assigning node refuses other shapes.
    pub(crate) refuses: bool,
}

impl Restore<'_> {
    /// The requested tensors, each with the op.
    pub(crate) fn requested(&self) -> impl Iterator<Item = (&str, &RequestedTensor)> {
        self.tensors.iter().flatten().map(|requested| (self.op, requested))
    }
}

impl<'m> Bodies<'m> {
    /// The bodies of a graph and of the functions in its library.
    pub(crate) fn new(graph: &'m Graph<'m>) -> Result<Self> {
        let mut all = vec![Body { name: "", graph: Cow::Borrowed(graph) }];
        let mut by_name = BTreeMap::new();
        for function in &graph.library().functions {
            by_name.entry(function.name).or_insert(all.len());
            let body = Graph::of_function(function.bytes)?;
            all.push(Body { name: function.name, graph: Cow::Owned(body) });
        }
        let mut bodies = Self { called: vec![None; all.len()], all, by_name };
        let mut called = vec![None; bodies.all.len()];
        for (caller, body) in bodies.all.iter().enumerate() {
            for (id, node) in body.graph.iter() {
                for callee in bodies.callees(node) {
                    if let Some(first) = called.get_mut(callee) {
                        first.get_or_insert((caller, id));
                    }
                }
            }
        }
        bodies.called = called;
        Ok(bodies)
    }

    /// The functions that a node may call: one, or the branches of a condition.
    fn callees(&self, node: &Node<'m>) -> Vec<usize> {
        let branches = node.branches();
        let called = if branches.is_empty() { vec![node.called()] } else { branches };
        called.iter().filter_map(|name| self.by_name.get(name).copied()).collect()
    }

    /// All restore nodes, those of the graph first.
    pub(crate) fn restores(&self) -> Vec<Restore<'m>> {
        let mut found = Vec::new();
        for (body, Body { graph, .. }) in self.all.iter().enumerate() {
            let nodes = graph.save_nodes();
            if nodes.is_empty() {
                continue;
            }
            let targets = graph.targets();
            for saved in nodes.into_iter().filter(|saved| saved.action == Action::Restore) {
                let (node, op) = (saved.node, graph.node(saved.node).op);
                let tensors = saved.tensors.map(|tensors| {
                    let requested = (0..).zip(tensors).map(|(output, tensor)| RequestedTensor {
                        key: tensor.key,
                        slice: tensor.slice,
                        dtype: tensor.dtype,
                        variables: targets_of(&targets, node, output)
                            .iter()
                            .map(|target| self.restored_variable(body, graph, target))
                            .collect(),
                    });
                    requested.collect()
                });
                found.push(Restore { body, node, op, tensors });
            }
        }
        found
    }

    /// The restore nodes from which `start` can be reached, in the order of the list.
    pub(crate) fn reach(&self, restores: &[Restore<'_>], start: NodeId) -> Vec<usize> {
        let mut seen: Vec<Vec<bool>> =
            self.all.iter().map(|body| vec![false; body.graph.nodes().len()]).collect();
        let mut pending = vec![(0, start)];
        while let Some((body, id)) = pending.pop() {
            let is_new = seen.get_mut(body).and_then(|seen| seen.get_mut(id.position()));
            if is_new.is_none_or(|seen| std::mem::replace(seen, true)) {
                continue;
            }
            let Some(graph) = self.all.get(body).map(|body| &body.graph) else { continue };
            let node = graph.node(id);
            pending
                .extend(graph.inputs(node).iter().filter_map(|input| Some((body, input.source?))));
            // A call runs all nodes of the function.
            for callee in self.callees(node) {
                let called = self.all.get(callee).into_iter();
                pending
                    .extend(called.flat_map(|body| body.graph.iter()).map(|(id, _)| (callee, id)));
            }
        }
        let is_seen = |restore: &Restore<'_>| {
            seen.get(restore.body).and_then(|seen| seen.get(restore.node.position())) == Some(&true)
        };
        (0..).zip(restores).filter(|(_, restore)| is_seen(restore)).map(|(at, _)| at).collect()
    }

    fn restored_variable(
        &self,
        body: usize,
        graph: &Graph<'m>,
        target: &Target,
    ) -> RestoredVariable {
        let assign = graph.node(target.assign);
        let refuses = match assign.attr("validate_shape").map(truth) {
            Some(refuses) => refuses,
            None => assign.op == "Assign",
        };
        let variable = self.variable(body, target.variable);
        RestoredVariable {
            variable: variable.map(|node| node.name).unwrap_or_default().to_owned(),
            shape: variable.and_then(Node::declared_shape),
            is_reshaped: target.is_reshaped,
            refuses,
        }
    }

    /// The node, or for an argument the node that the caller passes.
    fn variable(&self, mut body: usize, mut id: NodeId) -> Option<&Node<'m>> {
        for _ in 0..CALLS {
            let NodeKind::Argument(position) = self.all.get(body)?.graph.node(id).kind else {
                break;
            };
            let Some((caller, call)) = self.called.get(body).copied().flatten() else { break };
            let graph = &self.all.get(caller)?.graph;
            // The first input of a condition selects the branch.
            let first = usize::from(!graph.node(call).branches().is_empty());
            let input = graph.inputs_of(call).get(first + position as usize);
            let Some(source) = input.and_then(|input| input.source) else { break };
            (body, id) = (caller, source);
        }
        Some(self.all.get(body)?.graph.node(id))
    }
}

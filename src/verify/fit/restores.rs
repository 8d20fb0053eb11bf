//! What a graph restores, also in its functions: keys, slices, types, and the variables that they are for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::Result;
use crate::graph::{Action, Graph, Node, NodeId, Role, Target, attrs, targets_of, truth};

/// Calls that are passed on the way from an argument to its variable.
const CALLS: usize = 8;

/// A graph, or a function of its library.
pub(super) struct Body<'m> {
    /// The function's name; nothing for the graph.
    pub(super) name: &'m str,
    pub(super) graph: Cow<'m, Graph<'m>>,
}

/// A graph and its functions, and who calls whom.
pub(super) struct Bodies<'m> {
    /// The graph first.
    pub(super) all: Vec<Body<'m>>,
    /// Of functions of one name the first.
    by_name: BTreeMap<&'m str, usize>,
    /// The first call of each, where there is one: the caller and its node.
    called: Vec<Option<(usize, NodeId)>>,
}

/// A node that restores.
pub(super) struct Restore<'m> {
    /// The body that it is in.
    pub(super) body: usize,
    pub(super) node: NodeId,
    pub(super) op: &'m str,
    /// What it restores; `None` where it takes that from no constants.
    pub(super) tensors: Option<Vec<Asked>>,
}

/// A tensor that is restored.
pub(super) struct Asked {
    pub(super) key: String,
    /// Nothing where it is asked for as a whole.
    pub(super) slice: String,
    /// 0 where it is not known.
    pub(super) dtype: i32,
    pub(super) takers: Vec<Taker>,
}

/// A variable that takes what was restored.
pub(super) struct Taker {
    pub(super) variable: String,
    /// `None` for any rank, and for any dimension.
    pub(super) shape: Option<Vec<Option<u64>>>,
    pub(super) is_reshaped: bool,
    /// Whether the node that assigns it refuses another shape.
    pub(super) refuses: bool,
}

impl<'m> Bodies<'m> {
    /// That of a graph and those in its library.
    pub(super) fn new(graph: &'m Graph<'m>) -> Result<Self> {
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
                if let Some(first) = bodies.callee(node).and_then(|callee| called.get_mut(callee)) {
                    first.get_or_insert((caller, id));
                }
            }
        }
        bodies.called = called;
        Ok(bodies)
    }

    /// The function that a node calls.
    pub(super) fn callee(&self, node: &Node<'m>) -> Option<usize> {
        let name = match node.op {
            "StatefulPartitionedCall" | "PartitionedCall" => attrs::function(node.attr("f")?),
            op => op,
        };
        self.by_name.get(name).copied()
    }

    /// Every node that restores, the graph's first.
    pub(super) fn restores(&self) -> Vec<Restore<'m>> {
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
                    let asked = (0..).zip(tensors).map(|(output, tensor)| Asked {
                        key: tensor.key,
                        slice: tensor.slice,
                        dtype: tensor.dtype,
                        takers: targets_of(&targets, node, output)
                            .iter()
                            .map(|target| self.taker(body, graph, target))
                            .collect(),
                    });
                    asked.collect()
                });
                found.push(Restore { body, node, op, tensors });
            }
        }
        found
    }

    fn taker(&self, body: usize, graph: &Graph<'m>, target: &Target) -> Taker {
        let assign = graph.node(target.assign);
        let refuses = match assign.attr("validate_shape").map(truth) {
            Some(refuses) => refuses,
            None => assign.op == "Assign",
        };
        let variable = self.variable(body, target.variable);
        Taker {
            variable: variable.map(|node| node.name).unwrap_or_default().to_owned(),
            shape: variable.and_then(Node::declared_shape),
            is_reshaped: target.is_reshaped,
            refuses,
        }
    }

    /// The node itself, or the one that a caller gives for the argument that it is.
    fn variable(&self, mut body: usize, mut id: NodeId) -> Option<&Node<'m>> {
        for _ in 0..CALLS {
            let Role::Argument(position) = self.all.get(body)?.graph.node(id).role else { break };
            let Some((caller, call)) = self.called.get(body).copied().flatten() else { break };
            let graph = &self.all.get(caller)?.graph;
            let input = graph.inputs(graph.node(call)).get(position as usize);
            let Some(source) = input.and_then(|input| input.source) else { break };
            (body, id) = (caller, source);
        }
        Some(self.all.get(body)?.graph.node(id))
    }
}

//! What a graph restores, also in its functions: keys, slices, types, and the variables that they are for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::Result;
use crate::graph::{Action, Graph, Node, NodeId, Role, Target, targets_of, truth};

/// Calls that are passed on the way from an argument to its variable.
const CALLS: usize = 8;

/// A graph, or a function of its library.
pub(crate) struct Body<'m> {
    /// The function's name; nothing for the graph.
    pub(crate) name: &'m str,
    pub(crate) graph: Cow<'m, Graph<'m>>,
}

/// A graph and its functions, and who calls whom.
pub(crate) struct Bodies<'m> {
    /// The graph first.
    pub(crate) all: Vec<Body<'m>>,
    /// Of functions of one name the first.
    by_name: BTreeMap<&'m str, usize>,
    /// The first call of each, where there is one: the caller and its node.
    called: Vec<Option<(usize, NodeId)>>,
}

/// A node that restores.
pub(crate) struct Restore<'m> {
    /// The body that it is in.
    pub(crate) body: usize,
    pub(crate) node: NodeId,
    pub(crate) op: &'m str,
    /// What it restores; `None` where it takes that from no constants.
    pub(crate) tensors: Option<Vec<Asked>>,
}

/// A tensor that is restored.
pub(crate) struct Asked {
    pub(crate) key: String,
    /// Nothing where it is asked for as a whole.
    pub(crate) slice: String,
    /// 0 where it is not known.
    pub(crate) dtype: i32,
    pub(crate) takers: Vec<Taker>,
}

/// A variable that takes what was restored.
pub(crate) struct Taker {
    pub(crate) variable: String,
    /// `None` for any rank, and for any dimension.
    pub(crate) shape: Option<Vec<Option<u64>>>,
    pub(crate) is_reshaped: bool,
    /// Whether the node that assigns it refuses another shape.
    pub(crate) refuses: bool,
}

impl Restore<'_> {
    /// What it restores, each with its op.
    pub(crate) fn asked(&self) -> impl Iterator<Item = (&str, &Asked)> {
        self.tensors.iter().flatten().map(|asked| (self.op, asked))
    }
}

impl<'m> Bodies<'m> {
    /// That of a graph and those in its library.
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
                if let Some(first) = bodies.callee(node).and_then(|callee| called.get_mut(callee)) {
                    first.get_or_insert((caller, id));
                }
            }
        }
        bodies.called = called;
        Ok(bodies)
    }

    /// The function that a node calls.
    pub(crate) fn callee(&self, node: &Node<'m>) -> Option<usize> {
        self.by_name.get(node.called()).copied()
    }

    /// Every node that restores, the graph's first.
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

    /// The restore nodes from which `start` can be reached, in the order of the list.
    pub(crate) fn reach(&self, restores: &[Restore<'_>], start: NodeId) -> Vec<usize> {
        let mut seen: Vec<Vec<bool>> =
            self.all.iter().map(|body| vec![false; body.graph.nodes().len()]).collect();
        let mut left = vec![(0, start)];
        while let Some((body, id)) = left.pop() {
            let is_new = seen.get_mut(body).and_then(|seen| seen.get_mut(id.position()));
            if is_new.is_none_or(|seen| std::mem::replace(seen, true)) {
                continue;
            }
            let Some(graph) = self.all.get(body).map(|body| &body.graph) else { continue };
            let node = graph.node(id);
            left.extend(graph.inputs(node).iter().filter_map(|input| Some((body, input.source?))));
            // Whatever a function has runs with it.
            if let Some(callee) = self.callee(node)
                && let Some(called) = self.all.get(callee)
            {
                left.extend(called.graph.iter().map(|(id, _)| (callee, id)));
            }
        }
        let is_seen = |restore: &Restore<'_>| {
            seen.get(restore.body).and_then(|seen| seen.get(restore.node.position())) == Some(&true)
        };
        (0..).zip(restores).filter(|(_, restore)| is_seen(restore)).map(|(at, _)| at).collect()
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

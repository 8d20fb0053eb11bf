//! The functions of a graph, prepared for calls.

use std::collections::BTreeMap;
use std::rc::Rc;

use prost::Message as _;

use crate::error::{Error, Result};
use crate::graph::{Graph, Library, Node, NodeId, NodeKind, OpTable, is_stateful};
use crate::message::nested;
use crate::schema::field::function_def;
use crate::schema::tensorflow::OpDef;

/// The functions that can be called.
pub(super) struct Functions<'m> {
    /// The functions of the library, by name; the first of each name.
    known: BTreeMap<&'m str, &'m [u8]>,
    /// The bodies of functions that were called.
    bodies: BTreeMap<&'m str, Rc<Body<'m>>>,
    /// The signatures of functions and ops that were requested.
    signatures: BTreeMap<&'m str, Option<Rc<OpDef>>>,
    /// The number of calls that have not returned.
    pub(super) depth: usize,
}

/// The body of a function.
pub(super) struct Body<'m> {
    pub(super) graph: Graph<'m>,
    /// The nodes that a call runs, its results first and in order.
    pub(super) targets: Vec<NodeId>,
    pub(super) arguments: usize,
    pub(super) results: usize,
    /// The steps of a call.
    pub(super) work: usize,
}

impl<'m> Functions<'m> {
    /// The functions of a library.
    pub(super) fn new(library: &Library<'m>) -> Self {
        let mut known = BTreeMap::new();
        for function in &library.functions {
            known.entry(function.name).or_insert(function.bytes);
        }
        Self { known, bodies: BTreeMap::new(), signatures: BTreeMap::new(), depth: 0 }
    }

    /// The function that a node calls, if it calls one.
    pub(super) fn callee(&self, node: &Node<'m>) -> Result<Option<&'m str>> {
        let name = node.called();
        match self.known.get_key_value(name) {
            Some((name, _)) => Ok(Some(name)),
            None if name == node.op => Ok(None),
            None => self.known(name).map(Some),
        }
    }

    /// The function with this name.
    pub(super) fn known(&self, name: &str) -> Result<&'m str> {
        self.known.get_key_value(name).map(|(name, _)| *name).ok_or_else(|| {
            let shown = crate::error::shortened(name);
            Error::not_found(format!("the library has no function {shown:?}"))
        })
    }

    /// The signature of an op or a function.
    pub(super) fn signature(&mut self, op: &'m str) -> Option<Rc<OpDef>> {
        let known = &self.known;
        let find = || match known.get(op) {
            Some(function) => {
                let signature = nested(function, function_def::SIGNATURE);
                OpDef::decode(signature).ok().map(Rc::new)
            }
            None => OpTable::builtin().definition(op).cloned().map(Rc::new),
        };
        self.signatures.entry(op).or_insert_with(find).clone()
    }

    /// The body of a function, decoded once.
    pub(super) fn body(&mut self, name: &'m str) -> Result<Rc<Body<'m>>> {
        if let Some(body) = self.bodies.get(name) {
            return Ok(Rc::clone(body));
        }
        let bytes = self.known.get(name).copied().unwrap_or_default();
        let body = Rc::new(Body::new(Graph::of_function(bytes)?, bytes.len())?);
        self.bodies.insert(name, Rc::clone(&body));
        Ok(body)
    }
}

impl<'m> Body<'m> {
    fn new(graph: Graph<'m>, bytes: usize) -> Result<Self> {
        let (mut results, mut others, mut arguments) = (Vec::new(), Vec::new(), 0);
        for (id, node) in graph.iter() {
            match node.kind {
                NodeKind::Result(at) => results.push((at, id)),
                NodeKind::Argument(_) => arguments += 1,
                NodeKind::ControlResult(_) => others.push(id),
                NodeKind::Node => {
                    if OpTable::builtin().definition(node.op).is_some_and(is_stateful) {
                        others.push(id);
                    }
                }
            }
        }
        results.sort_unstable();
        let count = results.len();
        let is_whole = (0..).zip(&results).all(|(at, (result, _))| at == *result);
        if !is_whole || count != graph.result_count() {
            let kind = "the body of a function must have a node for each result of its signature, and no others";
            return Err(Error::usage(kind));
        }
        let targets = results.into_iter().map(|(_, id)| id).chain(others).collect();
        let work = graph.work(bytes);
        Ok(Self { targets, arguments, results: count, work, graph })
    }
}

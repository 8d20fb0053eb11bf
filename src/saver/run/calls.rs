//! Calls of functions in the library of a graph.
//!
//! ```text
//! StatefulPartitionedCall, PartitionedCall: the function in `f`; any other op by the name of a function: that function
//! ```
//! As in TensorFlow, what a call runs are the results of the function, its control results, and its nodes that do something beside
//! giving their outputs.

use std::collections::BTreeMap;
use std::rc::Rc;

use prost_reflect::prost::Message as _;

use super::frame::{Frame, Given};
use super::session::Session;
use super::value::Value;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Graph, Library, Node, NodeId, OpTable, Role, is_stateful};
use crate::message::nested;
use crate::schema::field::function_def;
use crate::schema::tensorflow::OpDef;

/// How many calls may be open: savers of TensorFlow need one or two.
const MAX_DEPTH: usize = 64;

/// The functions that can be called.
pub(super) struct Functions<'m> {
    /// Of several of one name the first.
    known: BTreeMap<&'m str, &'m [u8]>,
    /// Those that were called.
    bodies: BTreeMap<&'m str, Rc<Body<'m>>>,
    /// What functions and ops take and give, of those that were asked for.
    signatures: BTreeMap<&'m str, Option<Rc<OpDef>>>,
    /// Calls that are open.
    depth: usize,
}

/// The body of a function.
struct Body<'m> {
    graph: Graph<'m>,
    /// Nodes that are run whenever it is called, its results first and in their order.
    targets: Vec<NodeId>,
    arguments: usize,
    results: usize,
    /// What it takes to run it.
    work: usize,
}

impl<'m> Functions<'m> {
    /// Those of a library.
    pub(super) fn new(library: &Library<'m>) -> Self {
        let mut known = BTreeMap::new();
        for function in &library.functions {
            known.entry(function.name).or_insert(function.bytes);
        }
        Self { known, bodies: BTreeMap::new(), signatures: BTreeMap::new(), depth: 0 }
    }

    /// The function that a node calls; `None` where it calls none.
    pub(super) fn callee(&self, node: &Node<'m>) -> Result<Option<&'m str>> {
        let name = node.called();
        match self.known.get_key_value(name) {
            Some((name, _)) => Ok(Some(name)),
            None if name == node.op => Ok(None),
            None => {
                let shown = crate::error::shortened(name);
                Err(ErrorKind::NotFound(format!("the library has no function {shown:?}")).into())
            }
        }
    }

    /// What the op of a node, or the function that it is, takes and gives.
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

    fn body(&mut self, name: &'m str) -> Result<Rc<Body<'m>>> {
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
            match node.role {
                Role::Result(at) => results.push((at, id)),
                Role::Argument(_) => arguments += 1,
                Role::ControlResult(_) => others.push(id),
                Role::Node => {
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
            let kind = "a function says for each of its results, and for nothing else, what it is";
            return Err(ErrorKind::Usage(kind.into()).into());
        }
        let targets = results.into_iter().map(|(_, id)| id).chain(others).collect();
        let work = graph.work(bytes);
        Ok(Self { targets, arguments, results: count, work, graph })
    }
}

/// What the function `name` gives for these arguments.
pub(super) fn call<'m>(
    session: &mut Session<'_, 'm>,
    name: &'m str,
    arguments: Vec<Value>,
) -> Result<Vec<Value>> {
    if session.functions.depth >= MAX_DEPTH {
        let allowed = format!("at most {MAX_DEPTH} are allowed");
        let found = MAX_DEPTH + 1;
        return Err(Error::unexpected("number of calls inside each other", found, allowed));
    }
    let body = session.functions.body(name)?;
    if arguments.len() != body.arguments {
        let name = crate::error::shortened(name);
        let allowed = format!("the function {name} takes {}", body.arguments);
        return Err(Error::unexpected("number of arguments", arguments.len(), allowed));
    }
    let arguments = arguments.into_iter().map(|value| session.passed(value)).collect::<Result<_>>();
    session.steps(body.work)?;
    let mut frame = Frame::new(&body.graph, Given::Arguments(arguments?));
    session.functions.depth += 1;
    let run = frame.run(session, &body.targets);
    session.functions.depth -= 1;
    run?;
    let results = body.targets.iter().take(body.results);
    let missing = || Error::from(ErrorKind::NotFound("a result of the function is missing".into()));
    results.map(|id| frame.output(*id, 0).cloned().ok_or_else(missing)).collect()
}

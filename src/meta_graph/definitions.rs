//! The definitions of a graph's ops, and the dtypes that they give the inputs and outputs of nodes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use prost::Message as _;

use super::op_list;
use super::parts::Parts;
use crate::error::Result;
use crate::graph::{Graph, Node, OpTable, TensorName, input_dtypes, output_dtype};
use crate::message::nested;
use crate::schema::field::function_def;
use crate::schema::tensorflow::OpDef;

/// The definitions of ops and functions. A graph can have ops that nobody has defined, such as those of a plugin.
pub(super) struct Definitions<'m> {
    functions: BTreeMap<&'m str, &'m [u8]>,
    ops: OpTable<'m>,
    /// The signatures of the functions that were decoded.
    decoded: RefCell<BTreeMap<String, Option<Rc<OpDef>>>>,
}

impl<'m> Definitions<'m> {
    /// The definitions for the graph of a meta graph.
    ///
    /// # Errors
    /// If its op list cannot be decoded.
    pub(super) fn of(parts: &Parts<'m>) -> Result<Self> {
        let functions = parts.graph.map(op_list::functions).unwrap_or_default();
        Ok(Self { functions, ops: op_list::of(parts)?, decoded: RefCell::default() })
    }

    /// The dtype of an output of a node; `None` if it is unknown.
    ///
    /// # Errors
    /// If the node has no such output.
    pub(super) fn output(&self, node: &Node<'_>, number: usize) -> Result<Option<i32>> {
        match self.function(node.op) {
            Some(op) => output_dtype(node, &op, number),
            None => match self.ops.definition(node.op) {
                Some(op) => output_dtype(node, op, number),
                None => Ok(None),
            },
        }
    }

    /// Whether a graph has the node, or the tensor, with this name.
    pub(super) fn has(&self, graph: &Graph<'_>, name: &str) -> bool {
        let name = TensorName::parse(name);
        let Some(id) = graph.find(name.node) else { return false };
        let number = name.port.and_then(|port| port.parse().ok());
        number.is_none_or(|number| self.output(graph.node(id), number).is_ok())
    }

    /// The dtypes of the first `count` data inputs of a node; `None` if they are unknown.
    pub(super) fn inputs(&self, node: &Node<'_>, count: usize) -> Option<Vec<i32>> {
        match self.function(node.op) {
            Some(op) => input_dtypes(node, &op, count),
            None => input_dtypes(node, self.ops.definition(node.op)?, count),
        }
    }

    /// The signature of a function.
    fn function(&self, name: &str) -> Option<Rc<OpDef>> {
        let function = *self.functions.get(name)?;
        if let Some(known) = self.decoded.borrow().get(name) {
            return known.clone();
        }
        let signature = OpDef::decode(nested(function, function_def::SIGNATURE)).ok().map(Rc::new);
        self.decoded.borrow_mut().insert(name.to_owned(), signature.clone());
        signature
    }
}

//! The body of a function as a graph, whose arguments and results are nodes too.

use std::collections::BTreeMap;

use super::Graph;
use super::budget::budget;
use super::node::{Node, NodeKind};
use crate::error::Result;
use crate::message::{Records, Value, entry, string};
use crate::schema::field::{
    function_def,
    op_def::{self, arg_def},
};

/// The ops of arguments and results, as TensorFlow calls them when it runs a function.
const ARGUMENT: &str = "_Arg";
const RESULT: &str = "_Retval";

impl<'m> Graph<'m> {
    /// The body of a `FunctionDef` in canonical form.
    ///
    /// ```text
    /// input := argument | argument ":" index | node ":" output ":" index | "^" node
    /// ```
    /// # Errors
    /// As [`Graph::new`].
    pub fn of_function(bytes: &'m [u8]) -> Result<Self> {
        let mut graph = Self { budget: budget(bytes), ..Self::default() };
        let (mut outputs, mut len) = (BTreeMap::new(), 0);
        let mut control_results = 0;
        for record in Records::new(bytes, 0) {
            let record = record?;
            let Value::Len(content) = record.value else { continue };
            match record.number {
                function_def::SIGNATURE => (outputs, len) = graph.arguments(content)?,
                function_def::NODE_DEF => graph.push(content)?,
                function_def::RET => {
                    let (name, source) = entry(content);
                    let at = outputs.get(name).copied().unwrap_or(len);
                    graph.result(NodeKind::Result(at), name, source)?;
                }
                function_def::CONTROL_RET => {
                    let (name, source) = entry(content);
                    graph.result(NodeKind::ControlResult(control_results), name, source)?;
                    control_results += 1;
                }
                _ => {}
            }
        }
        graph.results = len;
        graph.connect();
        Ok(graph)
    }

    /// Adds the arguments of the signature. Returns the positions of the results by name, and their number.
    fn arguments(&mut self, signature: &'m [u8]) -> Result<(BTreeMap<&'m str, u32>, u32)> {
        let mut outputs = BTreeMap::new();
        let (mut at, mut len) = (0, 0);
        for record in Records::new(signature, 0) {
            let record = record?;
            let Value::Len(content) = record.value else { continue };
            match record.number {
                op_def::INPUT_ARG => {
                    let name = string(content, arg_def::NAME);
                    let node = pseudo(NodeKind::Argument(at), name, ARGUMENT);
                    self.add(node, self.inputs.len())?;
                    at += 1;
                }
                op_def::OUTPUT_ARG => {
                    outputs.entry(string(content, arg_def::NAME)).or_insert(len);
                    len += 1;
                }
                _ => {}
            }
        }
        Ok((outputs, len))
    }

    fn result(&mut self, kind: NodeKind, name: &'m str, source: &'m [u8]) -> Result<()> {
        let from = self.inputs.len();
        self.input(str::from_utf8(source).unwrap_or_default())?;
        if let (NodeKind::ControlResult(_), Some(input)) = (kind, self.inputs.last_mut()) {
            input.is_control = true;
        }
        self.add(pseudo(kind, name, RESULT), from)
    }
}

fn pseudo<'m>(kind: NodeKind, name: &'m str, op: &'m str) -> Node<'m> {
    Node { name, op, device: "", kind, bytes: &[], attrs: (0, 0), inputs: (0, 0) }
}

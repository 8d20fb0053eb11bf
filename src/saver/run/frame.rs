//! Runs the nodes of a graph, or of the body of a function, one after the other.

use std::sync::Arc;

use super::ops;
use super::schedule::{in_node, schedule};
use super::session::Session;
use super::value::Value;
use crate::error::{Error, Result};
use crate::graph::{Graph, Input, Node, NodeId, NodeKind, output_index};
use crate::tensor::Tensor;

/// The values from outside.
pub(super) enum FrameInput {
    /// The value of a node, which is not run.
    Fed(NodeId, Value),
    /// The arguments of a function.
    Arguments(Vec<Value>),
}

/// The state of a graph that runs.
pub(super) struct Frame<'g, 'm> {
    graph: &'g Graph<'m>,
    input: FrameInput,
    /// The outputs of each node, until their last use.
    outputs: Vec<Vec<Value>>,
    /// The number of uses of each node that are left.
    uses: Vec<u32>,
}

impl<'g, 'm> Frame<'g, 'm> {
    pub(super) fn new(graph: &'g Graph<'m>, input: FrameInput) -> Self {
        let count = graph.nodes().len();
        Self { graph, input, outputs: vec![Vec::new(); count], uses: vec![0; count] }
    }

    /// Runs `targets`, and the nodes that they need.
    pub(super) fn run(&mut self, session: &mut Session<'_, 'm>, targets: &[NodeId]) -> Result<()> {
        if let Some(&twice) = self.graph.duplicates().first() {
            return Err(Error::duplicate("node name", self.graph.node(twice).name));
        }
        let order = schedule(self.graph, targets, self.fed())?;
        for &id in &order {
            self.count_uses(id);
        }
        for target in targets {
            if let Some(uses) = self.uses.get_mut(target.position()) {
                *uses += 1;
            }
        }
        for id in order {
            let node = self.graph.node(id);
            let outputs =
                self.step(session, id, node).map_err(|error| in_node(error, node.name))?;
            if let Some(slot) = self.outputs.get_mut(id.position()) {
                *slot = outputs;
            }
        }
        Ok(())
    }

    /// An output of a target that was run.
    pub(super) fn output(&self, target: NodeId, output: usize) -> Option<&Value> {
        self.outputs.get(target.position())?.get(output)
    }

    /// An output of a target, as a tensor.
    pub(super) fn tensor(
        &self,
        session: &Session<'_, 'm>,
        target: NodeId,
        output: usize,
    ) -> Result<Arc<Tensor>> {
        let missing = || {
            let count = self.outputs.get(target.position()).map_or(0, Vec::len);
            let name = crate::error::shortened(self.graph.node(target).name);
            let expected = format!("an output of {name}, which has {count}");
            Error::unexpected("save tensor", format_args!("output {output}"), expected)
        };
        session.read(self.output(target, output).ok_or_else(missing)?)
    }

    fn fed(&self) -> Option<NodeId> {
        match &self.input {
            FrameInput::Fed(fed, _) => Some(*fed),
            FrameInput::Arguments(_) => None,
        }
    }

    /// The data inputs of a node; none for the fed one.
    fn data(&self, id: NodeId) -> impl Iterator<Item = &'g Input<'m>> + use<'g, 'm> {
        let is_fed = self.fed() == Some(id);
        let graph = self.graph;
        let inputs = graph.inputs_of(id).iter();
        inputs.filter(move |input| !is_fed && !input.is_control)
    }

    fn count_uses(&mut self, id: NodeId) {
        for input in self.data(id) {
            let uses = input.source.and_then(|source| self.uses.get_mut(source.position()));
            if let Some(uses) = uses {
                *uses += 1;
            }
        }
    }

    /// Runs a node, and drops the outputs that no other node uses.
    fn step(
        &mut self,
        session: &mut Session<'_, 'm>,
        id: NodeId,
        node: &Node<'m>,
    ) -> Result<Vec<Value>> {
        match (&self.input, node.kind) {
            (FrameInput::Fed(fed, value), _) if *fed == id => return Ok(vec![value.clone()]),
            (FrameInput::Arguments(arguments), NodeKind::Argument(at)) => {
                let value = arguments.get(at as usize).cloned();
                let missing = || Error::not_found("nothing is given for this argument");
                return Ok(vec![value.ok_or_else(missing)?]);
            }
            _ => {}
        }
        let mut inputs = Vec::new();
        for input in self.data(id) {
            inputs.push(self.input(session, input)?);
        }
        for input in self.data(id) {
            let Some(at) = input.source.map(NodeId::position) else { continue };
            if let (Some(uses), Some(outputs)) = (self.uses.get_mut(at), self.outputs.get_mut(at)) {
                *uses = uses.saturating_sub(1);
                if *uses == 0 {
                    *outputs = Vec::new();
                }
            }
        }
        match node.kind {
            NodeKind::Result(_) => Ok(inputs),
            NodeKind::ControlResult(_) => Ok(Vec::new()),
            _ => ops::run(session, node, inputs),
        }
    }

    fn input(&self, session: &mut Session<'_, 'm>, input: &Input<'m>) -> Result<Value> {
        let shown = || crate::error::shortened(input.text);
        let source = input
            .source
            .ok_or_else(|| Error::not_found(format!("input {}: no such node", shown())))?;
        let name = || crate::error::shortened(self.graph.node(source).name);
        let number = self.output_number(session, input, source).ok_or_else(|| {
            let kind = format!("input {} names no output of node {}", shown(), name());
            Error::not_found(kind)
        })?;
        let outputs = self.outputs.get(source.position()).map_or(&[][..], Vec::as_slice);
        outputs.get(number).cloned().ok_or_else(|| {
            let (count, s) = (outputs.len(), if outputs.len() == 1 { "" } else { "s" });
            Error::not_found(format!("input {}: node {} has {count} output{s}", shown(), name()))
        })
    }

    /// The number of the source's output: of `0`, or in functions of `NAME:0`, the first tensor of the op's output `NAME`, or of `NAME`, an
    /// output that is one tensor.
    fn output_number(
        &self,
        session: &mut Session<'_, 'm>,
        input: &Input<'m>,
        source: NodeId,
    ) -> Option<usize> {
        let node = self.graph.node(source);
        let is_function = matches!(self.input, FrameInput::Arguments(_));
        if !is_function || matches!(node.kind, NodeKind::Argument(_)) {
            return input.port.parse().ok();
        }
        if !input.text.contains(':') {
            return None;
        }
        let op = session.functions.signature(node.op)?;
        match input.port.split_once(':') {
            Some((name, number)) => output_index(node, &op, name, number.parse().ok()?),
            // Without a number, a list means all its tensors.
            None => output_index(node, &op, input.port, 0)
                .filter(|_| output_index(node, &op, input.port, 1).is_none()),
        }
    }
}

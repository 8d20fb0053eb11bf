//! Runs nodes, one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::files::Files;
use super::plan::{in_node, plan};
use super::value::{Value, of_string};
use super::variables::{Declared, VariableKey, Variables};
use super::{WriteCheckpoint, arrays, assign, files};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Constant, Graph, Input, Node, NodeId, attrs};
use crate::tensor::{DType, Tensor};

/// What nodes may make beyond what they are made from.
const ROOM: u64 = 1 << 20;
/// How often nodes may make what they are made from.
pub(super) const SHARE: u64 = 16;

/// The state of a run.
pub(super) struct Session<'r, 'm> {
    graph: &'r Graph<'m>,
    variables: &'r Variables,
    /// What was assigned; the store has it when all went well.
    changed: BTreeMap<VariableKey, Arc<Tensor>>,
    pub(super) writer: Option<&'r mut dyn WriteCheckpoint>,
    pub(super) files: Files,
    fed: Option<(NodeId, Value)>,
    /// The outputs of each node, as long as they are needed, and how often they still are.
    outputs: Vec<Vec<Value>>,
    uses: Vec<u32>,
    /// Bytes that may still be made.
    room: u64,
}

impl<'r, 'm> Session<'r, 'm> {
    pub(super) fn new(
        graph: &'r Graph<'m>,
        variables: &'r Variables,
        writer: Option<&'r mut dyn WriteCheckpoint>,
    ) -> Self {
        let (count, changed, files) = (graph.nodes().len(), BTreeMap::new(), Files::default());
        let bytes: u64 = graph.nodes().iter().map(|node| node.bytes.len() as u64).sum();
        let room = bytes.saturating_mul(SHARE).saturating_add(ROOM);
        let (outputs, uses) = (vec![Vec::new(); count], vec![0; count]);
        Self { graph, variables, changed, writer, files, fed: None, outputs, uses, room }
    }

    /// Gives a tensor a value, whatever its node would give.
    pub(super) fn feed(&mut self, (node, output): (NodeId, usize), text: &str) -> Result<()> {
        if output != 0 {
            let allowed = "the first output of a node is fed";
            return Err(Error::unexpected("filename tensor", format!("output {output}"), allowed));
        }
        self.fed = Some((node, of_string(text)?.into()));
        Ok(())
    }

    /// Runs what `target` needs; returns one of its outputs, where one is asked for.
    pub(super) fn run(
        &mut self,
        target: NodeId,
        output: Option<usize>,
    ) -> Result<Option<Arc<Tensor>>> {
        if let Some(&twice) = self.graph.duplicates().first() {
            let found = crate::error::shortened(self.graph.node(twice).name).into_owned();
            return Err(Error::unexpected("name of a node", found, "no two nodes may share one"));
        }
        let fed = self.fed.as_ref().map_or(target, |(node, _)| *node);
        let order = plan(self.graph, target, fed)?;
        for &id in &order {
            self.count_uses(id);
        }
        if let Some(uses) = self.uses.get_mut(target.position()) {
            *uses += 1;
        }
        for id in order {
            let node = self.graph.node(id);
            let outputs = self.step(id, node).map_err(|error| in_node(error, node.name))?;
            if let Some(slot) = self.outputs.get_mut(id.position()) {
                *slot = outputs;
            }
        }
        let Some(output) = output else { return Ok(None) };
        let found = self.outputs.get(target.position()).and_then(|outputs| outputs.get(output));
        let missing =
            || Error::unexpected("save tensor", format!("output {output}"), "there are less");
        let value = found.cloned().ok_or_else(missing)?;
        self.read(&value).map(Some)
    }

    /// What was assigned.
    pub(super) fn finish(self) -> BTreeMap<VariableKey, Arc<Tensor>> {
        self.changed
    }

    /// The data that a node takes; what is fed takes none.
    fn data(&self, id: NodeId) -> impl Iterator<Item = &'r Input<'m>> + use<'r, 'm> {
        let graph = self.graph;
        let is_fed = self.fed.as_ref().is_some_and(|(fed, _)| *fed == id);
        let inputs = graph.inputs(graph.node(id)).iter();
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

    /// Runs a node, and lets go of what nothing else takes.
    fn step(&mut self, id: NodeId, node: &Node<'m>) -> Result<Vec<Value>> {
        if let Some((_, value)) = self.fed.as_ref().filter(|(fed, _)| *fed == id) {
            return Ok(vec![value.clone()]);
        }
        let mut inputs = Vec::new();
        for input in self.data(id) {
            inputs.push(self.input(input)?);
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
        self.op(node, &inputs)
    }

    fn input(&self, input: &Input<'m>) -> Result<Value> {
        let outputs = input.source.and_then(|source| self.outputs.get(source.position()));
        let number: Option<usize> = input.port.parse().ok();
        let value = number.and_then(|number| outputs?.get(number)).cloned();
        value.ok_or_else(|| {
            let shown = crate::error::shortened(input.text);
            Error::from(ErrorKind::NotFound(format!("it takes {shown}, which is no output")))
        })
    }

    /// What a node gives.
    fn op(&mut self, node: &Node<'m>, inputs: &[Value]) -> Result<Vec<Value>> {
        match node.op {
            "NoOp" | "DisableCopyOnRead" => Ok(Vec::new()),
            "Const" => self.constant(node).map(one),
            "Placeholder" => {
                Err(ErrorKind::NotFound("nothing is fed to this placeholder".into()).into())
            }
            "PlaceholderWithDefault" | "Identity" => assign::pass_on(self, node, inputs).map(one),
            "VariableV2" | "Variable" | "VarHandleOp" => assign::variable(node).map(one),
            "ReadVariableOp" => assign::read(self, node, inputs).map(one),
            "Assign" => assign::assign(self, node, inputs).map(one),
            "AssignVariableOp" => {
                assign::assign_handle(self, node, inputs)?;
                Ok(Vec::new())
            }
            "RestoreV2" => files::restore_v2(self, node, inputs),
            "Restore" | "RestoreSlice" => files::restore(self, node, inputs).map(one),
            "SaveV2" | "SaveSlices" | "Save" => {
                files::save(self, node, inputs)?;
                Ok(Vec::new())
            }
            "MergeV2Checkpoints" => {
                files::merge(self, node, inputs)?;
                Ok(Vec::new())
            }
            "ShardedFilename" | "ShardedFilespec" => {
                files::sharded_name(self, node, inputs).map(one)
            }
            "Pack" => arrays::pack(self, node, inputs).map(one),
            "StringJoin" => arrays::string_join(self, node, inputs).map(one),
            "StaticRegexFullMatch" => arrays::regex_full_match(self, node, inputs).map(one),
            "Select" => arrays::select(self, inputs).map(one),
            "Shape" => arrays::shape(self, node, inputs).map(one),
            "Reshape" => arrays::reshape(self, inputs).map(one),
            op => {
                let op = crate::error::shortened(op);
                let kind = format!("the op {op} is none that savers are made of, and is not run");
                Err(ErrorKind::Unsupported(kind).into())
            }
        }
    }

    fn constant(&mut self, node: &Node<'m>) -> Result<Value> {
        let proto = node.attr("value").and_then(attrs::tensor).unwrap_or_default();
        let tensor = Constant::parse(proto).and_then(|constant| constant.tensor(self.room));
        let tensor = tensor.map_err(Error::without_offset)?;
        check_dtype(node, "dtype", tensor.dtype())?;
        self.made(tensor)
    }

    /// A tensor that was made, where there is room for it.
    pub(super) fn made(&mut self, tensor: Tensor) -> Result<Value> {
        self.charge(tensor.content().len() as u64)?;
        Ok(tensor.into())
    }

    /// Takes room for `bytes`.
    pub(super) fn charge(&mut self, bytes: u64) -> Result<()> {
        self.room = self.room.checked_sub(bytes).ok_or_else(|| {
            let allowed =
                format!("{} are left of what the graph and its checkpoint justify", self.room);
            Error::unexpected("bytes to be made", bytes, allowed)
        })?;
        Ok(())
    }

    /// Makes room for what a checkpoint justifies, beyond what the largest one before it has.
    pub(super) fn allow(&mut self, bytes: u64) {
        self.room = self.room.saturating_add(bytes.saturating_mul(SHARE));
    }

    /// The tensor that a value is, or that its variable holds.
    pub(super) fn read(&self, value: &Value) -> Result<Arc<Tensor>> {
        match value {
            Value::Tensor(tensor) => Ok(Arc::clone(tensor)),
            Value::Reference(variable) => self.held(variable),
            Value::Handle(variable) => {
                let found = format!("the handle of {}", variable.name());
                Err(Error::unexpected("input", found, "it must be a tensor"))
            }
        }
    }

    /// What a variable holds now, where it holds anything.
    pub(super) fn current(&self, key: &VariableKey) -> Option<&Arc<Tensor>> {
        self.changed.get(key).or_else(|| self.variables.get(key))
    }

    /// What a variable holds now.
    pub(super) fn held(&self, variable: &Declared) -> Result<Arc<Tensor>> {
        self.current(&variable.key).cloned().ok_or_else(|| {
            let kind = format!("the variable {} is not initialized", variable.name());
            ErrorKind::NotFound(kind).into()
        })
    }

    /// Assigns a variable.
    pub(super) fn assign(&mut self, key: VariableKey, value: Arc<Tensor>) {
        self.changed.insert(key, value);
    }
}

/// The outputs of a node that has one.
fn one(value: Value) -> Vec<Value> {
    vec![value]
}

/// An input by its place.
pub(super) fn nth(inputs: &[Value], at: usize) -> Result<&Value> {
    inputs
        .get(at)
        .ok_or_else(|| Error::unexpected("number of inputs", inputs.len(), "its op takes more"))
}

/// Holds the dtype of a tensor against an attribute, where the node has that.
pub(super) fn check_dtype(node: &Node<'_>, name: &str, found: DType) -> Result<()> {
    let codes = node.attr(name).map(attrs::types).unwrap_or_default();
    match codes.first() {
        Some(&code) if code != found.code() => {
            let said = DType::from_code(code)
                .map_or_else(|| format!("type {code}"), |dtype| dtype.to_string());
            Err(Error::unexpected("dtype", found, format!("the node says {said}")))
        }
        _ => Ok(()),
    }
}

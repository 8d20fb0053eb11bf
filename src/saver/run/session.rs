//! What each node does, and what all of them share.

use std::sync::Arc;

use super::calls::{self, Functions};
use super::files::Files;
use super::value::Value;
use super::variables::{Changed, Declared, Table, TableKey, VariableKey, Variables};
use super::{WriteCheckpoint, arrays, assign, files, tables};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Constant, Graph, Node, attrs};
use crate::tensor::{DType, Tensor};

/// What nodes may make beyond what they are made from.
const ROOM: u64 = 1 << 20;
/// How often nodes may make what they are made from.
pub(super) const SHARE: u64 = 16;

/// How often nodes may be run, for each that there is; and how often at least.
const STEPS: usize = 16;
const FIRST_STEPS: usize = 1 << 20;

/// The state of a run: all that graphs and functions share.
pub(super) struct Session<'r, 'm> {
    pub(super) functions: Functions<'m>,
    variables: &'r Variables,
    /// What was assigned; the store has it when all went well.
    changed: Changed,
    pub(super) writer: Option<&'r mut dyn WriteCheckpoint>,
    pub(super) files: Files,
    /// Bytes that may still be made, and nodes that may still be run.
    room: u64,
    steps: usize,
}

impl<'r, 'm> Session<'r, 'm> {
    pub(super) fn new(
        graph: &Graph<'m>,
        variables: &'r Variables,
        writer: Option<&'r mut dyn WriteCheckpoint>,
        files: Files,
    ) -> Self {
        let bytes: usize = graph.nodes().iter().map(|node| node.bytes.len()).sum();
        let total = bytes.saturating_add(graph.library().bytes.len());
        Self {
            functions: Functions::new(graph.library()),
            variables,
            changed: Changed::default(),
            writer,
            files,
            room: (total as u64).saturating_mul(SHARE).saturating_add(ROOM),
            steps: graph.work(total).saturating_mul(STEPS).saturating_add(FIRST_STEPS),
        }
    }

    /// What was assigned.
    pub(super) fn finish(self) -> Changed {
        self.changed
    }

    /// Takes note of what it takes to run a graph or a function, or to open a checkpoint.
    pub(super) fn steps(&mut self, count: usize) -> Result<()> {
        self.steps = self.steps.checked_sub(count).ok_or_else(|| {
            let allowed = format!("{} are left of what the graph justifies", self.steps);
            Error::unexpected("number of steps to be taken", count, allowed)
        })?;
        Ok(())
    }

    /// What a node gives.
    pub(super) fn op(&mut self, node: &Node<'m>, inputs: Vec<Value>) -> Result<Vec<Value>> {
        if let Some(function) = self.functions.callee(node)? {
            return calls::call(self, function, inputs);
        }
        let inputs = &inputs;
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
            "MutableHashTableV2" | "MutableHashTableOfTensorsV2" | "MutableDenseHashTableV2" => {
                tables::table(node).map(one)
            }
            "LookupTableExportV2" => tables::export(self, inputs),
            "LookupTableImportV2" => {
                tables::import(self, inputs)?;
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
            _ => self.array(node, inputs).map(one),
        }
    }

    /// What a node gives that makes one tensor of others.
    fn array(&mut self, node: &Node<'m>, inputs: &[Value]) -> Result<Value> {
        match node.op {
            "Pack" => arrays::pack(self, node, inputs),
            "StringJoin" => arrays::string_join(self, node, inputs),
            "StaticRegexFullMatch" => arrays::regex_full_match(self, node, inputs),
            "Select" => arrays::select(self, inputs),
            "Shape" => arrays::shape(self, node, inputs),
            "Reshape" => arrays::reshape(self, inputs),
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
            Value::Table(table) => {
                let found = format!("the table {}", table.name());
                Err(Error::unexpected("input", found, "it must be a tensor"))
            }
        }
    }

    /// A value as a function gets it: of a variable itself, what it holds.
    pub(super) fn passed(&self, value: Value) -> Result<Value> {
        match value {
            Value::Reference(variable) => self.held(&variable).map(Value::Tensor),
            value => Ok(value),
        }
    }

    /// What a variable holds now, where it holds anything.
    pub(super) fn current(&self, key: &VariableKey) -> Option<&Arc<Tensor>> {
        self.changed.variables.get(key).or_else(|| self.variables.get(key))
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
        self.changed.variables.insert(key, value);
    }

    /// What a table holds now, where it holds anything.
    pub(super) fn current_table(&self, key: &TableKey) -> Option<&Table> {
        self.changed.tables.get(key).or_else(|| self.variables.table(key))
    }

    /// Gives a table its content.
    pub(super) fn import(&mut self, key: TableKey, table: Table) {
        self.changed.tables.insert(key, table);
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

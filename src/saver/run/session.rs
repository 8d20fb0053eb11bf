//! The state that all nodes of a run share.

use std::sync::Arc;

use super::checkpoints::Checkpoints;
use super::functions::Functions;
use super::value::Value;
use super::variables::{Changed, DeclaredVariable, Table, TableKey, VariableKey, Variables};
use super::writer::WriteCheckpoint;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::tensor::Tensor;

/// The bytes that every run may create.
const ROOM: u64 = 1 << 20;
/// The bytes that a run may create for each byte of its graph and of its largest checkpoint.
const SHARE: u64 = 16;

/// The steps that a run may take for each node, and those that every run may take.
const STEPS: usize = 16;
const FIRST_STEPS: usize = 1 << 20;

/// The state of a run, which the graph and its functions share.
pub(super) struct Session<'r, 'm> {
    pub(super) functions: Functions<'m>,
    variables: &'r Variables,
    /// The assigned values; the store receives them when the run succeeds.
    changed: Changed,
    pub(super) writer: Option<&'r mut dyn WriteCheckpoint>,
    pub(super) checkpoints: Checkpoints,
    /// The bytes that may still be created.
    pub(super) room: u64,
    /// The steps that may still be taken.
    steps: usize,
}

impl<'r, 'm> Session<'r, 'm> {
    pub(super) fn new(
        graph: &Graph<'m>,
        variables: &'r Variables,
        writer: Option<&'r mut dyn WriteCheckpoint>,
        checkpoints: Checkpoints,
    ) -> Self {
        let bytes: usize = graph.nodes().iter().map(|node| node.bytes.len()).sum();
        let total = bytes.saturating_add(graph.library().bytes.len());
        Self {
            functions: Functions::new(graph.library()),
            variables,
            changed: Changed::default(),
            writer,
            checkpoints,
            room: (total as u64).saturating_mul(SHARE).saturating_add(ROOM),
            steps: graph.work(total).saturating_mul(STEPS).saturating_add(FIRST_STEPS),
        }
    }

    /// The assigned values.
    pub(super) fn finish(self) -> Changed {
        self.changed
    }

    /// Counts the steps of running a graph or a function, or of opening a checkpoint.
    pub(super) fn steps(&mut self, count: usize) -> Result<()> {
        self.steps = self.steps.checked_sub(count).ok_or_else(|| {
            let expected = format!("at most {} more, by the size of the graph", self.steps);
            Error::unexpected("steps of the run", count, expected)
        })?;
        Ok(())
    }

    /// Wraps a new tensor, if the run may create as many bytes.
    pub(super) fn made(&mut self, tensor: Tensor) -> Result<Value> {
        self.charge(tensor.content().len() as u64)?;
        Ok(tensor.into())
    }

    /// Counts created bytes.
    pub(super) fn charge(&mut self, bytes: u64) -> Result<()> {
        self.room = self.room.checked_sub(bytes).ok_or_else(|| {
            let expected =
                format!("at most {} more, by the sizes of the graph and its checkpoint", self.room);
            Error::unexpected("bytes of new tensors", bytes, expected)
        })?;
        Ok(())
    }

    /// Raises the limit for a checkpoint that is larger by `bytes` than those before it.
    pub(super) fn allow(&mut self, bytes: u64) {
        self.room = self.room.saturating_add(bytes.saturating_mul(SHARE));
    }

    /// The tensor of a value; of a variable, its current value.
    pub(super) fn read(&self, value: &Value) -> Result<Arc<Tensor>> {
        match value {
            Value::Tensor(tensor) => Ok(Arc::clone(tensor)),
            Value::Reference(variable) => self.value_of(variable),
            Value::Handle(variable) => {
                let found = format!("the handle of {}", variable.name());
                Err(Error::unexpected("input", found, "a tensor"))
            }
            Value::Table(table) => {
                let found = format!("the table {}", table.name());
                Err(Error::unexpected("input", found, "a tensor"))
            }
        }
    }

    /// The argument for a function: a reference variable is replaced by its value.
    pub(super) fn argument(&self, value: Value) -> Result<Value> {
        match value {
            Value::Reference(variable) => self.value_of(&variable).map(Value::Tensor),
            value => Ok(value),
        }
    }

    /// The current value of a variable, if it has one.
    pub(super) fn current(&self, key: &VariableKey) -> Option<&Arc<Tensor>> {
        self.changed.variables.get(key).or_else(|| self.variables.get(key))
    }

    /// The current value of a variable.
    ///
    /// # Errors
    /// If the variable is not initialized.
    pub(super) fn value_of(&self, variable: &DeclaredVariable) -> Result<Arc<Tensor>> {
        self.current(&variable.key).cloned().ok_or_else(|| {
            let kind = format!("the variable {} is not initialized", variable.name());
            Error::not_found(kind)
        })
    }

    /// Assigns a variable.
    pub(super) fn assign(&mut self, key: VariableKey, value: Arc<Tensor>) {
        self.changed.variables.insert(key, value);
    }

    /// The current content of a table, if it has any.
    pub(super) fn current_table(&self, key: &TableKey) -> Option<&Table> {
        self.changed.tables.get(key).or_else(|| self.variables.table(key))
    }

    /// Replaces the content of a table.
    pub(super) fn import(&mut self, key: TableKey, table: Table) {
        self.changed.tables.insert(key, table);
    }
}

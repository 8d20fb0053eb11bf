//! The store that a saver is run on: variables, and what they hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Result;
use crate::graph::{Graph, Node, attrs};
use crate::message::Message;
use crate::saver::VariableKind;
use crate::tensor::{DType, Name, Tensor};

/// What TensorFlow knows a variable by: two nodes with the same one share it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct VariableKey {
    /// How graphs hold it.
    pub kind: VariableKind,
    /// The container that it is in; nothing for the one that all are in.
    pub container: Name,
    /// The `shared_name` of its node; of a reference variable without one, the name of its node.
    pub name: Name,
}

impl VariableKey {
    /// A variable in the container that all are in.
    pub fn new(kind: VariableKind, name: impl AsRef<[u8]>) -> Self {
        Self { kind, container: Name::from(b""), name: Name::from(name.as_ref()) }
    }
}

/// A variable, as its node describes it.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) key: VariableKey,
    pub(super) dtype: Option<DType>,
    pub(super) shape: Option<Vec<Option<u64>>>,
}

impl Declared {
    /// The variable that a node is; `None` where it is none.
    pub(super) fn of(node: &Node<'_>) -> Option<Self> {
        let kind = match node.op {
            "VariableV2" | "Variable" => VariableKind::Reference,
            "VarHandleOp" => VariableKind::Resource,
            _ => return None,
        };
        let bytes = |name: &str| node.attr(name).map(attrs::bytes).unwrap_or_default();
        let name = match (kind, bytes("shared_name")) {
            (VariableKind::Reference, b"") => node.name.as_bytes(),
            (_, shared) => shared,
        };
        let key =
            VariableKey { kind, container: Name::from(bytes("container")), name: Name::from(name) };
        let code = node.attr("dtype").map(attrs::types).unwrap_or_default();
        let dtype = code.first().and_then(|&code| DType::from_code(code));
        Some(Self { key, dtype, shape: node.declared_shape() })
    }

    /// The name, for people.
    pub(super) fn name(&self) -> String {
        self.key.name.printable()
    }
}

/// What TensorFlow knows a table by, whose content changes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableKey {
    /// The container that it is in; nothing for the one that all are in.
    pub container: Name,
    /// The `shared_name` of its node; without one, the name of its node.
    pub name: Name,
}

/// What a table holds, in the order that it was given in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its keys.
    pub keys: Arc<Tensor>,
    /// Their values, of one dimension more where each is more than one element.
    pub values: Arc<Tensor>,
}

/// A table, as its node describes it.
#[derive(Debug)]
pub(super) struct DeclaredTable {
    pub(super) key: TableKey,
    pub(super) keys: Option<DType>,
    pub(super) values: Option<DType>,
    /// The shape of one value.
    pub(super) value_shape: Vec<u64>,
    /// Whether its keys and values are its buckets as they are, those without an entry among them.
    pub(super) is_dense: bool,
}

impl DeclaredTable {
    /// The table that a node is; `None` where it is none.
    pub(super) fn of(node: &Node<'_>) -> Option<Self> {
        if !matches!(
            node.op,
            "MutableHashTableV2" | "MutableHashTableOfTensorsV2" | "MutableDenseHashTableV2"
        ) {
            return None;
        }
        let bytes = |name: &str| node.attr(name).map(attrs::bytes).unwrap_or_default();
        let name = match bytes("shared_name") {
            b"" => node.name.as_bytes(),
            shared => shared,
        };
        let dtype = |name: &str| {
            let codes = node.attr(name).map(attrs::types).unwrap_or_default();
            codes.first().and_then(|&code| DType::from_code(code))
        };
        let shape = node.shape_in("value_shape").unwrap_or_default();
        Some(Self {
            key: TableKey { container: Name::from(bytes("container")), name: Name::from(name) },
            keys: dtype("key_dtype"),
            values: dtype("value_dtype"),
            value_shape: shape.into_iter().map(Option::unwrap_or_default).collect(),
            is_dense: node.op == "MutableDenseHashTableV2",
        })
    }

    /// The name, for people.
    pub(super) fn name(&self) -> String {
        self.key.name.printable()
    }
}

/// What a run has assigned.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) variables: BTreeMap<VariableKey, Arc<Tensor>>,
    pub(super) tables: BTreeMap<TableKey, Table>,
}

/// Variables and their values, and tables; those that have none yet are known too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    held: BTreeMap<VariableKey, Option<Arc<Tensor>>>,
    tables: BTreeMap<TableKey, Option<Table>>,
}

impl Variables {
    /// All variables and tables of the graph in a `MetaGraphDef` or `GraphDef`, without values.
    ///
    /// # Errors
    /// When the message has no graph.
    pub fn of(message: &Message<'_>) -> Result<Self> {
        let graph = Graph::new(crate::saver::graph_of(message)?)?;
        let keys = graph.nodes().iter().filter_map(Declared::of).map(|declared| declared.key);
        let tables = graph.nodes().iter().filter_map(DeclaredTable::of).map(|table| table.key);
        Ok(Self {
            held: keys.map(|key| (key, None)).collect(),
            tables: tables.map(|key| (key, None)).collect(),
        })
    }

    /// What a variable holds; `None` where it holds nothing, or is not known.
    pub fn get(&self, key: &VariableKey) -> Option<&Arc<Tensor>> {
        self.held.get(key)?.as_ref()
    }

    /// What the first variable of this name holds, whatever its kind and container.
    pub fn find(&self, name: impl AsRef<[u8]>) -> Option<&Arc<Tensor>> {
        let found = self.held.iter().find(|(key, _)| key.name.as_bytes() == name.as_ref());
        found?.1.as_ref()
    }

    /// Gives a variable a value; returns the one it had.
    pub fn set(&mut self, key: VariableKey, value: impl Into<Arc<Tensor>>) -> Option<Arc<Tensor>> {
        self.held.insert(key, Some(value.into())).flatten()
    }

    /// All variables in the order of their keys, with what they hold.
    pub fn iter(&self) -> impl Iterator<Item = (&VariableKey, Option<&Arc<Tensor>>)> {
        self.held.iter().map(|(key, value)| (key, value.as_ref()))
    }

    /// Those that hold nothing.
    pub fn uninitialized(&self) -> impl Iterator<Item = &VariableKey> {
        self.held.iter().filter(|(_, value)| value.is_none()).map(|(key, _)| key)
    }

    /// What a table holds; `None` where it was given nothing, or is not known.
    pub fn table(&self, key: &TableKey) -> Option<&Table> {
        self.tables.get(key)?.as_ref()
    }

    /// Gives a table its content; returns what it had.
    pub fn set_table(&mut self, key: TableKey, table: Table) -> Option<Table> {
        self.tables.insert(key, Some(table)).flatten()
    }

    /// All tables in the order of their keys, with what they hold.
    pub fn tables(&self) -> impl Iterator<Item = (&TableKey, Option<&Table>)> {
        self.tables.iter().map(|(key, table)| (key, table.as_ref()))
    }

    /// Takes over all values of `changed`.
    pub(super) fn take(&mut self, changed: Changed) {
        self.held.extend(changed.variables.into_iter().map(|(key, value)| (key, Some(value))));
        self.tables.extend(changed.tables.into_iter().map(|(key, table)| (key, Some(table))));
    }
}

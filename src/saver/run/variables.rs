//! The store that a saver runs on: variables and tables, with their values.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::graph::{Graph, Node, attrs, is_dense_table, is_saved_table};
use crate::message::Message;
use crate::meta_graph::graph_of;
use crate::saver::VariableKind;
use crate::suggestion;
use crate::tensor::{DType, Name, Tensor};

/// The identity of a variable: nodes with equal keys share one variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct VariableKey {
    /// The kind of variable.
    pub kind: VariableKind,
    /// The container; empty for the default one.
    pub container: Name,
    /// The `shared_name` of its node; of a reference variable without one, the name of its node.
    pub name: Name,
}

impl VariableKey {
    /// A variable in the default container.
    pub fn new(kind: VariableKind, name: impl AsRef<[u8]>) -> Self {
        Self { kind, container: Name::from(b""), name: Name::from(name.as_ref()) }
    }
}

/// A variable, as its node describes it.
#[derive(Debug)]
pub(super) struct DeclaredVariable {
    pub(super) key: VariableKey,
    pub(super) dtype: Option<DType>,
    pub(super) shape: Option<Vec<Option<u64>>>,
}

/// The name in an attribute of a node; empty if it is missing.
fn name_in<'m>(node: &Node<'m>, attr: &str) -> &'m [u8] {
    node.attr(attr).map(attrs::bytes).unwrap_or_default()
}

impl DeclaredVariable {
    /// The variable of a node, if it is one.
    pub(super) fn of(node: &Node<'_>) -> Option<Self> {
        let kind = VariableKind::of_op(node.op)?;
        let name = match (kind, name_in(node, "shared_name")) {
            (VariableKind::Reference, b"") => node.name.as_bytes(),
            (_, shared) => shared,
        };
        let (container, name) = (name_in(node, "container").into(), name.into());
        let key = VariableKey { kind, container, name };
        Some(Self { key, dtype: node.dtype_in("dtype"), shape: node.declared_shape() })
    }

    /// The name in messages.
    pub(super) fn name(&self) -> String {
        self.key.name.printable()
    }
}

/// The identity of a mutable table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableKey {
    /// The container; empty for the default one.
    pub container: Name,
    /// The `shared_name` of its node; without one, the name of its node.
    pub name: Name,
}

/// The content of a table, in the order of insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The keys.
    pub keys: Arc<Tensor>,
    /// The values; if each has several elements, with more dimensions than the keys.
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
    /// Whether its keys and values are its buckets, including empty ones.
    pub(super) is_dense: bool,
}

impl DeclaredTable {
    /// The table of a node, if it is one.
    pub(super) fn of(node: &Node<'_>) -> Option<Self> {
        if !is_saved_table(node.op) {
            return None;
        }
        let name = match name_in(node, "shared_name") {
            b"" => node.name.as_bytes(),
            shared => shared,
        };
        let shape = node.shape_in("value_shape").unwrap_or_default();
        Some(Self {
            key: TableKey { container: name_in(node, "container").into(), name: name.into() },
            keys: node.dtype_in("key_dtype"),
            values: node.dtype_in("value_dtype"),
            value_shape: shape.into_iter().map(Option::unwrap_or_default).collect(),
            is_dense: is_dense_table(node.op),
        })
    }

    /// The name in messages.
    pub(super) fn name(&self) -> String {
        self.key.name.printable()
    }
}

/// The values that a run has assigned.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) variables: BTreeMap<VariableKey, Arc<Tensor>>,
    pub(super) tables: BTreeMap<TableKey, Table>,
}

/// Variables and tables with their values, including those without a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    variables: BTreeMap<VariableKey, Option<Arc<Tensor>>>,
    tables: BTreeMap<TableKey, Option<Table>>,
}

impl Variables {
    /// All variables and tables of the graph in a `MetaGraphDef` or `GraphDef`, without values.
    ///
    /// # Errors
    /// If the message has no graph.
    pub fn of(message: &Message<'_>) -> Result<Self> {
        let graph = Graph::new(graph_of(message)?)?;
        let keys =
            graph.nodes().iter().filter_map(DeclaredVariable::of).map(|declared| declared.key);
        let tables = graph.nodes().iter().filter_map(DeclaredTable::of).map(|table| table.key);
        Ok(Self {
            variables: keys.map(|key| (key, None)).collect(),
            tables: tables.map(|key| (key, None)).collect(),
        })
    }

    /// The value of a variable; `None` if it has no value, or is unknown.
    pub fn get(&self, key: &VariableKey) -> Option<&Arc<Tensor>> {
        self.variables.get(key)?.as_ref()
    }

    /// The value of the first variable with this name, of any kind and in any container.
    pub fn find(&self, name: impl AsRef<[u8]>) -> Option<&Arc<Tensor>> {
        let found = self.variables.iter().find(|(key, _)| key.name.as_bytes() == name.as_ref());
        found?.1.as_ref()
    }

    /// Sets the value of a variable, and returns the previous one.
    pub fn set(&mut self, key: VariableKey, value: impl Into<Arc<Tensor>>) -> Option<Arc<Tensor>> {
        self.variables.insert(key, Some(value.into())).flatten()
    }

    /// Sets the value of the variable with this name, of any kind and in any container, and returns the previous value.
    ///
    /// # Errors
    /// If the store has no variable with this name, or several.
    pub fn set_named(
        &mut self,
        name: impl AsRef<[u8]>,
        value: impl Into<Arc<Tensor>>,
    ) -> Result<Option<Arc<Tensor>>> {
        let name = name.as_ref();
        let mut named = self.variables.iter_mut().filter(|(key, _)| key.name.as_bytes() == name);
        let Some((_, held)) = named.next() else {
            let names = self.variables.keys().map(|key| key.name.as_bytes());
            let hint = suggestion::hint(name, names.filter_map(|name| str::from_utf8(name).ok()));
            let shown = Name::from(name).printable();
            return Err(Error::not_found(format!("there is no variable {shown}{hint}")));
        };
        let others = named.count();
        if others > 0 {
            let error = Error::unexpected("variables with this name", others + 1, 1);
            return Err(error.of_tensor(&Name::from(name)));
        }
        Ok(held.replace(value.into()))
    }

    /// All variables in the order of their keys, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&VariableKey, Option<&Arc<Tensor>>)> {
        self.variables.iter().map(|(key, value)| (key, value.as_ref()))
    }

    /// The variables without a value.
    pub fn uninitialized(&self) -> impl Iterator<Item = &VariableKey> {
        self.variables.iter().filter(|(_, value)| value.is_none()).map(|(key, _)| key)
    }

    /// The content of a table; `None` if it has none, or is unknown.
    pub fn table(&self, key: &TableKey) -> Option<&Table> {
        self.tables.get(key)?.as_ref()
    }

    /// Sets the content of a table, and returns the previous one.
    pub fn set_table(&mut self, key: TableKey, table: Table) -> Option<Table> {
        self.tables.insert(key, Some(table)).flatten()
    }

    /// All tables in the order of their keys, with their content.
    pub fn tables(&self) -> impl Iterator<Item = (&TableKey, Option<&Table>)> {
        self.tables.iter().map(|(key, table)| (key, table.as_ref()))
    }

    /// Stores the values of `changed`.
    pub(super) fn take(&mut self, changed: Changed) {
        self.variables.extend(changed.variables.into_iter().map(|(key, value)| (key, Some(value))));
        self.tables.extend(changed.tables.into_iter().map(|(key, table)| (key, Some(table))));
    }
}

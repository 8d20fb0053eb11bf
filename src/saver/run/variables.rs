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

/// Variables and their values; those that have none yet are known too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    held: BTreeMap<VariableKey, Option<Arc<Tensor>>>,
}

impl Variables {
    /// All variables of the graph in a `MetaGraphDef` or `GraphDef`, without values.
    ///
    /// # Errors
    /// When the message has no graph.
    pub fn of(message: &Message<'_>) -> Result<Self> {
        let graph = Graph::new(crate::saver::graph_of(message)?)?;
        let keys = graph.nodes().iter().filter_map(Declared::of).map(|declared| declared.key);
        Ok(Self { held: keys.map(|key| (key, None)).collect() })
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

    /// Takes over all values of `changed`.
    pub(super) fn take(&mut self, changed: BTreeMap<VariableKey, Arc<Tensor>>) {
        self.held.extend(changed.into_iter().map(|(key, value)| (key, Some(value))));
    }
}

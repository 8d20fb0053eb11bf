//! Changes: the differences between two messages.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::compare::Comparison;
use crate::serial::{Float, named_enum, object};

use super::Path;

/// One difference between two artifacts, other than between tensors of checkpoints.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The path of the field.
    pub path: Path,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// Whether the change is semantic.
    pub weight: Weight,
    /// The value in lhs in text format, shortened if long; `None` if lhs has no value.
    pub lhs: Option<String>,
    /// The value in rhs, likewise.
    pub rhs: Option<String>,
    /// Details that depend on the kind of change.
    pub detail: Detail,
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        if let Some(in_lhs) = self.path.in_lhs() {
            map.serialize_entry("lhs_path", &in_lhs)?;
        }
        map.serialize_entry("kind", &self.kind)?;
        map.serialize_entry("weight", &self.weight)?;
        map.serialize_entry("lhs", &self.lhs)?;
        map.serialize_entry("rhs", &self.rhs)?;
        match &self.detail {
            Detail::None => {}
            Detail::Op(op) => map.serialize_entry("op", op)?,
            Detail::Nodes(nodes) => map.serialize_entry("nodes", nodes)?,
            Detail::Tensor(comparison) => map.serialize_entry("values", &values(comparison))?,
            Detail::Signatures(names) => map.serialize_entry("signatures", names)?,
            Detail::Objects(objects) => {
                map.serialize_entry("node_id", &objects.node_id)?;
                map.serialize_entry("user_objects", &objects.user_objects)?;
                map.serialize_entry("layer", &objects.layer)?;
                map.serialize_entry("variables", &objects.variables)?;
            }
        }
        map.end()
    }
}

impl Change {
    /// A semantic change; the sides that have a value decide its kind.
    pub(super) fn new(path: Path, lhs: Option<String>, rhs: Option<String>) -> Self {
        let kind = match (&lhs, &rhs) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Modified,
        };
        Self { path, kind, weight: Weight::Semantic, lhs, rhs, detail: Detail::None }
    }

    /// A semantic change of a value that only one side has; `kind` is added or removed.
    pub(super) fn one_sided(path: Path, kind: ChangeKind, text: String) -> Self {
        match kind {
            ChangeKind::Added => Self::new(path, None, Some(text)),
            _ => Self::new(path, Some(text), None),
        }
    }

    /// A modified value.
    pub(super) fn modified(path: Path, lhs: String, rhs: String) -> Self {
        Self::new(path, Some(lhs), Some(rhs))
    }

    /// A renamed value.
    pub(super) fn renamed(path: Path, from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { kind: ChangeKind::Renamed, ..Self::modified(path, from.into(), to.into()) }
    }

    /// Whether the change is in a signature, on which every caller of a model relies. A meta graph that comes or goes is more than that.
    pub fn is_of_signature(&self) -> bool {
        self.path.key_in("signature_def").is_some()
    }

    /// The signatures that came or went with their whole meta graph.
    pub fn signatures(&self) -> &[String] {
        match &self.detail {
            Detail::Signatures(names) => names,
            _ => &[],
        }
    }

    /// The change with another weight.
    pub(super) fn with_weight(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }

    /// The change with details.
    pub(super) fn with_detail(self, detail: Detail) -> Self {
        Self { detail, ..self }
    }
}

named_enum! {
    /// The kind of a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ChangeKind {
        /// Only rhs has a value.
        Added = "added",
        /// Only lhs has a value.
        Removed = "removed",
        /// Both sides have a value, and the values differ.
        Modified = "modified",
        /// Both sides have the value, under different names.
        Renamed = "renamed",
    }
}

named_enum! {
    /// The significance of a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Weight {
        /// The meaning of the model changes.
        Semantic = "semantic",
        /// The meaning of the model stays the same.
        Cosmetic = "cosmetic",
    }
}

/// Details of a change.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Detail {
    /// No details.
    #[default]
    None,
    /// The op of the node that changed.
    Op(Box<str>),
    /// The nodes that were added, removed or renamed together.
    Nodes(Box<NodeGroup>),
    /// The statistics of two constants.
    Tensor(Box<Comparison>),
    /// The names of the signatures of a meta graph that was added or removed; there is at least one.
    Signatures(Vec<String>),
    /// The objects that were added or removed together.
    Objects(Box<ObjectGroup>),
}

/// Objects that were added or removed together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObjectGroup {
    /// The position of the first of them in its object graph, which other files call its node id.
    pub node_id: u64,
    /// How many of them are objects of classes, such as layers, rather than variables, functions and the like. The object graph of a
    /// checkpoint does not say.
    pub user_objects: u64,
    /// The layer that the first of them is, if the metadata of Keras says so.
    pub layer: Option<KerasLayer>,
    /// The first variables among them, with their shapes: `dense_1/kernel [20, 64]`.
    pub variables: Vec<String>,
}

/// The statistics that a change reports.
fn values(comparison: &Comparison) -> impl Serialize {
    object! {
        elements: comparison.elements,
        differing: comparison.differing,
        mismatched: comparison.mismatched,
        max_abs: comparison.max_abs.map(Float),
        max_rel: comparison.max_rel.map(Float),
        max_ulp: comparison.max_ulp,
        rel_l2: comparison.rel_l2.map(Float),
    }
}

/// Nodes that were added, removed or renamed together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeGroup {
    /// The names in the order of the graph; of renamed nodes, the names in rhs.
    pub names: Vec<String>,
    /// The number of nodes of each op, most frequent first.
    pub ops: Vec<(String, u64)>,
    /// The class of the layer that added or removed nodes are, with its sizes: `Dense 20 → 64`. This and the next three lists are of
    /// the scope in which most of the nodes are; they are empty if there is no such scope.
    pub layer: Option<String>,
    /// The first variables among added or removed nodes, with their shapes: `kernel [20, 64]`.
    pub variables: Vec<String>,
    /// The first nodes outside from which added or removed nodes compute.
    pub inputs: Vec<String>,
    /// The first nodes outside that use added or removed nodes.
    pub consumers: Vec<String>,
    /// Changes that follow from this one: of inputs, saved variables and entries of collections.
    pub boundary: Vec<BoundaryChange>,
}

impl Serialize for NodeGroup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = object! {
            count: self.names.len(),
            names: &self.names,
            ops: self.ops.iter().map(|(op, count)| object! { op: op, count: count }).collect::<Vec<_>>(),
            layer: &self.layer,
            variables: &self.variables,
            inputs: &self.inputs,
            consumers: &self.consumers,
            boundary: &self.boundary,
        };
        report.serialize(serializer)
    }
}

/// A change that follows from added or removed nodes, mostly an input that comes from another node now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BoundaryChange {
    /// The path of the field.
    pub path: Path,
    /// The value in lhs; `None` if there is none.
    pub lhs: Option<String>,
    /// The value in rhs; `None` if there is none.
    pub rhs: Option<String>,
}

/// A layer of Keras.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KerasLayer {
    /// The class: `Dense`.
    pub class: String,
    /// The name of the layer: `dense_1`.
    pub name: String,
}

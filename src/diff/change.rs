//! One difference between two messages.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::compare::Comparison;
use crate::serial::{Float, serialize_by_name};

use super::Path;

/// One difference that is no tensor's of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Where it is.
    pub path: Path,
    /// What happened.
    pub kind: ChangeKind,
    /// Whether it matters.
    pub weight: Weight,
    /// What lhs has, in text format, cut where it is long; `None` where it has nothing.
    pub lhs: Option<String>,
    /// What rhs has.
    pub rhs: Option<String>,
    /// What else is known.
    #[serde(flatten, skip_serializing_if = "Detail::is_none")]
    pub detail: Detail,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// Only rhs has it.
    Added,
    /// Only lhs has it.
    Removed,
    /// Both have it, and it differs.
    Modified,
    /// Both have it, under two names.
    Renamed,
}

impl ChangeKind {
    /// As reports spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
        }
    }
}

/// Whether a change matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// The model is another.
    Semantic,
    /// Only its spelling is.
    Cosmetic,
}

impl Weight {
    /// As reports spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Semantic => "semantic",
            Self::Cosmetic => "cosmetic",
        }
    }
}

/// What else is known of a change.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// Nothing.
    #[default]
    None,
    /// The op of the node that it happened to.
    Op(Box<str>),
    /// The nodes that came, went, or got other names together.
    Nodes(Box<Nodes>),
    /// How far two constants are apart.
    #[serde(rename = "values", serialize_with = "values")]
    Tensor(Box<Comparison>),
}

impl Detail {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// Writes the statistics of two constants, those that a change reports.
fn values<S: Serializer>(comparison: &Comparison, serializer: S) -> Result<S::Ok, S::Error> {
    let mut values = serializer.serialize_struct("Values", 6)?;
    values.serialize_field("elements", &comparison.elements)?;
    values.serialize_field("differing", &comparison.differing)?;
    values.serialize_field("mismatched", &comparison.mismatched)?;
    values.serialize_field("max_abs", &comparison.max_abs.map(Float))?;
    values.serialize_field("max_rel", &comparison.max_rel.map(Float))?;
    values.serialize_field("max_ulp", &comparison.max_ulp)?;
    values.end()
}

/// Nodes that one change is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Nodes {
    /// Their names, in the order of the graph; of renamed ones, those of rhs.
    pub names: Vec<String>,
    /// How many of each op, by op.
    pub ops: Vec<(String, u64)>,
    /// What changed at their border with them: inputs, variables that are saved, entries of collections.
    pub boundary: Vec<Rewired>,
}

impl Serialize for Nodes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut nodes = serializer.serialize_struct("Nodes", 3)?;
        nodes.serialize_field("count", &self.names.len())?;
        nodes.serialize_field("names", &self.names)?;
        nodes.serialize_field("boundary", &self.boundary)?;
        nodes.end()
    }
}

/// What changed at the border of nodes that came or went: mostly an input of a node that comes from elsewhere now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rewired {
    /// Where it is.
    pub path: Path,
    /// What it was; `None` where there was none.
    pub lhs: Option<String>,
    /// What it is now.
    pub rhs: Option<String>,
}

serialize_by_name!(ChangeKind, Weight);

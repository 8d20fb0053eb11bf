//! Changes of graphs and other messages.

use serde::Serialize;
use serde::ser::Serializer;

use crate::compare::Comparison;
use crate::diff::{Change, Detail, Finding, Nodes, Path, Rewired, SideOf};

use super::number::Float;

/// One change.
#[derive(Serialize)]
pub(super) struct ChangeOut<'a> {
    path: PathOut<'a>,
    kind: &'static str,
    weight: &'static str,
    lhs: Option<&'a str>,
    rhs: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<NodesOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<ValuesOut>,
}

impl<'a> ChangeOut<'a> {
    pub(super) fn new(change: &'a Change) -> Self {
        Self {
            path: PathOut(&change.path),
            kind: change.kind.name(),
            weight: change.weight.name(),
            lhs: change.lhs.as_deref(),
            rhs: change.rhs.as_deref(),
            op: match &change.detail {
                Detail::Op(op) => Some(op),
                _ => None,
            },
            nodes: match &change.detail {
                Detail::Nodes(nodes) => Some(NodesOut::new(nodes)),
                _ => None,
            },
            values: match &change.detail {
                Detail::Tensor(comparison) => Some(ValuesOut::new(comparison)),
                _ => None,
            },
        }
    }
}

/// A path, as it is read.
struct PathOut<'a>(&'a Path);

impl Serialize for PathOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

/// The nodes that a change is about.
#[derive(Serialize)]
struct NodesOut<'a> {
    count: usize,
    names: &'a [String],
    boundary: Vec<RewiredOut<'a>>,
}

impl<'a> NodesOut<'a> {
    fn new(nodes: &'a Nodes) -> Self {
        Self {
            count: nodes.names.len(),
            names: &nodes.names,
            boundary: nodes.boundary.iter().map(RewiredOut::new).collect(),
        }
    }
}

/// An input that changed with them.
#[derive(Serialize)]
struct RewiredOut<'a> {
    path: PathOut<'a>,
    lhs: Option<&'a str>,
    rhs: Option<&'a str>,
}

impl<'a> RewiredOut<'a> {
    fn new(rewired: &'a Rewired) -> Self {
        let Rewired { path, lhs, rhs } = rewired;
        Self { path: PathOut(path), lhs: lhs.as_deref(), rhs: rhs.as_deref() }
    }
}

/// How far two constants are apart.
#[derive(Serialize)]
struct ValuesOut {
    elements: u64,
    differing: u64,
    mismatched: u64,
    max_abs: Option<Float>,
    max_rel: Option<Float>,
    max_ulp: Option<u64>,
}

impl ValuesOut {
    fn new(comparison: &Comparison) -> Self {
        Self {
            elements: comparison.elements,
            differing: comparison.differing,
            mismatched: comparison.mismatched,
            max_abs: comparison.max_abs.map(Float),
            max_rel: comparison.max_rel.map(Float),
            max_ulp: comparison.max_ulp,
        }
    }
}

/// Something that is wrong with a message.
#[derive(Serialize)]
pub(super) struct FindingOut<'a> {
    side: Option<&'static str>,
    path: &'a str,
    problem: &'a str,
}

impl<'a> FindingOut<'a> {
    pub(super) fn new(finding: &'a Finding) -> Self {
        let side = finding.side.map(SideOf::name);
        Self { side, path: &finding.path, problem: &finding.problem }
    }
}

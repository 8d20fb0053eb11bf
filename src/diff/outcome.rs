//! The result of a comparison, from which every report is made.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::artifact::{Artifact, ArtifactSummary};
use crate::compare::{
    Comparison, Mismatch, MismatchMap, NonFiniteCounts, Operands, Sides, Tolerance, Work,
};
use crate::error::Error;
use crate::graph::object_graph;
use crate::serial::{self, named_enum};
use crate::tensor::{Facts, Name};

use super::{Change, ChangeGroup, DiffOptions, Finding, Side, TensorRole, UnusedPattern, Weight};

/// The differences between two artifacts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Diff {
    /// The baseline.
    pub lhs: ArtifactSummary,
    /// The other side.
    pub rhs: ArtifactSummary,
    /// The options of the comparison.
    pub options: DiffOptions,
    /// The devices that compared the tensors.
    pub work: Work,
    /// Every tensor of either side that the filters select, by name.
    pub tensors: Vec<TensorDiff>,
    /// The tensors that the filters leave out.
    pub left_out: LeftOut,
    /// Patterns of the options that match nothing.
    pub unused: Vec<UnusedPattern>,
    /// The number of tensors of a checkpoint that a frozen graph does not need.
    pub not_frozen: u64,
    /// Damage of one side that concerns no single tensor.
    pub damage: Vec<Damage>,
    /// Unmatched tensors of equal dtype, shape and bytes.
    pub renames: Vec<Rename>,
    /// The differences between messages: graphs, signatures, savers.
    pub changes: Vec<Change>,
    /// The groups in which reports show the changes; each change is in one of them.
    pub groups: Vec<ChangeGroup>,
    /// The number of ignored changes.
    pub ignored: u64,
    /// The number of nodes of each op in the graph of rhs; `None` if no graphs were compared.
    pub ops: Option<BTreeMap<String, u64>>,
    /// Findings of a graph that did not prevent the comparison.
    pub findings: Vec<Finding>,
    /// The parts that were compared.
    pub coverage: Coverage,
}

/// The number of tensors that the filters leave out; a tensor of both sides counts once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LeftOut {
    /// No include pattern matches them.
    pub include: u64,
    /// An exclude pattern matches them.
    pub exclude: u64,
}

impl LeftOut {
    /// All of them.
    pub fn total(self) -> u64 {
        self.include + self.exclude
    }
}

named_enum! {
    /// The parts of two artifacts that were compared.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Coverage {
        /// Tensors.
        Tensors = "tensors",
        /// Messages.
        Graph = "graph",
        /// Tensors and messages.
        Both = "both",
    }
}

impl Coverage {
    /// The coverage of a comparison of these parts; `None` without any.
    pub(super) fn of(tensors: bool, messages: bool) -> Option<Self> {
        match (tensors, messages) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Tensors),
            (false, true) => Some(Self::Graph),
            (false, false) => None,
        }
    }

    /// Whether tensors were compared.
    pub fn has_tensors(self) -> bool {
        self != Self::Graph
    }

    /// Whether messages were compared.
    pub fn has_graph(self) -> bool {
        self != Self::Tensors
    }
}

/// The number of changes of each weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct ChangeCounts {
    /// Changes that alter the meaning of the model.
    pub semantic: u64,
    /// Changes that do not.
    pub cosmetic: u64,
    /// Changes that are reported with another one: equal edits, and what follows from them. They are not among the semantic changes.
    pub grouped: u64,
    /// Changes that the options ignore; they have no weight.
    pub ignored: u64,
}

/// Damage of one side.
#[derive(Debug, Clone, Serialize)]
pub struct Damage {
    /// The damaged side.
    pub side: Side,
    /// The error, with its location.
    pub error: Error,
}

/// The result for one tensor, which may be on one side only.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TensorDiff {
    /// The name; of a renamed tensor, the name in rhs.
    pub name: Name,
    /// The name in lhs of a renamed tensor.
    pub renamed_from: Option<Name>,
    /// The name of the variable, where an object graph knows a better one than the key of the checkpoint:
    /// `sequential/dense/kernel` for `optimizer/_trainable_variables/0`.
    pub full_name: Option<Name>,
    /// The result.
    pub status: Status,
    /// The role in the model; `None` if it has none.
    pub role: Option<TensorRole>,
    /// Dtype and shape in lhs; `None` if lhs lacks the tensor or it is unreadable.
    pub lhs: Option<Facts>,
    /// Dtype and shape in rhs, likewise.
    pub rhs: Option<Facts>,
    /// The tolerance under which the values were compared.
    pub tolerance: Tolerance,
    /// The statistics; `None` if no values were compared.
    pub comparison: Option<Box<Comparison>>,
    /// Pairs of elements that are not close: those that the options list; else the first, if the comparison has no
    /// largest difference.
    pub mismatches: Vec<Mismatch>,
    /// Where mismatches lie, if that was requested and there are any.
    pub mismatch_map: Option<Box<MismatchMap>>,
    /// The NaN and infinities of each side, if rhs has the tensor, its values were read, and they were not compared, since it is new or
    /// has another shape or dtype.
    pub non_finite: Option<Box<Sides<NonFiniteCounts>>>,
    /// The reason why the tensor could not be read.
    pub error: Option<Error>,
}

named_enum! {
    /// The result for one tensor.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Status {
        /// All bits are equal.
        Identical = "identical",
        /// Of equal dtype and shape; the values were not compared, since a side has none, as a snapshot.
        Uncompared = "uncompared",
        /// Within the tolerance.
        Close = "close",
        /// Outside the tolerance.
        Different = "different",
        /// Only in rhs.
        Added = "added",
        /// Only in lhs.
        Removed = "removed",
        /// Different dtypes.
        Dtype = "dtype",
        /// Different shapes.
        Shape = "shape",
        /// Unreadable on some side.
        Error = "error",
    }
}

/// A tensor of lhs that seems to have another name in rhs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rename {
    /// The name in lhs.
    pub from: Name,
    /// The name in rhs.
    pub to: Name,
}

impl Serialize for Rename {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serial::name(&mut map, "from", Some(&self.from))?;
        serial::name(&mut map, "to", Some(&self.to))?;
        map.end()
    }
}

named_enum! {
    /// The verdict of a comparison.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Verdict {
        /// All compared parts are identical or close.
        Same = "same",
        /// Something differs.
        Different = "different",
        /// Something could not be read; takes precedence over [`Different`](Self::Different).
        Trouble = "trouble",
    }
}

/// The number of tensors of each status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatusCounts([u64; Status::ALL.len()]);

impl StatusCounts {
    /// The number of tensors with `status`.
    pub fn of(&self, status: Status) -> u64 {
        self.0.get(status as usize).copied().unwrap_or_default()
    }

    /// The number of all tensors.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl Serialize for StatusCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Status::ALL.map(|status| (status, self.of(status))))
    }
}

/// The number of tensors of one role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleCounts {
    /// The role.
    pub role: TensorRole,
    /// The number of changed tensors.
    pub changed: u64,
    /// The number of all tensors.
    pub total: u64,
}

impl Serialize for TensorDiff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serial::name(&mut map, "name", Some(&self.name))?;
        serial::name(&mut map, "renamed_from", self.renamed_from.as_ref())?;
        serial::name(&mut map, "full_name", self.full_name.as_ref())?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("lhs", &self.lhs)?;
        map.serialize_entry("rhs", &self.rhs)?;
        map.serialize_entry("error", &self.error)?;
        let tolerance = Some(self.tolerance).filter(|tolerance| !tolerance.is_bits());
        map.serialize_entry("tolerance", &tolerance)?;
        let operands = self.lhs.as_ref().zip(self.rhs.as_ref());
        let operands = operands.map(|(lhs, rhs)| Operands::new(&lhs.shape, lhs.dtype, rhs.dtype));
        let compared = self.comparison.as_deref().zip(operands.as_ref());
        Comparison::serialize_entries(compared, &mut map)?;
        let listed: Option<Vec<_>> = operands.as_ref().map(|operands| {
            self.mismatches.iter().map(|mismatch| mismatch.json(operands)).collect()
        });
        map.serialize_entry("mismatches", &listed.filter(|listed| !listed.is_empty()))?;
        let mapped = self.mismatch_map.as_deref().zip(operands.as_ref());
        map.serialize_entry("mismatch_map", &mapped.map(|(map, operands)| map.json(operands)))?;
        if let Some(counts) = &self.non_finite {
            map.serialize_entry("non_finite", counts)?;
        }
        map.end()
    }
}

impl TensorDiff {
    /// The name that reports show: that of the variable if it has one, without the suffix that every variable has.
    pub fn shown_name(&self) -> String {
        let name = self.full_name.as_ref().unwrap_or(&self.name).printable();
        name.strip_suffix(object_graph::VALUE_SUFFIX).map(str::to_owned).unwrap_or(name)
    }

    /// Every name of the tensor: in rhs, in lhs, and the name of the variable.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        let others = self.renamed_from.iter().chain(&self.full_name);
        std::iter::once(&self.name).chain(others)
    }

    /// Makes the tensor one that cannot be read.
    pub(super) fn set_error(&mut self, error: Error) {
        self.status = Status::Error;
        self.error = Some(error.of_tensor(&self.name));
    }

    /// Whether the tensor changed: it is neither identical, close nor unreadable.
    pub fn is_changed(&self) -> bool {
        !matches!(
            self.status,
            Status::Identical | Status::Uncompared | Status::Close | Status::Error
        )
    }
}

impl Diff {
    /// An empty result for two artifacts.
    pub(super) fn new(
        lhs: &Artifact<'_>,
        rhs: &Artifact<'_>,
        options: &DiffOptions,
        coverage: Coverage,
    ) -> Self {
        Self {
            lhs: lhs.summary(),
            rhs: rhs.summary(),
            options: options.clone(),
            work: Work::default(),
            tensors: Vec::new(),
            left_out: LeftOut::default(),
            unused: Vec::new(),
            not_frozen: 0,
            damage: Vec::new(),
            renames: Vec::new(),
            changes: Vec::new(),
            groups: Vec::new(),
            ignored: 0,
            ops: None,
            findings: Vec::new(),
            coverage,
        }
    }

    /// Every error: first the damage, then the errors of tensors.
    pub fn errors(&self) -> impl Iterator<Item = &Error> {
        let damage = self.damage.iter().map(|damage| &damage.error);
        damage.chain(self.tensors.iter().filter_map(|tensor| tensor.error.as_ref()))
    }

    /// The number of changes of each weight, as reports show them.
    pub fn weights(&self) -> ChangeCounts {
        let of = |weight| self.reported_of(weight).count() as u64;
        ChangeCounts {
            semantic: of(Weight::Semantic),
            cosmetic: of(Weight::Cosmetic),
            grouped: (self.changes.len() - self.groups.len()) as u64,
            ignored: self.ignored,
        }
    }

    /// The number of tensors of each status.
    pub fn counts(&self) -> StatusCounts {
        let mut counts = StatusCounts::default();
        for tensor in &self.tensors {
            if let Some(count) = counts.0.get_mut(tensor.status as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// The number of tensors of each role; empty if all have the same one.
    pub fn roles(&self) -> Vec<RoleCounts> {
        let of = |role| {
            let all = || self.tensors.iter().filter(move |tensor| tensor.role == Some(role));
            let changed = all().filter(|tensor| tensor.is_changed()).count() as u64;
            RoleCounts { role, changed, total: all().count() as u64 }
        };
        let roles: Vec<_> = TensorRole::ALL.into_iter().map(of).filter(|of| of.total > 0).collect();
        if roles.len() > 1 { roles } else { Vec::new() }
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        let counts = self.counts();
        if !self.damage.is_empty() || counts.of(Status::Error) > 0 {
            Verdict::Trouble
        } else if !self.tensors.iter().any(TensorDiff::is_changed)
            && !self.changes.iter().any(|change| self.options.counts(change))
        {
            Verdict::Same
        } else {
            Verdict::Different
        }
    }
}

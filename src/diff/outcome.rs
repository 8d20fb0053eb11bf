//! The result of a diff, in memory; reports are made from it and from nothing else.

use std::path::PathBuf;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::artifact::Artifact;
use crate::checkpoint::Checkpoint;
use crate::compare::{Comparison, Operands, Options, Work};
use crate::error::Error;
use crate::serial::{self, serialize_by_name};
use crate::tensor::{DType, Name, Shape};

use super::{Change, Lists, Only, Role, Weight};

/// What a diff of two artifacts found.
#[derive(Debug, Clone)]
pub struct Diff {
    /// The baseline.
    pub lhs: Side,
    /// The other one.
    pub rhs: Side,
    /// What was asked for.
    pub options: Options,
    /// Which device compared the tensors.
    pub work: Work,
    /// What was said of lists in messages.
    pub lists: Lists,
    /// Every tensor of either side that the filters let through, by name.
    pub tensors: Vec<TensorDiff>,
    /// Tensors of a checkpoint that are not in the frozen graph it is compared with, and need not be.
    pub not_frozen: u64,
    /// Damage of a side that belongs to no one tensor.
    pub damage: Vec<Damage>,
    /// Unmatched tensors that have the same dtype, shape and bytes.
    pub renames: Vec<Rename>,
    /// What differs between their messages: graphs, signatures, savers.
    pub changes: Vec<Change>,
    /// Changes that were not to be told.
    pub ignored: u64,
    /// What is wrong with a graph and did not keep it from being compared.
    pub findings: Vec<Finding>,
    /// What was compared.
    pub part: Part,
    /// Whether cosmetic changes count too.
    pub strict: bool,
}

/// What was compared of two artifacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Tensors.
    Tensors,
    /// Messages.
    Graph,
    /// Both.
    Both,
}

impl Part {
    /// Whether tensors were compared.
    pub fn has_tensors(self) -> bool {
        self != Self::Graph
    }

    /// Whether messages were compared.
    pub fn has_graph(self) -> bool {
        self != Self::Tensors
    }
}

/// Something that is wrong with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// On which side; `None` where it is on one of them, or both.
    pub side: Option<SideOf>,
    /// Where.
    pub path: String,
    /// What.
    pub problem: String,
}

impl From<(super::Path, String)> for Finding {
    /// What does not hold what it should, on whichever side that is.
    fn from((path, problem): (super::Path, String)) -> Self {
        Self { side: None, path: path.to_string(), problem }
    }
}

/// How many changes have each weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Weights {
    /// Those that matter.
    pub semantic: u64,
    /// Those that do not.
    pub cosmetic: u64,
    /// Those that the options leave out of the report; they have no weight.
    pub ignored: u64,
}

/// One of the two artifacts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Side {
    /// As the user gave it.
    #[serde(serialize_with = "serial::path")]
    pub path: PathBuf,
    /// What it is, as in `checkpoint`.
    pub kind: String,
    /// Its format, as in `V2`.
    pub format: &'static str,
    /// Whether its data is at hand; without, tensors are compared by the checksums in the index.
    pub has_data: bool,
    /// Whether the format of its tensors has checksums.
    #[serde(rename = "checksum", skip_serializing_if = "is_true", serialize_with = "none")]
    pub has_checksums: bool,
}

fn is_true(value: &bool) -> bool {
    *value
}

/// Writes that a format has no checksums.
fn none<S: Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("none")
}

/// Which side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SideOf {
    /// The baseline.
    Lhs,
    /// The other.
    Rhs,
}

impl SideOf {
    /// As reports spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lhs => "lhs",
            Self::Rhs => "rhs",
        }
    }
}

/// Damage of one side.
#[derive(Debug, Clone, Serialize)]
pub struct Damage {
    /// Whose.
    pub side: SideOf,
    /// What and where.
    pub error: Error,
}

/// One tensor, on one side or both.
#[derive(Debug, Clone)]
pub struct TensorDiff {
    /// Its name; on the rhs, where a rename brought the two together.
    pub name: Name,
    /// Its name on the lhs, where a rename brought the two together.
    pub renamed_from: Option<Name>,
    /// What came of it.
    pub status: Status,
    /// What it is to the model; `None` where it is no part of one.
    pub role: Option<Role>,
    /// What the baseline says of it; `None` where it has none, or none that can be read.
    pub lhs: Option<Facts>,
    /// What the other side says of it.
    pub rhs: Option<Facts>,
    /// The numbers; `None` where values were not compared, or only by their stored checksums.
    pub comparison: Option<Comparison>,
    /// Why it could not be read.
    pub error: Option<Error>,
}

/// What an index says of a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Type of the elements.
    pub dtype: DType,
    /// Full shape.
    pub shape: Shape,
}

/// What came of one tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Equal bits throughout.
    Identical,
    /// Within the tolerance.
    Close,
    /// Not within the tolerance.
    Different,
    /// Only in rhs.
    Added,
    /// Only in lhs.
    Removed,
    /// Another dtype.
    Dtype,
    /// Another shape.
    Shape,
    /// Could not be read.
    Error,
}

impl Status {
    /// Every status, in the order of the report's summary.
    pub const ALL: [Self; 8] = [
        Self::Identical,
        Self::Close,
        Self::Different,
        Self::Added,
        Self::Removed,
        Self::Dtype,
        Self::Shape,
        Self::Error,
    ];

    /// As reports spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Close => "close",
            Self::Different => "different",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Dtype => "dtype",
            Self::Shape => "shape",
            Self::Error => "error",
        }
    }
}

/// A tensor of lhs that seems to have another name in rhs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rename {
    /// Its name in lhs.
    pub from: Name,
    /// Its name in rhs.
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

serialize_by_name!(SideOf, Status, Verdict);

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Everything is identical or close.
    Same,
    /// Something differs.
    Different,
    /// Something could not be read; wins over [`Different`](Self::Different).
    Trouble,
}

impl Verdict {
    /// As reports spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
            Self::Trouble => "trouble",
        }
    }
}

/// How many tensors have each status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts([u64; Status::ALL.len()]);

impl Counts {
    /// How many have `status`.
    pub fn of(&self, status: Status) -> u64 {
        self.0.get(status as usize).copied().unwrap_or_default()
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Status::ALL.map(|status| (status, self.of(status))))
    }
}

/// How many tensors of one role there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfRole {
    /// Which.
    pub role: Role,
    /// Those that changed.
    pub changed: u64,
    /// All.
    pub total: u64,
}

impl Serialize for TensorDiff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serial::name(&mut map, "name", Some(&self.name))?;
        serial::name(&mut map, "renamed_from", self.renamed_from.as_ref())?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("lhs", &self.lhs)?;
        map.serialize_entry("rhs", &self.rhs)?;
        map.serialize_entry("error", &self.error)?;
        let operands = self.lhs.as_ref().zip(self.rhs.as_ref());
        let operands = operands.map(|(lhs, rhs)| Operands::new(&lhs.shape, lhs.dtype, rhs.dtype));
        let compared = self.comparison.as_ref().zip(operands.as_ref());
        Comparison::serialize_entries(compared, &mut map)?;
        map.end()
    }
}

impl TensorDiff {
    /// Whether it is neither the same nor unreadable.
    pub fn is_changed(&self) -> bool {
        !matches!(self.status, Status::Identical | Status::Close | Status::Error)
    }
}

impl Diff {
    /// A diff of two artifacts that found nothing yet.
    pub(super) fn new(lhs: &Artifact<'_>, rhs: &Artifact<'_>, options: &super::Options) -> Self {
        let side = |artifact: &Artifact<'_>| Side {
            path: artifact.path().to_path_buf(),
            kind: artifact.kind().to_owned(),
            format: artifact.format(),
            has_data: artifact.checkpoint().is_none_or(Checkpoint::has_data),
            has_checksums: artifact
                .checkpoint()
                .is_none_or(|checkpoint| checkpoint.format().checksum().is_some()),
        };
        let has_tensors = lhs.checkpoint().is_some() && rhs.checkpoint().is_some();
        let has_graph = lhs.message().is_some() && rhs.message().is_some();
        Self {
            lhs: side(lhs),
            rhs: side(rhs),
            options: options.compare.clone(),
            work: Work::default(),
            lists: options.lists.clone(),
            tensors: Vec::new(),
            not_frozen: 0,
            damage: Vec::new(),
            renames: Vec::new(),
            changes: Vec::new(),
            ignored: 0,
            findings: Vec::new(),
            part: match (options.only, has_tensors, has_graph) {
                (Only::Everything, true, true) => Part::Both,
                (Only::Graph, ..) | (Only::Everything, false, _) => Part::Graph,
                _ => Part::Tensors,
            },
            strict: options.strict,
        }
    }

    /// How many changes have each weight.
    pub fn weights(&self) -> Weights {
        let of =
            |weight| self.changes.iter().filter(|change| change.weight == weight).count() as u64;
        Weights {
            semantic: of(Weight::Semantic),
            cosmetic: of(Weight::Cosmetic),
            ignored: self.ignored,
        }
    }

    /// How many tensors have each status.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for tensor in &self.tensors {
            if let Some(count) = counts.0.get_mut(tensor.status as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// How many tensors there are of each role; nothing where all have one.
    pub fn roles(&self) -> Vec<OfRole> {
        let of = |role| {
            let all = || self.tensors.iter().filter(move |tensor| tensor.role == Some(role));
            let changed = all().filter(|tensor| tensor.is_changed()).count() as u64;
            OfRole { role, changed, total: all().count() as u64 }
        };
        let roles: Vec<_> = Role::ALL.into_iter().map(of).filter(|of| of.total > 0).collect();
        if roles.len() > 1 { roles } else { Vec::new() }
    }

    /// The answer.
    pub fn verdict(&self) -> Verdict {
        let counts = self.counts();
        if !self.damage.is_empty() || counts.of(Status::Error) > 0 {
            Verdict::Trouble
        } else if counts.of(Status::Identical) + counts.of(Status::Close) == counts.total()
            && self.weights().semantic == 0
            && !(self.strict && self.weights().cosmetic > 0)
        {
            Verdict::Same
        } else {
            Verdict::Different
        }
    }
}

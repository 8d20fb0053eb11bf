//! The results that can be reported, and how a report for people looks.

use std::path::PathBuf;

use super::{Devices, Palette};
use crate::checkpoint::Listing;
use crate::diff::{Diff, TextView};
use crate::error::Error;
use crate::overview::Overview;
use crate::picture::Picture;
use crate::rules::{Judgement, Rules};
use crate::series::{Search, Series};
use crate::summary::{Buckets, SortKey};
use crate::tensor::TensorValues;
use crate::verify::Verification;

/// A result to report.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Report<'a> {
    /// The comparison of two artifacts. With texts, the human format shows the changes of messages in them.
    Diff(&'a Diff, Option<&'a TextView<'a>>),
    /// The comparison of two artifacts, judged by rules; with texts likewise.
    Judged(&'a Judged<'a>, Option<&'a TextView<'a>>),
    /// The tensors of a checkpoint; or one of them, with its values.
    Listing(&'a Listing, Option<ShownTensor<'a>>),
    /// A message.
    Overview(&'a Overview<'a>),
    /// A message with graphs, and a picture of them, for formats that draw; the others report the message.
    Picture(&'a Overview<'a>, &'a Picture<'a>),
    /// The verification of each artifact, or the reason why it could not be opened; for people also the state files that have
    /// nothing to verify.
    Verifications(&'a [(PathBuf, Result<Verification, Error>)], &'a [PathBuf]),
    /// The devices of this machine.
    Devices(&'a Devices),
    /// Many checkpoints of one training.
    Series(&'a Series),
    /// A search for the first checkpoint with a property.
    Search(&'a Search),
}

/// The values of one tensor.
#[derive(Debug, Clone, Copy)]
pub struct ShownTensor<'a> {
    /// Its values.
    pub values: &'a TensorValues,
    /// A histogram of them; `None` where it would say nothing.
    pub histogram: Option<&'a Buckets>,
}

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A comparison of two artifacts.
    Comparison,
    /// The tensors of a checkpoint.
    Checkpoint,
    /// A graph, a SavedModel or another message.
    Message,
    /// The same with a picture of its graphs.
    Picture,
    /// Verifications of artifacts.
    Verification,
    /// The devices of this machine.
    Devices,
    /// Checkpoints of one training.
    Series,
}

impl Subject {
    /// Every subject.
    pub const ALL: &'static [Self] = &[
        Self::Comparison,
        Self::Checkpoint,
        Self::Message,
        Self::Picture,
        Self::Verification,
        Self::Devices,
        Self::Series,
    ];
}

impl<'a> Report<'a> {
    /// The comparison that it is about, and the rules that judged it.
    pub(super) fn comparison(&self) -> Option<(&'a Diff, Option<&'a Judged<'a>>)> {
        match *self {
            Report::Diff(diff, _) => Some((diff, None)),
            Report::Judged(judged, _) => Some((judged.diff, Some(judged))),
            _ => None,
        }
    }

    /// What the report is about.
    pub fn subject(&self) -> Subject {
        match self {
            Report::Diff(..) | Report::Judged(..) => Subject::Comparison,
            Report::Listing(..) => Subject::Checkpoint,
            Report::Overview(_) => Subject::Message,
            Report::Picture(..) => Subject::Picture,
            Report::Verifications(..) => Subject::Verification,
            Report::Devices(_) => Subject::Devices,
            Report::Series(_) | Report::Search(_) => Subject::Series,
        }
    }
}

/// A comparison, and what rules say of it.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The comparison.
    pub diff: &'a Diff,
    /// The rules.
    pub rules: &'a Rules,
    /// Whether they hold.
    pub judgement: &'a Judgement,
}

/// The looks of a report for people; they do not change JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportOptions {
    /// The colors.
    pub palette: Palette,
    /// The width of the terminal. Without one, names are not cut and rows are not folded, so that a search finds every tensor.
    pub columns: Option<usize>,
    /// The maximum number of rows of a list: changed tensors, changes of a message, errors.
    pub max_rows: usize,
    /// The limit of a page of Markdown, in bytes. What is beyond it is counted.
    pub max_bytes: usize,
    /// Lines of context around a change in a text.
    pub context: usize,
    /// Whether a report for people shows histograms, if they were counted.
    pub histograms: bool,
    /// What changed tensors are sorted by.
    pub sort: SortKey,
    /// The level of detail.
    pub verbosity: Verbosity,
    /// The depth to which pictures show the scopes of a graph; without one, as far as they can be read.
    pub depth: Option<usize>,
}

/// How much of a comparison a report for people tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// The names of changed tensors and the paths of changes, and nothing else.
    Names,
    /// The answer and a line per scope.
    Scopes,
    /// The answer and a line per change.
    #[default]
    Changes,
    /// Also tensors that are identical or close, more statistics, and each cosmetic change.
    Everything,
}

impl ReportOptions {
    /// The columns of a line of running text.
    pub(super) fn width(&self) -> usize {
        const MIN: usize = 40;
        self.columns.map_or(WIDTH, |columns| columns.max(MIN))
    }
}

/// The width of a report in columns where it is not that of a terminal. Paths in error messages and lines to paste may be wider.
pub(super) const WIDTH: usize = 100;

/// The size of a comment in bytes, below the 65,536 characters that forges accept.
const COMMENT: usize = 60_000;

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            palette: Palette::PLAIN,
            columns: None,
            max_rows: 20,
            max_bytes: COMMENT,
            context: 3,
            histograms: true,
            sort: SortKey::default(),
            verbosity: Verbosity::default(),
            depth: None,
        }
    }
}

//! Shows changes as text: each node, function or other part that differs, in text format, with context lines.
//!
//! ```text
//! paths ─hops─► messages ─walk, find─► changed parts: wire bytes of both sides ─lines─► text ─hunks─► changed lines
//! ```
//! Both messages are walked once, along the paths of the changes; texts are made one by one, on request.
//! Memory grows no faster than the compared messages, since long texts are cut.

mod find;
mod hops;
mod hunks;
mod lines;
mod walk;

use std::borrow::Cow;

pub use hunks::{Hunk, Line, LineTag, TextDiff};

use super::walk::model::CommonPart;
use super::{Change, Diff, Path};
use crate::artifact::Artifact;
use crate::error::{Error, ErrorKind, Result};
use crate::message::Message;
use crate::schema::{MessageType, Schema};
use lines::Lines;
use walk::Walk;

/// The changed parts of two artifacts or messages: the smallest parts that read well as text.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::diff::{DiffOptions, LineTag, TextView, diff};
/// use ckdiff::progress::Silent;
///
/// let lhs = Artifact::open("tests/data/pairs/swapped_matmul/lhs.meta")?;
/// let rhs = Artifact::open("tests/data/pairs/swapped_matmul/rhs.meta")?;
/// let diff = diff(&lhs, &rhs, &DiffOptions::default(), &Silent)?;
/// let view = TextView::new(&diff, &lhs, &rhs)?;
/// let part = &view.parts()[0];
/// assert_eq!(part.path().to_string(), r#"graph_def.node["result"]"#);
/// for line in part.text(1).hunks.iter().flat_map(|hunk| &hunk.lines) {
///     let sign = match line.tag {
///         LineTag::Same => ' ',
///         LineTag::Removed => '-',
///         LineTag::Added => '+',
///     };
///     println!("{sign} {}", line.text);
/// }
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct TextView<'a> {
    parts: Vec<ChangedPart<'a>>,
}

/// A part that differs: a node, a function, a signature, a group of added or removed nodes.
#[derive(Debug)]
pub struct ChangedPart<'a> {
    schema: &'a Schema,
    path: Path,
    changes: Vec<usize>,
    lhs: Vec<PartMessage<'a>>,
    rhs: Vec<PartMessage<'a>>,
    more: u64,
}

/// A message of a changed part.
#[derive(Debug)]
struct PartMessage<'a> {
    /// The name of its field, if the part has several messages.
    name: Option<&'a str>,
    ty: &'a MessageType,
    bytes: Cow<'a, [u8]>,
}

impl<'a> TextView<'a> {
    /// The changed parts for semantic changes, or for all with [`DiffOptions::strict`](crate::diff::DiffOptions::strict); `lhs` and `rhs` are the
    /// compared artifacts.
    ///
    /// # Errors
    /// If the messages have no part in common, unlike those that were compared.
    pub fn new(diff: &'a Diff, lhs: &'a Artifact, rhs: &'a Artifact) -> Result<Self> {
        let common = match lhs.message().zip(rhs.message()).filter(|_| diff.coverage.has_graph()) {
            Some((l, r)) => Some(CommonPart::of(l.message(), r.message())?),
            None => None,
        };
        let counts = |at| {
            let reported = diff.reported_at(at);
            reported.is_some_and(|reported| diff.options.counts(reported.change))
        };
        Ok(Self { parts: Walk::parts(&diff.changes, counts, common) })
    }

    /// The changed parts for changes between two messages, as [`messages`](super::messages) finds them.
    ///
    /// # Errors
    /// If the types differ.
    pub fn of_messages(
        changes: &'a [Change],
        lhs: &'a Message<'_>,
        rhs: &'a Message<'_>,
    ) -> Result<Self> {
        if lhs.ty().full_name != rhs.ty().full_name {
            let (l, r) = (&lhs.ty().full_name, &rhs.ty().full_name);
            let why = format!("lhs is a {l}, rhs is a {r}: they were not compared");
            return Err(Error::from(ErrorKind::Usage(why)));
        }
        let common = CommonPart::of(lhs, rhs)?;
        Ok(Self { parts: Walk::parts(changes, |_| true, Some(common)) })
    }

    /// The changed parts, in the order of their first changes. Every change that is reported is in exactly one.
    pub fn parts(&self) -> &[ChangedPart<'a>] {
        &self.parts
    }
}

impl ChangedPart<'_> {
    /// The path of the part; of a node group, the path of its change.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The changes in the part, as ascending positions in the list of changes.
    pub fn changes(&self) -> &[usize] {
        &self.changes
    }

    /// Whether the part has text on either side. Changes outside of messages, mere renames, and objects of
    /// TensorFlow 2 have none, and are described in words.
    pub fn has_text(&self) -> bool {
        !self.lhs.is_empty() || !self.rhs.is_empty()
    }

    /// The number of nodes of a large group that the text leaves out.
    pub fn more(&self) -> u64 {
        self.more
    }

    /// The differences between the two texts, with `context` lines around them.
    pub fn text(&self, context: usize) -> TextDiff {
        let lines = |pieces| Lines::of(self.schema, pieces);
        hunks::text(&lines(&self.lhs), &lines(&self.rhs), context)
    }
}

//! What changed, as text: each node, function or other part that differs, in text format, with lines around what differs.
//!
//! ```text
//! paths ─hops─► messages on the way ─walk, find─► places: the wire bytes of both sides ─lines─► text ─hunks─► what differs
//! ```
//! Both messages are walked once, along the ways that changes lead; texts are made one by one, when they are asked for.
//! Nothing here grows faster than what is compared: a text is cut where it is long.

mod find;
mod hops;
mod hunks;
mod lines;
mod walk;

use std::borrow::Cow;

pub use hunks::{Hunk, Line, Tag, Text};

use super::model::Common;
use super::{Change, Diff, Path, Weight};
use crate::artifact::Artifact;
use crate::error::{Error, ErrorKind, Result};
use crate::message::Message;
use crate::schema::{MessageType, Schema};
use lines::Lines;
use walk::Walk;

/// Where two artifacts, or two messages, differ: the smallest parts of them that read well.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::diff::{Options, Tag, TextView, diff};
/// use ckdiff::progress::Silent;
///
/// let lhs = Artifact::open("tests/data/pairs/swapped_matmul/lhs.meta")?;
/// let rhs = Artifact::open("tests/data/pairs/swapped_matmul/rhs.meta")?;
/// let diff = diff(&lhs, &rhs, &Options::default(), &Silent)?;
/// let view = TextView::new(&diff, &lhs, &rhs)?;
/// let place = &view.places()[0];
/// assert_eq!(place.path().to_string(), r#"graph_def.node["result"]"#);
/// for line in place.text(1).hunks.iter().flat_map(|hunk| &hunk.lines) {
///     let sign = match line.tag {
///         Tag::Same => ' ',
///         Tag::Removed => '-',
///         Tag::Added => '+',
///     };
///     println!("{sign} {}", line.text);
/// }
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct TextView<'a> {
    places: Vec<Place<'a>>,
}

/// Something that differs: a node, a function, a signature, nodes that came or went together.
#[derive(Debug)]
pub struct Place<'a> {
    schema: &'a Schema,
    path: Path,
    changes: Vec<usize>,
    lhs: Vec<Piece<'a>>,
    rhs: Vec<Piece<'a>>,
    more: u64,
}

/// A message that is a part of what differs.
#[derive(Debug)]
struct Piece<'a> {
    /// The field that it is in, where several stand behind each other.
    name: Option<&'a str>,
    ty: &'a MessageType,
    bytes: Cow<'a, [u8]>,
}

impl<'a> TextView<'a> {
    /// The places of the changes that matter, or of all with [`Diff::strict`]; `lhs` and `rhs` are what was compared.
    ///
    /// # Errors
    /// When the messages of the two have nothing in common, as they had when they were compared.
    pub fn new(diff: &'a Diff, lhs: &'a Artifact, rhs: &'a Artifact) -> Result<Self> {
        let common = match lhs.message().zip(rhs.message()).filter(|_| diff.part.has_graph()) {
            Some((l, r)) => Some(Common::of(l.message(), r.message())?),
            None => None,
        };
        let counts = |change: &Change| diff.strict || change.weight == Weight::Semantic;
        Ok(Self { places: Walk::places(&diff.changes, counts, common) })
    }

    /// The places of changes between two messages, as [`messages`](super::messages) finds them.
    ///
    /// # Errors
    /// When the two are of different types.
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
        let common = Common::of(lhs, rhs)?;
        Ok(Self { places: Walk::places(changes, |_| true, Some(common)) })
    }

    /// The places, in the order of their first changes. Every change is in one of them.
    pub fn places(&self) -> &[Place<'a>] {
        &self.places
    }
}

impl Place<'_> {
    /// Where it is; of nodes that came or went together, as their change has it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What differs there: positions in the list of changes, ascending.
    pub fn changes(&self) -> &[usize] {
        &self.changes
    }

    /// Whether it has a text on either side. What is no part of a message has none, nor what only goes by another name, nor
    /// objects of TensorFlow 2: these are told in words.
    pub fn has_text(&self) -> bool {
        !self.lhs.is_empty() || !self.rhs.is_empty()
    }

    /// Of many nodes that came or went together, how many are not in the text.
    pub fn more(&self) -> u64 {
        self.more
    }

    /// Its two texts against each other, with as many lines of `context` around what differs.
    pub fn text(&self, context: usize) -> Text {
        let lines = |pieces| Lines::of(self.schema, pieces);
        hunks::text(&lines(&self.lhs), &lines(&self.rhs), context)
    }
}

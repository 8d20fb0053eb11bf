//! Message against message, field by field, whatever their type.
//!
//! ```text
//! wire bytes ──fields──► runs of one field ──list, set, keyed, map, …──► changes at this level, and pairs of messages inside
//! ```
//! Equal bytes are passed over at every level, so that all but what differs costs one look. The features are those of
//! protobuf's `MessageDifferencer`; matching takes `n log n` steps, not `n²`, and no result depends on time.

mod align;
mod any;
mod entry;
mod fields;
mod item;
mod keyed;
mod level;
mod list;
mod map;
mod options;
mod pattern;
mod rules;
mod set;
mod unknown;

pub use options::{Keyed, MessageOptions};
pub use pattern::PathPattern;
#[expect(unused_imports, reason = "for the graphs and collections that are compared by them")]
pub(crate) use rules::{KeyField, ListAs, Rules, SchemaAlone, Treatment};

use super::path::Trail;
use super::{Change, ChangeKind, Detail, Path, Weight};
use crate::compare::Tolerance;
use crate::error::{ErrorKind, Result};
use crate::message::Message;
use crate::schema::{MessageType, Schema};
use crate::text::{Shown, brief};

use entry::{Entry, Inside, Which};
use options::UserRules;

/// Compares two messages of one type; `lhs` is the baseline.
///
/// Lists are aligned in their order, so that an item put in at the front is one change. What an `Any` holds is opened where
/// the schema knows its type.
///
/// ```
/// use ckdiff::diff::{MessageOptions, messages};
/// use ckdiff::message::Message;
/// use ckdiff::schema::Schema;
/// use ckdiff::text::{ParseOptions, parse};
///
/// let schema = Schema::tensorflow();
/// let ty = schema.message("tensorflow.VersionDef").unwrap();
/// let read = |text: &str| -> ckdiff::Result<Message<'_>> {
///     Ok(parse(schema, ty, text.as_bytes(), &ParseOptions::default())?.0)
/// };
/// let (lhs, rhs) = (read("producer: 26")?, read("producer: 27 min_consumer: 12")?);
/// let changes = messages(&lhs, &rhs, &MessageOptions::default())?;
/// assert_eq!(changes[0].path.to_string(), "producer");
/// assert_eq!((changes[0].lhs.as_deref(), changes[0].rhs.as_deref()), (Some("26"), Some("27")));
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// When the types differ.
pub fn messages(
    lhs: &Message<'_>,
    rhs: &Message<'_>,
    options: &MessageOptions,
) -> Result<Vec<Change>> {
    if lhs.ty().full_name != rhs.ty().full_name {
        let (l, r) = (&lhs.ty().full_name, &rhs.ty().full_name);
        let why = format!("lhs is a {l}, rhs is a {r}: only messages of one type are compared");
        return Err(ErrorKind::Usage(why).into());
    }
    let rules = UserRules::new(options, &SchemaAlone);
    let messages = Messages::new(lhs.schema(), &rules, options.tolerance);
    let mut found = Found::default();
    messages.compare(lhs.ty(), lhs.bytes(), rhs.bytes(), &Trail::Root, &mut found);
    Ok(found.changes)
}

/// What came of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// What differs.
    pub(crate) changes: Vec<Change>,
    /// What should hold something and does not, on either side, where it differs.
    pub(crate) findings: Vec<(Path, String)>,
}

/// Compares messages in canonical form; `rules` say what the schema does not.
#[derive(Clone, Copy)]
pub(crate) struct Messages<'a> {
    schema: &'a Schema,
    rules: &'a dyn Rules,
    tolerance: Tolerance,
}

impl<'a> Messages<'a> {
    pub(crate) fn new(schema: &'a Schema, rules: &'a dyn Rules, tolerance: Tolerance) -> Self {
        Self { schema, rules, tolerance }
    }

    /// Compares two messages that `at` leads to, or lets the rules do so.
    pub(crate) fn compare(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) {
        self.walk(ty, lhs, rhs, (at, Weight::Semantic), out);
    }

    #[expect(dead_code, reason = "for rules that take messages over")]
    /// Compares two messages field by field, as rules do that have taken them over; the rules decide over what is inside.
    pub(crate) fn fields(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) {
        if lhs != rhs {
            self.descend(ty, lhs, rhs, (at, Weight::Semantic), out);
        }
    }

    /// Tells of a message that only rhs has.
    #[expect(dead_code, reason = "for those who pair messages by themselves")]
    pub(crate) fn added(&self, ty: &MessageType, rhs: &[u8], at: &Trail<'_>, out: &mut Found) {
        let text = brief(self.schema, Shown::Message(ty, rhs));
        out.changes.push(change(at.path(), ChangeKind::Added, None, Some(text)));
    }

    /// Tells of a message that only lhs has.
    #[expect(dead_code, reason = "for those who pair messages by themselves")]
    pub(crate) fn removed(&self, ty: &MessageType, lhs: &[u8], at: &Trail<'_>, out: &mut Found) {
        let text = brief(self.schema, Shown::Message(ty, lhs));
        out.changes.push(change(at.path(), ChangeKind::Removed, Some(text), None));
    }

    /// Two frames for each level of nesting, so they have to be small: all else is done before or behind.
    fn walk(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        place: (&Trail<'_>, Weight),
        out: &mut Found,
    ) {
        if lhs == rhs {
            return;
        }
        let before = out.changes.len();
        if !self.rules.takes(ty, lhs, rhs, place.0, out) {
            self.descend(ty, lhs, rhs, place, out);
        } else if place.1 == Weight::Cosmetic {
            let new = out.changes.iter_mut().skip(before);
            new.for_each(|change| change.weight = Weight::Cosmetic);
        }
    }

    fn descend(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        place: (&Trail<'_>, Weight),
        out: &mut Found,
    ) {
        for entry in level::entries(self, (ty, lhs, rhs), place, &mut out.findings) {
            match entry {
                Entry::Change(change) => out.changes.push(*change),
                Entry::Inside(inside) => self.inside(&inside, place.0, out),
            }
        }
    }

    fn inside(&self, inside: &Inside<'_>, at: &Trail<'_>, out: &mut Found) {
        let field = at.field(&inside.name);
        let item = match &inside.which {
            Which::Whole => field,
            Which::Index(index) => field.index(*index),
            Which::Key(key) => field.key(key),
        };
        self.walk(inside.ty, &inside.lhs, &inside.rhs, (&item, inside.weight), out);
    }
}

/// A semantic change.
fn change(path: Path, kind: ChangeKind, lhs: Option<String>, rhs: Option<String>) -> Change {
    Change { path, kind, weight: Weight::Semantic, lhs, rhs, detail: Detail::None }
}

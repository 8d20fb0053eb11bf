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
mod lookup;
mod map;
mod messages;
mod options;
mod pattern;
mod rules;
mod set;
mod unknown;

pub(super) use align::align;
pub(super) use item::Item;
pub(super) use keyed::{key_text, name_of};
pub(crate) use lookup::{FieldAccess, Scope};
pub(crate) use messages::{Found, Messages};
pub(crate) use options::ListRules;
pub use options::{Keyed, Lists, MessageOptions};
pub use pattern::PathPattern;
pub(crate) use rules::{KeyField, ListAs, Rules, Treatment};

use super::Change;
use super::path::Trail;
use crate::error::{ErrorKind, Result};
use crate::message::Message;

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
    let rules = UserRules { schema: lhs.schema(), lists: ListRules::new(&options.lists) };
    let messages = Messages::new(lhs.schema(), &rules, options.tolerance);
    let mut found = Found::default();
    messages.compare(lhs.ty(), lhs.bytes(), rhs.bytes(), &Trail::Root, &mut found);
    Ok(found.changes)
}

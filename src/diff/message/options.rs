//! What whoever asks says of fields.

use std::str::FromStr;

use super::rules::{KeyField, ListAs, Rules, Treatment};
use super::{PathPattern, reach};
use crate::compare::Tolerance;
use crate::diff::path::Trail;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, MessageType, Schema};

/// How messages are compared.
#[derive(Debug, Clone, Default)]
pub struct MessageOptions {
    /// What lists are.
    pub lists: Lists,
    /// When `float` and `double` are close; alone and in lists, not in sets.
    pub tolerance: Tolerance,
}

/// Lists that are no lists: what order means nothing to, and what goes by keys.
///
/// Where both speak of a list, its keys count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// Lists whose order means nothing; each item counts as often as it is given.
    pub as_set: Vec<PathPattern>,
    /// Lists whose items go by keys.
    pub keyed: Vec<Keyed>,
}

/// A list whose items go by keys.
///
/// ```
/// use ckdiff::diff::Keyed;
///
/// let keyed: Keyed = "asset_file_def=tensor_info.name,filename".parse()?;
/// assert_eq!(keyed.list.to_string(), "asset_file_def");
/// assert_eq!(keyed.keys, ["tensor_info.name", "filename"]);
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    /// The list.
    pub list: PathPattern,
    /// The fields of an item that are its key, as `name` or `tensor_info.name`.
    pub keys: Vec<KeyField>,
}

impl FromStr for Keyed {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        // An extension may have the mark in the address of a type.
        let (list, keys) = text.rsplit_once('=').ok_or_else(|| {
            let why = format!("{text:?} names no key: it must be PATH=FIELD, or PATH=FIELD,FIELD");
            Error::from(ErrorKind::Usage(why))
        })?;
        let keys: Vec<KeyField> = keys.split(',').map(|key| key.to_owned().into()).collect();
        Ok(Self { list: list.parse()?, keys })
    }
}

impl Lists {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.as_set.is_empty() && self.keyed.is_empty()
    }

    /// How a field that `at` leads to is compared, where it is compared in the way of `otherwise` if nothing is said of it.
    pub(in crate::diff) fn treatment<'r>(
        &'r self,
        schema: &Schema,
        field: &Field,
        at: &Trail<'_>,
        otherwise: Treatment<'r>,
    ) -> Treatment<'r> {
        if self.is_empty() || !field.is_repeated() || field.is_map() {
            return otherwise;
        }
        let is_match = |pattern: &PathPattern| pattern.is_match(at, &field.text_name);
        let held = otherwise.holds.and_then(|name| schema.message(name));
        let item = field.kind.message().map(|id| &schema[id]).or(held);
        let has_keys = |keyed: &Keyed| {
            item.is_some_and(|item| reach::missing_key(schema, item, &keyed.keys).is_none())
        };
        let keyed = self.keyed.iter().find(|keyed| is_match(&keyed.list) && has_keys(keyed));
        let list = match keyed {
            Some(keyed) => ListAs::Keyed(&keyed.keys),
            None if self.as_set.iter().any(is_match) => ListAs::Set,
            None => otherwise.list,
        };
        Treatment { list, ..otherwise }
    }
}

/// What the user says of lists, and nothing else beyond the schema.
pub(super) struct UserRules<'o> {
    pub(super) schema: &'o Schema,
    pub(super) lists: &'o Lists,
}

impl Rules for UserRules<'_> {
    fn treatment(&self, _: &MessageType, field: &Field, at: &Trail<'_>) -> Treatment<'_> {
        self.lists.treatment(self.schema, field, at, Treatment::default())
    }
}

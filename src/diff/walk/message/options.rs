//! Caller-supplied options for the comparison of messages.

use std::cell::Cell;
use std::str::FromStr;

use serde::Serialize;

use super::PathPattern;
use super::lookup::{Scope, missing_key};
use super::rules::{Rules, Treatment};
use crate::compare::Tolerance;
use crate::diff::meaning::{KeyField, ListAs};
use crate::diff::path::PathBuilder;
use crate::error::{Error, Result};
use crate::schema::{Field, MessageType, Schema};

/// How messages are compared.
#[derive(Debug, Clone, Default)]
pub struct MessageOptions {
    /// Lists that are compared as sets, or by keys.
    pub lists: Lists,
    /// The tolerance for `float` and `double` values, single ones and those in lists, but not in sets.
    pub tolerance: Tolerance,
}

/// Repeated fields that are compared as sets, or by keys.
///
/// If patterns of both kinds match a list, its keys win.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Lists {
    /// Lists whose order does not matter; an item that is given twice counts twice.
    pub as_set: Vec<PathPattern>,
    /// Lists whose items are paired by key.
    #[serde(rename = "key")]
    pub keyed: Vec<Keyed>,
}

/// A list whose items are paired by key.
///
/// ```
/// use ckdiff::diff::Keyed;
///
/// let keyed: Keyed = "asset_file_def=tensor_info.name,filename".parse()?;
/// assert_eq!(keyed.list.to_string(), "asset_file_def");
/// assert_eq!(keyed.keys, ["tensor_info.name", "filename"]);
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Keyed {
    /// The list.
    pub list: PathPattern,
    /// The fields of an item that make up its key: `name`, `tensor_info.name`.
    #[serde(rename = "fields")]
    pub keys: Vec<KeyField>,
}

impl FromStr for Keyed {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        // The name of an extension may contain `=`, in the URL of a type.
        let (list, keys) = text.rsplit_once('=').ok_or_else(|| {
            let why = format!("{text:?} names no key: it must be PATH=FIELD, or PATH=FIELD,FIELD");
            Error::usage(why)
        })?;
        let keys: Vec<KeyField> = keys.split(',').map(|key| key.to_owned().into()).collect();
        Ok(Self { list: list.parse()?, keys })
    }
}

impl Lists {
    /// Whether there are no options.
    pub fn is_empty(&self) -> bool {
        self.as_set.is_empty() && self.keyed.is_empty()
    }
}

/// The list options of a comparison, and how often each applied.
///
/// A pattern applies to a list when the list differs and is compared as the pattern says. Lists that are equal on both sides are
/// skipped unread, so a pattern without a match may still be right: [`check`](Self::check) looks it up in the schema.
#[derive(Debug)]
pub(crate) struct ListRules<'o>(Vec<ListRule<'o>>);

/// One option.
#[derive(Debug)]
struct ListRule<'o> {
    option: &'static str,
    pattern: &'o PathPattern,
    list: ListAs<'o>,
    matches: Cell<u64>,
}

impl<'o> ListRules<'o> {
    pub(crate) fn new(lists: &'o Lists) -> Self {
        let rule =
            |option, pattern, list| ListRule { option, pattern, list, matches: Cell::new(0) };
        let keyed = lists.keyed.iter();
        let keyed = keyed.map(|keyed| rule("key", &keyed.list, ListAs::Keyed(&keyed.keys)));
        let sets = lists.as_set.iter().map(|pattern| rule("as_set", pattern, ListAs::Set));
        Self(keyed.chain(sets).collect())
    }

    /// The treatment of the field at `at`: `otherwise`, unless an option applies to it.
    pub(in crate::diff) fn treatment<'r>(
        &'r self,
        schema: &Schema,
        field: &Field,
        at: &PathBuilder<'_>,
        otherwise: Treatment<'r>,
    ) -> Treatment<'r> {
        if self.0.is_empty() || otherwise.skip || !field.is_repeated() || field.is_map() {
            return otherwise;
        }
        let embedded = otherwise.embedded.and_then(|name| schema.message(name));
        let item = field.kind.message().map(|id| &schema[id]).or(embedded);
        let applies = |rule: &&ListRule<'_>| {
            let has_keys = match rule.list {
                ListAs::Keyed(keys) => {
                    item.is_some_and(|item| missing_key(schema, item, keys).is_none())
                }
                _ => true,
            };
            has_keys && rule.pattern.is_match(at, &field.text_name)
        };
        let mut list = None;
        for rule in self.0.iter().filter(applies) {
            rule.matches.set(rule.matches.get() + 1);
            // Keys come first, and win over sets.
            list = list.or(Some(rule.list));
        }
        Treatment { list: list.unwrap_or(otherwise.list), ..otherwise }
    }

    /// Checks that each pattern applied to a list, or could have applied to one that is equal or absent on both sides.
    ///
    /// # Errors
    /// If a pattern leads to no list in the schema; the error says what the schema has instead.
    pub(in crate::diff) fn check(&self, scope: &Scope<'_>) -> Result<()> {
        for rule in self.0.iter().filter(|rule| rule.matches.get() == 0) {
            let keys = if let ListAs::Keyed(keys) = rule.list { keys } else { &[] };
            scope.check(rule.pattern, keys).map_err(|why| {
                Error::usage(format!("{}: {why}", rule.pattern)).of_option(rule.option)
            })?;
        }
        Ok(())
    }
}

/// Rules that consist of the caller's options only.
pub(super) struct UserRules<'o> {
    pub(super) schema: &'o Schema,
    pub(super) lists: ListRules<'o>,
}

impl Rules for UserRules<'_> {
    fn treatment(&self, _: &MessageType, field: &Field, at: &PathBuilder<'_>) -> Treatment<'_> {
        self.lists.treatment(self.schema, field, at, Treatment::default())
    }
}

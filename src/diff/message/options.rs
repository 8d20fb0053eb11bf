//! What whoever asks says of fields.

use super::rules::{KeyField, ListAs, Rules, Treatment};
use super::{Found, PathPattern};
use crate::compare::Tolerance;
use crate::diff::path::Trail;
use crate::schema::{Field, MessageType};

/// How messages are compared.
#[derive(Debug, Clone, Default)]
pub struct MessageOptions {
    /// Lists whose order means nothing.
    pub as_set: Vec<PathPattern>,
    /// Lists whose items go by keys.
    pub keyed: Vec<Keyed>,
    /// When `float` and `double` are close; alone and in lists, not in sets.
    pub tolerance: Tolerance,
}

/// A list whose items go by keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    /// The list.
    pub list: PathPattern,
    /// The fields of an item that are its key, as `name` or `tensor_info.name`.
    pub keys: Vec<KeyField>,
}

/// What the options say, and other rules where they say nothing.
pub(crate) struct UserRules<'o> {
    options: &'o MessageOptions,
    rules: &'o dyn Rules,
}

impl<'o> UserRules<'o> {
    pub(crate) fn new(options: &'o MessageOptions, rules: &'o dyn Rules) -> Self {
        Self { options, rules }
    }
}

impl Rules for UserRules<'_> {
    fn treatment(&self, ty: &MessageType, field: &Field, at: &Trail<'_>) -> Treatment<'_> {
        let treatment = self.rules.treatment(ty, field, at);
        if !field.is_repeated() || field.is_map() {
            return treatment;
        }
        let is_match = |pattern: &PathPattern| pattern.is_match(at, &field.text_name);
        let keyed = self.options.keyed.iter().find(|keyed| is_match(&keyed.list));
        let list = match keyed {
            Some(keyed) => ListAs::Keyed(&keyed.keys),
            None if self.options.as_set.iter().any(is_match) => ListAs::Set,
            None => treatment.list,
        };
        Treatment { list, ..treatment }
    }

    fn says_the_same(&self, ty: &MessageType, field: &Field, lhs: &[u8], rhs: &[u8]) -> bool {
        self.rules.says_the_same(ty, field, lhs, rhs)
    }

    fn follow(&self, lhs: &str) -> Option<String> {
        self.rules.follow(lhs)
    }

    fn takes(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        self.rules.takes(ty, lhs, rhs, at, out)
    }
}

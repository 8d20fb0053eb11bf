//! What the schema does not say of a field: how it is compared, and how much it matters.

use std::borrow::Cow;

use super::Found;
use crate::diff::Weight;
use crate::diff::path::Trail;
use crate::schema::{Field, MessageType};

/// What is known of messages beyond their schema. Nothing is, unless a method says otherwise.
pub(crate) trait Rules {
    /// How a field of a message of type `ty`, which `at` leads to, is compared. Only asked where it differs.
    fn treatment(&self, _ty: &MessageType, _field: &Field, _at: &Trail<'_>) -> Treatment<'_> {
        Treatment::default()
    }

    /// Whether two strings, or bytes, that differ say the same, as where one names what was renamed.
    fn says_the_same(&self, _ty: &MessageType, _field: &Field, _lhs: &[u8], _rhs: &[u8]) -> bool {
        false
    }

    /// Whether two strings that are told as a change are two spellings of one thing.
    fn spells_the_same(&self, _ty: &MessageType, _field: &Field, _lhs: &[u8], _rhs: &[u8]) -> bool {
        false
    }

    /// What goes by the key `lhs` in lhs goes by in rhs, where that is another; of a map or a list in a message of type `ty`.
    fn follow(&self, _ty: &MessageType, _field: &Field, _lhs: &str) -> Option<String> {
        None
    }

    /// Takes over the comparison of two messages of this type that differ; whether it has done so.
    fn takes(
        &self,
        _ty: &MessageType,
        _lhs: &[u8],
        _rhs: &[u8],
        _at: &Trail<'_>,
        _out: &mut Found,
    ) -> bool {
        false
    }
}

/// How a field is compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Treatment<'r> {
    /// Whether changes in it, and in whatever is in it, matter.
    pub(crate) weight: Weight,
    /// What a list is; says nothing of other fields.
    pub(crate) list: ListAs<'r>,
    /// The full name of the message that bytes hold.
    pub(crate) holds: Option<&'r str>,
    /// Whether it is not compared at all.
    pub(crate) skip: bool,
}

impl Default for Treatment<'_> {
    fn default() -> Self {
        Self { weight: Weight::Semantic, list: ListAs::List, holds: None, skip: false }
    }
}

/// What a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListAs<'r> {
    /// Items in an order that means something.
    List,
    /// Items in any order, each as often as it is given.
    Set,
    /// Messages, which go by the values of these fields and stand in any order.
    Keyed(&'r [KeyField]),
}

/// A field of an item, or of a message inside it: `name`, `tensor_info.name`.
pub(crate) type KeyField = Cow<'static, str>;

//! Rules for the comparison of fields whose meaning the schema does not express.

use super::{MessageDiff, MessagePair};
use crate::diff::Weight;
use crate::diff::meaning::ListAs;
use crate::diff::path::PathBuilder;
use crate::schema::{Field, MessageType};

/// Knowledge about messages beyond their schema. By default there is none.
pub(crate) trait Rules {
    /// The treatment of a field in a message of type `ty` at the path `at`. It is only requested for fields
    /// that differ.
    fn treatment(&self, _ty: &MessageType, _field: &Field, _at: &PathBuilder<'_>) -> Treatment<'_> {
        Treatment::default()
    }

    /// Whether two different strings or byte strings mean the same, such as the names of a renamed node.
    fn are_equivalent(&self, _ty: &MessageType, _field: &Field, _lhs: &[u8], _rhs: &[u8]) -> bool {
        false
    }

    /// Whether a change from one string to the other is only a change of notation.
    fn is_cosmetic(&self, _ty: &MessageType, _field: &Field, _lhs: &[u8], _rhs: &[u8]) -> bool {
        false
    }

    /// The key in rhs of an item of a map or list whose key in lhs is `lhs`, if it was renamed.
    fn renamed_key(&self, _ty: &MessageType, _field: &Field, _lhs: &str) -> Option<String> {
        None
    }

    /// Compares two different messages by what they mean; `false` if messages of this type have no such meaning.
    fn compare_by_meaning(&self, _pair: &MessagePair<'_>, _out: &mut MessageDiff) -> bool {
        false
    }
}

/// The treatment of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Treatment<'r> {
    /// The weight of changes in the field and below.
    pub(crate) weight: Weight,
    /// The comparison of a list; other fields ignore it.
    pub(crate) list: ListAs<'r>,
    /// The full name of the message in a bytes field.
    pub(crate) embedded: Option<&'r str>,
    /// Of a string that contains JSON: the names of the members that do not matter, anywhere in it.
    pub(crate) json: Option<&'r [&'r str]>,
    /// Whether the field is skipped.
    pub(crate) skip: bool,
    /// Whether an empty message means the same as none.
    pub(crate) empty_is_none: bool,
}

impl Default for Treatment<'_> {
    fn default() -> Self {
        Self {
            weight: Weight::Semantic,
            list: ListAs::List,
            embedded: None,
            empty_is_none: false,
            json: None,
            skip: false,
        }
    }
}

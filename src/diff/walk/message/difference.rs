//! Differences at one level of two messages, in the order of the fields.

use std::borrow::Cow;

use crate::diff::path::PathBuilder;
use crate::diff::{Change, Path, Weight};
use crate::schema::MessageType;

/// A difference between two messages.
#[derive(Debug)]
pub(super) enum Difference<'a> {
    /// A finished change.
    Change(Box<Change>),
    /// Two messages inside, which are compared next.
    Nested(Box<Nested<'a>>),
}

/// Two different messages in a field.
#[derive(Debug)]
pub(super) struct Nested<'a> {
    pub(super) location: FieldLocation<'a>,
    pub(super) ty: &'a MessageType,
    pub(super) lhs: Cow<'a, [u8]>,
    pub(super) rhs: Cow<'a, [u8]>,
}

/// Selects a value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Selector {
    /// The only value, or all values.
    Whole,
    /// The item with these positions in lhs and in rhs.
    Index(usize, usize),
    /// The item with this key in rhs; and its key in lhs, if that differs.
    Key(Box<str>, Option<Box<str>>),
}

impl Selector {
    /// The path of the value in the field with the path `field`.
    #[inline(never)]
    pub(super) fn path_in<'t>(&'t self, field: &'t PathBuilder<'t>) -> PathBuilder<'t> {
        match self {
            Self::Whole => field.clone(),
            Self::Index(lhs, rhs) => field.index_pair(*lhs, *rhs),
            Self::Key(key, lhs) => field.key_pair(lhs.as_deref().unwrap_or(key), key),
        }
    }
}

/// A value in a message, by field and selector, and the weight of changes of it.
#[derive(Debug, Clone)]
pub(super) struct FieldLocation<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) selector: Selector,
    pub(super) weight: Weight,
}

impl<'a> FieldLocation<'a> {
    /// The whole field `name`.
    pub(super) fn new(name: impl Into<Cow<'a, str>>, weight: Weight) -> Self {
        Self { name: name.into(), selector: Selector::Whole, weight }
    }

    /// Item `index` of the field.
    pub(super) fn index(&self, index: usize) -> Self {
        self.index_pair(index, index)
    }

    /// The item of the field with these positions in lhs and in rhs.
    pub(super) fn index_pair(&self, lhs: usize, rhs: usize) -> Self {
        Self { selector: Selector::Index(lhs, rhs), ..self.clone() }
    }

    /// The item of the field with this key.
    pub(super) fn key(&self, key: &str) -> Self {
        self.key_pair(key, key)
    }

    /// The item of the field with these keys in lhs and in rhs.
    pub(super) fn key_pair(&self, lhs: &str, rhs: &str) -> Self {
        let lhs = (lhs != rhs).then(|| lhs.into());
        Self { selector: Selector::Key(rhs.into(), lhs), ..self.clone() }
    }

    /// The path of the value in the message with the path `at`.
    pub(super) fn path(&self, at: &PathBuilder<'_>) -> Path {
        let field = at.field(&self.name);
        self.selector.path_in(&field).path()
    }
}

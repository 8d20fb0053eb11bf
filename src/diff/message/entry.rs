//! What comes of one level of two messages, in the order of its fields.

use std::borrow::Cow;

use crate::diff::path::Trail;
use crate::diff::{Change, Path, Weight};
use crate::schema::MessageType;

/// Something that differs.
#[derive(Debug)]
pub(super) enum Entry<'a> {
    /// A change that is known.
    Change(Box<Change>),
    /// Two messages inside, which are compared in their turn.
    Inside(Box<Inside<'a>>),
}

/// Two messages that differ.
#[derive(Debug)]
pub(super) struct Inside<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) which: Which,
    pub(super) weight: Weight,
    pub(super) ty: &'a MessageType,
    pub(super) lhs: Cow<'a, [u8]>,
    pub(super) rhs: Cow<'a, [u8]>,
}

/// Which value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Which {
    /// The only one, or all of them.
    Whole,
    /// By its position; where it has another in lhs, with that.
    Index(usize, Option<usize>),
    /// By its name; where it has another in lhs, with that.
    Key(Box<str>, Option<Box<str>>),
}

impl Which {
    /// The way to it, `field` leading to the field.
    #[inline(never)]
    pub(super) fn of<'t>(&'t self, field: &'t Trail<'t>) -> Trail<'t> {
        match self {
            Self::Whole => *field,
            Self::Index(index, lhs) => field.indexes(lhs.unwrap_or(*index), *index),
            Self::Key(key, lhs) => field.keys(lhs.as_deref().unwrap_or(key), key),
        }
    }
}

/// Where in a message something is, and whether it matters there.
#[derive(Debug, Clone)]
pub(super) struct Spot<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) which: Which,
    pub(super) weight: Weight,
}

impl<'a> Spot<'a> {
    /// All of the field `name`.
    pub(super) fn new(name: &'a str, weight: Weight) -> Self {
        Self { name: Cow::Borrowed(name), which: Which::Whole, weight }
    }

    /// Item `index` of the field.
    pub(super) fn index(&self, index: usize) -> Self {
        Self { which: Which::Index(index, None), ..self.clone() }
    }

    /// The item of the field that has two positions.
    pub(super) fn indexes(&self, lhs: usize, rhs: usize) -> Self {
        let lhs = (lhs != rhs).then_some(lhs);
        Self { which: Which::Index(rhs, lhs), ..self.clone() }
    }

    /// The item of the field that goes by `key`.
    pub(super) fn key(&self, key: &str) -> Self {
        Self { which: Which::Key(key.into(), None), ..self.clone() }
    }

    /// The item of the field that goes by two names.
    pub(super) fn keys(&self, lhs: &str, rhs: &str) -> Self {
        let lhs = (lhs != rhs).then(|| lhs.into());
        Self { which: Which::Key(rhs.into(), lhs), ..self.clone() }
    }

    /// The way to it, `at` leading to the message.
    pub(super) fn path(&self, at: &Trail<'_>) -> Path {
        let field = at.field(&self.name);
        self.which.of(&field).path()
    }
}

//! Values of fields as they are held against each other.

use std::borrow::Cow;

use super::level::Level;
use crate::diff::path::Trail;
use crate::diff::{Path, Weight};
use crate::message::{Value, canonical};
use crate::schema::{Field, Kind, MessageType, Schema, WireType};

use super::entry::Spot;
use super::fields::numbers;
use super::rules::Treatment;

/// A value of a field, or an item of a list.
#[derive(Debug, Clone)]
pub(in crate::diff) enum Item<'a> {
    /// A number, an enum, a string, or bytes.
    Scalar(Value<'a>),
    /// A message in canonical form; bytes may hold it.
    Message(&'a MessageType, Cow<'a, [u8]>),
}

impl Item<'_> {
    /// By this, items of one field are sorted; equal ones are the same.
    pub(super) fn rank(&self) -> (u8, u64, &[u8]) {
        match self {
            Self::Scalar(Value::Varint(bits) | Value::Fixed64(bits)) => (0, *bits, &[]),
            Self::Scalar(Value::Fixed32(bits)) => (0, u64::from(*bits), &[]),
            Self::Scalar(Value::Len(bytes) | Value::Group(bytes)) => (1, 0, bytes),
            Self::Message(_, bytes) => (2, 0, bytes),
        }
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

/// What is read from the records of one field of a message that `at` leads to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a, 'w> {
    pub(super) schema: &'a Schema,
    pub(super) field: &'a Field,
    /// The message that bytes hold.
    pub(super) holds: Option<&'a MessageType>,
    pub(super) at: &'w Trail<'w>,
}

impl<'a, 'w> Source<'a, 'w> {
    pub(super) fn new(level: &Level<'a, 'w>, field: &'a Field, treatment: &Treatment<'_>) -> Self {
        let holds = treatment.holds.filter(|_| field.kind == Kind::Bytes);
        let holds = holds.and_then(|name| level.schema().message(name));
        Self { schema: level.schema(), field, holds, at: level.at }
    }

    /// All values.
    pub(super) fn items(&self, run: &'a [u8], findings: &mut Vec<(Path, String)>) -> Vec<Item<'a>> {
        numbers(self.field, run)
            .enumerate()
            .map(|(index, value)| self.item(value, index, findings))
            .collect()
    }

    /// The value, opened where it holds a message.
    pub(super) fn item(
        &self,
        value: Value<'a>,
        index: usize,
        findings: &mut Vec<(Path, String)>,
    ) -> Item<'a> {
        match (self.field.kind, value) {
            (Kind::Message(id) | Kind::Group(id), Value::Len(bytes) | Value::Group(bytes)) => {
                Item::Message(&self.schema[id], Cow::Borrowed(bytes))
            }
            (_, Value::Len(bytes)) => match self.holds {
                Some(ty) => self.opened(ty, bytes, index, findings),
                None => Item::Scalar(value),
            },
            _ => Item::Scalar(value),
        }
    }

    fn opened(
        &self,
        ty: &'a MessageType,
        bytes: &'a [u8],
        index: usize,
        findings: &mut Vec<(Path, String)>,
    ) -> Item<'a> {
        match canonical(self.schema, ty, bytes, self.at.depth() + 1) {
            Ok(bytes) => Item::Message(ty, bytes),
            Err(error) => {
                let spot = Spot::new(&self.field.text_name, Weight::Semantic);
                let spot = if self.field.is_repeated() { spot.index(index) } else { spot };
                let why = format!("no {}: {error}", ty.name());
                findings.push((spot.path(self.at), why));
                Item::Scalar(Value::Len(bytes))
            }
        }
    }
}

/// What a field without presence has where it is not given.
pub(super) fn default_of(field: &Field) -> Value<'static> {
    match field.wire_type {
        WireType::Fixed64 => Value::Fixed64(0),
        WireType::Fixed32 => Value::Fixed32(0),
        WireType::Len => Value::Len(&[]),
        WireType::Start => Value::Group(&[]),
        _ => Value::Varint(0),
    }
}

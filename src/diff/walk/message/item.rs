//! Items: the values of fields, as they are compared.

use std::borrow::Cow;

use super::level::Level;
use crate::diff::Path;
use crate::diff::path::PathBuilder;
use crate::message::{Value, canonical};
use crate::schema::{Field, Kind, MessageType, Schema};

use super::fields::numbers;
use super::rules::Treatment;

/// A value of a field, or an item of a list.
#[derive(Debug, Clone)]
pub(in crate::diff) enum Item<'a> {
    /// A number, an enum value, a string, or bytes.
    Scalar(Value<'a>),
    /// A message in canonical form, from a message field or embedded in bytes.
    Message(&'a MessageType, Cow<'a, [u8]>),
}

impl Item<'_> {
    /// A key by which the items of one field are sorted. Equal items have equal keys.
    pub(super) fn sort_key(&self) -> (u8, u64, &[u8]) {
        match self {
            Self::Scalar(Value::Varint(bits) | Value::Fixed64(bits)) => (0, *bits, &[]),
            Self::Scalar(Value::Fixed32(bits)) => (0, u64::from(*bits), &[]),
            Self::Scalar(Value::Len(bytes) | Value::Group(bytes)) => (1, 0, bytes),
            Self::Message(_, bytes) => (2, 0, bytes),
        }
    }

    pub(super) fn equals(&self, other: &Self) -> bool {
        self.sort_key() == other.sort_key()
    }
}

/// Reads the items of one field in the message with the path `at`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ItemReader<'a> {
    pub(super) schema: &'a Schema,
    pub(super) field: &'a Field,
    /// The type of the message in a bytes field.
    pub(super) embedded: Option<&'a MessageType>,
    pub(super) at: &'a PathBuilder<'a>,
}

impl<'a> ItemReader<'a> {
    pub(super) fn new(level: &Level<'a, '_>, field: &'a Field, treatment: &Treatment<'_>) -> Self {
        let embedded = treatment.embedded.filter(|_| field.kind == Kind::Bytes);
        let embedded = embedded.and_then(|name| level.schema().message(name));
        Self { schema: level.schema(), field, embedded, at: level.at }
    }

    /// All items.
    pub(super) fn items(&self, run: &'a [u8], findings: &mut Vec<(Path, String)>) -> Vec<Item<'a>> {
        numbers(self.field, run)
            .enumerate()
            .map(|(index, value)| self.item(value, index, findings))
            .collect()
    }

    /// One item; an embedded message is decoded.
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
            (_, Value::Len(bytes)) => match self.embedded {
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
                let field = self.at.field(&self.field.text_name);
                let at = if self.field.is_repeated() { field.index(index) } else { field };
                findings.push((at.path(), format!("no {}: {error}", ty.name())));
                Item::Scalar(Value::Len(bytes))
            }
        }
    }
}

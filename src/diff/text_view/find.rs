//! Values of a field by what paths call them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::hops::Which;
use crate::diff::message::{ListAs, Treatment, key_text, name_of};
use crate::diff::model::{tags, treatment};
use crate::message::{Value, canonical, nested, records, string};
use crate::schema::field::{function_def, map_entry, node_def, op_def};
use crate::schema::{Field, MessageType, Schema};

/// Values of one name that are looked at.
const ALIKE: usize = 8;

/// A field of messages, and what its values are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values<'a> {
    schema: &'a Schema,
    of: &'a MessageType,
    pub(super) field: &'a Field,
    /// The type of each value: that of the field, of the values of a map, or of what bytes hold.
    pub(super) ty: &'a MessageType,
    treatment: Treatment<'static>,
}

/// Values that go by one name, and how many more there are.
pub(super) type Alike<'a> = (Vec<Cow<'a, [u8]>>, u64);

impl<'a> Values<'a> {
    /// The values of `field` in messages of the type `of`; `None` where they are no messages.
    pub(super) fn new(
        schema: &'a Schema,
        of: &'a MessageType,
        field: &'a Field,
        collection: Option<&str>,
    ) -> Option<Self> {
        let treatment = treatment(&of.full_name, &field.name, collection);
        let ty = match field.kind.message() {
            Some(id) if field.is_map() => &schema[schema[id].entry()?.1.kind.message()?],
            Some(id) => &schema[id],
            None => schema.message(treatment.holds?)?,
        };
        Some(Self { schema, of, field, ty, treatment })
    }

    /// Whether values are messages in bytes.
    pub(super) fn are_held(&self) -> bool {
        self.field.kind.message().is_none()
    }

    /// The values that are wanted, in one pass over the message.
    pub(super) fn find(
        &self,
        message: &'a [u8],
        wanted: &BTreeSet<Which<'a>>,
    ) -> BTreeMap<Which<'a>, Alike<'a>> {
        let wanted: Vec<_> = wanted.iter().copied().collect();
        let mut found: Vec<Alike<'_>> = vec![Alike::default(); wanted.len()];
        let has_keys = wanted.iter().any(|which| matches!(which, Which::Key(_)));
        let records = records(message);
        let of_field = records.filter(|record| record.number == self.field.number);
        for (position, record) in of_field.enumerate() {
            let (Value::Len(content) | Value::Group(content)) = record.value else { continue };
            let Some(bytes) = self.bytes(content) else { continue };
            let name = if has_keys { self.name(content, &bytes) } else { Cow::Borrowed("") };
            for way in [Which::Whole, Which::Index(position), Which::Key(&name)] {
                let at = wanted.binary_search_by(|known| known.cmp(&way)).ok();
                let Some((values, more)) = at.and_then(|at| found.get_mut(at)) else { continue };
                if values.len() < ALIKE {
                    values.push(bytes.clone());
                } else {
                    *more += 1;
                }
            }
        }
        wanted.into_iter().zip(found).collect()
    }

    /// The message in a record.
    fn bytes(&self, content: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        if self.are_held() {
            return canonical(self.schema, self.ty, content, 1).ok();
        }
        let value = if self.field.is_map() { nested(content, map_entry::VALUE) } else { content };
        Some(Cow::Borrowed(value))
    }

    /// What a value goes by.
    fn name(&self, content: &'a [u8], bytes: &[u8]) -> Cow<'a, str> {
        match (&*self.of.full_name, &*self.field.name) {
            ("tensorflow.GraphDef", "node") | ("tensorflow.FunctionDef", "node_def") => {
                Cow::Borrowed(string(content, node_def::NAME))
            }
            ("tensorflow.FunctionDefLibrary", "function") => {
                Cow::Borrowed(string(nested(content, function_def::SIGNATURE), op_def::NAME))
            }
            ("tensorflow.SavedModel", "meta_graphs") => Cow::Owned(tags(content)),
            _ => match (self.key_field(), self.treatment.list) {
                (Some(field), _) => {
                    let record = records(content).next();
                    let text = record.map(|record| key_text(self.schema, field, record.value));
                    Cow::Owned(text.unwrap_or_default())
                }
                (None, ListAs::Keyed(keys)) => {
                    Cow::Owned(name_of(self.schema, self.ty, bytes, keys))
                }
                _ => Cow::Borrowed(""),
            },
        }
    }

    /// The keys of a map.
    fn key_field(&self) -> Option<&'a Field> {
        let entry = self.field.kind.message().filter(|_| self.field.is_map())?;
        self.schema[entry].entry().map(|(key, _)| key)
    }
}

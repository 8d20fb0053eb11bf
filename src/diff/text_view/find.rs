//! Finds the values of a field that paths select.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::hops::SideSelector;
use crate::diff::meaning::{ListAs, meaning};
use crate::diff::walk::message::{Treatment, item_key, key_text};
use crate::diff::walk::model::treatment;
use crate::message::{Value, canonical, nested, records};
use crate::schema::field::map_entry;
use crate::schema::{Field, MessageType, Schema};

/// The maximum number of values with the same name that are returned.
const ALIKE: usize = 8;

/// A field whose values are messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldValues<'a> {
    schema: &'a Schema,
    of: &'a MessageType,
    pub(super) field: &'a Field,
    /// The type of each value: of the field, of the values of a map, or of the messages embedded in bytes.
    pub(super) ty: &'a MessageType,
    treatment: Treatment<'static>,
}

/// Values with the same name, and the number of further ones.
pub(super) type NamedValues<'a> = (Vec<Cow<'a, [u8]>>, u64);

impl<'a> FieldValues<'a> {
    /// The values of `field` in messages of the type `of`; `None` if they are no messages.
    pub(super) fn new(
        schema: &'a Schema,
        of: &'a MessageType,
        field: &'a Field,
        collection: Option<&str>,
    ) -> Option<Self> {
        let treatment = treatment(of, field, collection);
        let ty = match field.kind.message() {
            Some(id) if field.is_map() => &schema[schema[id].entry()?.1.kind.message()?],
            Some(id) => &schema[id],
            None => schema.message(treatment.embedded?)?,
        };
        Some(Self { schema, of, field, ty, treatment })
    }

    /// Whether values are messages embedded in bytes.
    pub(super) fn are_embedded(&self) -> bool {
        self.field.kind.message().is_none()
    }

    /// Finds all wanted values in one pass over the message.
    pub(super) fn find(
        &self,
        message: &'a [u8],
        wanted: &BTreeSet<SideSelector<'a>>,
    ) -> BTreeMap<SideSelector<'a>, NamedValues<'a>> {
        let wanted: Vec<_> = wanted.iter().copied().collect();
        let mut found: Vec<NamedValues<'_>> = vec![NamedValues::default(); wanted.len()];
        let has_keys = wanted.iter().any(|which| matches!(which, SideSelector::Key(_)));
        let records = records(message);
        let of_field = records.filter(|record| record.number == self.field.number);
        for (position, record) in of_field.enumerate() {
            let (Value::Len(content) | Value::Group(content)) = record.value else { continue };
            let Some(bytes) = self.bytes(content) else { continue };
            let name = if has_keys { self.name(content, &bytes) } else { Cow::Borrowed("") };
            for selector in
                [SideSelector::Whole, SideSelector::Index(position), SideSelector::Key(&name)]
            {
                let at = wanted.binary_search_by(|known| known.cmp(&selector)).ok();
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
        if self.are_embedded() {
            return canonical(self.schema, self.ty, content, 1).ok();
        }
        let value = if self.field.is_map() { nested(content, map_entry::VALUE) } else { content };
        Some(Cow::Borrowed(value))
    }

    /// The name of a value in paths.
    fn name(&self, content: &'a [u8], bytes: &[u8]) -> Cow<'a, str> {
        if let Some(name) = meaning(self.of, self.field).name_of(content) {
            return name;
        }
        match (self.key_field(), self.treatment.list) {
            (Some(field), _) => {
                let record = records(content).next();
                let text = record.map(|record| key_text(self.schema, field, record.value));
                Cow::Owned(text.unwrap_or_default())
            }
            (None, ListAs::Keyed(keys)) => Cow::Owned(item_key(self.schema, self.ty, bytes, keys)),
            _ => Cow::Borrowed(""),
        }
    }

    /// The key field of a map.
    fn key_field(&self) -> Option<&'a Field> {
        let entry = self.field.kind.message().filter(|_| self.field.is_map())?;
        self.schema[entry].entry().map(|(key, _)| key)
    }
}

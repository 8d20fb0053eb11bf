//! One value of a field.

use std::fmt;

use serde::Deserializer;
use serde::de::{self, DeserializeSeed, Visitor};

use super::locate::Spot;
use super::reader::With;
use crate::bytes::base64;
use crate::message::{Value, Writer, is_default, write_value};
use crate::schema::Field;

/// One value of a field.
#[derive(Clone, Copy)]
pub(super) struct Single<'s> {
    pub(super) field: &'s Field,
    /// Whether to write a default value.
    pub(super) keep: bool,
    /// Whether to write a tag; values of a packed field have none.
    pub(super) tag: bool,
}

impl<'s> Single<'s> {
    /// The value of a singular field.
    pub(super) fn of(field: &'s Field) -> Self {
        Self { field, keep: field.has_presence, tag: true }
    }

    /// The value of an entry of a map.
    pub(super) fn of_entry(field: &'s Field) -> Self {
        Self { field, keep: true, tag: true }
    }

    #[inline]
    pub(super) fn write(self, value: Value<'_>, out: &mut Writer) {
        if !self.keep && is_default(value) {
            return;
        }
        if self.tag {
            out.tag(self.field.number, self.field.wire_type);
        }
        write_value(self.field.kind, value, out);
    }
}

impl<'s, 'de> DeserializeSeed<'de> for With<'_, 's, 'de, Single<'s>> {
    type Value = bool;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        self.reader.single(self.what, json)
    }
}

impl<'s, 'de> Visitor<'de> for With<'_, 's, 'de, Single<'s>> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    #[inline]
    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.what.write(Value::Len(text.as_bytes()), &mut self.reader.out);
        Ok(())
    }
}

/// A `bytes` value, which is base64 in JSON.
pub(super) struct Base64<'s>(pub(super) Single<'s>);

impl<'s, 'de> Visitor<'de> for With<'_, 's, 'de, Base64<'s>> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string in base 64")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        match base64::decode(text.as_bytes()) {
            Ok(bytes) => {
                self.what.0.write(Value::Len(&bytes), &mut self.reader.out);
                Ok(())
            }
            Err(found) => {
                let message = format!("expected base64, found {found}");
                Err(self.reader.fail(Spot::Value, message))
            }
        }
    }
}

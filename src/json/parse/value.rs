//! Parsing of `Struct`, `Value` and `ListValue`, which accept any JSON.

use std::fmt;

use serde::Deserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};

use super::fields::Items;
use super::locate::Spot;
use super::map::Entries;
use super::reader::{Reader, With};
use crate::schema::{Field, MessageType, WireType};

/// The fields of `Value`.
mod field {
    pub(super) const NULL: u32 = 1;
    pub(super) const NUMBER: u32 = 2;
    pub(super) const STRING: u32 = 3;
    pub(super) const BOOL: u32 = 4;
    pub(super) const STRUCT: u32 = 5;
    pub(super) const LIST: u32 = 6;
}

impl<'s, 'de> Reader<'s, 'de> {
    pub(super) fn struct_value<D: Deserializer<'de>>(
        &mut self,
        ty: &'s MessageType,
        json: D,
    ) -> Result<(), D::Error> {
        let members = self.only_field(ty, Field::is_map)?;
        json.deserialize_map(self.with(Entries(members)))
    }

    pub(super) fn list_value<D: Deserializer<'de>>(
        &mut self,
        ty: &'s MessageType,
        json: D,
    ) -> Result<(), D::Error> {
        let values = self.only_field(ty, |field| field.kind.message().is_some())?;
        json.deserialize_seq(self.with(Items(values)))
    }

    pub(super) fn value<D: Deserializer<'de>>(
        &mut self,
        ty: &'s MessageType,
        json: D,
    ) -> Result<(), D::Error> {
        json.deserialize_any(self.with(Anything(ty)))
    }

    /// The field of a `Struct` or a `ListValue`, as protobuf declares it.
    fn only_field<E: de::Error>(
        &mut self,
        ty: &'s MessageType,
        is_declared: fn(&Field) -> bool,
    ) -> Result<&'s Field, E> {
        let field = ty.field(1).filter(|field| is_declared(field));
        field.ok_or_else(|| self.fail(Spot::Value, format!("{} has no field 1", ty.full_name)))
    }

    /// Writes a `Struct` or a `ListValue` as the field `number` of a `Value`; `content` writes its only field.
    fn nested_value<E: de::Error>(
        &mut self,
        ty: &'s MessageType,
        number: u32,
        content: impl FnOnce(&mut Self, &'s Field) -> Result<(), E>,
    ) -> Result<(), E> {
        let inner = ty.field(number).and_then(|field| field.kind.message());
        let Some(inner) = inner else {
            let message = format!("{} has no message in field {number}", ty.full_name);
            return Err(self.fail(Spot::Value, message));
        };
        let only = self.only_field(&self.schema[inner], Field::is_repeated)?;
        self.enter()?;
        self.out.begin(number);
        content(self, only)?;
        self.out.close();
        self.leave();
        Ok(())
    }
}

/// The content of a `Value`.
struct Anything<'s>(&'s MessageType);

impl<'s, 'de> Visitor<'de> for With<'_, 's, 'de, Anything<'s>> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.reader.out.put_varint(field::NULL, 0);
        Ok(())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.reader.out.put_varint(field::BOOL, value.into());
        Ok(())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        self.reader.out.tag(field::NUMBER, WireType::Fixed64);
        self.reader.out.raw(&value.to_le_bytes());
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "a Value holds doubles")]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "a Value holds doubles")]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.reader.out.put_bytes(field::STRING, text.as_bytes());
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let Anything(ty) = self.what;
        self.reader.nested_value(ty, field::STRUCT, |reader, members| {
            reader.with(Entries(members)).visit_map(map)
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        let Anything(ty) = self.what;
        self.reader.nested_value(ty, field::LIST, |reader, values| {
            reader.with(Items(values)).visit_seq(list)
        })
    }
}

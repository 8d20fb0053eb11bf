//! Parsing of `Struct`, `Value` and `ListValue`, which accept any JSON.

use std::fmt;

use serde::Deserializer;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::locate::Step;
use super::reader::{Reader, Text, With};
use crate::schema::WireType;
use crate::schema::field::map_entry;

/// The fields of `Value`.
mod field {
    pub(super) const NULL: u32 = 1;
    pub(super) const NUMBER: u32 = 2;
    pub(super) const STRING: u32 = 3;
    pub(super) const BOOL: u32 = 4;
    pub(super) const STRUCT: u32 = 5;
    pub(super) const LIST: u32 = 6;
}

impl<'de> Reader<'_, 'de> {
    pub(super) fn struct_value<D: Deserializer<'de>>(&mut self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self.with(Members))
    }

    pub(super) fn list_value<D: Deserializer<'de>>(&mut self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self.with(Values))
    }

    pub(super) fn value<D: Deserializer<'de>>(&mut self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self.with(Anything))
    }
}

/// The content of a `Struct`.
struct Members;

impl<'de> Visitor<'de> for With<'_, '_, 'de, Members> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reader = self.reader;
        let first = reader.keys.len();
        let mut ordinal = 0;
        // Two levels: the map entry, and the Value in it.
        reader.enter()?;
        reader.enter()?;
        while let Some(text) = map.next_key_seed(Text)? {
            reader.path.push(Step::Entry(ordinal));
            reader.out.tag(1, WireType::Len);
            reader.out.open();
            reader.out.tag(map_entry::KEY, WireType::Len);
            reader.out.len_prefixed(text.as_bytes());
            reader.record_key(text, ordinal);
            reader.out.tag(map_entry::VALUE, WireType::Len);
            reader.out.open();
            map.next_value_seed(reader.with(Anything))?;
            reader.out.close();
            reader.out.close();
            ordinal += 1;
            reader.path.pop();
        }
        reader.leave();
        reader.leave();
        reader.check_keys(first)
    }
}

/// The content of a `ListValue`.
struct Values;

impl<'de> Visitor<'de> for With<'_, '_, 'de, Values> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.enter()?;
        reader.path.push(Step::Item(0));
        while list.next_element_seed(reader.with(Value))?.is_some() {
            if let Some(Step::Item(index)) = reader.path.last_mut() {
                *index += 1;
            }
        }
        reader.path.pop();
        reader.leave();
        Ok(())
    }
}

/// A value of a `ListValue`.
struct Value;

impl<'de> DeserializeSeed<'de> for With<'_, '_, 'de, Value> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        let reader = self.reader;
        // Serde calls the seed only if there is an element.
        reader.out.tag(1, WireType::Len);
        reader.out.open();
        json.deserialize_any(reader.with(Anything))?;
        reader.out.close();
        Ok(())
    }
}

/// The content of a `Value`.
struct Anything;

impl<'de> DeserializeSeed<'de> for With<'_, '_, 'de, Anything> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for With<'_, '_, 'de, Anything> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.reader.out.tag(field::NULL, WireType::Varint);
        self.reader.out.varint(0);
        Ok(())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.reader.out.tag(field::BOOL, WireType::Varint);
        self.reader.out.varint(value.into());
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
        self.reader.out.tag(field::STRING, WireType::Len);
        self.reader.out.len_prefixed(text.as_bytes());
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.enter()?;
        reader.out.tag(field::STRUCT, WireType::Len);
        reader.out.open();
        reader.with(Members).visit_map(map)?;
        reader.out.close();
        reader.leave();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.enter()?;
        reader.out.tag(field::LIST, WireType::Len);
        reader.out.open();
        reader.with(Values).visit_seq(list)?;
        reader.out.close();
        reader.leave();
        Ok(())
    }
}

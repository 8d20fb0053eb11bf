//! The parser's state, and the dispatch on message types.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer;
use serde::de::{self, DeserializeSeed, Visitor};

use super::locate::{Spot, ValueStep, locate};
use crate::error::Error;
use crate::json::{mask, time};
use crate::message::{Losses, Unknown, Value, Writer, is_default, too_deep, write_value};
use crate::schema::{Kind, MessageType, Schema, WellKnown};

/// Field numbers of a `Timestamp` and a `Duration`.
const SECONDS: u32 = 1;
const NANOS: u32 = 2;

/// The field number of a `FieldMask`.
const PATHS: u32 = 1;

/// The state of the parser.
pub(super) struct Reader<'s, 'de> {
    pub(super) schema: &'s Schema,
    /// The whole text.
    pub(super) input: &'de str,
    pub(super) unknown: Unknown,
    pub(super) out: Writer,
    pub(super) losses: Losses,
    /// Dropped members and values that are in `losses`: the path of the enclosing message, and the name.
    dropped: Vec<(Vec<ValueStep>, String)>,
    /// The path of the value being parsed.
    pub(super) path: Vec<ValueStep>,
    /// The first error. Serde's own error values only stop the parser.
    pub(super) failure: Option<Error>,
    pub(super) too_deep: bool,
    depth: usize,
    max_depth: usize,
    /// The number of open `Any` messages.
    pub(super) any_depth: usize,
    /// The keys of all open maps, with their ordinals.
    pub(super) keys: Vec<(Key<'de>, usize)>,
}

/// A map key by value: `1` and `1.0` are the same key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'de> {
    Number(i128),
    Text(Cow<'de, str>),
}

/// A serde seed or visitor with access to the reader.
pub(super) struct With<'r, 's, 'de, T> {
    pub(super) reader: &'r mut Reader<'s, 'de>,
    pub(super) what: T,
}

impl<'s, 'de> Reader<'s, 'de> {
    pub(super) fn new(
        schema: &'s Schema,
        input: &'de str,
        unknown: Unknown,
        max_depth: usize,
    ) -> Self {
        Self {
            schema,
            input,
            unknown,
            out: Writer::default(),
            losses: Losses::default(),
            dropped: Vec::new(),
            path: Vec::new(),
            failure: None,
            too_deep: false,
            depth: 0,
            max_depth,
            any_depth: 0,
            keys: Vec::new(),
        }
    }

    pub(super) fn with<T>(&mut self, what: T) -> With<'_, 's, 'de, T> {
        With { reader: self, what }
    }

    /// Parses the content of a message of type `ty`.
    pub(super) fn message<D: Deserializer<'de>>(
        &mut self,
        ty: &'s MessageType,
        json: D,
    ) -> Result<(), D::Error> {
        match ty.well_known {
            None => self.fields(ty, json),
            Some(WellKnown::Any) => self.any(json),
            Some(WellKnown::Struct) => self.struct_value(ty, json),
            Some(WellKnown::Value) => self.value(ty, json),
            Some(WellKnown::ListValue) => self.list_value(ty, json),
            Some(WellKnown::Wrapper) => self.wrapper(ty, json),
            Some(WellKnown::Timestamp) => self.time(
                json,
                time::timestamp,
                "a time such as \"1970-01-01T00:00:00Z\", in the years 1 to 9999",
            ),
            Some(WellKnown::Duration) => self.time(
                json,
                time::duration,
                "a duration such as \"1.5s\", at most 315576000000 seconds",
            ),
            Some(WellKnown::FieldMask) => self.mask(json),
        }
    }

    /// Enters a nested message.
    pub(super) fn enter<E: de::Error>(&mut self) -> Result<(), E> {
        self.depth += 1;
        if self.depth <= self.max_depth {
            return Ok(());
        }
        self.too_deep = true;
        let message = too_deep().kind().to_string();
        Err(self.fail(Spot::Value, message))
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Writes a singular varint field unless it has no presence and its default value.
    pub(super) fn put(&mut self, number: u32, value: Value<'_>) {
        if is_default(value) {
            return;
        }
        self.out.tag(number, value.wire_type());
        write_value(Kind::Int64, value, &mut self.out);
    }

    /// Records that the unknown member `name` (or, if `None`, the unknown enum value) at the current path is dropped.
    ///
    /// Fails unless the options allow dropping.
    pub(super) fn drop_unknown<E: de::Error>(
        &mut self,
        name: Option<&str>,
        message: impl FnOnce() -> String,
    ) -> Result<(), E> {
        if self.unknown == Unknown::Refuse {
            let spot = if name.is_some() { Spot::Key } else { Spot::Value };
            return Err(self.fail(spot, message()));
        }
        self.losses.unknown_fields += 1;
        // Locating a name walks the text, so each name is located once per message.
        let around = match (name, self.path.split_last()) {
            (Some(_), Some((_, around))) => around,
            _ => &self.path,
        };
        let name = name.unwrap_or_default();
        let is_known = |(path, known): &(Vec<ValueStep>, String)| path == around && known == name;
        if self.dropped.len() < Losses::NAMED && !self.dropped.iter().any(is_known) {
            self.dropped.push((around.to_vec(), name.to_owned()));
            self.losses.name(|| locate(self.input, &self.path).path);
        }
        Ok(())
    }

    fn time<D: Deserializer<'de>>(
        &mut self,
        json: D,
        read: fn(&str) -> Option<time::Time>,
        expected: &str,
    ) -> Result<(), D::Error> {
        let text = Text.deserialize(json)?;
        let Some(time) = read(&text) else { return Err(self.refuse(expected)) };
        self.put(SECONDS, Value::Varint(time.seconds.cast_unsigned()));
        self.put(NANOS, Value::Varint(i64::from(time.nanos).cast_unsigned()));
        Ok(())
    }

    fn mask<D: Deserializer<'de>>(&mut self, json: D) -> Result<(), D::Error> {
        let text = Text.deserialize(json)?;
        for path in text.split(',').filter(|_| !text.is_empty()) {
            let Some(path) = mask::to_snake(path) else {
                return Err(self.refuse("comma-separated paths in lowerCamelCase"));
            };
            self.out.put_bytes(PATHS, path.as_bytes());
        }
        Ok(())
    }
}

/// A string; borrowed from the input unless it has escapes.
pub(super) struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    #[inline]
    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

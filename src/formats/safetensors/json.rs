//! Parses the JSON of headers and indexes, with repeated keys and the offsets of errors.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::error::{Error, ErrorKind, Result};
use crate::json::serde_error::{explain, offset_of};

/// The members of an object in order, including repeated keys, of which the maps of `serde_json` would keep the last.
pub(super) struct Members<V>(pub(super) Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Members<V> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Object<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Object<V> {
            type Value = Members<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        json.deserialize_map(Object(PhantomData))
    }
}

/// Parses all of `text`, which starts at offset `base` of its file.
///
/// # Errors
/// If the text is not JSON or not a `T`; the error has the offset.
pub(super) fn parse<'de, T: Deserialize<'de>>(text: &'de str, base: u64) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        Error::syntax(explain(&error, text)).at(base + offset_of(&error, text) as u64)
    })
}

/// Decodes `bytes`, which start at offset `base` of their file, as UTF-8.
///
/// # Errors
/// If the bytes are not UTF-8; the error has the offset.
pub(super) fn text(bytes: &[u8], base: u64) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let kind = ErrorKind::Syntax("JSON must be UTF-8".into());
        Error::from(kind).at(base + error.valid_up_to() as u64)
    })
}

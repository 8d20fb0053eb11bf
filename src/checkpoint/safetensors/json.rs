//! JSON of headers and indexes: objects whose keys may repeat, errors with their byte.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::error::{Error, ErrorKind, Result, shortened};

/// The members of an object, in order; a key that is given twice is there twice.
///
/// The maps of `serde_json` keep the last of them in silence.
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

/// Parses all of `text`, which starts at byte `base` of its file.
///
/// # Errors
/// When it is not JSON or not a `T`; the error names the byte.
pub(super) fn parse<'de, T: Deserialize<'de>>(text: &'de str, base: u64) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let before = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        let message = error.to_string();
        let reason = message.rsplit_once(" at line ").map_or(&*message, |(reason, _)| reason);
        let kind = format!("unexpected JSON: {}", shortened(reason));
        Error::from(ErrorKind::Syntax(kind)).at(base + before as u64)
    })
}

/// The text of `bytes`, which start at byte `base` of their file.
///
/// # Errors
/// When they are not UTF-8; the error names the byte.
pub(super) fn text(bytes: &[u8], base: u64) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let kind = ErrorKind::Syntax("JSON must be UTF-8".into());
        Error::from(kind).at(base + error.valid_up_to() as u64)
    })
}

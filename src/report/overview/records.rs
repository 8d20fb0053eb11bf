//! The records of a message, as far as an overview reads them.

use crate::error::{Error, Result};
use crate::message::{Record, Records};
use crate::schema::field::map_entry;

/// The records of one field.
pub(super) fn nested(bytes: &[u8], number: u32) -> impl Iterator<Item = Result<Record<'_>>> {
    let wanted = move |record: &Result<Record<'_>>| match record {
        Ok(record) => record.number == number,
        Err(_) => true,
    };
    Records::new(bytes, 0).filter(wanted)
}

/// The payload of a record.
pub(super) fn content<'m>(record: &Record<'m>) -> &'m [u8] {
    record.payload()
}

/// What a record holds, as text.
pub(super) fn text(record: &Record<'_>) -> String {
    String::from_utf8_lossy(content(record)).into_owned()
}

/// The key of an entry of a map.
pub(super) fn key(entry: &[u8]) -> Result<String> {
    let key = nested(entry, map_entry::KEY).last().transpose()?;
    Ok(key.map(|key| text(&key)).unwrap_or_default())
}

/// The value of an entry of a map, whose values are messages or strings.
pub(super) fn value(entry: &[u8]) -> Result<&[u8]> {
    let value = nested(entry, map_entry::VALUE).last().transpose()?;
    Ok(value.map(|value| content(&value)).unwrap_or_default())
}

pub(super) fn decode<T: prost::Message + Default + prost::Name>(bytes: &[u8]) -> Result<T> {
    T::decode(bytes)
        .map_err(|error| Error::unexpected("message", error, format!("it must be a {}", T::NAME)))
}

//! The fields of messages in canonical form, borrowed.
//!
//! Whoever gives a graph has checked it, so nothing here can fail; bytes that are no message end early.

use crate::message::{Records, Value};
use crate::schema::field::map_entry;

/// What the fields `number` hold, as far as they have a length.
pub(crate) fn fields(bytes: &[u8], number: u32) -> impl Iterator<Item = &[u8]> + Clone {
    let records = Records::new(bytes, 0).map_while(Result::ok);
    records.filter_map(move |record| match record.value {
        Value::Len(content) if record.number == number => Some(content),
        _ => None,
    })
}

/// The string in the field `number`; empty where it is not given.
pub(super) fn string(bytes: &[u8], number: u32) -> &str {
    fields(bytes, number).last().map(text).unwrap_or_default()
}

/// The entries of the map in the field `number`: keys, and values as they are encoded.
pub(super) fn entries(bytes: &[u8], number: u32) -> impl Iterator<Item = (&str, &[u8])> {
    fields(bytes, number).map(|entry| {
        (string(entry, map_entry::KEY), fields(entry, map_entry::VALUE).last().unwrap_or_default())
    })
}

pub(super) fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

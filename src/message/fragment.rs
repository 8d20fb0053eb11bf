//! A part of a message's fields, checked and sorted before the rest of the message exists.

use super::check;
use super::wire::Records;
use crate::error::Result;
use crate::schema::{MessageType, Schema};

/// Consecutive records of a message.
#[derive(Debug, Default)]
pub(crate) struct Fragment {
    /// The records.
    pub(crate) bytes: Vec<u8>,
    /// The number of the first field; 0 without records.
    pub(crate) first: u32,
    /// The number of the last field.
    pub(crate) last: u32,
    /// Whether the records by themselves are in canonical form.
    pub(crate) is_canonical: bool,
}

impl Fragment {
    /// Checks records of a message of type `ty` and sorts its maps.
    ///
    /// # Errors
    /// As [`Message::decode`](super::Message::decode).
    pub(crate) fn new(schema: &Schema, ty: &MessageType, mut bytes: Vec<u8>) -> Result<Self> {
        let result = check::check(schema, ty, &bytes, 0)?;
        // A fragment does not show whether a map entry has both fields.
        let is_canonical = !ty.is_map_entry && result.sort_maps(&mut bytes);
        let (mut first, mut last) = (0, 0);
        if is_canonical {
            for record in Records::new(&bytes, 0) {
                last = record?.number;
                first = if first == 0 { last } else { first };
            }
        }
        Ok(Self { bytes, first, last, is_canonical })
    }
}

//! Some of the fields of a message, put in canonical form before the others are there.

use super::check;
use super::map;
use super::wire::Records;
use crate::error::Result;
use crate::schema::{MessageType, Schema};

/// Records that stand one behind the other in a message.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// The records.
    pub(crate) bytes: Vec<u8>,
    /// The number of the first field; 0 when there is none.
    pub(crate) first: u32,
    /// The number of the last field.
    pub(crate) last: u32,
    /// Whether they are in canonical form, taken by themselves.
    pub(crate) is_canonical: bool,
}

impl Part {
    /// Checks records of a message of type `ty`, and mends the order of maps.
    ///
    /// # Errors
    /// As [`Message::decode`](super::Message::decode).
    pub(crate) fn new(schema: &Schema, ty: &MessageType, mut bytes: Vec<u8>) -> Result<Self> {
        let findings = check::check(schema, ty, &bytes, 0)?;
        // Whether both fields of an entry are there is not seen here.
        let is_canonical = !ty.is_map_entry && map::sort_all(&findings, &mut bytes);
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

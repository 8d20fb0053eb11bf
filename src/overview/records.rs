//! Messages as structs.

use crate::error::{Error, Result};

/// Decodes a message.
pub(super) fn decode<T: prost::Message + Default + prost::Name>(bytes: &[u8]) -> Result<T> {
    T::decode(bytes).map_err(|error| Error::malformed("message", format!("a {}", T::NAME), error))
}

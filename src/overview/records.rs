//! Messages as structs.

use crate::error::{Error, Result, with_article};

/// Decodes a message.
pub(super) fn decode<T: prost::Message + Default + prost::Name>(bytes: &[u8]) -> Result<T> {
    T::decode(bytes).map_err(|error| Error::malformed("message", with_article(T::NAME), error))
}

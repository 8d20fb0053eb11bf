//! A message with its bytes.

use std::fmt;

use super::{Writer, canonical, check, required};
use crate::error::Result;
use crate::schema::{MessageType, Schema};

/// A message of a known type.
#[derive(Clone)]
pub struct Message<'s> {
    schema: &'s Schema,
    ty: &'s MessageType,
    bytes: Vec<u8>,
}

impl<'s> Message<'s> {
    /// Decodes wire bytes.
    ///
    /// Unknown fields are kept. Bytes in canonical form (except for the order of map entries) are not copied.
    ///
    /// ```
    /// use ckdiff::message::Message;
    /// use ckdiff::schema::Schema;
    ///
    /// let schema = Schema::tensorflow();
    /// let ty = schema.message("tensorflow.VersionDef").unwrap();
    /// // Given twice: the last one counts.
    /// let versions = Message::decode(schema, ty, vec![0x08, 1, 0x08, 2])?;
    /// assert_eq!(versions.bytes(), [0x08, 2]);
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// If `bytes` are not a message of this type: they end inside a field, a proto3 string is not UTF-8, a required field is
    /// missing, or messages are nested too deeply. The error names the byte and the field.
    pub fn decode(schema: &'s Schema, ty: &'s MessageType, bytes: Vec<u8>) -> Result<Self> {
        let message = Self::decode_partial(schema, ty, bytes)?;
        message.check_required()?;
        Ok(message)
    }

    /// Creates a message from bytes in canonical form.
    pub(crate) fn from_canonical(schema: &'s Schema, ty: &'s MessageType, bytes: Vec<u8>) -> Self {
        Self { schema, ty, bytes }
    }

    /// Checks that all required fields are set.
    pub(crate) fn check_required(&self) -> Result<()> {
        required::check(self.schema, self.ty, &self.bytes)
    }

    /// Decodes wire bytes without checking required fields.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_partial(
        schema: &'s Schema,
        ty: &'s MessageType,
        mut bytes: Vec<u8>,
    ) -> Result<Self> {
        let result = check::check(schema, ty, &bytes, 0)?;
        // TensorFlow writes maps in hash order; sorting them in place avoids a copy.
        if !result.sort_maps(&mut bytes) {
            let mut out = Writer::default();
            canonical::rewrite(schema, ty, &[&bytes], &mut out)?;
            bytes = out.finish();
        }
        Ok(Self { schema, ty, bytes })
    }

    /// The message type.
    pub fn ty(&self) -> &'s MessageType {
        self.ty
    }

    /// The schema of the message type.
    pub fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// The wire bytes, in canonical form.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Converts the message to its wire bytes, in canonical form.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Message({}, {} bytes)", self.ty.full_name, self.bytes.len())
    }
}

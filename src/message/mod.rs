//! A message: its wire bytes, and its type.
//!
//! ```text
//! text, JSON, binary ──► wire bytes in canonical form ──► text, JSON, binary
//! ```
//! Bytes are checked at the door: a [`Message`] is well-formed, within the limits, and in canonical form, so whoever
//! walks its [`Records`] meets fields by ascending number, maps sorted, and unknown fields at the end.

mod canonical;
mod check;
mod field_set;
mod losses;
mod map;
mod meaning;
mod message_set;
mod packed;
mod part;
mod place;
mod required;
mod scalar;
mod wire;
mod writer;

use std::borrow::Cow;
use std::fmt;

use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage};

pub(crate) use field_set::FieldSet;
pub use losses::{Losses, Unknown};
pub(crate) use losses::{is_odd_nan32, is_odd_nan64};
pub use meaning::Meaning;
pub use message_set::item as message_set_item;
pub use packed::Packed;
pub(crate) use part::Part;
pub use scalar::{Fit, from_zigzag, int32, to_zigzag};
pub(crate) use scalar::{is_default, write as write_value};
pub(crate) use wire::too_deep;
pub use wire::{Record, Records, Value};
pub use writer::Writer;

use crate::error::{Error, ErrorKind, Result};
use crate::schema::{MessageType, Schema};

/// How deep messages may be nested, the outermost at 0.
pub const MAX_DEPTH: usize = 1_000;

/// How deep groups that the schema knows may be nested. Each level looks for the end of those inside once more, and
/// protobuf's own readers take no more levels.
pub const MAX_GROUPS: usize = 100;

/// A message of a known type.
#[derive(Clone)]
pub struct Message<'s> {
    schema: &'s Schema,
    ty: &'s MessageType,
    bytes: Vec<u8>,
}

impl<'s> Message<'s> {
    /// Decodes the binary format.
    ///
    /// Unknown fields are kept. Bytes that are in canonical form already, the order of maps apart, are not copied.
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
    /// When `bytes` are no message of this type: they end inside a field, a string is not UTF-8, a required field is
    /// missing, or messages are nested too deeply. The error names the byte and the field.
    pub fn decode(schema: &'s Schema, ty: &'s MessageType, bytes: Vec<u8>) -> Result<Self> {
        let message = Self::decode_partial(schema, ty, bytes)?;
        message.check_required()?;
        Ok(message)
    }

    /// A message of bytes that are in canonical form.
    pub(crate) fn from_canonical(schema: &'s Schema, ty: &'s MessageType, bytes: Vec<u8>) -> Self {
        Self { schema, ty, bytes }
    }

    /// Whether it has all its required fields.
    pub(crate) fn check_required(&self) -> Result<()> {
        required::check(self.schema, self.ty, &self.bytes)
    }

    /// As [`decode`](Self::decode), with required fields missing or not.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_partial(
        schema: &'s Schema,
        ty: &'s MessageType,
        mut bytes: Vec<u8>,
    ) -> Result<Self> {
        let findings = check::check(schema, ty, &bytes, 0)?;
        // TensorFlow writes maps in hash order; that alone is mended in place.
        if !map::sort_all(&findings, &mut bytes) {
            let mut out = Writer::default();
            canonical::rewrite(schema, ty, &[&bytes], &mut out)?;
            bytes = out.finish();
        }
        Ok(Self { schema, ty, bytes })
    }

    /// Its type.
    pub fn ty(&self) -> &'s MessageType {
        self.ty
    }

    /// The schema that its type is of.
    pub fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// Its bytes, in canonical form: the binary format.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes, in canonical form.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The message as prost-reflect has it, for code that works with that; large ones take much memory.
    ///
    /// ```
    /// use ckdiff::message::Message;
    /// use ckdiff::schema::{Schema, descriptor_set};
    /// use prost_reflect::{DescriptorPool, Value};
    ///
    /// let schema = Schema::tensorflow();
    /// let ty = schema.message("tensorflow.VersionDef").unwrap();
    /// let versions = Message::decode(schema, ty, vec![0x08, 27])?;
    /// let pool = DescriptorPool::decode(descriptor_set()).expect("ours is readable");
    /// let mut dynamic = versions.to_dynamic(&pool)?;
    /// dynamic.set_field_by_name("producer", Value::I32(1_087));
    /// assert_eq!(Message::from_dynamic(schema, &dynamic)?.bytes(), [0x08, 0xbf, 0x08]);
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// When the pool has no such type, or reads its bytes otherwise.
    pub fn to_dynamic(&self, pool: &DescriptorPool) -> Result<DynamicMessage> {
        let name = &self.ty.full_name;
        let descriptor = pool.get_message_by_name(name).ok_or_else(|| {
            Error::from(ErrorKind::NotFound(format!("the pool has no message {name}")))
        })?;
        DynamicMessage::decode(descriptor, self.bytes())
            .map_err(|error| Error::unexpected("message", error, "prost-reflect must read it"))
    }

    /// The message that prost-reflect has, its type taken from `schema` by name.
    ///
    /// # Errors
    /// When `schema` has no such type, or reads the bytes otherwise.
    pub fn from_dynamic(schema: &'s Schema, message: &DynamicMessage) -> Result<Self> {
        let descriptor = message.descriptor();
        let name = descriptor.full_name();
        let ty = schema.message(name).ok_or_else(|| {
            Error::from(ErrorKind::NotFound(format!("the schema has no message {name}")))
        })?;
        Self::decode(schema, ty, message.encode_to_vec())
    }
}

/// The canonical form of `bytes`, a message of type `ty` that lies `depth` levels inside another, as what an `Any` holds.
///
/// # Errors
/// As [`Message::decode`].
pub(crate) fn canonical<'b>(
    schema: &Schema,
    ty: &MessageType,
    bytes: &'b [u8],
    depth: usize,
) -> Result<Cow<'b, [u8]>> {
    let findings = check::check(schema, ty, bytes, depth)?;
    let bytes = if findings.canonical && findings.unsorted.is_empty() {
        Cow::Borrowed(bytes)
    } else {
        let mut out = Writer::default();
        canonical::rewrite(schema, ty, &[bytes], &mut out)?;
        Cow::Owned(out.finish())
    };
    required::check(schema, ty, &bytes)?;
    Ok(bytes)
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Message({}, {} bytes)", self.ty.full_name, self.bytes.len())
    }
}

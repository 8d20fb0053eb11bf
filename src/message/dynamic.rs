//! Messages of prost-reflect.

use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage};

use super::Message;
use crate::error::{Error, Result};
use crate::schema::Schema;

impl<'s> Message<'s> {
    /// Converts the message to prost-reflect's form, which takes much more memory.
    ///
    /// ```
    /// use ckdiff::message::Message;
    /// use ckdiff::schema::{Schema, descriptor_set};
    /// use ckdiff::prost_reflect::{DescriptorPool, Value};
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
    /// If the pool does not have the type, or declares it differently.
    pub fn to_dynamic(&self, pool: &DescriptorPool) -> Result<DynamicMessage> {
        let name = &self.ty().full_name;
        let descriptor = pool
            .get_message_by_name(name)
            .ok_or_else(|| Error::not_found(format!("the pool has no message {name}")))?;
        DynamicMessage::decode(descriptor, self.bytes())
            .map_err(|error| Error::malformed("message", "readable by prost-reflect", error))
    }

    /// Converts a message from prost-reflect's form; its type is looked up in `schema` by name.
    ///
    /// # Errors
    /// If `schema` does not have the type, or declares it differently.
    pub fn from_dynamic(schema: &'s Schema, message: &DynamicMessage) -> Result<Self> {
        let descriptor = message.descriptor();
        let name = descriptor.full_name();
        let ty = schema
            .message(name)
            .ok_or_else(|| Error::not_found(format!("the schema has no message {name}")))?;
        Self::decode(schema, ty, message.encode_to_vec())
    }
}

//! Messages as the typed structs of TensorFlow's schema.

use prost::{self, Name};

use super::Message;
use crate::error::{Error, Result};
use crate::schema::Schema;

impl Message<'static> {
    /// The message of a typed struct, such as [`GraphDef`](crate::schema::tensorflow::GraphDef).
    ///
    /// ```
    /// use ckdiff::message::Message;
    /// use ckdiff::schema::tensorflow::{GraphDef, NodeDef, VersionDef};
    ///
    /// let node = NodeDef { name: "a".into(), op: "NoOp".into(), ..NodeDef::default() };
    /// let graph = GraphDef { node: vec![node], ..GraphDef::default() };
    /// let message = Message::of(&graph)?;
    /// assert_eq!(message.to_typed::<GraphDef>()?, graph);
    /// assert!(message.to_typed::<VersionDef>().is_err());
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// If it lacks a required field, or is nested too deeply.
    pub fn of<T: prost::Message + Name>(message: &T) -> Result<Self> {
        let (schema, name) = (Schema::tensorflow(), T::full_name());
        let missing = || Error::not_found(format!("the schema has no message {name}"));
        let ty = schema.message(&name).ok_or_else(missing)?;
        Self::decode(schema, ty, message.encode_to_vec())
    }
}

impl Message<'_> {
    /// The message as a typed struct, which drops unknown fields.
    ///
    /// # Errors
    /// If it is another message.
    pub fn to_typed<T: prost::Message + Name + Default>(&self) -> Result<T> {
        let expected = T::full_name();
        if *self.ty().full_name != *expected {
            return Err(Error::unexpected("message", &self.ty().full_name, expected));
        }
        T::decode(self.bytes()).map_err(|error| Error::malformed("message", expected, error))
    }
}

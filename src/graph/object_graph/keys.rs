//! The checkpoint keys in an object graph.

use std::collections::BTreeMap;

use super::{ObjectGraph, ObjectGraphKind};
use crate::error::{Error, Result};
use crate::message::{Writer, canonical_tensorflow, edit_fields, field, records};
use crate::schema::KnownType;
use crate::schema::field::trackable_object_graph::NODES;
use crate::schema::field::trackable_object_graph::trackable_object::{self, serialized_tensor};

/// The key of the object graph in a checkpoint: a scalar string with a `TrackableObjectGraph`.
pub const KEY: &str = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// What TensorFlow 2 appends to the path of every variable to make the key of its value.
pub const VALUE_SUFFIX: &str = "/.ATTRIBUTES/VARIABLE_VALUE";

/// The checkpoint keys in a `TrackableObjectGraph`, by the TensorFlow 1 names of the variables. If a name occurs twice, the last key
/// counts, as in TensorFlow.
///
/// # Errors
/// If `bytes` is not a message.
pub fn by_full_name(bytes: &[u8]) -> Result<BTreeMap<&str, &str>> {
    let graph =
        ObjectGraph::new(ObjectGraphKind::Trackable, bytes).map_err(Error::without_offset)?;
    let attributes = graph.ids().flat_map(|id| graph.attributes(id));
    Ok(attributes.map(|attribute| (attribute.full_name, attribute.checkpoint_key)).collect())
}

/// Replaces each key of a `TrackableObjectGraph` by the one that `rename` returns, and removes attributes for whose keys it returns
/// `None`. TensorFlow 2 restores by these keys.
///
/// # Errors
/// If `bytes` is not a message.
pub fn with_keys(bytes: &[u8], rename: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Result<Vec<u8>> {
    let name = KnownType::TrackableObjectGraph.full_name();
    let bytes = canonical_tensorflow(name, bytes).map_err(Error::without_offset)?;
    let mut out = Writer::default();
    edit_fields(&bytes, NODES, &mut out, |object, out| {
        for record in records(object) {
            let is_attribute = record.number == trackable_object::ATTRIBUTES;
            let key = field(record.payload(), serialized_tensor::CHECKPOINT_KEY);
            match key.filter(|_| is_attribute).map(&rename) {
                None => out.raw(record.bytes),
                Some(None) => {}
                Some(Some(new)) => out.put_message(trackable_object::ATTRIBUTES, |out| {
                    let key = serialized_tensor::CHECKPOINT_KEY;
                    edit_fields(record.payload(), key, out, |_, out| out.raw(&new));
                }),
            }
        }
    });
    Ok(out.finish())
}

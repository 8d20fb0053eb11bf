//! The keys of a checkpoint in the object graph that is stored with it.

use std::collections::BTreeMap;

use super::{Attribute, attribute, bytes_of};
use crate::error::{Error, Result};
use crate::message::{Record, Records, Writer};
use crate::schema::WireType;
use crate::schema::field::trackable_object_graph::NODES;
use crate::schema::field::trackable_object_graph::trackable_object::ATTRIBUTES;
use crate::schema::field::trackable_object_graph::trackable_object::serialized_tensor::CHECKPOINT_KEY;

/// The key that a checkpoint has its object graph under: a scalar string, a `TrackableObjectGraph`.
pub const KEY: &str = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// The keys of the values in a `TrackableObjectGraph` by what these were called in TensorFlow 1. Of several of one name the last counts,
/// as it does for TensorFlow.
///
/// # Errors
/// When `bytes` are no message.
pub fn by_full_name(bytes: &[u8]) -> Result<BTreeMap<&str, &str>> {
    let mut keys = BTreeMap::new();
    for node in Records::new(bytes, 0) {
        let node = node.map_err(Error::without_offset)?;
        if node.number != NODES {
            continue;
        }
        for record in Records::new(bytes_of(&node), 0) {
            let record = record.map_err(Error::without_offset)?;
            if record.number == ATTRIBUTES {
                let Attribute { full_name, checkpoint_key, .. } = attribute(bytes_of(&record));
                keys.insert(full_name, checkpoint_key);
            }
        }
    }
    Ok(keys)
}

/// The `TrackableObjectGraph` with the keys that `rename` gives for those it has, and without the attributes whose keys it
/// gives none for. TensorFlow 2 restores by these keys.
///
/// # Errors
/// When `bytes` are no message.
pub fn with_keys(bytes: &[u8], rename: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Result<Vec<u8>> {
    let mut out = Writer::default();
    rewrite(bytes, NODES, &mut out, &mut |node, out| {
        open(NODES, out);
        rewrite(bytes_of(node), ATTRIBUTES, out, &mut |attribute, out| {
            let start = out.position();
            let mut kept = true;
            open(ATTRIBUTES, out);
            rewrite(bytes_of(attribute), CHECKPOINT_KEY, out, &mut |key, out| {
                match rename(bytes_of(key)) {
                    Some(key) => {
                        out.tag(CHECKPOINT_KEY, WireType::Len);
                        out.len_prefixed(&key);
                    }
                    None => kept = false,
                }
                Ok(())
            })?;
            out.close();
            if !kept {
                out.truncate(start);
            }
            Ok(())
        })?;
        out.close();
        Ok(())
    })?;
    Ok(out.finish())
}

fn open(number: u32, out: &mut Writer) {
    out.tag(number, WireType::Len);
    out.open();
}

/// Copies a message, but for the fields `number`, which `each` writes.
fn rewrite(
    bytes: &[u8],
    number: u32,
    out: &mut Writer,
    each: &mut dyn FnMut(&Record<'_>, &mut Writer) -> Result<()>,
) -> Result<()> {
    for record in Records::new(bytes, 0) {
        let record = record.map_err(Error::without_offset)?;
        if record.number == number {
            each(&record, out)?;
        } else {
            out.raw(record.bytes);
        }
    }
    Ok(())
}

//! Object graphs that are embedded in strings, as checkpoints store them.

use std::borrow::Cow;

use crate::message::{Records, Value, canonical};
use crate::schema::field::trackable_object_graph;
use crate::schema::{KnownType, Schema};

/// The type of the object graphs of checkpoints.
pub(super) const TRACKABLE_OBJECT_GRAPH: &str = KnownType::TrackableObjectGraph.full_name();

/// The object graph in a string, in canonical form. It must have objects and nothing else: other strings may parse by chance.
pub(crate) fn object_graph<'b>(schema: &Schema, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>> {
    let bytes = canonical(schema, schema.message(TRACKABLE_OBJECT_GRAPH)?, bytes, 0).ok()?;
    let is_object_graph = !bytes.is_empty()
        && Records::new(&bytes, 0).all(|record| {
            record.is_ok_and(|record| {
                record.number == trackable_object_graph::NODES
                    && matches!(record.value, Value::Len(_))
            })
        });
    is_object_graph.then_some(bytes)
}

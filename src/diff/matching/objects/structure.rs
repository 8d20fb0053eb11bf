//! Hashes of objects and of everything reachable through them, without names.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::graph::object_graph::{Label, ObjectGraph, ObjectGraphKind, ObjectId, Route};
use crate::message::{Value, records};
use crate::schema::field::saved_object::{
    ASSET, BARE_CONCRETE_FUNCTION, CAPTURED_TENSOR, CONSTANT, FUNCTION, RESOURCE, USER_OBJECT,
    VARIABLE,
};
use crate::schema::field::trackable_object_graph::trackable_object::{self, serialized_tensor};
use crate::schema::field::{
    registered_saver, saved_bare_concrete_function, saved_function, saved_user_object,
    saved_variable,
};

/// The hashes of all objects; `follow` yields the name of a function on the other side. Each object counts
/// only where it is reached first, so the time is linear even for cycles.
pub(super) fn hashes(graph: &ObjectGraph<'_>, follow: impl Fn(&str) -> Option<String>) -> Vec<u64> {
    let mut hashes = vec![0; graph.len()];
    for &id in graph.order().iter().rev() {
        let mut state = DefaultHasher::new();
        content(graph, id, &follow, &mut state);
        for (name, child) in graph.children(id) {
            name.hash(&mut state);
            if graph.route(child) == Route::From(id, Label::Child(name)) {
                hashes.get(child.position()).hash(&mut state);
            }
        }
        if let Some(slot) = hashes.get_mut(id.position()) {
            *slot = state.finish();
        }
    }
    hashes
}

fn content(
    graph: &ObjectGraph<'_>,
    id: ObjectId,
    follow: &impl Fn(&str) -> Option<String>,
    state: &mut DefaultHasher,
) {
    for record in records(graph.object_bytes(id)) {
        // The fields that identify the object without naming it.
        let inside: &[u32] = match (graph.kind(), record.number) {
            (ObjectGraphKind::Trackable, trackable_object::ATTRIBUTES) => {
                &[serialized_tensor::NAME]
            }
            (ObjectGraphKind::Trackable, trackable_object::REGISTERED_SAVER) => {
                &[registered_saver::NAME]
            }
            (ObjectGraphKind::Saved, USER_OBJECT) => &[saved_user_object::IDENTIFIER],
            (ObjectGraphKind::Saved, VARIABLE) => &[saved_variable::DTYPE, saved_variable::SHAPE],
            (ObjectGraphKind::Saved, FUNCTION) => &[saved_function::CONCRETE_FUNCTIONS],
            (ObjectGraphKind::Saved, BARE_CONCRETE_FUNCTION) => {
                &[saved_bare_concrete_function::CONCRETE_FUNCTION_NAME]
            }
            (ObjectGraphKind::Saved, ASSET | CONSTANT | RESOURCE | CAPTURED_TENSOR) => &[],
            _ => continue,
        };
        let is_function = graph.kind() == ObjectGraphKind::Saved
            && matches!(record.number, FUNCTION | BARE_CONCRETE_FUNCTION);
        record.number.hash(state);
        for field in records(record.payload()) {
            if !inside.contains(&field.number) {
                continue;
            }
            match field.value {
                Value::Len(_) if is_function => {
                    let name = field.text();
                    follow(name).as_deref().unwrap_or(name).hash(state);
                }
                _ => field.bytes.hash(state),
            }
        }
    }
}

/// The hash of an object without its children: its kind, and what identifies it without naming it.
pub(super) fn kind_and_class(graph: &ObjectGraph<'_>, id: ObjectId) -> u64 {
    let mut state = DefaultHasher::new();
    content(graph, id, &|_| Some(String::new()), &mut state);
    state.finish()
}

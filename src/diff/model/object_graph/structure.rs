//! What an object and all that is reached through it are, whatever it is called: a hash of each.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::graph::object_graph::{Form, Label, ObjectGraph, ObjectId, Way};
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

/// The hashes of all objects; `follow` is what a function of this name is called on the other side. Each object counts where
/// it is reached first, so that this is linear, and ends where objects refer to each other in a ring.
pub(super) fn hashes(graph: &ObjectGraph<'_>, follow: impl Fn(&str) -> Option<String>) -> Vec<u64> {
    let mut hashes = vec![0; graph.len()];
    for &id in graph.order().iter().rev() {
        let mut state = DefaultHasher::new();
        content(graph, id, &follow, &mut state);
        for (name, child) in graph.children(id) {
            name.hash(&mut state);
            if graph.way(child) == Way::From(id, Label::Child(name)) {
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
        // Which fields say what it is, and are no names that follow from where it is.
        let inside: &[u32] = match (graph.form(), record.number) {
            (Form::Trackable, trackable_object::ATTRIBUTES) => &[serialized_tensor::NAME],
            (Form::Trackable, trackable_object::REGISTERED_SAVER) => &[registered_saver::NAME],
            (Form::Saved, USER_OBJECT) => &[saved_user_object::IDENTIFIER],
            (Form::Saved, VARIABLE) => &[saved_variable::DTYPE, saved_variable::SHAPE],
            (Form::Saved, FUNCTION) => &[saved_function::CONCRETE_FUNCTIONS],
            (Form::Saved, BARE_CONCRETE_FUNCTION) => {
                &[saved_bare_concrete_function::CONCRETE_FUNCTION_NAME]
            }
            (Form::Saved, ASSET | CONSTANT | RESOURCE | CAPTURED_TENSOR) => &[],
            _ => continue,
        };
        let is_function = graph.form() == Form::Saved
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

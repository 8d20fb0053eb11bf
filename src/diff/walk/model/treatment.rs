//! The treatment of fields in a comparison, by their meaning.

use crate::diff::meaning::{FieldComparison, ListAs, meaning};
use crate::diff::path::PathBuilder;
use crate::diff::walk::message::Treatment;
use crate::meta_graph::item_type;
use crate::schema::field::{
    collection_def::bytes_list, node_def, saved_concrete_function, saved_object,
    trackable_object_graph::trackable_object,
};
use crate::schema::{Field, MessageType};

/// The treatment of a field; `collection` is the collection that contains the field.
pub(in crate::diff) fn treatment(
    ty: &MessageType,
    field: &Field,
    collection: Option<&str>,
) -> Treatment<'static> {
    let meaning = meaning(ty, field);
    let is_item = *ty.full_name == *bytes_list::MESSAGE_NAME;
    let item = collection.filter(|_| is_item).and_then(item_type);
    let keys = item.and_then(|item| item.name).map(|name| ListAs::Keyed(name.field));
    Treatment {
        weight: meaning.weight,
        list: keys.unwrap_or(meaning.list),
        embedded: item.map(|item| item.message),
        json: meaning.json,
        skip: meaning.is_compared_elsewhere,
        empty_is_none: meaning.empty_is_none,
    }
}

/// Whether an object is compared outside an object graph, in a file of its own or in an `Any`. In an object
/// graph its path ends in a key.
pub(super) fn is_standalone_object(ty: &MessageType, at: &PathBuilder<'_>) -> bool {
    const OBJECTS: [&str; 3] = [
        saved_object::MESSAGE_NAME,
        saved_concrete_function::MESSAGE_NAME,
        trackable_object::MESSAGE_NAME,
    ];
    OBJECTS.contains(&&*ty.full_name) && !at.is_key()
}

/// How list options find a field compared; `is_root` if the message is compared itself, not as a part of
/// another.
pub(super) fn comparison(ty: &MessageType, field: &Field, is_root: bool) -> FieldComparison {
    let is_own_node = is_root && *ty.full_name == *node_def::MESSAGE_NAME;
    if is_own_node || is_root && is_standalone_object(ty, &PathBuilder::root()) {
        return FieldComparison::Plain;
    }
    meaning(ty, field).comparison
}

//! Follows a path through the messages of the schema, to know the meaning of its fields.

use super::fields::{NO_MEANING, VIRTUAL_FIELDS, meaning, member};
use super::row::{Items, Meaning};
use crate::message::type_name;
use crate::meta_graph::item_type;
use crate::schema::field::collection_def::bytes_list;
use crate::schema::field::map_entry;
use crate::schema::{Cardinality, Field, KnownType, MessageType, Schema};

/// The types of the messages that paths start in, and of those that are embedded in others.
const ROOTS: [KnownType; 8] = [
    KnownType::SavedModel,
    KnownType::MetaGraphDef,
    KnownType::GraphDef,
    KnownType::FunctionDefLibrary,
    KnownType::SavedObjectGraph,
    KnownType::TrackableObjectGraph,
    KnownType::NodeDef,
    KnownType::FunctionDef,
];

/// A position in a path.
#[derive(Debug, Default)]
pub(in crate::diff) struct FieldCursor<'a> {
    /// The types of the message at this position: several if the fields before it do not tell them apart, none if they are unknown.
    types: Vec<&'static MessageType>,
    /// The collection of a meta graph that the position is in.
    collection: Option<&'a str>,
    /// The items of the list or map that the position is in.
    items: Option<Items>,
    is_in_json: bool,
}

impl<'a> FieldCursor<'a> {
    /// Enters a field. If the message at this position has none of this name, the field is of a message that is embedded in it.
    pub(in crate::diff) fn enter(&mut self, name: &str) -> Meaning {
        if self.is_in_json {
            return member(name);
        }
        if let Some(url) = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            self.types = type_name(url).and_then(message).into_iter().collect();
            return NO_MEANING;
        }
        self.items = None;
        let mut found = fields(&self.types, name);
        if found.is_empty() {
            if let Some(field) = VIRTUAL_FIELDS.iter().find(|field| field.name == name) {
                let ty = field.message.and_then(|known| message(known.full_name()));
                self.types = ty.into_iter().collect();
                return field.meaning;
            }
            let roots = ROOTS.iter().filter_map(|known| message(known.full_name()));
            found = fields(&roots.collect::<Vec<_>>(), name);
        }
        self.types = found.iter().filter_map(|(ty, field)| self.inside(ty, field)).collect();
        let mut rows = found.iter().map(|(ty, field)| *meaning(ty, field));
        let mut row = rows.find(Meaning::is_stated).unwrap_or(NO_MEANING);
        (self.items, self.is_in_json) = (Some(row.items), row.json.is_some());
        if self.collection.is_some() {
            // A collection repeats other parts, with everything in it.
            row.part = None;
        }
        row
    }

    /// Goes on to an item with this key.
    pub(in crate::diff) fn key(&mut self, key: &'a str) {
        if self.items.take() == Some(Items::Collections) {
            self.collection = Some(key);
        }
    }

    /// The type of the messages in a field.
    fn inside(&self, ty: &MessageType, field: &Field) -> Option<&'static MessageType> {
        if *ty.full_name == *bytes_list::MESSAGE_NAME {
            return message(self.collection.and_then(item_type)?.message);
        }
        let schema = Schema::tensorflow();
        let ty = &schema[field.kind.message()?];
        match field.cardinality {
            Cardinality::Map => Some(&schema[ty.field(map_entry::VALUE)?.kind.message()?]),
            _ => Some(ty),
        }
    }
}

fn message(full_name: &str) -> Option<&'static MessageType> {
    Schema::tensorflow().message(full_name)
}

/// The fields with a name, each with the message that has it.
fn fields(
    types: &[&'static MessageType],
    name: &str,
) -> Vec<(&'static MessageType, &'static Field)> {
    types.iter().filter_map(|ty| Some((*ty, ty.field_by_name(name.as_bytes())?))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::part::Part;
    use super::*;

    /// The meaning of the last field of a path; keys are in quotes.
    fn last(path: &'static str) -> Meaning {
        let (mut cursor, mut found) = (FieldCursor::default(), NO_MEANING);
        for step in path.split(' ') {
            match step.strip_prefix('"') {
                Some(key) => cursor.key(key.trim_end_matches('"')),
                None => found = cursor.enter(step),
            }
        }
        found
    }

    #[test]
    fn the_message_of_a_field_follows_from_its_path() {
        let meta_graph = |path| last(path).part;
        assert_eq!(meta_graph("meta_graphs \"serve\" signature_def"), Some(Part::Signatures));
        assert_eq!(meta_graph("saver_def save_tensor_name"), Some(Part::SaverNodes));
        assert_eq!(meta_graph("graph_def library function \"f\" signature"), Some(Part::Records));
        assert_eq!(meta_graph("graph_def node \"a\" attr \"T\" type"), None);
        assert_eq!(meta_graph("object_graph_def nodes \"a\" variable name"), Some(Part::Records));
        assert_eq!(meta_graph("object_graph nodes \"a\" children"), Some(Part::Records));
        assert_eq!(
            meta_graph("keras_metadata nodes \"a\" metadata config name"),
            Some(Part::Records)
        );
        assert_eq!(last("node \"a\" attr \"value\" tensor nodes").items, Items::Objects);
    }

    #[test]
    fn a_collection_repeats_other_parts() {
        assert_eq!(last("collection_def").part, Some(Part::Records));
        let saver = "collection_def \"savers\" bytes_list value save_tensor_name";
        assert_eq!(last(saver).part, None);
        let slice = "collection_def \"variables\" bytes_list value save_slice_info_def full_shape";
        assert!(last(slice).is_shape);
    }
}

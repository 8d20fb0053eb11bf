//! Where a change is: the node, function or object, and the field.

use crate::diff::meaning::{FieldCursor, Items, Meaning, Part, is_shape_attribute};
use crate::diff::{Path, Step};

/// The parts of a path that tell what kind of field it leads to.
#[derive(Debug, Default)]
pub(super) struct Place<'a> {
    /// The function that has the field; by its name in rhs, if it was renamed.
    pub(super) function: Option<&'a str>,
    /// The names of the function on both sides, sorted.
    pub(super) functions: Option<[&'a str; 2]>,
    /// The node that has the field, or the group of nodes; by its name in rhs, if it was renamed.
    pub(super) node: Option<&'a str>,
    /// The name of the node in lhs.
    pub(super) node_in_lhs: Option<&'a str>,
    /// The object that has the field, by its path in the object graph.
    pub(super) object: Option<&'a str>,
    /// The part of a model that the innermost field with a part is in.
    pub(super) part: Option<Part>,
    /// The items of the innermost field.
    pub(super) items: Items,
    /// Whether the field has shapes, or is in one that has.
    pub(super) is_shape: bool,
    /// Whether the path leads into the list of objects of an object graph.
    pub(super) is_in_objects: bool,
    /// The items of the list or map that the next key is in.
    list: Items,
    /// Whether the field is in a SavedModel.
    is_in_saved_model: bool,
    /// The fields and attributes on the path, without the messages that contain every graph.
    pub(super) fields: Vec<&'a str>,
}

impl<'a> Place<'a> {
    pub(super) fn of(path: &'a Path) -> Self {
        let (mut place, mut cursor) = (Self::default(), FieldCursor::default());
        for (step, in_lhs) in path.steps().into_iter().zip(path.lhs_steps()) {
            match step {
                Step::Field(name) => place.enter(name, &cursor.enter(name)),
                Step::Key(key) => {
                    let old = if let Step::Key(old) = in_lhs { old } else { key };
                    cursor.key(key);
                    match std::mem::take(&mut place.list) {
                        Items::Nodes => {
                            place.node = Some(key);
                            place.node_in_lhs = Some(old);
                        }
                        Items::Functions => {
                            place.function = Some(key);
                            place.functions = Some([key.min(old), key.max(old)]);
                        }
                        Items::Objects => place.object = Some(key),
                        Items::Attributes => {
                            place.fields.push(key);
                            place.is_shape |= is_shape_attribute(key);
                        }
                        Items::Others | Items::MetaGraphs | Items::Collections => {}
                    }
                }
                Step::Index(_) => place.list = Items::Others,
            }
        }
        place
    }

    fn enter(&mut self, name: &'a str, meaning: &Meaning) {
        self.part = meaning.part.or(self.part);
        self.is_shape |= meaning.is_shape;
        (self.items, self.list) = (meaning.items, meaning.items);
        self.is_in_objects |= meaning.items == Items::Objects;
        self.is_in_saved_model |= meaning.items == Items::MetaGraphs;
        if !meaning.holds_graphs {
            self.fields.push(name);
        }
    }

    /// Whether the field is one that only TensorFlow 2 writes: of objects and of the functions that it traces.
    pub(super) fn is_of_tensorflow_2(&self) -> bool {
        let is_traced =
            |name: &str| name.starts_with("__inference_") || name.starts_with("__forward_");
        self.has("object_graph_def") || self.function.is_some_and(is_traced)
    }

    /// Whether the field is of a node in the graph of a SavedModel, outside of all functions.
    pub(super) fn is_exported(&self) -> bool {
        self.is_in_saved_model && self.function.is_none() && self.node.is_some()
    }

    /// Whether the field is in the metadata of Keras.
    pub(super) fn is_of_keras(&self) -> bool {
        self.first() == "keras_metadata"
    }

    /// Whether the path leads through a field of this name.
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.contains(&field)
    }

    /// The outermost field.
    pub(super) fn first(&self) -> &'a str {
        self.fields.first().copied().unwrap_or_default()
    }

    /// The innermost field, or the attribute.
    pub(super) fn last(&self) -> &'a str {
        self.fields.last().copied().unwrap_or_default()
    }
}

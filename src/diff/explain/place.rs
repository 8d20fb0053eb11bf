//! Where a change is: the node, function or object, and the field.

use crate::diff::{Path, Step};

/// The parts of a path that tell what kind of field it leads to.
#[derive(Debug, Default)]
pub(super) struct Place<'a> {
    /// The function that has the field.
    pub(super) function: Option<&'a str>,
    /// The node that has the field, or the group of nodes.
    pub(super) node: Option<&'a str>,
    /// The object that has the field, by its path in the object graph.
    pub(super) object: Option<&'a str>,
    /// Whether the field is in a SavedModel.
    is_in_saved_model: bool,
    /// The fields and attributes on the path, without the messages that contain every graph.
    pub(super) fields: Vec<&'a str>,
}

impl<'a> Place<'a> {
    pub(super) fn of(path: &'a Path) -> Self {
        let mut place = Self::default();
        let mut list = "";
        for step in path.steps() {
            match step {
                Step::Field(name) => {
                    list = name;
                    match list {
                        "meta_graphs" => place.is_in_saved_model = true,
                        "graph_def" | "library" => {}
                        _ => place.fields.push(list),
                    }
                }
                Step::Key(key) => {
                    match list {
                        "node" | "node_def" | "ret" | "control_ret" => place.node = Some(key),
                        "function" | "concrete_functions" => place.function = Some(key),
                        "nodes" => place.object = Some(key),
                        "attr" => place.fields.push(key),
                        _ => {}
                    }
                    list = "";
                }
                Step::Index(_) => list = "",
            }
        }
        place
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

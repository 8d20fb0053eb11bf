//! Object graphs: the Python objects of a TensorFlow 2 model, and the references between them.
//!
//! ```text
//! TrackableObjectGraph: nodes { children*, attributes*, slot_variables* }             in a checkpoint
//! SavedObjectGraph:     nodes { children*, …, dependencies* }, concrete_functions     in a SavedModel
//! ```
//! The id of an object is its position in the list, which changes when an attribute is added to the model. An object is identified
//! by its key path: the names on the shortest route from the root, preferring children to other references.

mod keys;
mod read;
mod reference;
mod walk;

use crate::message::{fields, nested, string};
use crate::schema::field::trackable_object_graph::trackable_object::{self, serialized_tensor};
use crate::schema::field::{saved_object, saved_variable};

pub use keys::{KEY, VALUE_SUFFIX, by_full_name, with_keys};
pub use read::bound_inputs;
pub use reference::{Edge, Label, ObjectId, Route};
pub use walk::{escaped, path};

/// The message of an object graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectGraphKind {
    /// A `TrackableObjectGraph`.
    Trackable,
    /// A `SavedObjectGraph`.
    Saved,
}

/// A value of an object in a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attribute<'m> {
    /// The name of the value in its object: `VARIABLE_VALUE`.
    pub name: &'m str,
    /// The name in TensorFlow 1; empty if there is none.
    pub full_name: &'m str,
    /// The key in the checkpoint.
    pub checkpoint_key: &'m str,
}

/// An object graph. Borrows the bytes of its message.
#[derive(Debug, Clone)]
pub struct ObjectGraph<'m> {
    kind: ObjectGraphKind,
    objects: Vec<&'m [u8]>,
    /// Sorted by the referring object, then by label.
    edges: Vec<(ObjectId, Edge<'m>)>,
    /// The start of each object's edges.
    starts: Vec<usize>,
    functions: Vec<(&'m str, &'m [u8])>,
    routes: Vec<Route<'m>>,
    order: Vec<ObjectId>,
    findings: Vec<String>,
}

impl<'m> ObjectGraph<'m> {
    /// The message.
    pub fn kind(&self) -> ObjectGraphKind {
        self.kind
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The root.
    pub fn root(&self) -> Option<ObjectId> {
        (!self.is_empty()).then_some(ObjectId(0))
    }

    /// The message of an object.
    pub fn object_bytes(&self, id: ObjectId) -> &'m [u8] {
        self.objects.get(id.position()).copied().unwrap_or_default()
    }

    /// The references of an object, by label; those of the root include the objects that functions captured.
    pub fn edges(&self, id: ObjectId) -> &[(ObjectId, Edge<'m>)] {
        let from = self.starts.get(id.position()).copied().unwrap_or_default();
        let to = self.starts.get(id.position() + 1).copied().unwrap_or_default();
        self.edges.get(from..to).unwrap_or_default()
    }

    /// The children of an object, by name.
    pub fn children(&self, id: ObjectId) -> impl Iterator<Item = (&'m str, ObjectId)> {
        self.edges(id).iter().map_while(|(_, edge)| match edge.label {
            Label::Child(name) => Some((name, edge.to)),
            _ => None,
        })
    }

    /// The functions, by name, each with its `SavedConcreteFunction`.
    pub fn functions(&self) -> &[(&'m str, &'m [u8])] {
        &self.functions
    }

    /// The first reference that leads to an object.
    pub fn route(&self, id: ObjectId) -> Route<'m> {
        self.routes.get(id.position()).copied().unwrap_or(Route::Unreachable)
    }

    /// All objects, each after the one that leads to it.
    pub fn order(&self) -> &[ObjectId] {
        &self.order
    }

    /// The findings in the graph.
    pub fn findings(&self) -> &[String] {
        &self.findings
    }

    /// The name that a variable got when it was created; empty for other objects.
    pub fn variable_name(&self, id: ObjectId) -> &'m str {
        match self.kind {
            ObjectGraphKind::Trackable => {
                self.attributes(id).next().map_or("", |value| value.full_name)
            }
            ObjectGraphKind::Saved => {
                string(nested(self.object_bytes(id), saved_object::VARIABLE), saved_variable::NAME)
            }
        }
    }

    /// The values of an object that are in a checkpoint.
    pub fn attributes(&self, id: ObjectId) -> impl Iterator<Item = Attribute<'m>> {
        // A `SavedObject` has something else in this field.
        let is_trackable = self.kind == ObjectGraphKind::Trackable;
        let object = if is_trackable { self.object_bytes(id) } else { &[] };
        fields(object, trackable_object::ATTRIBUTES).map(|tensor| Attribute {
            name: string(tensor, serialized_tensor::NAME),
            full_name: string(tensor, serialized_tensor::FULL_NAME),
            checkpoint_key: string(tensor, serialized_tensor::CHECKPOINT_KEY),
        })
    }

    /// The numbers of all objects.
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).map(ObjectId)
    }
}

//! An object graph: the Python objects of a TensorFlow 2 model, and how they refer to each other.
//!
//! ```text
//! TrackableObjectGraph: nodes { children*, attributes*, slot_variables* }             in a checkpoint
//! SavedObjectGraph:     nodes { children*, …, dependencies* }, concrete_functions     in a SavedModel
//! ```
//! The id of an object is its place in the list, and shifts when an attribute is added. What it goes by is its key path: the
//! names on the shortest way from the root. Children are followed before all else.

mod keys;
mod read;
mod walk;

use crate::message::{fields, nested, string};
use crate::schema::field::trackable_object_graph::trackable_object::{self, serialized_tensor};
use crate::schema::field::{saved_object, saved_variable};

pub use keys::{KEY, by_full_name, with_keys};
pub use read::bound_inputs;
pub use walk::{escaped, path};

/// The number of an object in its [`ObjectGraph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(u32);

impl ObjectId {
    /// The number itself.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Its position in the list of objects.
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

/// Which message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A `TrackableObjectGraph`.
    Trackable,
    /// A `SavedObjectGraph`.
    Saved,
}

/// How one object refers to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label<'m> {
    /// By an attribute of this name.
    Child(&'m str),
    /// As an optimizer to the state of this name that it keeps for a variable.
    Slot(ObjectId, &'m str),
    /// As to what has to be made before it.
    Dependency(&'m str),
    /// To the function that saves the value of this name.
    Save(&'m str),
    /// To the function that restores it.
    Restore(&'m str),
    /// From the root, to what a function captured: the function, and which of its captured inputs.
    Bound(&'m str, u32),
}

/// A reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge<'m> {
    /// How.
    pub label: Label<'m>,
    /// To which object.
    pub to: ObjectId,
}

/// How an object is reached first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way<'m> {
    /// It is the root.
    Root,
    /// Not at all, so that nothing but its number names it.
    Lost,
    /// From another object.
    From(ObjectId, Label<'m>),
}

/// A value of an object in a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attribute<'m> {
    /// What the object calls it: `VARIABLE_VALUE`.
    pub name: &'m str,
    /// What it was called in TensorFlow 1; nothing where it has no such name.
    pub full_name: &'m str,
    /// Its key in the checkpoint.
    pub checkpoint_key: &'m str,
}

/// An object graph; it borrows the bytes of its message.
#[derive(Debug, Clone)]
pub struct ObjectGraph<'m> {
    form: Form,
    objects: Vec<&'m [u8]>,
    /// By the object that they are of, then by label.
    edges: Vec<(ObjectId, Edge<'m>)>,
    /// Where the edges of each object begin.
    starts: Vec<usize>,
    functions: Vec<(&'m str, &'m [u8])>,
    ways: Vec<Way<'m>>,
    order: Vec<ObjectId>,
    findings: Vec<String>,
}

impl<'m> ObjectGraph<'m> {
    /// Which message it is.
    pub fn form(&self) -> Form {
        self.form
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The root.
    pub fn root(&self) -> Option<ObjectId> {
        (!self.is_empty()).then_some(ObjectId(0))
    }

    /// The object's message.
    pub fn object_bytes(&self, id: ObjectId) -> &'m [u8] {
        self.objects.get(id.position()).copied().unwrap_or_default()
    }

    /// What an object refers to, by label; of the root, what functions captured too.
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

    /// How an object is reached first.
    pub fn way(&self, id: ObjectId) -> Way<'m> {
        self.ways.get(id.position()).copied().unwrap_or(Way::Lost)
    }

    /// All objects, each behind the one that leads to it.
    pub fn order(&self) -> &[ObjectId] {
        &self.order
    }

    /// What is wrong with it.
    pub fn findings(&self) -> &[String] {
        &self.findings
    }

    /// The key path of an object, as keys of checkpoints have it; the root's is empty.
    pub fn path(&self, id: ObjectId) -> String {
        path(id, |id| self.way(id))
    }

    /// What a variable was called when it was made; nothing for other objects.
    pub fn variable_name(&self, id: ObjectId) -> &'m str {
        match self.form {
            Form::Trackable => self.attributes(id).next().map_or("", |value| value.full_name),
            Form::Saved => {
                string(nested(self.object_bytes(id), saved_object::VARIABLE), saved_variable::NAME)
            }
        }
    }

    /// The values of an object that are in a checkpoint.
    pub fn attributes(&self, id: ObjectId) -> impl Iterator<Item = Attribute<'m>> {
        // A `SavedObject` has something else in this field.
        let is_trackable = self.form == Form::Trackable;
        let object = if is_trackable { self.object_bytes(id) } else { &[] };
        fields(object, trackable_object::ATTRIBUTES).map(|tensor| Attribute {
            name: string(tensor, serialized_tensor::NAME),
            full_name: string(tensor, serialized_tensor::FULL_NAME),
            checkpoint_key: string(tensor, serialized_tensor::CHECKPOINT_KEY),
        })
    }

    /// Every object's number.
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).map(ObjectId)
    }
}

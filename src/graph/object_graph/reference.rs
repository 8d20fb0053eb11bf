//! Objects by number, and the references between them.

/// The number of an object in its [`ObjectGraph`](super::ObjectGraph).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub(super) u32);

impl ObjectId {
    /// The number itself.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The position in the list of objects.
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

/// The label of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label<'m> {
    /// An attribute of this name.
    Child(&'m str),
    /// A slot of an optimizer: the variable, and the name of the slot.
    Slot(ObjectId, &'m str),
    /// An object that must be created first.
    Dependency(&'m str),
    /// The function that saves the value of this name.
    Save(&'m str),
    /// The function that restores the value of this name.
    Restore(&'m str),
    /// An object that a function captured, as a reference of the root: the function, and the number of the captured input.
    Bound(&'m str, u32),
}

/// A reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge<'m> {
    /// The label.
    pub label: Label<'m>,
    /// The object that is referred to.
    pub to: ObjectId,
}

/// The first reference that leads to an object from the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route<'m> {
    /// The object is the root.
    Root,
    /// The object cannot be reached, so that only its number identifies it.
    Unreachable,
    /// The object and label of the reference.
    From(ObjectId, Label<'m>),
}

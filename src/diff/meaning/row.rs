//! What is known of a field, beyond its type.

use std::borrow::Cow;

use super::part::Part;
use crate::diff::Weight;

/// The meaning of a field.
#[derive(Clone, Copy)]
pub(in crate::diff) struct Meaning {
    pub(super) message: &'static str,
    /// The number of the field, or [`EVERY_FIELD`].
    pub(super) number: u32,
    pub(in crate::diff) weight: Weight,
    pub(in crate::diff) list: ListAs<'static>,
    pub(in crate::diff) comparison: FieldComparison,
    /// Whether the field is compared with the graph, function or object that it belongs to.
    pub(in crate::diff) is_compared_elsewhere: bool,
    /// Whether the field is the name of a device, which has several notations.
    pub(in crate::diff) is_device: bool,
    /// Whether the field is a name that has numbers to be unique in its process.
    pub(in crate::diff) is_numbered: bool,
    /// Whether the field has names that users of a model see. Renames of nodes do not apply to them.
    pub(in crate::diff) is_for_users: bool,
    /// Whether an empty message means the same as none.
    pub(in crate::diff) empty_is_none: bool,
    /// Of a string that contains JSON: the names of the members that do not matter.
    pub(in crate::diff) json: Option<&'static [&'static str]>,
    /// The name of an item of the list in paths, if it is not one of its keys.
    pub(super) item_name: Option<ItemName>,
    /// The part of a model that changes in the field are in, if the field alone tells.
    pub(in crate::diff) part: Option<Part>,
    /// Whether the field is a message that contains every graph.
    pub(in crate::diff) holds_graphs: bool,
    /// The items of the list or map.
    pub(in crate::diff) items: Items,
    /// Whether the field has shapes.
    pub(in crate::diff) is_shape: bool,
    /// Whether the name of an operation has a number from a counter.
    pub(in crate::diff) is_counted: bool,
}

/// The items of a list or map, which have keys in paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::diff) enum Items {
    /// Others, or none.
    #[default]
    Others,
    /// Meta graphs, by their tags.
    MetaGraphs,
    /// Nodes, or results of functions.
    Nodes,
    /// Functions.
    Functions,
    /// Objects, by their key paths.
    Objects,
    /// Attributes of nodes, functions and arguments.
    Attributes,
    /// Collections of a meta graph.
    Collections,
}

pub(super) type ItemName = for<'m> fn(&'m [u8]) -> Cow<'m, str>;

/// Stands for all fields of a message.
pub(super) const EVERY_FIELD: u32 = 0;

/// A field without a meaning of its own.
pub(super) const fn field(message: &'static str, number: u32) -> Meaning {
    Meaning {
        message,
        number,
        weight: Weight::Semantic,
        list: ListAs::List,
        comparison: FieldComparison::Plain,
        is_compared_elsewhere: false,
        is_device: false,
        is_numbered: false,
        is_for_users: false,
        empty_is_none: false,
        json: None,
        item_name: None,
        part: None,
        holds_graphs: false,
        items: Items::Others,
        is_shape: false,
        is_counted: false,
    }
}

impl Meaning {
    /// The field has no effect on the model: a version of a writer, or a note for people.
    pub(super) const fn cosmetic(self) -> Self {
        Self { weight: Weight::Cosmetic, ..self }
    }

    /// TensorFlow writes the list from a Python set, in hash order.
    pub(super) const fn set(self) -> Self {
        Self { list: ListAs::Set, ..self }
    }

    pub(super) const fn keyed(self, keys: &'static [KeyField]) -> Self {
        Self { list: ListAs::Keyed(keys), ..self }
    }

    pub(super) const fn device(self) -> Self {
        Self { is_device: true, ..self }
    }

    pub(super) const fn numbered(self) -> Self {
        Self { is_numbered: true, ..self }
    }

    pub(super) const fn for_users(self) -> Self {
        Self { is_for_users: true, ..self }
    }

    pub(super) const fn empty_is_none(self) -> Self {
        Self { empty_is_none: true, ..self }
    }

    pub(super) const fn by_meaning(self) -> Self {
        Self { comparison: FieldComparison::ComparedByMeaning, ..self }
    }

    /// The string contains JSON, in which the members with these names do not matter.
    pub(super) const fn json(self, cosmetic: &'static [&'static str]) -> Self {
        Self { json: Some(cosmetic), ..self }
    }

    pub(super) const fn elsewhere(self) -> Self {
        Self { is_compared_elsewhere: true, ..self.by_meaning() }
    }

    /// The items are paired elsewhere by their meaning; the messages in them are compared as usual.
    pub(super) const fn paired(self) -> Self {
        Self { comparison: FieldComparison::PairedByMeaning, is_compared_elsewhere: true, ..self }
    }

    pub(super) const fn named(self, item_name: ItemName) -> Self {
        Self { item_name: Some(item_name), ..self }
    }

    /// Whether the field has a row of its own.
    pub(super) fn is_stated(&self) -> bool {
        !self.message.is_empty()
    }

    /// The part of changes in the field.
    pub(super) const fn part(self, part: Part) -> Self {
        Self { part: Some(part), ..self }
    }

    /// The field repeats what other parts say.
    pub(super) const fn record(self) -> Self {
        self.part(Part::Records)
    }

    pub(super) const fn items(self, items: Items) -> Self {
        Self { items, ..self }
    }

    pub(super) const fn holds_graphs(self) -> Self {
        Self { holds_graphs: true, ..self }
    }

    pub(super) const fn shape(self) -> Self {
        Self { is_shape: true, ..self }
    }

    pub(super) const fn counted(self) -> Self {
        Self { is_counted: true, ..self }
    }

    /// The name of an item of the list in paths; `None` if its keys are its name.
    pub(in crate::diff) fn name_of<'m>(&self, item: &'m [u8]) -> Option<Cow<'m, str>> {
        self.item_name.map(|name| name(item))
    }
}

/// How a field is compared where the schema leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::diff) enum FieldComparison {
    /// As any field of its type.
    Plain,
    /// As a list whose items are paired by their meaning; the messages in it are compared as usual.
    PairedByMeaning,
    /// By its meaning, with everything in it.
    ComparedByMeaning,
}

/// The comparison of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::diff) enum ListAs<'r> {
    /// Items are aligned in order.
    List,
    /// Items are compared as a multiset.
    Set,
    /// Messages are paired by the values of these fields, in any order.
    Keyed(&'r [KeyField]),
}

/// A field of an item, or of a message inside it: `name`, `tensor_info.name`.
pub(in crate::diff) type KeyField = Cow<'static, str>;

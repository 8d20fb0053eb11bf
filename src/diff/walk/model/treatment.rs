//! The meaning of TensorFlow's fields beyond their schema: one table with a row per field.

use std::borrow::Cow;

use crate::diff::Weight;
use crate::diff::path::PathBuilder;
use crate::diff::walk::message::{FieldComparison, KeyField, ListAs, Treatment};
use crate::message::{nested, string};
use crate::meta_graph::item_type;
use crate::schema::field::{
    asset_file_def,
    collection_def::bytes_list,
    fingerprint_def, function_def, function_def_library, graph_def, keras,
    meta_graph_def::{self, meta_info_def},
    node_def,
    op_def::{self, arg_def, attr_def},
    op_deprecation, op_list, resource_handle_proto, saved_concrete_function, saved_function,
    saved_model, saved_object, saved_object_graph, saved_resource, saved_variable, signature_def,
    tensor_proto,
    trackable_object_graph::{
        self,
        trackable_object::{self, serialized_tensor},
    },
    values_def, version_def,
};
use crate::schema::{Field, MessageType};

use super::tags;

/// The meaning of a field.
#[derive(Clone, Copy)]
pub(in crate::diff) struct Meaning {
    message: &'static str,
    /// The number of the field, or [`EVERY_FIELD`].
    number: u32,
    weight: Weight,
    list: ListAs<'static>,
    comparison: FieldComparison,
    /// Whether the field is compared with the graph, function or object that it belongs to.
    is_compared_elsewhere: bool,
    /// Whether the field is the name of a device, which has several notations.
    pub(super) is_device: bool,
    /// Whether the field is a name that has numbers to be unique in its process.
    pub(super) is_numbered: bool,
    /// Whether the field has names that users of a model see. Renames of nodes do not apply to them.
    pub(super) is_for_users: bool,
    /// Whether an empty message means the same as none.
    empty_is_none: bool,
    /// Of a string that contains JSON: the names of the members that do not matter.
    json: Option<&'static [&'static str]>,
    /// The name of an item of the list in paths, if it is not one of its keys.
    item_name: Option<ItemName>,
}

type ItemName = for<'m> fn(&'m [u8]) -> Cow<'m, str>;

/// Stands for all fields of a message.
const EVERY_FIELD: u32 = 0;

/// A field without a meaning of its own.
const fn field(message: &'static str, number: u32) -> Meaning {
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
    }
}

impl Meaning {
    /// The field has no effect on the model: a version of a writer, or a note for people.
    const fn cosmetic(self) -> Self {
        Self { weight: Weight::Cosmetic, ..self }
    }

    /// TensorFlow writes the list from a Python set, in hash order.
    const fn set(self) -> Self {
        Self { list: ListAs::Set, ..self }
    }

    const fn keyed(self, keys: &'static [KeyField]) -> Self {
        Self { list: ListAs::Keyed(keys), ..self }
    }

    const fn device(self) -> Self {
        Self { is_device: true, ..self }
    }

    const fn numbered(self) -> Self {
        Self { is_numbered: true, ..self }
    }

    const fn for_users(self) -> Self {
        Self { is_for_users: true, ..self }
    }

    const fn empty_is_none(self) -> Self {
        Self { empty_is_none: true, ..self }
    }

    const fn by_meaning(self) -> Self {
        Self { comparison: FieldComparison::ComparedByMeaning, ..self }
    }

    /// The string contains JSON, in which the members with these names do not matter.
    const fn json(self, cosmetic: &'static [&'static str]) -> Self {
        Self { json: Some(cosmetic), ..self }
    }

    const fn elsewhere(self) -> Self {
        Self { is_compared_elsewhere: true, ..self.by_meaning() }
    }

    /// The items are paired elsewhere by their meaning; the messages in them are compared as usual.
    const fn paired(self) -> Self {
        Self { comparison: FieldComparison::PairedByMeaning, is_compared_elsewhere: true, ..self }
    }

    const fn named(self, item_name: ItemName) -> Self {
        Self { item_name: Some(item_name), ..self }
    }
}

const NAME: &[KeyField] = &[Cow::Borrowed("name")];
const FUNCTION_NAME: &[KeyField] = &[Cow::Borrowed("function_name")];
/// The other field of a registered gradient is `CustomGradient-` and a number from a counter.
const GRADIENT: &[KeyField] = &[Cow::Borrowed("gradient_func")];
const ASSET_TENSOR: &[KeyField] = &[Cow::Borrowed("tensor_info.name")];

const NODE_PATH: &[KeyField] = &[Cow::Borrowed("node_path")];
/// A number from a counter, and the version of the writer.
const KERAS_COSMETIC: &[&str] = &["shared_object_id", "keras_version"];

/// The fields with a meaning of their own.
static FIELDS: &[Meaning] = &[
    field(saved_model::MESSAGE_NAME, saved_model::META_GRAPHS).paired().named(meta_graph_tags),
    field(meta_graph_def::MESSAGE_NAME, meta_graph_def::SIGNATURE_DEF).for_users(),
    field(meta_graph_def::MESSAGE_NAME, meta_graph_def::ASSET_FILE_DEF).keyed(ASSET_TENSOR),
    field(meta_info_def::MESSAGE_NAME, meta_info_def::TAGS).set().for_users(),
    field(meta_info_def::MESSAGE_NAME, meta_info_def::TENSORFLOW_VERSION).cosmetic(),
    field(meta_info_def::MESSAGE_NAME, meta_info_def::TENSORFLOW_GIT_VERSION).cosmetic(),
    field(meta_info_def::MESSAGE_NAME, meta_info_def::STRIPPED_DEFAULT_ATTRS).cosmetic(),
    field(graph_def::MESSAGE_NAME, graph_def::NODE).elsewhere().named(node_name),
    field(graph_def::MESSAGE_NAME, graph_def::VERSION).cosmetic(),
    field(graph_def::MESSAGE_NAME, graph_def::VERSIONS).empty_is_none(),
    field(graph_def::MESSAGE_NAME, graph_def::LIBRARY).empty_is_none(),
    field(graph_def::MESSAGE_NAME, graph_def::DEBUG_INFO).cosmetic(),
    field(version_def::MESSAGE_NAME, version_def::PRODUCER).cosmetic(),
    field(node_def::MESSAGE_NAME, node_def::INPUT).by_meaning(),
    field(node_def::MESSAGE_NAME, node_def::DEVICE).device(),
    field(node_def::MESSAGE_NAME, node_def::EXPERIMENTAL_DEBUG_INFO).cosmetic(),
    field(function_def_library::MESSAGE_NAME, function_def_library::FUNCTION)
        .paired()
        .named(function_name),
    field(function_def_library::MESSAGE_NAME, function_def_library::GRADIENT).keyed(FUNCTION_NAME),
    field(function_def_library::MESSAGE_NAME, function_def_library::REGISTERED_GRADIENTS)
        .keyed(GRADIENT),
    field(function_def::MESSAGE_NAME, function_def::NODE_DEF).elsewhere().named(node_name),
    field(function_def::MESSAGE_NAME, function_def::RET).elsewhere(),
    field(function_def::MESSAGE_NAME, function_def::CONTROL_RET).elsewhere(),
    field(function_def::MESSAGE_NAME, function_def::ATTR).elsewhere(),
    field(function_def::MESSAGE_NAME, function_def::ARG_ATTR).elsewhere(),
    field(op_list::MESSAGE_NAME, op_list::OP).keyed(NAME),
    field(op_def::MESSAGE_NAME, op_def::ATTR).keyed(NAME),
    field(op_def::MESSAGE_NAME, op_def::SUMMARY).cosmetic(),
    field(op_def::MESSAGE_NAME, op_def::DESCRIPTION).cosmetic(),
    field(arg_def::MESSAGE_NAME, arg_def::DESCRIPTION).cosmetic(),
    field(attr_def::MESSAGE_NAME, attr_def::DESCRIPTION).cosmetic(),
    field(op_deprecation::MESSAGE_NAME, op_deprecation::EXPLANATION).cosmetic(),
    field(signature_def::MESSAGE_NAME, signature_def::INPUTS).for_users(),
    field(signature_def::MESSAGE_NAME, signature_def::OUTPUTS).for_users(),
    field(signature_def::MESSAGE_NAME, signature_def::DEFAULTS).for_users(),
    field(signature_def::MESSAGE_NAME, signature_def::METHOD_NAME).for_users(),
    field(asset_file_def::MESSAGE_NAME, asset_file_def::FILENAME).for_users(),
    field(values_def::MESSAGE_NAME, values_def::VALUES).set(),
    field(tensor_proto::MESSAGE_NAME, EVERY_FIELD).by_meaning(),
    field(resource_handle_proto::MESSAGE_NAME, resource_handle_proto::DEVICE).device(),
    field(trackable_object_graph::MESSAGE_NAME, trackable_object_graph::NODES).paired(),
    field(trackable_object::MESSAGE_NAME, trackable_object::CHILDREN).elsewhere(),
    field(trackable_object::MESSAGE_NAME, trackable_object::SLOT_VARIABLES).elsewhere(),
    field(trackable_object::MESSAGE_NAME, trackable_object::ATTRIBUTES).keyed(NAME),
    // The name in TensorFlow 1, with a number that depends on what else the process has built.
    field(serialized_tensor::MESSAGE_NAME, serialized_tensor::FULL_NAME).cosmetic(),
    field(saved_object_graph::MESSAGE_NAME, saved_object_graph::NODES).paired(),
    field(saved_object_graph::MESSAGE_NAME, saved_object_graph::CONCRETE_FUNCTIONS).paired(),
    field(saved_object::MESSAGE_NAME, saved_object::CHILDREN).elsewhere(),
    field(saved_object::MESSAGE_NAME, saved_object::SLOT_VARIABLES).elsewhere(),
    field(saved_object::MESSAGE_NAME, saved_object::DEPENDENCIES).elsewhere(),
    field(saved_object::MESSAGE_NAME, saved_object::SAVEABLE_OBJECTS).elsewhere(),
    field(saved_function::MESSAGE_NAME, saved_function::CONCRETE_FUNCTIONS).set(),
    field(saved_concrete_function::MESSAGE_NAME, saved_concrete_function::BOUND_INPUTS).elsewhere(),
    field(saved_variable::MESSAGE_NAME, saved_variable::DEVICE).device(),
    field(saved_variable::MESSAGE_NAME, saved_variable::NAME).numbered(),
    field(saved_resource::MESSAGE_NAME, saved_resource::DEVICE).device(),
    field(keras::saved_metadata::MESSAGE_NAME, keras::saved_metadata::NODES).keyed(NODE_PATH),
    // A position in the object graph.
    field(keras::saved_object::MESSAGE_NAME, keras::saved_object::NODE_ID).cosmetic(),
    field(keras::saved_object::MESSAGE_NAME, keras::saved_object::METADATA).json(KERAS_COSMETIC),
    field(keras::version_def::MESSAGE_NAME, keras::version_def::PRODUCER).cosmetic(),
    // Hashes of compared content, and a random number.
    field(fingerprint_def::MESSAGE_NAME, EVERY_FIELD).cosmetic(),
];

/// The meaning of fields that have no row, including all fields of users' own messages.
static NO_MEANING: Meaning = field("", EVERY_FIELD);

/// The meaning of a field.
pub(in crate::diff) fn meaning(ty: &MessageType, field: &Field) -> &'static Meaning {
    let is_own = |row: &&Meaning| {
        *row.message == *ty.full_name && (row.number == field.number || row.number == EVERY_FIELD)
    };
    FIELDS.iter().find(is_own).unwrap_or(&NO_MEANING)
}

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

impl Meaning {
    /// The name of an item of the list in paths; `None` if its keys are its name.
    pub(in crate::diff) fn name_of<'m>(&self, item: &'m [u8]) -> Option<Cow<'m, str>> {
        self.item_name.map(|name| name(item))
    }
}

fn node_name(node: &[u8]) -> Cow<'_, str> {
    Cow::Borrowed(string(node, node_def::NAME))
}

fn function_name(function: &[u8]) -> Cow<'_, str> {
    Cow::Borrowed(string(nested(function, function_def::SIGNATURE), op_def::NAME))
}

fn meta_graph_tags(meta_graph: &[u8]) -> Cow<'_, str> {
    Cow::Owned(tags(meta_graph))
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

//! The meaning of TensorFlow's fields beyond their schema: one table with a row per field. Attributes of nodes and members of JSON,
//! which have names instead of messages and fields, follow it.

use std::borrow::Cow;

use super::part::Part;
use super::row::{EVERY_FIELD, Items, KeyField, Meaning, field};
use crate::message::{nested, string, strings};
use crate::schema::field::{
    asset_file_def,
    attr_value::{self, list_value},
    bounded_tensor_spec_proto, captured_tensor,
    collection_def::{float_list, int64_list},
    fingerprint_def,
    function_def::{self, arg_attrs},
    function_def_library, graph_def, keras,
    meta_graph_def::{self, meta_info_def},
    name_attr_list, node_def,
    op_def::{self, arg_def, attr_def},
    op_deprecation, op_list, registered_gradient, registered_saver, resource_handle_proto,
    save_slice_info_def, saved_bare_concrete_function, saved_concrete_function, saved_function,
    saved_model, saved_object, saved_object_graph, saved_resource, saved_variable, saver_def,
    signature_def, tensor_info, tensor_proto, tensor_spec_proto,
    trackable_object_graph::{
        self,
        trackable_object::{self, serialized_tensor},
    },
    values_def, version_def,
};
use crate::schema::{Field, KnownType, MessageType};

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
    field(saved_model::MESSAGE_NAME, saved_model::META_GRAPHS)
        .paired()
        .named(meta_graph_tags)
        .items(Items::MetaGraphs)
        .holds_graphs(),
    field(meta_graph_def::MESSAGE_NAME, meta_graph_def::SIGNATURE_DEF)
        .for_users()
        .part(Part::Signatures),
    field(meta_graph_def::MESSAGE_NAME, meta_graph_def::GRAPH_DEF).holds_graphs(),
    field(meta_graph_def::MESSAGE_NAME, meta_graph_def::META_INFO_DEF).record(),
    field(meta_graph_def::MESSAGE_NAME, meta_graph_def::SAVER_DEF).part(Part::Saver),
    field(meta_graph_def::MESSAGE_NAME, meta_graph_def::COLLECTION_DEF)
        .items(Items::Collections)
        .record(),
    // Numbers in collections are of users; names and messages repeat what the graph has.
    field(int64_list::MESSAGE_NAME, int64_list::VALUE).part(Part::Model),
    field(float_list::MESSAGE_NAME, float_list::VALUE).part(Part::Model),
    field(meta_graph_def::MESSAGE_NAME, meta_graph_def::ASSET_FILE_DEF)
        .keyed(ASSET_TENSOR)
        .part(Part::Assets),
    field(meta_info_def::MESSAGE_NAME, meta_info_def::TAGS).set().for_users(),
    field(meta_info_def::MESSAGE_NAME, meta_info_def::TENSORFLOW_VERSION).cosmetic(),
    field(meta_info_def::MESSAGE_NAME, meta_info_def::TENSORFLOW_GIT_VERSION).cosmetic(),
    field(meta_info_def::MESSAGE_NAME, meta_info_def::STRIPPED_DEFAULT_ATTRS).cosmetic(),
    field(saver_def::MESSAGE_NAME, saver_def::FILENAME_TENSOR_NAME).part(Part::SaverNodes),
    field(saver_def::MESSAGE_NAME, saver_def::SAVE_TENSOR_NAME).part(Part::SaverNodes),
    field(saver_def::MESSAGE_NAME, saver_def::RESTORE_OP_NAME).part(Part::SaverNodes),
    field(save_slice_info_def::MESSAGE_NAME, save_slice_info_def::FULL_SHAPE).shape(),
    field(save_slice_info_def::MESSAGE_NAME, save_slice_info_def::VAR_SHAPE).shape(),
    field(graph_def::MESSAGE_NAME, graph_def::NODE)
        .elsewhere()
        .named(node_name)
        .items(Items::Nodes),
    field(graph_def::MESSAGE_NAME, graph_def::VERSION).cosmetic(),
    field(graph_def::MESSAGE_NAME, graph_def::VERSIONS).empty_is_none(),
    field(graph_def::MESSAGE_NAME, graph_def::LIBRARY).empty_is_none().holds_graphs(),
    field(graph_def::MESSAGE_NAME, graph_def::DEBUG_INFO).cosmetic(),
    field(version_def::MESSAGE_NAME, version_def::PRODUCER).cosmetic(),
    field(node_def::MESSAGE_NAME, node_def::INPUT).by_meaning(),
    field(node_def::MESSAGE_NAME, node_def::DEVICE).device(),
    field(node_def::MESSAGE_NAME, node_def::ATTR).items(Items::Attributes),
    field(node_def::MESSAGE_NAME, node_def::EXPERIMENTAL_DEBUG_INFO).cosmetic(),
    field(function_def_library::MESSAGE_NAME, function_def_library::FUNCTION)
        .paired()
        .named(function_name)
        .items(Items::Functions),
    field(function_def_library::MESSAGE_NAME, function_def_library::GRADIENT).keyed(FUNCTION_NAME),
    field(function_def_library::MESSAGE_NAME, function_def_library::REGISTERED_GRADIENTS)
        .keyed(GRADIENT),
    field(registered_gradient::MESSAGE_NAME, registered_gradient::REGISTERED_OP_TYPE).counted(),
    field(function_def::MESSAGE_NAME, function_def::SIGNATURE).record(),
    field(function_def::MESSAGE_NAME, function_def::NODE_DEF)
        .elsewhere()
        .named(node_name)
        .items(Items::Nodes),
    field(function_def::MESSAGE_NAME, function_def::RET).elsewhere().items(Items::Nodes).record(),
    field(function_def::MESSAGE_NAME, function_def::CONTROL_RET)
        .elsewhere()
        .items(Items::Nodes)
        .record(),
    field(function_def::MESSAGE_NAME, function_def::ATTR)
        .elsewhere()
        .items(Items::Attributes)
        .record(),
    field(function_def::MESSAGE_NAME, function_def::ARG_ATTR).elsewhere().record(),
    field(function_def::MESSAGE_NAME, function_def::RESOURCE_ARG_UNIQUE_ID).record(),
    field(arg_attrs::MESSAGE_NAME, arg_attrs::ATTR).items(Items::Attributes),
    field(name_attr_list::MESSAGE_NAME, name_attr_list::ATTR).items(Items::Attributes),
    field(attr_value::MESSAGE_NAME, attr_value::SHAPE).shape(),
    field(list_value::MESSAGE_NAME, list_value::SHAPE).shape(),
    field(op_list::MESSAGE_NAME, op_list::OP).keyed(NAME),
    field(op_def::MESSAGE_NAME, op_def::ATTR).keyed(NAME).items(Items::Attributes),
    field(op_def::MESSAGE_NAME, op_def::SUMMARY).cosmetic(),
    field(op_def::MESSAGE_NAME, op_def::DESCRIPTION).cosmetic(),
    field(arg_def::MESSAGE_NAME, arg_def::DESCRIPTION).cosmetic(),
    field(arg_def::MESSAGE_NAME, arg_def::HANDLE_DATA).shape(),
    field(attr_def::MESSAGE_NAME, attr_def::DESCRIPTION).cosmetic(),
    field(op_deprecation::MESSAGE_NAME, op_deprecation::EXPLANATION).cosmetic(),
    field(signature_def::MESSAGE_NAME, signature_def::INPUTS).for_users(),
    field(signature_def::MESSAGE_NAME, signature_def::OUTPUTS).for_users(),
    field(signature_def::MESSAGE_NAME, signature_def::DEFAULTS).for_users(),
    field(signature_def::MESSAGE_NAME, signature_def::METHOD_NAME).for_users(),
    field(asset_file_def::MESSAGE_NAME, asset_file_def::FILENAME).for_users(),
    field(tensor_info::MESSAGE_NAME, tensor_info::TENSOR_SHAPE).shape(),
    field(values_def::MESSAGE_NAME, values_def::VALUES).set(),
    field(tensor_proto::MESSAGE_NAME, tensor_proto::TENSOR_SHAPE).by_meaning().shape(),
    field(tensor_proto::MESSAGE_NAME, EVERY_FIELD).by_meaning(),
    field(resource_handle_proto::MESSAGE_NAME, resource_handle_proto::DEVICE).device(),
    field(trackable_object_graph::MESSAGE_NAME, trackable_object_graph::NODES)
        .paired()
        .items(Items::Objects),
    field(trackable_object::MESSAGE_NAME, trackable_object::CHILDREN).elsewhere().record(),
    field(trackable_object::MESSAGE_NAME, trackable_object::SLOT_VARIABLES).elsewhere().record(),
    field(trackable_object::MESSAGE_NAME, trackable_object::ATTRIBUTES).keyed(NAME),
    field(trackable_object::MESSAGE_NAME, trackable_object::HAS_CHECKPOINT_VALUES).record(),
    field(registered_saver::MESSAGE_NAME, registered_saver::NAME).record(),
    field(serialized_tensor::MESSAGE_NAME, serialized_tensor::NAME).record(),
    field(serialized_tensor::MESSAGE_NAME, serialized_tensor::CHECKPOINT_KEY).record(),
    // The name in TensorFlow 1, with a number that depends on what else the process has built.
    field(serialized_tensor::MESSAGE_NAME, serialized_tensor::FULL_NAME).cosmetic().record(),
    field(saved_object_graph::MESSAGE_NAME, saved_object_graph::NODES)
        .paired()
        .items(Items::Objects),
    field(saved_object_graph::MESSAGE_NAME, saved_object_graph::CONCRETE_FUNCTIONS)
        .paired()
        .items(Items::Functions)
        .record(),
    field(saved_object::MESSAGE_NAME, saved_object::CHILDREN).elsewhere().record(),
    field(saved_object::MESSAGE_NAME, saved_object::SLOT_VARIABLES).elsewhere().record(),
    field(saved_object::MESSAGE_NAME, saved_object::DEPENDENCIES).elsewhere().record(),
    field(saved_object::MESSAGE_NAME, saved_object::SAVEABLE_OBJECTS).elsewhere().record(),
    field(saved_object::MESSAGE_NAME, saved_object::BARE_CONCRETE_FUNCTION).record(),
    field(saved_function::MESSAGE_NAME, saved_function::CONCRETE_FUNCTIONS).set().record(),
    field(saved_function::MESSAGE_NAME, saved_function::FUNCTION_SPEC).record(),
    field(
        saved_bare_concrete_function::MESSAGE_NAME,
        saved_bare_concrete_function::ARGUMENT_KEYWORDS,
    )
    .record(),
    field(
        saved_bare_concrete_function::MESSAGE_NAME,
        saved_bare_concrete_function::ALLOWED_POSITIONAL_ARGUMENTS,
    )
    .record(),
    field(saved_bare_concrete_function::MESSAGE_NAME, saved_bare_concrete_function::FUNCTION_SPEC)
        .record(),
    field(saved_concrete_function::MESSAGE_NAME, saved_concrete_function::BOUND_INPUTS)
        .elsewhere()
        .record(),
    field(
        saved_concrete_function::MESSAGE_NAME,
        saved_concrete_function::CANONICALIZED_INPUT_SIGNATURE,
    )
    .record(),
    field(saved_concrete_function::MESSAGE_NAME, saved_concrete_function::OUTPUT_SIGNATURE)
        .record(),
    field(tensor_spec_proto::MESSAGE_NAME, tensor_spec_proto::SHAPE).shape(),
    field(bounded_tensor_spec_proto::MESSAGE_NAME, bounded_tensor_spec_proto::SHAPE).shape(),
    field(captured_tensor::MESSAGE_NAME, captured_tensor::NAME).record(),
    field(saved_variable::MESSAGE_NAME, saved_variable::DEVICE).device(),
    field(saved_variable::MESSAGE_NAME, saved_variable::NAME).numbered().record(),
    field(saved_variable::MESSAGE_NAME, saved_variable::DTYPE).record(),
    field(saved_variable::MESSAGE_NAME, saved_variable::SHAPE).record().shape(),
    field(saved_resource::MESSAGE_NAME, saved_resource::DEVICE).device(),
    field(keras::saved_metadata::MESSAGE_NAME, keras::saved_metadata::NODES)
        .keyed(NODE_PATH)
        .items(Items::Objects),
    // A position in the object graph.
    field(keras::saved_object::MESSAGE_NAME, keras::saved_object::NODE_ID).cosmetic(),
    field(keras::saved_object::MESSAGE_NAME, keras::saved_object::NODE_PATH).record(),
    field(keras::saved_object::MESSAGE_NAME, keras::saved_object::IDENTIFIER).record(),
    field(keras::saved_object::MESSAGE_NAME, keras::saved_object::METADATA).json(KERAS_COSMETIC),
    field(keras::version_def::MESSAGE_NAME, keras::version_def::PRODUCER).cosmetic(),
    // Hashes of compared content, and a random number.
    field(fingerprint_def::MESSAGE_NAME, EVERY_FIELD).cosmetic(),
];

/// The meaning of fields that have no row, including all fields of users' own messages.
pub(super) const NO_MEANING: Meaning = field("", EVERY_FIELD);

/// The meaning of a field.
pub(in crate::diff) fn meaning(ty: &MessageType, field: &Field) -> &'static Meaning {
    let is_own = |row: &&Meaning| {
        *row.message == *ty.full_name && (row.number == field.number || row.number == EVERY_FIELD)
    };
    FIELDS.iter().find(is_own).unwrap_or(const { &NO_MEANING })
}

/// A field of paths that no message has.
pub(super) struct VirtualField {
    pub(super) name: &'static str,
    /// The type of the message in it.
    pub(super) message: Option<KnownType>,
    pub(super) meaning: Meaning,
}

/// The fields of paths that no message has.
pub(super) static VIRTUAL_FIELDS: &[VirtualField] = &[
    VirtualField { name: "files", message: None, meaning: NO_MEANING.part(Part::Assets) },
    VirtualField { name: "saves", message: None, meaning: NO_MEANING.part(Part::SavedKeys) },
    VirtualField { name: "restores", message: None, meaning: NO_MEANING.part(Part::SavedKeys) },
    VirtualField {
        name: "object_graph",
        message: Some(KnownType::TrackableObjectGraph),
        meaning: NO_MEANING,
    },
    VirtualField {
        name: "keras_metadata",
        message: Some(KnownType::SavedMetadata),
        meaning: NO_MEANING,
    },
];

/// Members of the metadata of Keras, which is JSON, that repeat what variables, functions and names of layers say.
const RECORDED_MEMBERS: [&str; 9] = [
    "name",
    "build_input_shape",
    "batch_input_shape",
    "save_spec",
    "full_save_spec",
    "input_spec",
    "inbound_nodes",
    "input_layers",
    "output_layers",
];

/// Attributes of nodes that repeat what other nodes and functions say.
const RECORDED_ATTRIBUTES: [&str; 4] = ["_class", "Tin", "Tout", "Targuments"];

/// Attributes of nodes, and members of JSON, that have shapes.
const SHAPES: [&str; 4] = ["shape", "shapes", "output_shapes", "element_shape"];

/// The meaning of a member of JSON.
pub(super) fn member(name: &str) -> Meaning {
    let is_recorded = RECORDED_MEMBERS.contains(&name);
    let part = is_recorded.then_some(Part::Records);
    Meaning { part, is_shape: SHAPES.contains(&name), ..NO_MEANING }
}

/// Whether an attribute of a node repeats what other nodes and functions say.
pub(in crate::diff) fn is_recorded_attribute(name: &str) -> bool {
    RECORDED_ATTRIBUTES.contains(&name)
}

/// Whether people set a field of a node, or an attribute, for many nodes at once, which TensorFlow passes on to the gradients and
/// initializers that it makes: a seed, or the device.
pub(in crate::diff) fn is_set_for_many(name: &str) -> bool {
    matches!(name, "seed" | "device")
}

/// Whether an attribute of a node is a seed that TensorFlow draws: a count of the nodes before, or a random number.
pub(in crate::diff) fn is_drawn_seed(name: &str) -> bool {
    name == "seed2"
}

/// Whether an attribute of a node has shapes.
pub(in crate::diff) fn is_shape_attribute(name: &str) -> bool {
    SHAPES.contains(&name)
}

/// Whether an attribute is internal to TensorFlow: its name begins with `_`. `_class` restricts placement and is not.
pub(crate) fn is_internal(name: &str) -> bool {
    name.starts_with('_') && name != "_class"
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

/// The sorted tags of a meta graph.
pub(in crate::diff) fn tags(meta_graph: &[u8]) -> String {
    let info = nested(meta_graph, meta_graph_def::META_INFO_DEF);
    let mut tags: Vec<_> = strings(info, meta_info_def::TAGS).collect();
    tags.sort_unstable();
    tags.join(", ")
}

//! The meaning of TensorFlow's fields beyond their schema: which are cosmetic, which lists are sets, which
//! bytes are messages.

use std::borrow::Cow;

use crate::diff::Weight;
use crate::diff::message::{FieldComparison, KeyField, ListAs, Treatment};
use crate::diff::path::PathBuilder;

/// The treatment of a field of a message; `collection` is the collection that contains the field.
pub(in crate::diff) fn treatment(
    message: &str,
    field: &str,
    collection: Option<&str>,
) -> Treatment<'static> {
    let name = tensorflow_name(message);
    Treatment {
        weight: if is_cosmetic(name, field) { Weight::Cosmetic } else { Weight::Semantic },
        list: list(name, field, collection),
        embedded: match (name, field) {
            ("CollectionDef.BytesList", "value") => {
                collection.and_then(collection_message).map(|(ty, _)| ty)
            }
            _ => None,
        },
        skip: is_compared_elsewhere(name, field),
    }
}

/// The name of a message without the package `tensorflow`; empty for messages of other packages, which have no treatment.
fn tensorflow_name(message: &str) -> &str {
    message.strip_prefix("tensorflow.").unwrap_or_default()
}

/// Whether a field has no effect on the model: versions of writers, and notes for people.
fn is_cosmetic(message: &str, field: &str) -> bool {
    match message {
        "VersionDef" => field == "producer",
        "GraphDef" => matches!(field, "version" | "debug_info"),
        "MetaGraphDef.MetaInfoDef" => {
            matches!(
                field,
                "tensorflow_version" | "tensorflow_git_version" | "stripped_default_attrs"
            )
        }
        "NodeDef" => field == "experimental_debug_info",
        "OpDef" => matches!(field, "summary" | "description"),
        "OpDef.ArgDef" | "OpDef.AttrDef" => field == "description",
        "OpDeprecation" => field == "explanation",
        // Hashes of compared content, and a random number.
        "FingerprintDef" => true,
        _ => false,
    }
}

/// Whether a field is the name of a device, which has several notations.
pub(super) fn is_device(message: &str, field: &str) -> bool {
    let name = tensorflow_name(message);
    let has_device =
        matches!(name, "NodeDef" | "SavedVariable" | "SavedResource" | "ResourceHandleProto");
    has_device && field == "device"
}

/// Whether a field has names that users of a model see. Renames of nodes do not apply to them.
pub(super) fn is_for_users(message: &str, field: &str) -> bool {
    match tensorflow_name(message) {
        "MetaGraphDef" => field == "signature_def",
        "MetaGraphDef.MetaInfoDef" => field == "tags",
        "SignatureDef" => matches!(field, "inputs" | "outputs" | "defaults" | "method_name"),
        "AssetFileDef" => field == "filename",
        _ => false,
    }
}

/// Whether a field is compared with the graph, function or object that it belongs to.
fn is_compared_elsewhere(message: &str, field: &str) -> bool {
    match message {
        "SavedModel" => field == "meta_graphs",
        "GraphDef" => field == "node",
        "FunctionDefLibrary" => field == "function",
        "TrackableObjectGraph" => field == "nodes",
        "SavedObjectGraph" => matches!(field, "nodes" | "concrete_functions"),
        "TrackableObjectGraph.TrackableObject" => matches!(field, "children" | "slot_variables"),
        "SavedObject" => {
            matches!(field, "children" | "slot_variables" | "dependencies" | "saveable_objects")
        }
        "SavedConcreteFunction" => field == "bound_inputs",
        "FunctionDef" => {
            matches!(field, "node_def" | "ret" | "control_ret" | "attr" | "arg_attr")
        }
        _ => false,
    }
}

/// Whether an object is compared outside an object graph, in a file of its own or in an `Any`. In an object
/// graph its path ends in a key.
pub(super) fn is_standalone_object(message: &str, at: &PathBuilder<'_>) -> bool {
    let is_of_objects = matches!(
        message,
        "tensorflow.SavedObject"
            | "tensorflow.SavedConcreteFunction"
            | "tensorflow.TrackableObjectGraph.TrackableObject"
    );
    is_of_objects && !matches!(at, PathBuilder::Key(..))
}

/// How list options find a field compared; `is_root` if the message is compared itself, not as a part of
/// another.
pub(super) fn comparison(message: &str, field: &str, is_root: bool) -> FieldComparison {
    let name = tensorflow_name(message);
    match (name, field) {
        ("SavedModel", "meta_graphs")
        | ("FunctionDefLibrary", "function")
        | ("TrackableObjectGraph" | "SavedObjectGraph", "nodes")
        | ("SavedObjectGraph", "concrete_functions") => FieldComparison::PairedByMeaning,
        ("TensorProto", _) => FieldComparison::ComparedByMeaning,
        ("NodeDef", "input") if !is_root => FieldComparison::ComparedByMeaning,
        _ if is_root && is_standalone_object(message, &PathBuilder::Root) => FieldComparison::Plain,
        _ if is_compared_elsewhere(name, field) => FieldComparison::ComparedByMeaning,
        _ => FieldComparison::Plain,
    }
}

fn list(message: &str, field: &str, collection: Option<&str>) -> ListAs<'static> {
    let keys: &'static [KeyField] = match (message, field) {
        // TensorFlow writes these from Python sets, in hash order.
        ("ValuesDef", "values") | ("MetaGraphDef.MetaInfoDef", "tags") => return ListAs::Set,
        ("SavedFunction", "concrete_functions") => return ListAs::Set,
        ("TrackableObjectGraph.TrackableObject", "attributes") => {
            const { &[Cow::Borrowed("name")] }
        }
        ("OpList", "op") | ("OpDef", "attr") => const { &[Cow::Borrowed("name")] },
        ("FunctionDefLibrary", "gradient") => const { &[Cow::Borrowed("function_name")] },
        ("FunctionDefLibrary", "registered_gradients") => {
            // The other field is `CustomGradient-` and a number from a counter.
            const { &[Cow::Borrowed("gradient_func")] }
        }
        ("MetaGraphDef", "asset_file_def") => const { &[Cow::Borrowed("tensor_info.name")] },
        ("CollectionDef.BytesList", "value") => match collection.and_then(collection_message) {
            Some((_, keys)) if !keys.is_empty() => keys,
            _ => return ListAs::List,
        },
        _ => return ListAs::List,
    };
    ListAs::Keyed(keys)
}

/// The message type of the items of a collection, and the fields of its key. Source: the `to_proto` functions
/// that TensorFlow registers for its collections.
fn collection_message(collection: &str) -> Option<(&'static str, &'static [KeyField])> {
    Some(match collection {
        "variables"
        | "trainable_variables"
        | "local_variables"
        | "model_variables"
        | "metric_variables"
        | "moving_average_variables"
        | "global_step" => ("tensorflow.VariableDef", const { &[Cow::Borrowed("variable_name")] }),
        "queue_runners" => ("tensorflow.QueueRunnerDef", const { &[Cow::Borrowed("queue_name")] }),
        "while_context" => {
            ("tensorflow.WhileContextDef", const { &[Cow::Borrowed("context_name")] })
        }
        "cond_context" => ("tensorflow.CondContextDef", const { &[Cow::Borrowed("context_name")] }),
        "savers" => ("tensorflow.SaverDef", &[]),
        _ => return None,
    })
}

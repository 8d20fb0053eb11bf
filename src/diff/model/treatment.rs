//! What TensorFlow's fields mean beyond their schema: which of them matter, which lists are sets, which bytes are messages.

use std::borrow::Cow;

use crate::diff::Weight;
use crate::diff::message::{FieldAccess, KeyField, ListAs, Treatment};
use crate::diff::path::Trail;

/// How a field of a message is compared; `collection` is the one that the field is in.
pub(in crate::diff) fn treatment(
    message: &str,
    field: &str,
    collection: Option<&str>,
) -> Treatment<'static> {
    let name = message.strip_prefix("tensorflow.").unwrap_or(message);
    Treatment {
        weight: if is_cosmetic(name, field) { Weight::Cosmetic } else { Weight::Semantic },
        list: list(name, field, collection),
        holds: match (name, field) {
            ("CollectionDef.BytesList", "value") => collection.and_then(held).map(|(ty, _)| ty),
            _ => None,
        },
        skip: is_compared_elsewhere(name, field),
    }
}

/// What says nothing of the model: who wrote it when, and notes for people.
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
        // Hashes of what is compared itself, and a number drawn at random.
        "FingerprintDef" => true,
        _ => false,
    }
}

/// Whether a field names a device, of which there are several spellings.
pub(super) fn is_device(message: &str, field: &str) -> bool {
    let name = message.strip_prefix("tensorflow.").unwrap_or(message);
    let has_device =
        matches!(name, "NodeDef" | "SavedVariable" | "SavedResource" | "ResourceHandleProto");
    has_device && field == "device"
}

/// Whether the strings in a field are what users of a model call it and its parts: they follow no node, whatever its name.
pub(super) fn is_for_users(message: &str, field: &str) -> bool {
    match message.strip_prefix("tensorflow.").unwrap_or(message) {
        "MetaGraphDef" => field == "signature_def",
        "MetaGraphDef.MetaInfoDef" => field == "tags",
        "SignatureDef" => matches!(field, "inputs" | "outputs" | "defaults" | "method_name"),
        "AssetFileDef" => field == "filename",
        _ => false,
    }
}

/// What the comparison of graphs and functions does itself.
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

/// Whether a message is of an object graph and not in one, as in a file of its own or in an `Any`, so that nobody else compares
/// what it refers to. Those of an object graph go by a key.
pub(super) fn is_lone_object(message: &str, at: &Trail<'_>) -> bool {
    let is_of_objects = matches!(
        message,
        "tensorflow.SavedObject"
            | "tensorflow.SavedConcreteFunction"
            | "tensorflow.TrackableObjectGraph.TrackableObject"
    );
    is_of_objects && !matches!(at, Trail::Key(..))
}

/// How a field of a message is compared; `is_root` where the message is what is compared, and not a part of that.
pub(super) fn access(message: &str, field: &str, is_root: bool) -> FieldAccess {
    let name = message.strip_prefix("tensorflow.").unwrap_or(message);
    match (name, field) {
        ("SavedModel", "meta_graphs")
        | ("FunctionDefLibrary", "function")
        | ("TrackableObjectGraph" | "SavedObjectGraph", "nodes")
        | ("SavedObjectGraph", "concrete_functions") => FieldAccess::PairedByMeaning,
        ("TensorProto", _) => FieldAccess::ComparedByMeaning,
        ("NodeDef", "input") if !is_root => FieldAccess::ComparedByMeaning,
        _ if is_root && is_lone_object(message, &Trail::Root) => FieldAccess::Plain,
        _ if is_compared_elsewhere(name, field) => FieldAccess::ComparedByMeaning,
        _ => FieldAccess::Plain,
    }
}

fn list(message: &str, field: &str, collection: Option<&str>) -> ListAs<'static> {
    let keys: &'static [KeyField] = match (message, field) {
        // TensorFlow writes Python sets here, in the order of their hashes.
        ("ValuesDef", "values") | ("MetaGraphDef.MetaInfoDef", "tags") => return ListAs::Set,
        ("SavedFunction", "concrete_functions") => return ListAs::Set,
        ("TrackableObjectGraph.TrackableObject", "attributes") => {
            const { &[Cow::Borrowed("name")] }
        }
        ("OpList", "op") | ("OpDef", "attr") => const { &[Cow::Borrowed("name")] },
        ("FunctionDefLibrary", "gradient") => const { &[Cow::Borrowed("function_name")] },
        ("FunctionDefLibrary", "registered_gradients") => {
            // The other field is CustomGradient- and a number drawn from a counter.
            const { &[Cow::Borrowed("gradient_func")] }
        }
        ("MetaGraphDef", "asset_file_def") => const { &[Cow::Borrowed("tensor_info.name")] },
        ("CollectionDef.BytesList", "value") => match collection.and_then(held) {
            Some((_, keys)) if !keys.is_empty() => keys,
            _ => return ListAs::List,
        },
        _ => return ListAs::List,
    };
    ListAs::Keyed(keys)
}

/// The message that the items of a collection hold, and what they go by. Source: the `to_proto` functions that TensorFlow
/// registers for its collections.
fn held(collection: &str) -> Option<(&'static str, &'static [KeyField])> {
    Some(match collection {
        "variables"
        | "trainable_variables"
        | "local_variables"
        | "model_variables"
        | "metric_variables"
        | "moving_average_variables"
        | "global_step"
        | "concatenated_variables" => {
            ("tensorflow.VariableDef", const { &[Cow::Borrowed("variable_name")] })
        }
        "queue_runners" => ("tensorflow.QueueRunnerDef", const { &[Cow::Borrowed("queue_name")] }),
        "while_context" => {
            ("tensorflow.WhileContextDef", const { &[Cow::Borrowed("context_name")] })
        }
        "cond_context" => ("tensorflow.CondContextDef", const { &[Cow::Borrowed("context_name")] }),
        "savers" => ("tensorflow.SaverDef", &[]),
        _ => return None,
    })
}

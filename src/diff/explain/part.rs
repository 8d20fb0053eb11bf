//! The part of a model that a change is in, which tells whether it can follow from changes in other parts.

use super::place::Place;
use crate::diff::counters::unnumbered;
use crate::diff::{Change, ChangeKind, Detail};

/// A part of a model. Changes in a part may follow from changes in those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The names of assets.
    Assets,
    /// The options of the saver.
    Saver,
    /// The signatures.
    Signatures,
    /// Layers and other objects from which TensorFlow 2 traces functions.
    Layers,
    /// The nodes of the graph or of a function that compute, and whatever has no other part.
    Model,
    /// Variables, calls and constants around the functions of TensorFlow 2.
    Exported,
    /// Objects that hold the values of layers.
    Variables,
    /// The keys under which a saver saves variables.
    SavedKeys,
    /// The initial values of variables.
    Initializers,
    /// Functions that came or went.
    Functions,
    /// The gradients that TensorFlow derives from the nodes, and the nodes of optimizers.
    Gradients,
    /// The nodes of a saver.
    SaverNodes,
    /// What TensorFlow writes down about other parts: shapes, dtypes and names of arguments, results, captures and collections.
    Records,
}

/// Fields of functions that repeat what their nodes and callers say.
const OF_FUNCTIONS: [&str; 6] =
    ["signature", "arg_attr", "ret", "control_ret", "resource_arg_unique_id", "attr"];

/// Fields of objects that repeat what variables, functions and names of layers say.
const OF_OBJECTS: [&str; 18] = [
    "shape",
    "dtype",
    "name",
    "full_name",
    "checkpoint_key",
    "has_checkpoint_values",
    "children",
    "slot_variables",
    "dependencies",
    "saveable_objects",
    "function_spec",
    "argument_keywords",
    "allowed_positional_arguments",
    "concrete_functions",
    "canonicalized_input_signature",
    "output_signature",
    "bound_inputs",
    "bare_concrete_function",
];

/// Members of the metadata of Keras that repeat what variables, functions and names of layers say.
const OF_KERAS: [&str; 11] = [
    "name",
    "identifier",
    "node_path",
    "build_input_shape",
    "batch_input_shape",
    "save_spec",
    "full_save_spec",
    "input_spec",
    "inbound_nodes",
    "input_layers",
    "output_layers",
];

/// Whether a path leads to a whole layer in the list of layers, or to all that is known of an object.
fn is_whole_item(place: &Place<'_>) -> bool {
    matches!(place.last(), "layers" | "nodes")
}

/// Attributes of nodes that repeat what other nodes and functions say.
const RECORDED: [&str; 4] = ["_class", "Tin", "Tout", "Targuments"];

/// Ops that stand for the arguments and results of a function.
const BORDERS: [&str; 2] = ["_Arg", "_Retval"];

impl Part {
    pub(super) fn of(change: &Change, place: &Place<'_>) -> Self {
        match place.first() {
            "asset_file_def" | "files" => return Self::Assets,
            "saver_def" if place.last().ends_with("_name") => return Self::SaverNodes,
            "saver_def" => return Self::Saver,
            "signature_def" => return Self::Signatures,
            "collection_def" | "meta_info_def" => return Self::Records,
            "keras_metadata" => return Self::of_keras(place),
            _ if place.has("saves") || place.has("restores") => return Self::SavedKeys,
            _ => {}
        }
        if place.has("object_graph_def") || place.has("object_graph") || place.object.is_some() {
            return Self::of_object(change, place);
        }
        match (place.first(), place.fields.get(1)) {
            ("function", None) => return Self::Functions,
            ("function", Some(field)) if OF_FUNCTIONS.contains(field) => return Self::Records,
            _ => {}
        }
        Self::of_nodes(change, place)
    }

    /// The configuration of a model and its training, which the layers repeat.
    fn of_keras(place: &Place<'_>) -> Self {
        let is_of_model = place.object == Some("root") && !is_whole_item(place);
        let is_record = place.fields.iter().any(|field| OF_KERAS.contains(field));
        if is_of_model && !is_record { Self::Layers } else { Self::Records }
    }

    fn of_object(change: &Change, place: &Place<'_>) -> Self {
        let is_of_signatures = place.object.is_some_and(|path| path.starts_with("signatures/"));
        let is_record = place.fields.iter().any(|field| OF_OBJECTS.contains(field));
        // Constants repeat the object graph, for checkpoints.
        if is_record || is_of_signatures || place.node.is_some() {
            return Self::Records;
        }
        let texts = [&change.lhs, &change.rhs].into_iter().flatten();
        match (place.last(), change.kind) {
            ("nodes", ChangeKind::Added | ChangeKind::Removed) => {
                let is_layer = texts.into_iter().any(|text| text.contains("user_object"));
                if is_layer { Self::Layers } else { Self::Variables }
            }
            ("nodes", _) => Self::Layers,
            _ => Self::Model,
        }
    }

    fn of_nodes(change: &Change, place: &Place<'_>) -> Self {
        let nodes = match &change.detail {
            Detail::Nodes(nodes) => Some(nodes),
            _ => None,
        };
        let names: Vec<&str> = match nodes {
            Some(nodes) => nodes.names.iter().map(String::as_str).collect(),
            None => place.node.into_iter().collect(),
        };
        let all = |is: fn(&str) -> bool| !names.is_empty() && names.iter().all(|name| is(name));
        let ops = nodes.map_or(&[][..], |nodes| &nodes.ops);
        let text = change.rhs.as_deref().or(change.lhs.as_deref()).unwrap_or_default();
        if !ops.is_empty() && ops.iter().all(|(op, _)| BORDERS.contains(&op.as_str())) {
            Self::Records
        } else if all(is_of_saver) || place.function.is_some_and(is_saver_function) {
            Self::SaverNodes
        } else if all(is_of_gradients) || place.function.is_some_and(is_of_gradients) {
            Self::Gradients
        } else if all(|name| name.contains("/Initializer/")) {
            Self::Initializers
        } else if RECORDED.contains(&place.last())
            || place.has("input") && (text.starts_with('^') || change.lhs == change.rhs)
            || is_other_copy(change)
        {
            // Where a node is placed, what it waits for, the position of an argument, and the types of the function that it calls.
            Self::Records
        } else {
            Self::Model
        }
    }

    /// Whether changes in this part are made by people, rather than by TensorFlow in their wake.
    pub(super) fn is_made(self) -> bool {
        self <= Self::Model
    }
}

/// Whether a node is in the scope of a saver: `save/` or `save_1/`.
fn is_of_saver(name: &str) -> bool {
    name.split_once('/').is_some_and(|(scope, _)| is_numbered(scope, "save"))
}

/// Whether a function saves or restores the variables of a SavedModel.
fn is_saver_function(name: &str) -> bool {
    name.contains("_traced_save") || name.contains("_traced_restore")
}

/// Whether an attribute names another copy of a function.
fn is_other_copy(change: &Change) -> bool {
    let texts = change.lhs.as_deref().zip(change.rhs.as_deref());
    texts.is_some_and(|(lhs, rhs)| {
        lhs.starts_with("func {") && lhs != rhs && unnumbered(lhs) == unnumbered(rhs)
    })
}

/// Whether a node or function computes gradients.
fn is_of_gradients(name: &str) -> bool {
    let is_gradient = |part: &str| is_numbered(part, "gradients") || part.contains("_grad");
    name.split('/').any(is_gradient) || name.contains("__backward_")
}

/// Whether a name is `stem` or `stem_1`.
fn is_numbered(name: &str, stem: &str) -> bool {
    let number = name.strip_prefix(stem).map(|rest| rest.strip_prefix('_').unwrap_or(rest));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

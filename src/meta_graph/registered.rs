//! The messages that collections hold, and signatures: where names stand in them.
//!
//! Source: TensorFlow's `to_proto` and `from_proto` of variables, savers, queue runners and contexts.

use super::fields::Place::{In, Listed, Name, Pairs};
use super::fields::Shape;

/// What the items of a collection are.
#[derive(Debug)]
pub(super) struct Registered {
    /// The name of the message.
    pub(super) message: &'static str,
    /// Where names stand in it.
    pub(super) shape: &'static Shape,
    /// The field with the name that an item goes by; savers have none.
    pub(super) name: Option<u32>,
    /// The fields that must all be in the scope that is exported.
    pub(super) inside: &'static [u32],
    /// Whether all names in it but those of messages inside must be of nodes.
    pub(super) names_nodes: bool,
}

/// The message behind the collections of this key.
pub(super) fn registered(key: &str) -> Option<&'static Registered> {
    Some(match key {
        "variables"
        | "trainable_variables"
        | "moving_average_variables"
        | "local_variables"
        | "model_variables"
        | "metric_variables"
        | "global_step" => &VARIABLE,
        "savers" => &SAVER,
        "queue_runners" => &QUEUE_RUNNER,
        "cond_context" => &COND,
        "while_context" => &WHILE,
        _ => return None,
    })
}

static VARIABLE: Registered = Registered {
    message: "tensorflow.VariableDef",
    shape: &Shape(&[(1, Name), (2, Name), (3, Name), (4, In(&Shape(&[(1, Name)]))), (6, Name)]),
    name: Some(1),
    inside: &[],
    names_nodes: true,
};

static SAVER: Registered = Registered {
    message: "tensorflow.SaverDef",
    shape: &SAVER_DEF,
    name: None,
    inside: &[1, 2, 3],
    names_nodes: false,
};

static QUEUE_RUNNER: Registered = Registered {
    message: "tensorflow.QueueRunnerDef",
    shape: &Shape(&[(1, Name), (2, Listed), (3, Name), (4, Name)]),
    name: Some(1),
    inside: &[],
    names_nodes: true,
};

static COND: Registered = Registered {
    message: "tensorflow.CondContextDef",
    shape: &COND_CONTEXT,
    name: Some(1),
    inside: &[],
    names_nodes: false,
};

static WHILE: Registered = Registered {
    message: "tensorflow.WhileContextDef",
    shape: &WHILE_CONTEXT,
    name: Some(1),
    inside: &[],
    names_nodes: false,
};

/// `SaverDef`.
pub(super) static SAVER_DEF: Shape = Shape(&[(1, Name), (2, Name), (3, Name)]);

static VALUES: Shape = Shape(&[(1, Listed), (2, Pairs)]);

static CONTEXT: Shape = Shape(&[(1, In(&COND_CONTEXT)), (2, In(&WHILE_CONTEXT))]);

static COND_CONTEXT: Shape =
    Shape(&[(1, Name), (2, Name), (3, Name), (5, In(&VALUES)), (6, In(&CONTEXT))]);

static WHILE_CONTEXT: Shape = Shape(&[
    (1, Name),
    (5, Name),
    (6, Name),
    (7, Name),
    (8, Listed),
    (9, In(&VALUES)),
    (10, Listed),
    (11, Name),
    (12, In(&CONTEXT)),
]);

/// `TensorInfo`: a tensor, the three of a sparse one, or the parts of a composite one.
static TENSOR_INFO: Shape = Shape(&[
    (1, Listed),
    (4, In(&Shape(&[(1, Name), (2, Name), (3, Name)]))),
    (5, In(&Shape(&[(2, In(&TENSOR_INFO))]))),
]);

static TENSOR_INFO_ENTRY: Shape = Shape(&[(2, In(&TENSOR_INFO))]);

/// `SignatureDef`.
pub(super) static SIGNATURE: Shape =
    Shape(&[(1, In(&TENSOR_INFO_ENTRY)), (2, In(&TENSOR_INFO_ENTRY))]);

/// `AssetFileDef`.
pub(super) static ASSET: Shape = Shape(&[(1, In(&TENSOR_INFO))]);

//! The messages in collections, and signatures: the fields of each that have names.
//!
//! Source: TensorFlow's `to_proto` and `from_proto` of variables, savers, queue runners and contexts.

use super::rename::NameField::{Map, Message, Name, RequiredName};
use super::rename::NameFields;
use crate::schema::field::tensor_info::{composite_tensor, coo_sparse};
use crate::schema::field::{
    asset_file_def, cond_context_def, control_flow_context_def, map_entry, queue_runner_def,
    save_slice_info_def, saver_def, signature_def, tensor_info, values_def, variable_def,
    while_context_def,
};

/// The type of a collection's items.
#[derive(Debug)]
pub(super) struct Registered {
    /// The name of the message.
    pub(super) message: &'static str,
    /// The fields that have names.
    pub(super) fields: &'static NameFields,
    /// The field with the name of the item; savers have none.
    pub(super) name: Option<u32>,
    /// The fields whose names must all be in the exported scope.
    pub(super) inside: &'static [u32],
    /// Whether all names, except those in nested messages, must be nodes.
    pub(super) names_nodes: bool,
}

/// The type of the items in the collection `key`, if it is known.
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
    message: variable_def::MESSAGE_NAME,
    fields: &NameFields(&[
        (variable_def::VARIABLE_NAME, Name),
        (variable_def::INITIALIZER_NAME, Name),
        (variable_def::SNAPSHOT_NAME, Name),
        (
            variable_def::SAVE_SLICE_INFO_DEF,
            Message(&NameFields(&[(save_slice_info_def::FULL_NAME, Name)])),
        ),
        (variable_def::INITIAL_VALUE_NAME, Name),
    ]),
    name: Some(variable_def::VARIABLE_NAME),
    inside: &[],
    names_nodes: true,
};

static SAVER: Registered = Registered {
    message: saver_def::MESSAGE_NAME,
    fields: &SAVER_DEF,
    name: None,
    inside: &[
        saver_def::FILENAME_TENSOR_NAME,
        saver_def::SAVE_TENSOR_NAME,
        saver_def::RESTORE_OP_NAME,
    ],
    names_nodes: false,
};

static QUEUE_RUNNER: Registered = Registered {
    message: queue_runner_def::MESSAGE_NAME,
    fields: &NameFields(&[
        (queue_runner_def::QUEUE_NAME, Name),
        (queue_runner_def::ENQUEUE_OP_NAME, RequiredName),
        (queue_runner_def::CLOSE_OP_NAME, Name),
        (queue_runner_def::CANCEL_OP_NAME, Name),
    ]),
    name: Some(queue_runner_def::QUEUE_NAME),
    inside: &[],
    names_nodes: true,
};

static COND: Registered = Registered {
    message: cond_context_def::MESSAGE_NAME,
    fields: &COND_CONTEXT,
    name: Some(cond_context_def::CONTEXT_NAME),
    inside: &[],
    names_nodes: false,
};

static WHILE: Registered = Registered {
    message: while_context_def::MESSAGE_NAME,
    fields: &WHILE_CONTEXT,
    name: Some(while_context_def::CONTEXT_NAME),
    inside: &[],
    names_nodes: false,
};

/// `SaverDef`.
pub(super) static SAVER_DEF: NameFields = NameFields(&[
    (saver_def::FILENAME_TENSOR_NAME, Name),
    (saver_def::SAVE_TENSOR_NAME, Name),
    (saver_def::RESTORE_OP_NAME, Name),
]);

static VALUES: NameFields =
    NameFields(&[(values_def::VALUES, RequiredName), (values_def::EXTERNAL_VALUES, Map)]);

static CONTEXT: NameFields = NameFields(&[
    (control_flow_context_def::COND_CTXT, Message(&COND_CONTEXT)),
    (control_flow_context_def::WHILE_CTXT, Message(&WHILE_CONTEXT)),
]);

static COND_CONTEXT: NameFields = NameFields(&[
    (cond_context_def::CONTEXT_NAME, Name),
    (cond_context_def::PRED_NAME, Name),
    (cond_context_def::PIVOT_NAME, Name),
    (cond_context_def::VALUES_DEF, Message(&VALUES)),
    (cond_context_def::NESTED_CONTEXTS, Message(&CONTEXT)),
]);

static WHILE_CONTEXT: NameFields = NameFields(&[
    (while_context_def::CONTEXT_NAME, Name),
    (while_context_def::PIVOT_NAME, Name),
    (while_context_def::PIVOT_FOR_PRED_NAME, Name),
    (while_context_def::PIVOT_FOR_BODY_NAME, Name),
    (while_context_def::LOOP_EXIT_NAMES, RequiredName),
    (while_context_def::VALUES_DEF, Message(&VALUES)),
    (while_context_def::LOOP_ENTER_NAMES, RequiredName),
    (while_context_def::MAXIMUM_ITERATIONS_NAME, Name),
    (while_context_def::NESTED_CONTEXTS, Message(&CONTEXT)),
]);

/// `TensorInfo`: a tensor, the three tensors of a sparse one, or the components of a composite one.
static TENSOR_INFO: NameFields = NameFields(&[
    (tensor_info::NAME, RequiredName),
    (
        tensor_info::COO_SPARSE,
        Message(&NameFields(&[
            (coo_sparse::VALUES_TENSOR_NAME, Name),
            (coo_sparse::INDICES_TENSOR_NAME, Name),
            (coo_sparse::DENSE_SHAPE_TENSOR_NAME, Name),
        ])),
    ),
    (
        tensor_info::COMPOSITE_TENSOR,
        Message(&NameFields(&[(composite_tensor::COMPONENTS, Message(&TENSOR_INFO))])),
    ),
]);

static TENSOR_INFO_ENTRY: NameFields = NameFields(&[(map_entry::VALUE, Message(&TENSOR_INFO))]);

/// `SignatureDef`.
pub(super) static SIGNATURE: NameFields = NameFields(&[
    (signature_def::INPUTS, Message(&TENSOR_INFO_ENTRY)),
    (signature_def::OUTPUTS, Message(&TENSOR_INFO_ENTRY)),
]);

/// `AssetFileDef`.
pub(super) static ASSET: NameFields =
    NameFields(&[(asset_file_def::TENSOR_INFO, Message(&TENSOR_INFO))]);

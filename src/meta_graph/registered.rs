//! The messages in collections, and signatures: the fields of each that have names of nodes.
//!
//! Source: TensorFlow's `to_proto` and `from_proto` of variables, savers, queue runners and contexts.

use std::borrow::Cow;

use super::rename::NameField::{Map, Message, Name, RequiredName};
use super::rename::NameFields;
use crate::schema::field::tensor_info::{composite_tensor, coo_sparse};
use crate::schema::field::{
    asset_file_def, cond_context_def, control_flow_context_def, map_entry, queue_runner_def,
    save_slice_info_def, saver_def, signature_def, tensor_info, values_def, variable_def,
    while_context_def,
};

/// The collection of savers.
pub(crate) const SAVERS: &str = "savers";

/// The collection of trainable variables.
pub(crate) const TRAINABLE: &str = "trainable_variables";

/// The collections of variables. TensorFlow restores a variable that is in several of them once.
const VARIABLES: [&str; 6] = [
    "variables",
    TRAINABLE,
    "local_variables",
    "model_variables",
    "metric_variables",
    "moving_average_variables",
];

/// The type of a collection's items.
#[derive(Debug)]
pub(crate) struct ItemType {
    /// The name of the message.
    pub(crate) message: &'static str,
    /// The fields that have names.
    pub(super) fields: &'static NameFields,
    /// The name of an item; savers have none.
    pub(crate) name: Option<ItemName>,
    /// The fields that an imported item must have, by number and name.
    pub(super) required: &'static [(u32, &'static str)],
    /// The fields whose names must all be in the exported scope.
    pub(super) inside: &'static [u32],
    /// Whether all names, except those in nested messages, must be nodes.
    pub(super) names_nodes: bool,
}

/// The field with the name of an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ItemName {
    pub(super) number: u32,
    /// The name of the field, as the only key of a list.
    pub(crate) field: &'static [Cow<'static, str>],
}

impl ItemName {
    const fn new(number: u32, field: &'static [Cow<'static, str>]) -> Option<Self> {
        Some(Self { number, field })
    }
}

/// Whether the collection `key` is one of variables.
pub(super) fn is_of_variables(key: &str) -> bool {
    VARIABLES.contains(&key)
}

/// The type of the items in the collection `key`, if it is known.
pub(crate) fn item_type(key: &str) -> Option<&'static ItemType> {
    Some(match key {
        "global_step" => &VARIABLE,
        key if is_of_variables(key) => &VARIABLE,
        SAVERS => &SAVER,
        "queue_runners" => &QUEUE_RUNNER,
        "cond_context" => &COND,
        "while_context" => &WHILE,
        _ => return None,
    })
}

static VARIABLE: ItemType = ItemType {
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
    name: ItemName::new(variable_def::VARIABLE_NAME, &[Cow::Borrowed("variable_name")]),
    required: &[],
    inside: &[],
    names_nodes: true,
};

static SAVER: ItemType = ItemType {
    message: saver_def::MESSAGE_NAME,
    fields: &SAVER_DEF,
    name: None,
    required: &[
        (saver_def::SAVE_TENSOR_NAME, "save_tensor_name"),
        (saver_def::RESTORE_OP_NAME, "restore_op_name"),
    ],
    inside: &[
        saver_def::FILENAME_TENSOR_NAME,
        saver_def::SAVE_TENSOR_NAME,
        saver_def::RESTORE_OP_NAME,
    ],
    names_nodes: false,
};

static QUEUE_RUNNER: ItemType = ItemType {
    message: queue_runner_def::MESSAGE_NAME,
    fields: &NameFields(&[
        (queue_runner_def::QUEUE_NAME, Name),
        (queue_runner_def::ENQUEUE_OP_NAME, RequiredName),
        (queue_runner_def::CLOSE_OP_NAME, Name),
        (queue_runner_def::CANCEL_OP_NAME, Name),
    ]),
    name: ItemName::new(queue_runner_def::QUEUE_NAME, &[Cow::Borrowed("queue_name")]),
    required: &[],
    inside: &[],
    names_nodes: true,
};

static COND: ItemType = ItemType {
    message: cond_context_def::MESSAGE_NAME,
    fields: &COND_CONTEXT,
    name: ItemName::new(cond_context_def::CONTEXT_NAME, &[Cow::Borrowed("context_name")]),
    required: &[],
    inside: &[],
    names_nodes: false,
};

static WHILE: ItemType = ItemType {
    message: while_context_def::MESSAGE_NAME,
    fields: &WHILE_CONTEXT,
    name: ItemName::new(while_context_def::CONTEXT_NAME, &[Cow::Borrowed("context_name")]),
    required: &[],
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    #[test]
    fn the_name_of_an_item_is_its_field() {
        for item in [&VARIABLE, &SAVER, &QUEUE_RUNNER, &COND, &WHILE] {
            let ty = Schema::tensorflow().message(item.message).unwrap();
            let name = item.name.map(|name| (&*ty.field(name.number).unwrap().name, name.field));
            assert!(name.is_none_or(|(field, key)| [Cow::Borrowed(field)] == key), "{name:?}");
        }
    }
}

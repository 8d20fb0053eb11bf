//! Graphs: nodes and edges, functions, constants, op definitions, object graphs.
//!
//! A [`Graph`] is a `GraphDef`. An [`OpTable`] has the definitions of ops, and [`check()`] checks the nodes of a graph against them.

pub(crate) mod attrs;
mod body;
mod budget;
mod check;
#[doc(hidden)]
pub mod constant;
mod consumers;
mod device;
mod finding;
mod graph_def;
mod index;
mod library;
mod node;
#[doc(hidden)]
pub mod object_graph;
mod op_kind;
mod op_table;
mod output;
mod random_id;
mod save_nodes;
pub(crate) mod save_op;
mod scope;
mod tensor_name;

#[doc(hidden)]
pub use self::{
    check::check,
    constant::Constant,
    device::DeviceSpec,
    finding::{Checked, Finding},
    graph_def::Graph,
    library::{Function, Library},
    node::{Input, Node, NodeId, NodeKind},
    object_graph::ObjectGraph,
    op_table::{default_of, is_commutative, is_stateful},
    output::Output,
    save_nodes::{SaveNode, SavedTensor},
    save_op::Action,
};
pub(crate) use attrs::truth;
pub(crate) use consumers::{Consumer, Consumers};
pub(crate) use device::is_same_device;
pub(crate) use index::LookupMap;
pub(crate) use node::data_count;
pub use op_kind::VariableKind;
pub(crate) use op_kind::{
    calls_function, is_case, is_constant, is_dense_table, is_if, is_placeholder, is_saved_table,
    is_table,
};
pub use op_table::OpTable;
pub(crate) use output::{input_dtypes, output_dtype, output_index, output_shapes};
pub(crate) use random_id::without_random_ids;
pub(crate) use save_nodes::{Target, output_number, restored, targets_of};
pub(crate) use save_op::SaveOp;
pub(crate) use scope::{check_node_name, check_scope, scope_of};
pub(crate) use tensor_name::{COLOCATION, TensorName, UNBOUND, node_of, split_lead, split_port};

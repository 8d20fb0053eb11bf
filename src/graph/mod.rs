//! Graphs: nodes and edges, functions, constants, op definitions, object graphs.
//!
//! A [`Graph`] is a `GraphDef`. An [`OpTable`] has the definitions of ops, and [`check()`] checks the nodes of a graph against them.

pub(crate) mod attrs;
mod body;
mod check;
pub mod constant;
mod consumers;
mod device;
mod finding;
mod graph_def;
mod index;
mod library;
mod node;
pub mod object_graph;
mod op_kind;
mod op_table;
mod output;
mod save_nodes;
pub(crate) mod save_op;
mod scope;
mod tensor_name;

pub(crate) use attrs::truth;
pub use check::check;
pub use constant::Constant;
pub(crate) use consumers::{Consumer, Consumers};
pub use device::DeviceSpec;
pub(crate) use device::is_same_device;
pub use finding::{Checked, Finding};
pub use graph_def::Graph;
pub(crate) use index::LookupMap;
pub use library::{Function, Library};
pub(crate) use node::data_count;
pub use node::{Input, Node, NodeId, NodeKind};
pub use object_graph::ObjectGraph;
pub use op_kind::VariableKind;
pub(crate) use op_kind::{
    calls_function, is_case, is_constant, is_dense_table, is_if, is_placeholder, is_saved_table,
    is_table,
};
pub use op_table::{OpTable, default_of, is_commutative, is_stateful};
pub use output::Output;
pub(crate) use output::{input_dtypes, output_dtype, output_index};
pub use save_nodes::{SaveNode, SavedTensor};
pub(crate) use save_nodes::{Target, output_number, restored, targets_of};
pub use save_op::Action;
pub(crate) use save_op::SaveOp;
pub(crate) use scope::{check_scope, scope_of};
pub(crate) use tensor_name::{COLOCATION, TensorName, UNBOUND, node_of, split_lead, split_port};

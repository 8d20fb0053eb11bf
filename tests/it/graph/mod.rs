//! Graphs: their nodes, constants and functions, and how two of them differ.

mod beside_rename;
mod check;
pub mod constant;
mod devices;
pub mod hostile;
mod laws;
mod missed;
mod object_graph;
mod op_table;
pub mod pairs;
mod report;
mod same_bytes;
mod savers;
mod savers_sizes;
mod sizes;

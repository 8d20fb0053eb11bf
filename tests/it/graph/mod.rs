//! Graphs: nodes, constants and functions, and comparisons of two graphs.

mod beside_rename;
mod check;
mod constant;
mod devices;
mod hostile;
mod laws;
mod missed;
mod object_graph;
mod op_table;
mod pairs;
mod report;
mod same_bytes;
mod savers;
mod savers_sizes;
mod sizes;

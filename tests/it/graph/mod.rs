//! Graphs: nodes, constants and functions, and comparisons of two graphs.

mod check;
mod constant;
mod devices;
mod equal_bytes;
mod hostile;
mod layers;
mod object_graph;
mod op_table;
mod outside_nodes;
mod pairs;
mod properties;
mod random_ids;
mod rename_with_edit;
mod renumbered;
mod renumbered_functions;
mod report;
mod saver_functions;
mod savers;
mod savers_sizes;
mod sizes;
mod surroundings;
mod wire_types;

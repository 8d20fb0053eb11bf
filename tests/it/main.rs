//! The one test binary: a module per area.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "a test that is wrong may fail"
)]
#![allow(unreachable_pub, reason = "all of it is one binary")]

mod accelerator;
mod any_payloads;
mod architecture;
mod binary_errors;
mod checkpoint;
mod cli;
mod command;
mod compare;
mod compare_oracle;
mod conformance;
mod constant;
mod constant_compare;
mod convert;
mod craft;
mod crafted;
mod crash;
mod devices;
mod diff;
mod document;
mod everything;
mod export;
mod fit;
mod floats;
mod fmt;
mod frozen;
mod git;
mod gpu;
mod gpu_baseline;
mod gpu_edges;
mod gpu_exact;
mod gpu_faults;
mod gpu_sizes;
mod gpu_values;
mod graph_beside_rename;
mod graph_check;
mod graph_edits;
mod graph_files;
mod graph_harness;
mod graph_laws;
mod graph_missed;
mod graph_pairs;
mod graph_plan;
mod graph_report;
mod graph_same_bytes;
mod graph_savers;
mod graph_savers_sizes;
mod graph_sizes;
mod graph_spelling;
mod graph_written;
mod harness;
mod hostile;
mod hostile_graphs;
mod hostile_messages;
mod json;
mod json_depth;
mod json_message;
mod json_refused;
mod json_schema;
mod json_well_known;
mod lists;
mod long_names;
mod message_diff;
mod message_diff_laws;
mod message_diff_sizes;
mod message_forms;
mod message_harness;
mod message_laws;
mod messages;
mod meta_graph;
mod meta_graph_edges;
mod meta_graph_laws;
mod object_graph;
mod object_graph_numbers;
mod op_table;
mod output_files;
mod pairs;
mod proto2;
mod random_graph;
mod random_message;
mod random_text;
mod random_value;
mod readme;
mod report;
mod roles;
mod rotation;
mod schema;
mod schema_tables;
mod show;
mod state;
mod support;
mod table;
mod tape;
mod text_floats;
mod text_layout;
mod text_message;
mod text_parse;
mod text_print;
mod text_said;
mod text_syntax;
mod text_threads;
mod text_unknown;
mod text_view;
mod text_view_laws;
mod text_view_limits;
mod user_schema;
mod verify;
mod written;

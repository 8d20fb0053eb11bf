//! The arguments of `export`.

use std::path::PathBuf;

use clap::Args;

use super::FormArgs;

/// Arguments of `export`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExportArgs {
    /// The file to read, a meta graph or a graph; - for standard input
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The file to write, in the form of its extension; - for standard output, as text
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    #[command(flatten)]
    pub(crate) what: WhatArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// What is exported.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What to export")]
pub(crate) struct WhatArgs {
    /// Only nodes whose name begins with SCOPE, and without it; tower/ where tower2 is another
    #[arg(long, value_name = "SCOPE")]
    pub(crate) export_scope: Option<String>,
    /// Clear the devices of nodes
    #[arg(long)]
    pub(crate) clear_devices: bool,
    /// Leave out savers other than the meta graph's own, with their nodes
    #[arg(long)]
    pub(crate) clear_extraneous_savers: bool,
    /// Leave out attributes that have the default value of their op
    #[arg(long)]
    pub(crate) strip_default_attrs: bool,
    /// Make the list of op definitions anew, also where no node has gone
    #[arg(long)]
    pub(crate) stripped_op_list: bool,
    /// Keep only this collection (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Vec<String>,
    /// Give it this tag in place of those that it has (repeatable)
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Give it this version of yours
    #[arg(long, value_name = "VERSION")]
    pub(crate) meta_graph_version: Option<String>,
    /// Write where the nodes were made beside OUT, with .debug for its extension; from the graph, or from such a file beside IN
    #[arg(long, conflicts_with = "into")]
    pub(crate) save_debug_info: bool,
    /// The collection that names inputs from outside the scope
    #[arg(long, value_name = "NAME", default_value = ckdiff::meta_graph::UNBOUND_INPUTS)]
    pub(crate) unbound_inputs: String,
}

/// Where it is put then.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Where to put it")]
pub(crate) struct PlaceArgs {
    /// Put everything under SCOPE, with a number behind it where there is such a scope; SCOPE/ for the one there is
    #[arg(long, value_name = "SCOPE")]
    pub(crate) import_scope: Option<String>,
    /// Put it beside what the meta graph in FILE has
    #[arg(long, value_name = "FILE")]
    pub(crate) into: Option<PathBuf>,
    /// Let nodes take TO where they took FROM (repeatable); TO is a name as it is in OUT
    #[arg(long, value_name = "FROM=TO", value_parser = pair)]
    pub(crate) input_map: Vec<(String, String)>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => Ok((from.into(), to.into())),
        _ => Err("it must be FROM=TO, two names of tensors".into()),
    }
}

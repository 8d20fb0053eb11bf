//! Arguments of `export`.

use std::path::PathBuf;

use clap::Args;

use super::messages::FormArgs;

/// Arguments of `export`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExportArgs {
    /// The meta graph or graph to read; - for standard input
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The file to write, in the form of its extension; - for standard output, as text
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// The content of an export.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Content")]
pub(crate) struct ContentArgs {
    /// Keep only nodes whose name begins with SCOPE, and remove it; tower includes tower2/x, tower/ does not
    #[arg(long, value_name = "SCOPE")]
    pub(crate) export_scope: Option<String>,
    /// Clear the devices of nodes
    #[arg(long)]
    pub(crate) clear_devices: bool,
    /// Leave out savers other than the meta graph's own, and their nodes
    #[arg(long)]
    pub(crate) clear_extraneous_savers: bool,
    /// Leave out attributes that have the default value of their op
    #[arg(long)]
    pub(crate) strip_default_attrs: bool,
    /// Rebuild the list of op definitions, even if no node was left out
    #[arg(long)]
    pub(crate) stripped_op_list: bool,
    /// Keep only this collection (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Vec<String>,
    /// Set this tag instead of the existing ones (repeatable)
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Set this meta_graph_version
    #[arg(long, value_name = "VERSION")]
    pub(crate) meta_graph_version: Option<String>,
    /// Also write the debug info of the nodes to OUT with the extension .debug; it is read from the graph, or from IN with that
    /// extension
    #[arg(long, conflicts_with = "into")]
    pub(crate) save_debug_info: bool,
    /// The collection that names inputs from outside the scope
    #[arg(long, value_name = "NAME", default_value = crate::meta_graph::UNBOUND_INPUTS)]
    pub(crate) unbound_inputs: String,
}

/// The destination of an export.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Destination")]
pub(crate) struct TargetArgs {
    /// Put everything under SCOPE, with a number appended if SCOPE exists; SCOPE/ reuses an existing scope
    #[arg(long, value_name = "SCOPE")]
    pub(crate) import_scope: Option<String>,
    /// Add it to the meta graph in FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) into: Option<PathBuf>,
    /// Replace the input FROM of nodes by TO (repeatable); TO is a name in OUT
    #[arg(long, value_name = "FROM=TO", value_parser = pair)]
    pub(crate) input_map: Vec<(String, String)>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => Ok((from.into(), to.into())),
        _ => Err("expected FROM=TO, two names of tensors".into()),
    }
}

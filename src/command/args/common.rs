//! Arguments that several commands have.

use clap::Args;

/// Which tensors are selected.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tensors")]
pub(crate) struct Filter {
    /// Select only tensors whose name matches (repeatable); `*` stops at `/`, `**` does not
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Leave out tensors whose name matches (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Fail if a pattern of an option, or a rule, matches nothing; otherwise that is a warning
    #[arg(long, visible_alias = "deny-unused-rules")]
    pub(crate) deny_unused: bool,
}

/// The number of threads.
#[derive(Debug, Clone, Args)]
pub(crate) struct Jobs {
    /// How many threads to use; 0 for one per core
    #[arg(short, long, value_name = "N", default_value = "0", hide_default_value = true,
          value_parser = clap::value_parser!(u16).range(..=1024))]
    pub(crate) jobs: u16,
}

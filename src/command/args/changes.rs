//! Arguments that choose which changes of graphs are reported.

use crate::diff::{ChangeKind, Grouping, Keyed, PathPattern};
use crate::report;
use clap::Args;

use super::values::one_of;

/// The kinds of changes, in the order of the help.
const KINDS: [ChangeKind; 4] =
    [ChangeKind::Added, ChangeKind::Removed, ChangeKind::Modified, ChangeKind::Renamed];

/// Which changes of graphs and other messages are reported.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Graphs")]
pub(crate) struct Changes {
    /// Leave out changes at matching paths and below, as in '**.device' (repeatable)
    #[arg(long, value_name = "PATH-GLOB")]
    pub(crate) ignore: Vec<String>,
    /// Leave out changes of this kind (repeatable)
    #[arg(long, value_name = "KIND", value_parser = one_of(KINDS.map(|kind| (kind.name(), kind))))]
    pub(crate) ignore_kind: Vec<ChangeKind>,
    /// Count cosmetic changes as differences
    #[arg(long)]
    pub(crate) strict: bool,
    /// Show each change by itself, also equal edits and what follows from another change
    #[arg(long)]
    pub(crate) no_group: bool,
}

impl Changes {
    /// Whether changes are put together.
    pub(crate) fn grouping(&self) -> Grouping {
        if self.no_group { Grouping::Off } else { Grouping::ByCause }
    }
}

/// How the items of lists in messages are matched.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Graphs")]
pub(crate) struct ListArgs {
    /// Ignore the order of the list at PATH, as in meta_info_def.tags (repeatable); `*` is any field, `**` any number of them
    #[arg(long, value_name = "PATH")]
    pub(crate) as_set: Vec<PathPattern>,
    /// Match the items of the list at PATH by their FIELD, as in asset_file_def=filename (repeatable)
    #[arg(long, value_name = "PATH=FIELD[,FIELD]")]
    pub(crate) key: Vec<Keyed>,
}

/// Whether changes are shown as lines of text.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct Unified {
    /// Show changes of graphs as lines of text, with N lines of context (3 by default)
    #[arg(short, long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "3")]
    pub(crate) unified: Option<usize>,
}

impl Unified {
    /// The lines of context around a change.
    pub(crate) fn context(&self) -> usize {
        self.unified.unwrap_or(report::ReportOptions::default().context)
    }
}

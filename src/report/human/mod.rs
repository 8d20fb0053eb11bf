//! For a person: the answer first, then counts, then what changed most, in at most 100 columns.

mod advice;
mod change_text;
mod changes;
mod devices;
mod diff;
mod fit;
mod lines;
mod listing;
mod number;
mod overview;
mod renames;
mod sections;
mod table;
mod text;
mod texts;
mod values;
mod verification;

pub use devices::write as devices;
pub use diff::{write as diff, write_as_text as diff_as_text};
pub use listing::write as listing;
pub use overview::write as overview;
pub use text::printable;
pub use values::write as values;
pub use verification::write as verification;

use super::Palette;

/// Columns that a report may take; only paths in error messages and things to paste take more.
const WIDTH: usize = 100;

/// How a report is to look.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Its colours.
    pub palette: Palette,
    /// Changed tensors that are listed.
    pub max_diffs: usize,
}

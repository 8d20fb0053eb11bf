//! Snapshots of models: a stable text of a model's structure, to be reviewed and checked like other text.
//!
//! ```text
//! Artifact ──redact──► Snapshot ──print──► text
//!                          │  ◄──parse──
//!                          └──check──► Diff: what changed since the text was written
//! ```
//! A snapshot has the graphs, signatures, savers, collections, variables and assets of a model, and no values of variables. What
//! differs between two exports of one model is taken out by [`Redaction`]s, which the head of the text lists. [`parse`] reads the
//! text back, so that a check compares two models and not two texts.

mod check;
mod file_name;
mod parse;
mod print;
mod quote;
mod redact;
mod redaction;
mod structure;
mod take;
mod variable;

pub use check::check;
#[doc(hidden)]
pub use check::compare;
#[doc(hidden)]
pub use file_name::file_name;
pub use parse::parse;
pub use redaction::{Redaction, Redactions};
pub use structure::Snapshot;

use crate::artifact::Artifact;
use crate::error::Result;

/// The version of the text, in its first line.
const VERSION: u32 = 1;

/// The text of the structure of an artifact, with all redactions.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::snapshot;
///
/// let module = Artifact::open("tests/data/saved_models/module")?;
/// let text = snapshot::text(&module)?;
/// assert!(text.starts_with("ckdiff snapshot 1\nkind SavedModel\n"));
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// As [`Snapshot::new`].
pub fn text(artifact: &Artifact<'_>) -> Result<String> {
    text_with(artifact, &Redactions::default())
}

/// The text of the structure of an artifact, with the given redactions.
///
/// # Errors
/// As [`Snapshot::new`].
pub fn text_with(artifact: &Artifact<'_>, redactions: &Redactions) -> Result<String> {
    Snapshot::new(artifact, redactions)?.text()
}

//! The results that can be reported, and how a report for people looks.

use std::path::PathBuf;

use super::{Devices, Palette};
use crate::checkpoint::Listing;
use crate::diff::{Diff, TextView};
use crate::error::Error;
use crate::overview::Overview;
use crate::tensor::TensorValues;
use crate::verify::Verification;

/// A result to report.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Report<'a> {
    /// The comparison of two artifacts. With texts, the human format shows the changes of messages in them.
    Diff(&'a Diff, Option<&'a TextView<'a>>),
    /// The tensors of a checkpoint. With the values of one, the human format shows them in place of the list.
    Listing(&'a Listing, Option<&'a TensorValues>),
    /// A message.
    Overview(&'a Overview<'a>),
    /// The verification of each artifact, or the reason why it could not be opened; for people also the state files that have
    /// nothing to verify.
    Verifications(&'a [(PathBuf, Result<Verification, Error>)], &'a [PathBuf]),
    /// The devices of this machine.
    Devices(&'a Devices),
}

/// The looks of a report for people; they do not change JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The colors.
    pub palette: Palette,
    /// The maximum number of rows of a list: changed tensors, changes of a message, errors.
    pub max_rows: usize,
    /// Lines of context around a change in a text.
    pub context: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { palette: Palette::PLAIN, max_rows: 20, context: 3 }
    }
}

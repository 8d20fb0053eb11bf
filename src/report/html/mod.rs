//! Reports as one HTML file, which opens on the answer and needs nothing from elsewhere.
//!
//! ```text
//! page: head, style, policy ─► answer ─► broken rules ─► scopes ─► tensors ─► graph ─► notes ─► data, script
//! ```
//! Everything that is text is written by Rust, through templates that escape it: the page can be read, searched and printed
//! without its script. The script sorts and filters, and draws the pictures of a tensor from compact numbers when the tensor is
//! opened: a thousand drawn tensors would be ten times the size.

mod answer;
mod changes;
mod comparison;
mod curves;
mod drift;
mod gates;
mod graph;
mod notes;
mod page;
mod picture;
mod rows;
mod scopes;
mod search;
mod series;
mod tensor_data;
mod tensors;
mod why;

use std::io::{self, Write};

use super::{Report, ReportOptions};
use crate::message::Losses;

/// Writes a report as a page. Reports of other subjects are not written: the format does not have them.
pub(super) fn write(
    report: &Report<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    match *report {
        Report::Diff(diff, texts) => comparison::write(diff, None, texts, options, out)?,
        Report::Judged(judged, texts) => {
            comparison::write(judged.diff, Some(judged), texts, options, out)?;
        }
        Report::Series(found) => series::write(found, out)?,
        Report::Search(found) => search::write(found, out)?,
        Report::Picture(overview, picture) => graph::write(overview, picture, options, out)?,
        Report::Listing(..)
        | Report::Overview(_)
        | Report::Verifications(..)
        | Report::Devices(_) => {}
    }
    Ok(Losses::default())
}

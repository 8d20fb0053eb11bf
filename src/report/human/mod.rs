//! Reports for people: first the answer, then counts, then the largest changes.

mod again;
mod answer;
mod change_text;
mod changes;
mod devices;
mod diff;
mod elements;
mod judgement;
mod lines;
mod listing;
mod number;
mod overview;
mod restorability;
mod series;
mod statistics;
mod suggestions;
mod table;
mod tensor_tables;
mod tensors;
mod terminal_text;
mod text_view;
mod unmatched;
mod values;
mod verification;

use std::io::{self, Write};

pub use judgement::{reason, unused_rule};
pub use terminal_text::{plural, printable};

use super::request::WIDTH;
use super::{Report, ReportOptions, Verbosity};
use crate::message::Losses;

/// Writes a report for people; returns the parts of a message that text cannot represent.
pub(super) fn write(
    report: &Report<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    match *report {
        Report::Diff(diff, texts) => diff::write(diff, None, texts, options, out)?,
        Report::Judged(judged, texts) => {
            diff::write(judged.diff, Some(judged), texts, options, out)?;
        }
        Report::Listing(_, Some(values)) => values::write(values, options, out)?,
        Report::Listing(listing, None) => listing::write(listing, options, out)?,
        Report::Overview(overview) => return overview::write(overview, options, out),
        Report::Verifications(results, skipped) => {
            results.iter().try_for_each(|(_, result)| verification::write(result, options, out))?;
            verification::write_skipped(skipped, out)?;
        }
        Report::Devices(devices) => devices::write(devices, options, out)?,
        Report::Series(found) => series::write(found, options, out)?,
        Report::Search(found) => series::write_search(found, options, out)?,
    }
    Ok(Losses::default())
}

//! Reports for people: first the answer, then counts, then the largest changes.

pub(super) mod again;
pub(super) mod answer;
mod apart;
pub(super) mod change_text;
pub(super) mod changes;
mod devices;
mod diff;
pub(super) mod elements;
pub(super) mod grouped;
mod histogram;
pub(super) mod judgement;
mod lines;
mod listing;
pub(super) mod node_group;
pub(super) mod number;
mod one_line;
mod overview;
mod pictures;
mod restorability;
pub(super) mod series;
pub(super) mod statistics;
pub(super) mod suggestions;
mod table;
pub(super) mod tensor_tables;
pub(super) mod tensors;
pub(super) mod terminal_text;
pub(super) mod text_view;
mod unmatched;
mod values;
mod verification;

use std::io::{self, Write};

pub(super) use changes::by_section;
pub(super) use diff::{compared, kind_and_format};
pub(super) use judgement::{CHECK_COLUMNS, check_cells, check_lists, limit, rules_line};
pub(super) use one_line::{change, difference, error, name};
pub(super) use suggestions::renames;
pub(super) use table::Align;
pub(super) use tensors::{role, section_tables};
pub(super) use terminal_text::short_of;

pub use judgement::{reason, unused_rule};
pub use terminal_text::{plural, printable, shell_quoted};

use super::request::WIDTH;
use super::{Judged, Report, ReportOptions, Verbosity};
use crate::diff::Diff;
use crate::message::Losses;
use crate::summary::role_movements;

/// The answer of a comparison in one line, by rules if it was judged. Its first word is the verdict.
pub fn answer(diff: &Diff, judged: Option<&Judged<'_>>) -> String {
    match judged {
        Some(judged) => judgement::sentence(judged),
        None => answer::sentence(diff, &role_movements(diff)),
    }
}

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
        Report::Listing(_, Some(tensor)) => values::write(&tensor, options, out)?,
        Report::Listing(listing, None) => listing::write(listing, options, out)?,
        Report::Overview(overview) | Report::Picture(overview, _) => {
            return overview::write(overview, options, out);
        }
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

//! JSON reports: stable contracts, each with a JSON Schema in this directory.
//!
//! | schema | report | file |
//! | --- | --- | --- |
//! | `ckdiff/1` | [`Report::Diff`], [`Report::Judged`] | `ckdiff-1.schema.json` |
//! | `ckdiff-show/1` | [`Report::Listing`] | `ckdiff-show-1.schema.json` |
//! | `ckdiff-show-message/1` | [`Report::Overview`] | `ckdiff-show-message-1.schema.json` |
//! | `ckdiff-devices/1` | [`Report::Devices`] | `ckdiff-devices-1.schema.json` |
//! | `ckdiff-verify/1` | [`Report::Verifications`] | `ckdiff-verify-1.schema.json` |
//! | `ckdiff-series/1` | [`Report::Series`] | `ckdiff-series-1.schema.json` |
//! | `ckdiff-series-first/1` | [`Report::Search`] | `ckdiff-series-first-1.schema.json` |
//!
//! The types of a result implement `Serialize` for their place in a report; `documents` has the outermost objects.
//! NaN and infinities are the strings `"NaN"`, `"Infinity"`, `"-Infinity"`; floats have the shortest form of their type; equal
//! results give equal bytes.

mod documents;
mod layout;
mod read;
mod series;

use std::io::{self, Write};

use super::{Report, ReportOptions};
use crate::message::Losses;

pub use crate::serial::base64;
pub use read::read_diff;

/// Writes a report as JSON; returns the parts of a message that JSON cannot represent.
pub(super) fn write(
    report: &Report<'_>,
    _: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    match *report {
        Report::Diff(diff, _) => documents::diff(diff, None, out)?,
        Report::Judged(judged, _) => documents::diff(judged.diff, Some(judged), out)?,
        Report::Listing(listing, tensor) => {
            documents::listing(listing, tensor.map(|tensor| tensor.values), out)?;
        }
        Report::Overview(overview) | Report::Picture(overview, _) => {
            return documents::overview(overview, out);
        }
        Report::Verifications(results, _) => documents::verifications(results, out)?,
        Report::Devices(devices) => documents::devices(devices, out)?,
        Report::Series(series) => series::series(series, out)?,
        Report::Search(search) => series::search(search, out)?,
    }
    Ok(Losses::default())
}

//! The formats of reports: a line per exporter.

use std::io::{self, Write};

use super::{Report, ReportOptions, human, json};
use crate::artifact::Form;
use crate::message::Losses;

/// A format of reports, which writes any [`Report`].
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Its name, as `--format` accepts it.
    pub name: &'static str,
    /// The form in which it shows a whole message.
    pub form: Form,
    /// Whether people read it, who want notes and errors where they read.
    pub is_for_people: bool,
    write: fn(&Report<'_>, &ReportOptions, &mut dyn Write) -> io::Result<Losses>,
}

impl Format {
    /// Every format.
    pub const ALL: &[Self] = &[Self::HUMAN, Self::JSON];

    /// Text for people.
    pub const HUMAN: Self =
        Self { name: "human", form: Form::Text, is_for_people: true, write: human::write };

    /// JSON for programs, by the schemas in `src/report/json/`.
    pub const JSON: Self =
        Self { name: "json", form: Form::Json, is_for_people: false, write: json::write };

    /// The format with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name == name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Writes a report; returns the parts of a message that the format cannot represent.
///
/// # Errors
/// If `out` cannot be written, or the report shows a whole message that the format cannot represent.
///
/// # Examples
/// ```
/// use ckdiff::checkpoint::{Checkpoint, Listing};
/// use ckdiff::report::{Format, ReportOptions, Report, write};
///
/// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
/// let listing = Listing::new(&checkpoint, |_| true);
/// let mut out = Vec::new();
/// write(&Report::Listing(&listing, None), Format::HUMAN, &ReportOptions::default(), &mut out)?;
/// assert!(String::from_utf8(out)?.contains("2 tensors"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(
    report: &Report<'_>,
    format: Format,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    (format.write)(report, options, out)
}

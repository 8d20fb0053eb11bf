//! The formats of reports: a line per exporter.

use std::io::{self, Write};

use super::{Report, ReportOptions, Subject, github, html, human, json, junit, markdown, picture};
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
    /// Whether it draws histograms and where mismatches lie, which are computed only for it.
    pub has_pictures: bool,
    /// The subjects that it has a report of.
    subjects: &'static [Subject],
    write: fn(&Report<'_>, &ReportOptions, &mut dyn Write) -> io::Result<Losses>,
}

impl Format {
    /// Every format.
    pub const ALL: &[Self] = &[
        Self::HUMAN,
        Self::JSON,
        Self::HTML,
        Self::JUNIT,
        Self::MARKDOWN,
        Self::GITHUB,
        Self::DOT,
        Self::MERMAID,
    ];

    /// Text for people.
    pub const HUMAN: Self = Self {
        name: "human",
        form: Form::Text,
        is_for_people: true,
        has_pictures: false,
        subjects: Subject::ALL,
        write: human::write,
    };

    /// JSON for programs, by the schemas in `src/report/json/`.
    pub const JSON: Self = Self {
        name: "json",
        form: Form::Json,
        is_for_people: false,
        has_pictures: false,
        subjects: Subject::ALL,
        write: json::write,
    };

    /// A graph in Graphviz's language.
    pub const DOT: Self = Self {
        name: "dot",
        form: Form::Text,
        is_for_people: false,
        has_pictures: false,
        subjects: &[Subject::Picture],
        write: picture::dot,
    };

    /// A graph in Mermaid's language.
    pub const MERMAID: Self = Self {
        name: "mermaid",
        form: Form::Text,
        is_for_people: false,
        has_pictures: false,
        subjects: &[Subject::Picture],
        write: picture::mermaid,
    };

    /// One page for a browser, in one file.
    pub const HTML: Self = Self {
        name: "html",
        form: Form::Text,
        is_for_people: true,
        has_pictures: true,
        subjects: &[Subject::Comparison, Subject::Series, Subject::Picture],
        write: html::write,
    };

    /// JUnit XML for CI: a test case for each tensor, and for each rule or change of a graph.
    pub const JUNIT: Self = Self {
        name: "junit",
        form: Form::Text,
        is_for_people: false,
        has_pictures: false,
        subjects: &[Subject::Comparison, Subject::Verification, Subject::Series],
        write: junit::write,
    };

    /// Markdown for a comment on a pull request.
    pub const MARKDOWN: Self = Self {
        name: "markdown",
        form: Form::Text,
        is_for_people: false,
        has_pictures: false,
        subjects: &[Subject::Comparison, Subject::Verification, Subject::Series],
        write: markdown::write,
    };

    /// Annotations of GitHub Actions.
    pub const GITHUB: Self = Self {
        name: "github",
        form: Form::Text,
        is_for_people: false,
        has_pictures: false,
        subjects: &[Subject::Comparison],
        write: github::write,
    };

    /// The format with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name == name)
    }

    /// The formats that have a report of this subject.
    pub fn of(subject: Subject) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |format| format.has(subject))
    }

    /// Whether it has a report of this subject.
    pub fn has(&self, subject: Subject) -> bool {
        self.subjects.contains(&subject)
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
/// If `out` cannot be written, the format has no report of this subject, or the report shows a whole message that the format cannot
/// represent.
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
    if !format.has(report.subject()) {
        let why = format!("{} is not a format of this report", format.name);
        return Err(io::Error::new(io::ErrorKind::Unsupported, why));
    }
    (format.write)(report, options, out)
}

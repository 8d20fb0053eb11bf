//! The head of a page: the answer, what was compared, and links to the sections.

use std::io::{self, Write};

use askama::Template;

use super::page;
use crate::artifact::ArtifactSummary;
use crate::diff::{Diff, TensorRole, Verdict};
use crate::report::human::terminal_text::printable;
use crate::report::human::{answer, compared, judgement, kind_and_format};
use crate::report::{Judged, ReportOptions};
use crate::summary::role_movements;

/// The head of a page.
#[derive(Template)]
#[template(path = "answer.html", config = "src/report/html/askama.toml")]
pub(super) struct Answer {
    /// The color and the mark.
    pub(super) tone: Tone,
    /// The answer of the report for people, on one line.
    pub(super) text: String,
    /// The sides of the comparison: name, path and kind of each.
    pub(super) sides: Vec<Side>,
    /// Counts, a line each.
    pub(super) facts: Vec<String>,
    /// The sections: the id, and the text of the link.
    pub(super) sections: Vec<(&'static str, String)>,
}

/// A side of a comparison.
pub(super) struct Side {
    pub(super) name: &'static str,
    pub(super) path: String,
    pub(super) what: String,
}

/// How good or bad an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// Nothing differs, or all that differs is accepted.
    Good,
    /// Something differs.
    Changed,
    /// A rule is broken, or something cannot be read.
    Bad,
}

impl Tone {
    /// The class of the page's head.
    fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Changed => "changed",
            Self::Bad => "bad",
        }
    }

    /// A mark, for those who do not see its color.
    fn mark(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Changed => "≠",
            Self::Bad => "✕",
        }
    }
}

/// Writes the head of a comparison with this answer.
pub(super) fn write(
    text: String,
    (diff, judged): (&Diff, Option<&Judged<'_>>),
    sections: Vec<(&'static str, String)>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tone = match (diff.verdict(), judged.map(|judged| judged.judgement.verdict())) {
        (Verdict::Same, None) | (_, Some(Verdict::Same)) => Tone::Good,
        (Verdict::Different, None) => Tone::Changed,
        (Verdict::Trouble, None) | (_, Some(Verdict::Different | Verdict::Trouble)) => Tone::Bad,
    };
    let side = |(name, of): (&'static str, &ArtifactSummary)| Side {
        name,
        path: printable(&of.path.display().to_string()),
        what: kind_and_format(of),
    };
    let sides = [("lhs", &diff.lhs), ("rhs", &diff.rhs)].map(side).into();
    let facts = facts(diff, judged, options);
    page::write(&Answer { tone, text, sides, facts, sections }, out)
}

/// The answer of the report for people, on one line.
pub(super) fn text(diff: &Diff, judged: Option<&Judged<'_>>) -> String {
    match judged {
        Some(judged) => judgement::sentence(judged),
        None => answer::text(diff, &role_movements(diff)),
    }
}

/// The compared sides, and the rules.
fn facts(diff: &Diff, judged: Option<&Judged<'_>>, options: &ReportOptions) -> Vec<String> {
    // A browser breaks the lines.
    let options = ReportOptions { columns: Some(usize::MAX), ..*options };
    let mut lines = compared(diff, &options);
    lines.extend(judged.map(|Judged { rules, .. }| {
        let profile = rules.profile().map(|name| format!(", profile {}", printable(name)));
        format!("rules: {}{}", printable(rules.source()), profile.unwrap_or_default())
    }));
    lines
}

/// The name of a role, for one tensor.
pub(super) fn role(role: Option<TensorRole>) -> &'static str {
    role.map_or("", |role| role.name())
}

//! Annotations of GitHub Actions: a workflow command in each line.
//!
//! ```text
//! ::error file=ckdiff.toml,line=12,title=ckdiff::dense/kernel moved by 30%25, allowed at most 20%25
//! ```
//! Source: `ActionCommand.TryParseV2` of GitHub's runner, which finds commands at the start of a line, splits properties at `,`, and replaces
//! `%25` last. The runner drops what is beyond ten errors and ten warnings of a step in silence, so the rest is counted in the last one.

use std::io::{self, Write};
use std::path::Path;

use super::human::{answer, plural, printable, short_of, unused_rule};
use super::problems::{Problem, more_problems, problems};
use super::{Judged, Report, ReportOptions};
use crate::diff::{Diff, Side, StatedAt};
use crate::message::Losses;
use crate::rules::RuleOrigin;

/// The most errors and the most warnings of one step, without the one that counts the rest.
const MOST: usize = 9;

/// Writes a comparison as annotations.
pub(super) fn write(
    report: &Report<'_>,
    _: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    let Some((diff, judged)) = report.comparison() else { return Ok(Losses::default()) };
    annotate("notice", Place::of(&diff.rhs.path), &short_of(&answer(diff, judged)), out)?;
    let mut more = 0;
    for (at, problem) in problems(diff, judged).enumerate() {
        match at < MOST {
            true => annotate("error", Place::of_problem(&problem, diff), &problem.line(), out)?,
            false => more += 1,
        }
    }
    rest("error", more, &more_problems(more, judged), diff, out)?;
    warnings(diff, judged, out)?;
    Ok(Losses::default())
}

/// The findings about one side, and what of the rules matches nothing.
fn warnings(diff: &Diff, judged: Option<&Judged<'_>>, out: &mut dyn Write) -> io::Result<()> {
    let findings = diff.findings.iter().map(|finding| {
        let side = if finding.side == Some(Side::Lhs) { &diff.lhs } else { &diff.rhs };
        let line = printable(&format!("{}: {}", short_of(&finding.path), finding.problem));
        (Place::of(&side.path), line)
    });
    let unused = judged.into_iter().flat_map(|judged| &judged.judgement.unused);
    let unused = unused.map(|rule| (Place::of_rule(&rule.rule), printable(&unused_rule(rule))));
    let stated = diff.unused.iter().filter_map(|of| Some((of.at.as_ref()?, of)));
    let unused =
        unused.chain(stated.map(|(at, of)| (Place::stated(at), printable(&of.to_string()))));
    let mut more = 0;
    for (at, (place, line)) in findings.chain(unused).enumerate() {
        match at < MOST {
            true => annotate("warning", place, &short_of(&line), out)?,
            false => more += 1,
        }
    }
    rest("warning", more, &format!("… and {}", plural(more, "more finding")), diff, out)
}

/// The number of annotations that the runner would drop.
fn rest(level: &str, more: u64, text: &str, diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    match more {
        0 => Ok(()),
        _ => annotate(level, Place::of(&diff.rhs.path), text, out),
    }
}

/// Where GitHub shows an annotation: a file, and a line if it is known.
#[derive(Debug)]
struct Place {
    file: String,
    line: Option<u64>,
}

impl Place {
    fn of(path: &Path) -> Self {
        Self { file: printable(&path.display().to_string()), line: None }
    }

    fn of_rule(rule: &RuleOrigin) -> Self {
        Self { file: printable(&rule.source), line: rule.line }
    }

    fn stated(at: &StatedAt) -> Self {
        Self { file: printable(&at.source), line: Some(at.line) }
    }

    /// The rule in its file; what breaks no rule of a file is shown at rhs.
    fn of_problem(problem: &Problem<'_>, diff: &Diff) -> Self {
        let in_file = |rule: &&&RuleOrigin| {
            rule.line.is_some() && crate::rules::Profile::by_name(&rule.source).is_none()
        };
        match problem.rule.as_ref().filter(in_file) {
            Some(rule) => Self::of_rule(rule),
            None => Self::of(&diff.rhs.path),
        }
    }
}

fn annotate(level: &str, place: Place, message: &str, out: &mut dyn Write) -> io::Result<()> {
    let file = property(&place.file);
    let line = place.line.map(|line| format!(",line={line}")).unwrap_or_default();
    writeln!(out, "::{level} file={file}{line},title=ckdiff::{}", data(message))
}

/// The message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

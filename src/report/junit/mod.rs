//! JUnit XML, for CI: a test suite for the two sides, a test case for each tensor and for each rule or change of a graph. Verifications have
//! a suite for each artifact, and a series a case for each checkpoint.
//!
//! ```text
//! <testsuites name="ckdiff" …>
//!   <testsuite name="LHS → RHS" file="RHS" …>
//!     <testcase classname="ckdiff.weights" name="dense/kernel" time="0">
//!       <failure message="one line" type="ckdiff.rel_l2">the line and details</failure>
//! ```
//! Source: Jenkins' schema `junit-10.xsd`, which has `file` for suites only; and what GitLab reads: the body of a failure in place of
//! its message, and one of several cases of one name. There are no times, so that the bytes repeat. Cases are written as they are
//! made: nothing grows with their number but the set of their names.

mod case;
mod comparison;
mod counts;
mod series;
mod verification;
mod xml;

use std::io::{self, Write};
use std::path::Path;

use super::human::{plural, printable};
use super::{Report, ReportOptions};
use crate::artifact::ArtifactSummary;
use crate::diff::Diff;
use crate::message::Losses;

use case::{Case, Outcome, Reason};
use comparison::Comparison;
use counts::Counts;
use xml::{attribute, text};

/// The most lines of one failure. The first lines tell why.
const MAX_LINES: usize = 1_000;

/// A test suite, whose cases are made each time they are needed.
struct Suite<'a> {
    name: String,
    file: String,
    cases: Box<Cases<'a>>,
}

/// Calls a function with each case of a suite.
type Cases<'a> = dyn Fn(&mut dyn FnMut(Case) -> io::Result<()>) -> io::Result<()> + 'a;

/// Writes a comparison, verifications or a series as JUnit XML.
pub(super) fn write(
    report: &Report<'_>,
    _: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    let of_comparison = report.comparison().map(|(diff, judged)| {
        of_sides(diff, move |f| Comparison::new(diff, judged).try_for_each(f))
    });
    let suites: Vec<Suite<'_>> = match *report {
        Report::Verifications(results, _) => {
            results.iter().map(|(path, result)| verification::suite(path, result)).collect()
        }
        Report::Series(found) => vec![series::suite(found)],
        Report::Search(found) => vec![series::suite_of_search(found)],
        _ => of_comparison.into_iter().collect(),
    };
    let mut all = Counts::default();
    let counted: Vec<Counts> =
        suites.iter().map(|suite| Counts::of(suite, &mut all)).collect::<io::Result<_>>()?;
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="ckdiff" {}>"#, all.attributes())?;
    for (suite, counts) in suites.iter().zip(&counted) {
        let (name, file) = (attribute(&suite.name), attribute(&suite.file));
        let (counted, skipped) = (counts.attributes(), counts.skipped);
        writeln!(out, r#"<testsuite name="{name}" {counted} skipped="{skipped}" file="{file}">"#)?;
        (suite.cases)(&mut |case| write_case(&case, out))?;
        writeln!(out, "</testsuite>")?;
    }
    writeln!(out, "</testsuites>")?;
    Ok(Losses::default())
}

/// The suite of two sides.
fn of_sides<'a>(
    diff: &Diff,
    cases: impl Fn(&mut dyn FnMut(Case) -> io::Result<()>) -> io::Result<()> + 'a,
) -> Suite<'a> {
    let path = |side: &ArtifactSummary| shown(&side.path);
    let (lhs, rhs) = (path(&diff.lhs), path(&diff.rhs));
    Suite { name: format!("{lhs} → {rhs}"), file: rhs, cases: Box::new(cases) }
}

/// A path, as reports show it.
fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

fn write_case(case: &Case, out: &mut dyn Write) -> io::Result<()> {
    let (class, name) = (case.class, attribute(&case.name));
    write!(out, r#"<testcase classname="ckdiff.{class}" name="{name}" time="0""#)?;
    let (element, reason) = match &case.outcome {
        Outcome::Passed => return writeln!(out, "/>"),
        Outcome::Failed(reason) => ("failure", reason),
        Outcome::Error(reason) => ("error", reason),
        Outcome::Skipped(reason) => ("skipped", reason),
    };
    let Reason { kind, line, details } = reason;
    let message = attribute(line);
    write!(out, r#"><{element} message="{message}" type="ckdiff.{kind}">{}"#, text(line))?;
    for detail in details.iter().take(MAX_LINES) {
        write!(out, "\n{}", text(detail))?;
    }
    let more = details.len().saturating_sub(MAX_LINES);
    if more > 0 {
        write!(out, "\n… and {}", plural(more as u64, "more line"))?;
    }
    writeln!(out, "</{element}></testcase>")
}

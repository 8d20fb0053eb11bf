//! Markdown for a comment on a pull request, and for the summary of a job: the verdict, what failed and why; the rest is folded.
//!
//! The first line is a comment that no reader sees, by which a bot finds its earlier comment. Forges refuse comments of more than 65,536
//! characters, so rows beyond [`ReportOptions::max_bytes`] are left out and counted. Source: GitHub Flavored Markdown, whose tables and
//! tags GitLab, Gitea and others read alike.

mod escape;
mod page;
mod plain;
mod sections;

use std::io::{self, Write};

use super::human::{Align, answer, compared, printable, short_of};
use super::problems::{more_problems, problems};
use super::{Judged, Report, ReportOptions};
use crate::diff::{Diff, Verdict};
use crate::message::Losses;

use escape::{code, text};
use page::{Fold, Page, Rows};

/// The first line, by which a bot finds its comment.
const MARK: &str = "<!-- ckdiff -->";

/// The signs of the verdicts, which agree with the exit code.
const GOOD: &str = "✅";
const BAD: &str = "❌";
const TROUBLE: &str = "⚠️";

/// The number of failures that are not folded.
const SHOWN: usize = 10;

/// Writes a comparison as Markdown.
pub(super) fn write(
    report: &Report<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    let Some((diff, judged)) = report.comparison() else {
        return plain::write(report, options, out);
    };
    let mut page = Page::new(options.max_bytes);
    let most = options.max_rows.min(page.max_rows());
    let options = ReportOptions { max_rows: most, ..*options };
    head(diff, judged, &mut page);
    failures(diff, judged, &mut page);
    about(diff, judged, &options, &mut page);
    sections::write(diff, judged, &options, &mut page)?;
    out.write_all(page.finish().as_bytes())?;
    Ok(Losses::default())
}

/// The mark, and the answer as a heading.
fn heading(sign: &str, answer: &str, page: &mut Page) {
    page.lines(MARK);
    let space = if sign.is_empty() { "" } else { " " };
    page.lines(&format!("### {sign}{space}{}\n", text(&short_of(answer))));
}

/// The heading of a comparison.
fn head(diff: &Diff, judged: Option<&Judged<'_>>, page: &mut Page) {
    let verdict = judged.map_or_else(|| diff.verdict(), |judged| judged.judgement.verdict());
    let sign = match verdict {
        Verdict::Same => GOOD,
        Verdict::Different => BAD,
        Verdict::Trouble => TROUBLE,
    };
    heading(sign, &answer(diff, judged), page);
}

/// The worst failures, and why.
fn failures(diff: &Diff, judged: Option<&Judged<'_>>, page: &mut Page) {
    let mut total = 0;
    let mut rows = Vec::new();
    for problem in problems(diff, judged) {
        total += 1;
        if rows.len() < SHOWN {
            let rule = problem.rule.map(|rule| printable(&rule.to_string()));
            rows.push((problem, rule));
        }
    }
    if rows.is_empty() {
        return;
    }
    for (problem, rule) in &rows {
        let subject = problem.subject.as_ref().map(|subject| format!("{}: ", code(subject)));
        let subject = subject.unwrap_or_default();
        let rule = rule.as_ref().map(|rule| format!(" (rule {})", code(&short_of(rule))));
        page.lines(&format!("- {subject}{}{}", text(&problem.text), rule.unwrap_or_default()));
    }
    let more = total - rows.len();
    if more > 0 {
        page.lines(&format!("- {}", more_problems(more as u64, judged)));
    }
    page.lines("");
}

/// The two sides, what was compared, and the rules.
fn about(diff: &Diff, judged: Option<&Judged<'_>>, options: &ReportOptions, page: &mut Page) {
    let side = |name: &str, side: &crate::artifact::ArtifactSummary| {
        let path = side.path.display().to_string();
        vec![name.to_owned(), path, format!("{} {}", side.kind, side.format)]
    };
    let columns = ["side", "path", "kind"].map(|title| (title.to_owned(), Align::Left)).to_vec();
    let rows = vec![side("lhs", &diff.lhs), side("rhs", &diff.rhs)];
    page.table(&Rows { title: "Compared".into(), columns, rows, total: 2 }, Fold::Open);
    let mut lines = compared(diff, options);
    if let Some(judged) = judged {
        let profile = judged.rules.profile().map(|name| format!(", profile {name}"));
        lines.push(format!("rules: {}{}", judged.rules.source(), profile.unwrap_or_default()));
    }
    for line in lines {
        page.lines(&format!("- {}", text(&short_of(&line))));
    }
    page.lines("");
}

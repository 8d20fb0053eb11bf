//! Reports without tables in Markdown: a series, a search, verifications.

use std::io::{self, Write};

use super::page::Page;
use super::{BAD, GOOD, TROUBLE, heading};
use crate::message::Losses;
use crate::report::human::{self, series};
use crate::report::{Palette, Report, ReportOptions};
use crate::series::Verdict;

/// Writes the answer as a heading, and the rest of the report for people as a block of code, cut by lines.
pub(super) fn write(
    report: &Report<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    let options = ReportOptions { palette: Palette::PLAIN, columns: None, ..*options };
    let (mut lines, mut losses) = (Vec::new(), Losses::default());
    let (sign, mut answer) = match report {
        Report::Series(found) => {
            series::below_answer(found, &options, &mut lines)?;
            (sign_of_series(found.verdict()), series::answer::text(found))
        }
        Report::Search(found) => {
            series::search::below_answer(found, &options, &mut lines)?;
            (sign_of_series(found.verdict()), series::search::text(found))
        }
        _ => {
            losses = human::write(report, &options, &mut lines)?;
            ("", String::new())
        }
    };
    let lines = String::from_utf8_lossy(&lines);
    let mut body = &*lines;
    if answer.is_empty() {
        let (first, rest) = lines.split_once('\n').unwrap_or((&lines, ""));
        (answer, body) = (first.to_owned(), rest);
    }
    let mut page = Page::new(options.max_bytes);
    heading(sign, &answer, &mut page);
    page.code(body.trim_matches('\n'));
    out.write_all(page.finish().as_bytes())?;
    Ok(losses)
}

/// The sign of the verdict on a series.
fn sign_of_series(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Sound => GOOD,
        Verdict::Broken => BAD,
        Verdict::Trouble => TROUBLE,
    }
}

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
    let (sign, answer) = match report {
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
            let end = lines.iter().position(|&byte| byte == b'\n').unwrap_or(lines.len());
            let rest = lines.split_off(end);
            let first = std::mem::replace(&mut lines, rest);
            ("", String::from_utf8_lossy(&first).into_owned())
        }
    };
    let mut page = Page::new(options.max_bytes);
    heading(sign, &answer, &mut page);
    page.code(String::from_utf8_lossy(&lines).trim_matches('\n'));
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

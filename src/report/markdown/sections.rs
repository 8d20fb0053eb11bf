//! The folded parts of a page: all failures and changes, by kind.

use std::collections::BTreeMap;
use std::io;

use super::page::{Fold, Page, Rows};
use crate::diff::{Diff, Side, Weight};
use crate::report::human::{
    Align, CHECK_COLUMNS, by_section, change, check_cells, check_lists, printable, renames,
    section_tables,
};
use crate::report::{Judged, ReportOptions, Verbosity};
use crate::rules::Check;

/// Adds the folded parts of a page.
pub(super) fn write(
    diff: &Diff,
    judged: Option<&Judged<'_>>,
    options: &ReportOptions,
    page: &mut Page,
) -> io::Result<()> {
    if let Some(Judged { judgement, .. }) = judged {
        for (title, list) in check_lists(judgement) {
            checks(title, list, options, page);
        }
    }
    let mut lines = Vec::new();
    renames(diff, options, &mut lines)?;
    if !lines.is_empty() {
        let lines = String::from_utf8_lossy(&lines);
        let (title, lines) = lines.trim_start().split_once('\n').unwrap_or_default();
        page.block(title, lines);
    }
    for section in section_tables(diff, options) {
        let (title, total) = (section.title, section.total);
        page.table(
            &Rows { title, columns: section.columns, rows: section.rows, total },
            Fold::Folded,
        );
    }
    changes(diff, Weight::Semantic, options, page);
    findings(diff, options, page);
    let shows_cosmetic = options.verbosity == Verbosity::Everything || diff.options.strict;
    if shows_cosmetic {
        changes(diff, Weight::Cosmetic, options, page);
    }
    Ok(())
}

fn columns(titles: &[&str]) -> Vec<(String, Align)> {
    titles.iter().map(|&title| (title.to_owned(), Align::Left)).collect()
}

fn checks(title: &str, checks: &[Check], options: &ReportOptions, page: &mut Page) {
    if checks.is_empty() {
        return;
    }
    let rows = checks.iter().take(options.max_rows).map(|check| check_cells(check).to_vec());
    let (title, total) = (format!("{title} ({})", checks.len()), checks.len());
    let columns = columns(&CHECK_COLUMNS);
    page.table(&Rows { title, columns, rows: rows.collect(), total }, Fold::Folded);
}

fn changes(diff: &Diff, weight: Weight, options: &ReportOptions, page: &mut Page) {
    for (title, all) in by_section(diff, weight) {
        let rows = all.iter().take(options.max_rows).map(|found| change(*found).to_vec());
        let title = match weight {
            Weight::Semantic => title,
            Weight::Cosmetic => format!("Cosmetic: {title}"),
        };
        let columns = columns(&["path", "lhs → rhs"]);
        page.table(&Rows { title, columns, rows: rows.collect(), total: all.len() }, Fold::Folded);
    }
}

/// The findings about each side.
fn findings(diff: &Diff, options: &ReportOptions, page: &mut Page) {
    let mut all = BTreeMap::<(&str, &str), Vec<&str>>::new();
    for finding in &diff.findings {
        let text = (&*finding.path, &*finding.problem);
        all.entry(text).or_default().extend(finding.side.map(Side::name));
    }
    if all.is_empty() {
        return;
    }
    let rows = all.iter().take(options.max_rows).map(|((path, problem), sides)| {
        vec![printable(path), printable(problem), sides.join(", ")]
    });
    let (title, total) = (format!("Findings ({})", all.len()), all.len());
    let columns = columns(&["path", "finding", "side"]);
    page.table(&Rows { title, columns, rows: rows.collect(), total }, Fold::Folded);
}

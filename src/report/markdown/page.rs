//! A page of Markdown within a limit: rows that do not fit are counted.

use super::escape::{cell, code};
use crate::report::human::{Align, plural, short_of};

/// Bytes that are kept for the note at the end of the page.
const NOTE: usize = 200;

/// Bytes that are kept for the end of a section: the number of rows that are left out, and the closing tag.
const SECTION_END: usize = 80;

/// A page that never grows beyond its limit.
#[derive(Debug)]
pub(super) struct Page {
    out: String,
    limit: usize,
    /// The rows that were left out.
    left_out: usize,
}

/// A table with a title, or a part of it.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) title: String,
    pub(super) columns: Vec<(String, Align)>,
    pub(super) rows: Vec<Vec<String>>,
    /// The number of all rows.
    pub(super) total: usize,
}

/// Whether the reader sees a table at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// Below a heading.
    Open,
    /// In `<details>`.
    Folded,
}

impl Page {
    pub(super) fn new(limit: usize) -> Self {
        Self { out: String::new(), limit: limit.saturating_sub(NOTE), left_out: 0 }
    }

    /// The number of rows of any table that may fit.
    pub(super) fn max_rows(&self) -> usize {
        /// The bytes of the shortest row: `| a | b |` and a line end.
        const SHORTEST: usize = 10;
        self.limit / SHORTEST
    }

    /// Adds lines, if they fit.
    pub(super) fn lines(&mut self, lines: &str) -> bool {
        let fits = self.out.len() + lines.len() < self.limit;
        if fits {
            self.out.push_str(lines);
            self.out.push('\n');
        }
        fits
    }

    /// Adds a table, as far as it fits.
    pub(super) fn table(&mut self, table: &Rows, fold: Fold) {
        let title = title(&table.title, fold);
        let header = header(&table.columns);
        let mut rows = table.rows.iter().map(|cells| row(cells, table.columns.len())).peekable();
        let room = self.limit.saturating_sub(self.out.len() + SECTION_END);
        let mut used = title.len() + header.len();
        // A table without a row says nothing.
        if rows.peek().is_none_or(|first| used + first.len() > room) {
            self.left_out += table.total;
            return;
        }
        self.out += &title;
        self.out += &header;
        let mut shown = 0;
        while let Some(row) = rows.next_if(|row| used + row.len() <= room) {
            used += row.len();
            shown += 1;
            self.out += &row;
        }
        let more = table.total.saturating_sub(shown);
        self.left_out += more;
        if more > 0 {
            self.out += &format!("\n… and {}\n", plural(more as u64, "more row"));
        }
        self.out += if fold == Fold::Folded { "\n</details>\n\n" } else { "\n" };
    }

    /// Adds lines as they are, in a folded block; all of them or none.
    pub(super) fn block(&mut self, name: &str, lines: &str) {
        let fence = fence(lines);
        let title = title(name, Fold::Folded);
        let lines = lines.trim_end();
        if !self.lines(&format!("{title}{fence}text\n{lines}\n{fence}\n\n</details>\n")) {
            self.left_out += lines.lines().count();
        }
    }

    /// Adds lines as a block of code, as far as they fit.
    pub(super) fn code(&mut self, lines: &str) {
        let fence = fence(lines);
        let room = self.limit.saturating_sub(self.out.len() + 2 * fence.len() + SECTION_END);
        self.out += &format!("{fence}text\n");
        let mut used = 0;
        for line in lines.lines() {
            used += line.len() + 1;
            match used <= room {
                true => self.out += &format!("{line}\n"),
                false => self.left_out += 1,
            }
        }
        self.out += &format!("{fence}\n");
    }

    /// The page, with a note if something was left out.
    pub(super) fn finish(mut self) -> String {
        if self.left_out > 0 {
            let rows = plural(self.left_out as u64, "row");
            let limit = plural((self.limit + NOTE) as u64, "byte");
            self.out += &format!("**{rows} left out**, because the report is cut at {limit}.\n");
        }
        self.out
    }
}

/// The line before and after a block of code: more backticks than are in it.
fn fence(lines: &str) -> String {
    let longest = lines.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

fn title(title: &str, fold: Fold) -> String {
    match fold {
        Fold::Open => format!("**{}**\n\n", super::escape::text(title)),
        Fold::Folded => {
            format!("<details><summary>{}</summary>\n\n", super::escape::text(title))
        }
    }
}

fn header(columns: &[(String, Align)]) -> String {
    let titles: Vec<_> = columns.iter().map(|(title, _)| super::escape::text(title)).collect();
    let rules = columns.iter().map(|(_, align)| if *align == Align::Right { "--:" } else { ":--" });
    format!("| {} |\n| {} |\n", titles.join(" | "), rules.collect::<Vec<_>>().join(" | "))
}

/// A row: the name as code, and as many other cells as there are columns.
fn row(cells: &[String], columns: usize) -> String {
    let mut row = String::from("|");
    for at in 0..columns {
        let text = cells.get(at).map(|text| short_of(text)).unwrap_or_default();
        let written = match (at, text.is_empty()) {
            (_, true) => String::new(),
            (0, _) => code(&text),
            _ => cell(&text),
        };
        row += &format!(" {written} |");
    }
    row + "\n"
}

//! The parts that all overviews consist of: facts, sections with tables, headings.

use std::io::{self, Write};

use anstyle::Style;

use super::super::table::{Align, Table};
use super::super::terminal_text::{cut_middle, printable, wrapped};
use super::super::{ReportOptions, lines, number};
use crate::overview::Overview;

/// An overview that is written, and its options.
pub(super) struct Page<'a> {
    pub(super) options: &'a ReportOptions,
    pub(super) overview: &'a Overview<'a>,
}

impl Page<'_> {
    /// Texts separated by commas, as many as the options allow.
    pub(super) fn few(&self, texts: impl Iterator<Item = String>) -> String {
        let mut texts = texts.into_iter();
        let mut shown: Vec<String> = texts.by_ref().take(self.options.max_rows).collect();
        match texts.count() {
            0 => {}
            more => shown.push(format!("… and {more} more")),
        }
        shown.join(", ")
    }

    pub(super) fn facts(&self, facts: &[(&str, String)], out: &mut dyn Write) -> io::Result<()> {
        let faint = self.options.palette.faint;
        for (name, fact) in facts.iter().filter(|(_, fact)| !fact.is_empty()) {
            let start = format!("  {name:<10}  ");
            let parts: Vec<String> = fact.split(", ").map(printable).collect();
            for line in wrapped(&start, &parts) {
                let (name, fact) = line.split_at_checked(start.len()).unwrap_or(("", &line));
                writeln!(out, "{faint}{name}{faint:#}{fact}")?;
            }
        }
        Ok(())
    }

    pub(super) fn section<T>(
        &self,
        title: &str,
        items: &[T],
        columns: &[Align],
        cells: impl Fn(&T) -> Vec<String>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.section_under(title, &[], items, columns, cells, out)
    }

    /// Writes a title, a header and as many rows as the options allow.
    pub(super) fn section_under<T>(
        &self,
        title: &str,
        header: &[&str],
        items: &[T],
        columns: &[Align],
        cells: impl Fn(&T) -> Vec<String>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        self.title(title, items.len(), out)?;
        let mut table = Table::new(columns);
        if !header.is_empty() {
            table.header(self.options.palette.faint, header);
        }
        for item in items.iter().take(self.options.max_rows) {
            table.push(Style::new(), cells(item));
        }
        table.write_squeezed(self.options.columns, out)?;
        self.rest(items.len(), out)
    }

    /// Writes a line, cut to the width of the terminal, if there is one.
    pub(super) fn line(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.options.columns.unwrap_or(usize::MAX);
        writeln!(out, "{}", cut_middle(text, columns))
    }

    pub(super) fn title(&self, title: &str, count: usize, out: &mut dyn Write) -> io::Result<()> {
        self.heading(&format!("{title} ({})", number::count(count as u64)), out)
    }

    pub(super) fn heading(&self, title: &str, out: &mut dyn Write) -> io::Result<()> {
        lines::heading(title, self.options, out)
    }

    pub(super) fn rest(&self, count: usize, out: &mut dyn Write) -> io::Result<()> {
        let hidden = count.saturating_sub(self.options.max_rows) as u64;
        lines::more(hidden, "", "  ", Style::new(), out)
    }
}

//! What is in a message: its graphs at a glance, or its text.

mod callables;
mod directory;
mod meta_graph;
mod python;
mod rows;
mod signatures;
mod type_spec;

use std::io::{self, Write};

use anstyle::Style;

use crate::message::Losses;
use crate::report::{Contents, MetaGraph, Overview};
use crate::text;

use super::lines::FirstLines;
use super::table::{Align, Table};
use super::text::{cut_middle, plural, printable, wrapped};
use super::{View, WIDTH, number};

/// Tells a person what is in a message; returns what text has no place for.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(overview: &Overview<'_>, view: &View, out: &mut dyn Write) -> io::Result<Losses> {
    let heading = view.palette.heading;
    let path = printable(&overview.path.display().to_string());
    let mut what = format!("{}, {}", overview.kind, overview.form);
    if let Contents::MetaGraphs(graphs) = &overview.contents
        && graphs.len() != 1
    {
        what += &format!(", {}", plural(graphs.len() as u64, "meta graph"));
    }
    let bytes = number::bytes(overview.bytes);
    writeln!(out, "{heading}{path}: {what}, {bytes}{heading:#}")?;
    let report = Report { view, overview };
    match &overview.contents {
        Contents::MetaGraphs(graphs) => report.meta_graphs(graphs, out)?,
        Contents::Graph(graph) => {
            writeln!(out)?;
            report.bare_graph(graph, out)?;
        }
        Contents::Other(message) => {
            writeln!(out)?;
            let mut lines = FirstLines::new(out, view.max_diffs);
            let losses = text::print(message, &text::PrintOptions::default(), &mut lines)?;
            let more = lines.more();
            if more > 0 {
                writeln!(out, "… and {}", plural(more, "more line"))?;
            }
            return Ok(losses);
        }
    }
    report.directory(out)?;
    Ok(Losses::default())
}

struct Report<'a> {
    view: &'a View,
    overview: &'a Overview<'a>,
}

impl Report<'_> {
    fn meta_graphs(&self, graphs: &[MetaGraph], out: &mut dyn Write) -> io::Result<()> {
        let (heading, count) = (self.view.palette.heading, graphs.len());
        for (i, graph) in graphs.iter().enumerate().take(self.view.max_diffs) {
            if count > 1 {
                writeln!(out, "\n{heading}Meta graph {} of {count}{heading:#}", i + 1)?;
            } else {
                writeln!(out)?;
            }
            self.meta_graph(graph, out)?;
        }
        match count.saturating_sub(self.view.max_diffs) {
            0 => Ok(()),
            more => writeln!(out, "\n… and {}", plural(more as u64, "more meta graph")),
        }
    }

    /// Texts with commas between them, as many as the view allows.
    fn few(&self, texts: impl Iterator<Item = String>) -> String {
        let mut texts = texts.into_iter();
        let mut shown: Vec<String> = texts.by_ref().take(self.view.max_diffs).collect();
        match texts.count() {
            0 => {}
            more => shown.push(format!("… and {more} more")),
        }
        shown.join(", ")
    }

    fn facts(&self, facts: &[(&str, String)], out: &mut dyn Write) -> io::Result<()> {
        let faint = self.view.palette.faint;
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

    fn section<T>(
        &self,
        title: &str,
        items: &[T],
        columns: &[Align],
        cells: impl Fn(&T) -> Vec<String>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.section_under(title, &[], items, columns, cells, out)
    }

    /// A title, a header over the columns, and as many rows as the view allows.
    fn section_under<T>(
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
            table.header(self.view.palette.faint, header);
        }
        for item in items.iter().take(self.view.max_diffs) {
            table.push(Style::new(), cells(item));
        }
        table.write_squeezed(out)?;
        self.rest(items.len(), out)
    }

    /// A line in as many columns as a report has.
    fn line(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", cut_middle(text, WIDTH))
    }

    fn title(&self, title: &str, count: usize, out: &mut dyn Write) -> io::Result<()> {
        let heading = self.view.palette.heading;
        writeln!(out, "\n{heading}{title} ({}){heading:#}", number::count(count as u64))
    }

    fn rest(&self, count: usize, out: &mut dyn Write) -> io::Result<()> {
        match count.saturating_sub(self.view.max_diffs) {
            0 => Ok(()),
            more => writeln!(out, "  … and {} more", number::count(more as u64)),
        }
    }
}

//! The overview of a message: summaries of its graphs, or its text.

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

use super::lines::{self, FirstLines};
use super::table::{Align, Table};
use super::text::{cut_middle, plural, printable, wrapped};
use super::{Options, WIDTH, number};

/// Writes the overview of a message; returns the parts that text cannot represent.
pub(super) fn write(
    overview: &Overview<'_>,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    let heading = options.palette.heading;
    let path = printable(&overview.path.display().to_string());
    let mut what = format!("{}, {}", overview.kind, overview.form);
    if let Contents::MetaGraphs(graphs) = &overview.contents
        && graphs.len() != 1
    {
        what += &format!(", {}", plural(graphs.len() as u64, "meta graph"));
    }
    let bytes = number::bytes(overview.bytes);
    writeln!(out, "{heading}{path}: {what}, {bytes}{heading:#}")?;
    let page = Page { options, overview };
    match &overview.contents {
        Contents::MetaGraphs(graphs) => page.meta_graphs(graphs, out)?,
        Contents::Graph(graph) => {
            writeln!(out)?;
            page.bare_graph(graph, out)?;
        }
        Contents::Other(message) => {
            writeln!(out)?;
            let mut lines = FirstLines::new(out, options.max_rows);
            let losses = text::print(message, &text::PrintOptions::default(), &mut lines)?;
            let hidden = lines.more();
            lines::more(hidden, "line", "", Style::new(), out)?;
            return Ok(losses);
        }
    }
    page.directory(out)?;
    Ok(Losses::default())
}

struct Page<'a> {
    options: &'a Options,
    overview: &'a Overview<'a>,
}

impl Page<'_> {
    fn meta_graphs(&self, graphs: &[MetaGraph], out: &mut dyn Write) -> io::Result<()> {
        let count = graphs.len();
        for (i, graph) in graphs.iter().enumerate().take(self.options.max_rows) {
            if count > 1 {
                self.heading(&format!("Meta graph {} of {count}", i + 1), out)?;
            } else {
                writeln!(out)?;
            }
            self.meta_graph(graph, out)?;
        }
        let hidden = count.saturating_sub(self.options.max_rows) as u64;
        lines::more(hidden, "meta graph", "\n", Style::new(), out)
    }

    /// Texts separated by commas, as many as the options allow.
    fn few(&self, texts: impl Iterator<Item = String>) -> String {
        let mut texts = texts.into_iter();
        let mut shown: Vec<String> = texts.by_ref().take(self.options.max_rows).collect();
        match texts.count() {
            0 => {}
            more => shown.push(format!("… and {more} more")),
        }
        shown.join(", ")
    }

    fn facts(&self, facts: &[(&str, String)], out: &mut dyn Write) -> io::Result<()> {
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

    /// Writes a title, a header and as many rows as the options allow.
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
            table.header(self.options.palette.faint, header);
        }
        for item in items.iter().take(self.options.max_rows) {
            table.push(Style::new(), cells(item));
        }
        table.write_squeezed(out)?;
        self.rest(items.len(), out)
    }

    /// Writes a line, cut to the width of a report.
    fn line(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", cut_middle(text, WIDTH))
    }

    fn title(&self, title: &str, count: usize, out: &mut dyn Write) -> io::Result<()> {
        self.heading(&format!("{title} ({})", number::count(count as u64)), out)
    }

    fn heading(&self, title: &str, out: &mut dyn Write) -> io::Result<()> {
        lines::heading(title, self.options, out)
    }

    fn rest(&self, count: usize, out: &mut dyn Write) -> io::Result<()> {
        let hidden = count.saturating_sub(self.options.max_rows) as u64;
        lines::more(hidden, "", "  ", Style::new(), out)
    }
}

//! The overview of a message: summaries of its graphs, or its text.

mod callables;
mod directory;
mod meta_graph;
mod page;
mod python;
mod rows;
mod signatures;
mod type_spec;

use std::io::{self, Write};

use anstyle::Style;

use crate::message::Losses;
use crate::overview::{Contents, MetaGraph, Overview};
use crate::text;

use super::lines::{self, FirstLines};
use super::terminal_text::{plural, printable};
use super::{ReportOptions, number};
use page::Page;

/// Writes the overview of a message; returns the parts that text cannot represent.
pub(super) fn write(
    overview: &Overview<'_>,
    options: &ReportOptions,
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
            let printable = text::PrintOptions { printable: true, ..text::PrintOptions::default() };
            let losses = text::print(message, &printable, &mut lines)?;
            let hidden = lines.more();
            lines::more(hidden, "line", "", Style::new(), out)?;
            return Ok(losses);
        }
    }
    page.directory(out)?;
    Ok(Losses::default())
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
}

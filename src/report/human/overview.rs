//! What is in a message: its graphs at a glance, or its text.

use std::io::{self, Write};

use anstyle::Style;

use crate::message::Losses;
use crate::report::{
    Argument, Collection, Contents, Function, Graph, MetaGraph, Overview, Saver, Signature,
    TensorType,
};
use crate::text;

use super::lines::FirstLines;
use super::table::{Align, NONE, Table};
use super::text::{plural, printable, wrapped};
use super::{View, number};

/// What a Saver has where nobody asks for anything else: it keeps none for good.
const NEVER: f32 = 10_000.0;

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
    let report = Report { view };
    match &overview.contents {
        Contents::MetaGraphs(graphs) => graphs.iter().enumerate().try_for_each(|(i, graph)| {
            if graphs.len() > 1 {
                writeln!(out, "\n{heading}Meta graph {} of {}{heading:#}", i + 1, graphs.len())?;
            } else {
                writeln!(out)?;
            }
            report.meta_graph(graph, out)
        })?,
        Contents::Graph(graph) => {
            writeln!(out)?;
            report.facts(&[("versions", versions(graph)), ("graph", size(graph))], out)?;
            report.graph(graph, out)?;
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
    Ok(Losses::default())
}

struct Report<'a> {
    view: &'a View,
}

impl Report<'_> {
    fn meta_graph(&self, graph: &MetaGraph, out: &mut dyn Write) -> io::Result<()> {
        let tensorflow = match (&*graph.tensorflow_version, &*graph.tensorflow_git_version) {
            ("", _) => String::new(),
            (version, "" | "unknown") => format!("TensorFlow {version}"),
            (version, git) => format!("TensorFlow {version} ({git})"),
        };
        let facts = [
            ("tags", graph.tags.join(", ")),
            ("version", graph.meta_graph_version.clone()),
            ("written by", tensorflow),
            ("versions", versions(&graph.graph)),
            ("graph", size(&graph.graph)),
            ("defaults", if graph.stripped_default_attrs { "stripped" } else { "" }.into()),
            ("objects", graph.objects.map(number::count).unwrap_or_default()),
            ("saver", graph.saver.as_ref().map(saver).unwrap_or_default()),
        ];
        self.facts(&facts, out)?;
        self.signatures(&graph.signatures, out)?;
        self.graph(&graph.graph, out)?;
        let collection = |collection: &Collection| {
            let kind = collection.kind.unwrap_or("empty").to_owned();
            vec![printable(&collection.name), kind, number::count(collection.items)]
        };
        let columns = [Align::Left, Align::Right];
        self.section("Collections", &graph.collections, &columns, collection, out)?;
        self.section(
            "Assets",
            &graph.assets,
            &[Align::Left],
            |asset| vec![printable(&asset.filename), printable(&asset.tensor)],
            out,
        )
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

    fn graph(&self, graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
        let typed = |name: &str, ty: &TensorType, more: &str| {
            vec![printable(name), dtype(ty), ty.dims(), more.to_owned()]
        };
        let columns = [Align::Left, Align::Left, Align::Left];
        self.section(
            "Variables",
            &graph.variables,
            &columns,
            |variable| {
                let trainable = if variable.trainable == Some(true) { "trainable" } else { "" };
                typed(&variable.name, &variable.ty, trainable)
            },
            out,
        )?;
        self.section(
            "Placeholders",
            &graph.placeholders,
            &columns,
            |placeholder| typed(&placeholder.name, &placeholder.ty, ""),
            out,
        )?;
        let count = |n| if n == 0 { NONE.into() } else { number::count(n) };
        self.section_under(
            "Ops",
            &["op", "nodes", "in functions"],
            &graph.ops,
            &[Align::Right, Align::Right],
            |op| vec![printable(&op.name), count(op.nodes), count(op.in_functions)],
            out,
        )?;
        self.section_under(
            "Functions",
            &["function", "inputs", "outputs", "nodes"],
            &graph.functions,
            &[Align::Right, Align::Right, Align::Right],
            |function| {
                let Function { inputs, outputs, nodes, .. } = *function;
                vec![printable(&function.name), count(inputs), count(outputs), count(nodes)]
            },
            out,
        )
    }

    fn signatures(&self, signatures: &[Signature], out: &mut dyn Write) -> io::Result<()> {
        if signatures.is_empty() {
            return Ok(());
        }
        self.title("Signatures", signatures.len(), out)?;
        for signature in signatures.iter().take(self.view.max_diffs) {
            let method = match &*signature.method {
                "" => String::new(),
                method => format!("  {}", printable(method)),
            };
            writeln!(out, "  {}{method}", printable(&signature.name))?;
            let mut table = Table::new(&[Align::Left, Align::Left, Align::Left, Align::Left]);
            for (way, arguments) in [("  in", &signature.inputs), ("  out", &signature.outputs)] {
                for argument in arguments.iter().take(self.view.max_diffs) {
                    table.push(Style::new(), row(way, argument));
                }
            }
            table.write_fitted(out)?;
        }
        self.rest(signatures.len(), out)
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
        table.write_fitted(out)?;
        self.rest(items.len(), out)
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

fn row(way: &str, argument: &Argument) -> Vec<String> {
    vec![
        way.into(),
        printable(&argument.name),
        dtype(&argument.ty),
        argument.ty.dims(),
        printable(&argument.tensors.join(", ")),
    ]
}

fn dtype(ty: &TensorType) -> String {
    ty.dtype.clone().unwrap_or_else(|| "?".into())
}

fn versions(graph: &Graph) -> String {
    match (graph.producer, graph.min_consumer) {
        (0, 0) => String::new(),
        (producer, 0) => format!("producer {producer}"),
        (producer, consumer) => format!("producer {producer}, min consumer {consumer}"),
    }
}

fn size(graph: &Graph) -> String {
    let ops = graph.ops.iter().filter(|op| op.nodes > 0).count() as u64;
    let mut size = format!("{} of {}", plural(graph.nodes, "node"), plural(ops, "op"));
    if !graph.functions.is_empty() {
        let nodes = graph.functions.iter().map(|function| function.nodes).sum();
        let functions = plural(graph.functions.len() as u64, "function");
        size += &format!(", {functions} with {}", plural(nodes, "node"));
    }
    size
}

fn saver(saver: &Saver) -> String {
    let mut parts = vec![saver.format.to_owned()];
    if saver.sharded {
        parts.push("sharded".into());
    }
    parts.push(match saver.max_to_keep {
        0 => "keeps all".into(),
        n => format!("keeps {n}"),
    });
    if saver.keep_checkpoint_every_n_hours > 0.0 && saver.keep_checkpoint_every_n_hours < NEVER {
        let hours = number::short(saver.keep_checkpoint_every_n_hours.into());
        parts.push(format!("one for good every {hours} hours"));
    }
    parts.push(format!("file name {}", saver.filename_tensor));
    parts.push(format!("save {}", saver.save_tensor));
    parts.push(format!("restore {}", saver.restore_op));
    parts.join(", ")
}

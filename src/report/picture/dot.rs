//! Graphs in Graphviz's language.
//!
//! ```text
//! digraph { n0 [label="…"]; subgraph cluster_0 { label="…"; n1 […]; } n0 -> n1 [label="…"]; }
//! ```
//! Source: <https://graphviz.org/doc/info/lang.html>. Labels are quoted strings, in which `\` begins an escape and `&` an entity.

use std::io::{self, Write};

use super::label::{self, Look};
use super::{first_block, fold, outermost, picture};
use crate::message::Losses;
use crate::picture::{Callee, Drawing, Edge, Item};
use crate::report::{Report, ReportOptions};

/// Writes the picture in a report.
///
/// # Errors
/// If the report has none, or `out` cannot be written.
pub(in crate::report) fn write(
    report: &Report<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    let drawing = picture(report)?.fold(fold(options));
    writeln!(out, "digraph {{")?;
    writeln!(out, "  rankdir=TB; compound=true; fontname=\"Helvetica\"; fontsize=11;")?;
    writeln!(
        out,
        "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=10];"
    )?;
    writeln!(out, "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\"];")?;
    items(&drawing.items, &drawing, 1, out)?;
    for edge in &drawing.edges {
        self::edge(edge, out)?;
    }
    calls(&drawing, out)?;
    writeln!(out, "}}")?;
    Ok(Losses::default())
}

/// Writes boxes and clusters.
fn items(items: &[Item], drawing: &Drawing, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    let indent = "  ".repeat(depth);
    for item in items {
        match *item {
            Item::Block(at) => {
                let Some(block) = drawing.blocks.get(at) else { continue };
                let text = quoted(&label::of_block(block));
                writeln!(out, "{indent}n{at} [label={text}{}];", style(Look::of(block)))?;
            }
            Item::Cluster(at) => {
                let Some(cluster) = drawing.clusters.get(at) else { continue };
                writeln!(out, "{indent}subgraph cluster_{at} {{")?;
                let title = quoted(&[label::of_cluster(cluster)]);
                writeln!(out, "{indent}  label={title}; style=rounded; color=\"#888888\";")?;
                self::items(&cluster.items, drawing, depth + 1, out)?;
                writeln!(out, "{indent}}}")?;
            }
        }
    }
    Ok(())
}

fn style(look: Look) -> &'static str {
    match look {
        Look::Plain => "",
        Look::Variable => ", shape=cylinder, style=filled, fillcolor=\"#fff2cc\"",
        Look::Terminal => ", shape=oval, style=filled, fillcolor=\"#dae8fc\"",
        Look::Folded => ", shape=box3d, style=filled, fillcolor=\"#eeeeee\"",
    }
}

fn edge(edge: &Edge, out: &mut dyn Write) -> io::Result<()> {
    let mut attributes = Vec::new();
    let text = label::of_edge(edge);
    if !text.is_empty() {
        attributes.push(format!("label={}", quoted(&[text])));
    }
    if edge.is_control {
        attributes.push("style=dashed".into());
    }
    let attributes = match attributes.is_empty() {
        true => String::new(),
        false => format!(" [{}]", attributes.join(", ")),
    };
    writeln!(out, "  n{} -> n{}{attributes};", edge.from, edge.to)
}

/// Writes the calls of functions as dotted edges, which end at the border of an open function.
fn calls(drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    let outermost = outermost(drawing);
    for call in &drawing.calls {
        let (to, head) = match call.to {
            Callee::Block(at) => (Some(at), String::new()),
            Callee::Cluster(at) => {
                let cluster = drawing.clusters.get(at);
                // An edge inside a cluster cannot end at its border.
                let is_inside = outermost.get(call.from) == Some(&Some(at));
                let head = if is_inside { String::new() } else { format!(", lhead=cluster_{at}") };
                (cluster.and_then(|cluster| first_block(cluster, drawing)), head)
            }
        };
        let Some(to) = to else { continue };
        let (from, calls) = (call.from, label::CALLS);
        writeln!(out, "  n{from} -> n{to} [label=\"{calls}\", style=dotted{head}];")?;
    }
    Ok(())
}

/// Lines as one string, in which nothing is an escape or an entity.
fn quoted(lines: &[String]) -> String {
    let mut text = String::from("\"");
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            text += "\\n";
        }
        for c in line.chars() {
            match c {
                '"' => text += "\\\"",
                '\\' => text += "\\\\",
                '&' => text += "&amp;",
                c => text.push(c),
            }
        }
    }
    text.push('"');
    text
}

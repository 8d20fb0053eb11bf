//! Graphs in Mermaid's language, which GitHub and GitLab draw in Markdown.
//!
//! ```text
//! flowchart TB
//!   subgraph g0["…"]
//!     n0["…"]
//!   end
//!   n0 -->|"…"| n1
//! ```
//! Source: <https://mermaid.js.org/syntax/flowchart.html>. In labels `#35;` is the character with this number. Mermaid refuses texts and
//! numbers of edges beyond limits, so larger pictures are folded further.

use std::io::{self, Write};

use super::label::{self, Look};
use super::{first_block, fold, outermost, picture};
use crate::message::Losses;
use crate::picture::{Callee, Drawing, Edge, Fold, Item};
use crate::report::{Report, ReportOptions};

/// Mermaid's limits `maxEdges` and `maxTextSize`, the second in UTF-16 units.
const MOST_EDGES: usize = 500;
const MOST_TEXT: usize = 50_000;

/// The numbers of boxes that are tried one after the other.
const BOXES: [usize; 6] = [200, 100, 60, 30, 10, 1];

/// Writes the picture in a report.
///
/// # Errors
/// If the report has none, or `out` cannot be written.
pub(in crate::report) fn write(
    report: &Report<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<Losses> {
    let picture = picture(report)?;
    let wanted = picture.fold(fold(options));
    let mut text = text(&wanted);
    let mut tried = BOXES.iter().filter(|&&boxes| boxes < wanted.blocks.len());
    while text.edges > MOST_EDGES || text.text.encode_utf16().count() > MOST_TEXT {
        let Some(&boxes) = tried.next() else { break };
        let drawing = picture.fold(Fold::Boxes(boxes));
        text = self::text(&drawing);
        let most = if boxes == 1 { "1 box".into() } else { format!("{boxes} boxes") };
        let all = wanted.blocks.len();
        text.text.insert_str(
            0,
            &format!("%% folded to at most {most}, since Mermaid does not draw {all}\n"),
        );
    }
    out.write_all(text.text.as_bytes())?;
    Ok(Losses::default())
}

/// A text, and the number of edges in it.
struct Text {
    text: String,
    edges: usize,
}

fn text(drawing: &Drawing) -> Text {
    let mut text = String::from("flowchart TB\n");
    items(&drawing.items, drawing, 1, &mut text);
    for edge in &drawing.edges {
        text += &self::edge(edge);
    }
    calls(drawing, &mut text);
    let is_folded =
        |at: &usize| drawing.blocks.get(*at).is_some_and(|b| Look::of(b) == Look::Folded);
    let folded: Vec<_> =
        (0..drawing.blocks.len()).filter(is_folded).map(|at| format!("n{at}")).collect();
    if !folded.is_empty() {
        text += "  classDef folded fill:#eee,stroke:#666,color:#000\n";
        text += &format!("  class {} folded\n", folded.join(","));
    }
    Text { text, edges: drawing.edges.len() + drawing.calls.len() }
}

/// Adds boxes and clusters.
fn items(items: &[Item], drawing: &Drawing, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    for item in items {
        match *item {
            Item::Block(at) => {
                let Some(block) = drawing.blocks.get(at) else { continue };
                let (open, close) = shape(Look::of(block));
                let label = quoted(&label::of_block(block));
                *text += &format!("{indent}n{at}{open}{label}{close}\n");
            }
            Item::Cluster(at) => {
                let Some(cluster) = drawing.clusters.get(at) else { continue };
                let title = quoted(&[label::of_cluster(cluster)]);
                *text += &format!("{indent}subgraph g{at}[{title}]\n");
                self::items(&cluster.items, drawing, depth + 1, text);
                *text += &format!("{indent}end\n");
            }
        }
    }
}

fn shape(look: Look) -> (&'static str, &'static str) {
    match look {
        Look::Plain => ("[", "]"),
        Look::Variable => ("[(", ")]"),
        Look::Terminal => ("([", "])"),
        Look::Folded => ("[[", "]]"),
    }
}

fn edge(edge: &Edge) -> String {
    let arrow = if edge.is_control { "-.->" } else { "-->" };
    let label = label::of_edge(edge);
    let label = if label.is_empty() { label } else { format!("|{}|", quoted(&[label])) };
    format!("  n{} {arrow}{label} n{}\n", edge.from, edge.to)
}

/// Adds the calls of functions as dotted edges, which end at the border of an open function.
fn calls(drawing: &Drawing, text: &mut String) {
    let outermost = outermost(drawing);
    for call in &drawing.calls {
        let to = match call.to {
            Callee::Block(at) => Some(format!("n{at}")),
            // Mermaid draws no edge from inside a cluster to its border.
            Callee::Cluster(at) if outermost.get(call.from) == Some(&Some(at)) => {
                let cluster = drawing.clusters.get(at);
                let first = cluster.and_then(|cluster| first_block(cluster, drawing));
                first.map(|at| format!("n{at}"))
            }
            Callee::Cluster(at) => Some(format!("g{at}")),
        };
        if let Some(to) = to {
            *text += &format!("  n{} -.->|\"{}\"| {to}\n", call.from, label::CALLS);
        }
    }
}

/// Lines as one label. Every character that could mean something to Mermaid, to Markdown or in HTML is written as its number.
fn quoted(lines: &[String]) -> String {
    let mut text = String::from("\"");
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            text += "<br/>";
        }
        let mut before = None;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            let is_inside = [before, chars.peek().copied()]
                .iter()
                .all(|c| c.is_some_and(|c: char| c.is_alphanumeric()));
            match c {
                ' ' | '/' | ',' => text.push(c),
                c if c.is_alphanumeric() => text.push(c),
                // In a word they mean nothing in Markdown.
                '_' | '.' | '-' if is_inside => text.push(c),
                c => text += &format!("#{};", u32::from(c)),
            }
            before = Some(c);
        }
    }
    text.push('"');
    text
}

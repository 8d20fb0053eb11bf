//! The contents of the page.

use std::io::{self, Write};

use askama::Template;

use super::outline::{Line, Lists, Outline};
use super::plan::Plan;
use crate::overview::{Contents, Overview};
use crate::picture::{ClusterKind, Drawing, Fold, Item, Picture};
use crate::report::ReportOptions;
use crate::report::html::page::{self, Page};
use crate::report::human::number;
use crate::report::human::terminal_text::{plural, printable};
use crate::report::picture::label;

/// The most boxes of the drawings, and of the scopes one in another.
const DRAWN: usize = 60;
const LISTED: usize = 5_000;

/// The start of the page.
#[derive(Template)]
#[template(path = "graph_head.html", config = "src/report/html/askama.toml")]
struct Head {
    path: String,
    what: String,
    facts: Vec<String>,
    /// The graphs and functions: the position in the page, and the title.
    parts: Vec<(usize, String)>,
}

/// A graph or function.
#[derive(Template)]
#[template(path = "graph_part.html", config = "src/report/html/askama.toml")]
struct Part {
    at: usize,
    /// The anchor of a function; empty without one.
    anchor: String,
    title: String,
    count: String,
    plan: Plan,
    /// The edges of the plan: from, to, and what they carry.
    edges: Vec<(String, String, String)>,
    outline: Outline,
}

/// Writes the page of a graph.
pub(in crate::report::html) fn write(
    overview: &Overview<'_>,
    picture: &Picture<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let listed = picture.fold(options.depth.map_or(Fold::Boxes(LISTED), Fold::Depth));
    let outer = picture.fold(Fold::Depth(1));
    let drawn = if outer.blocks.len() <= DRAWN { outer } else { picture.fold(Fold::Boxes(DRAWN)) };
    let path = printable(&overview.path.display().to_string());
    let page = Page { title: &path, has_script: false };
    page.begin(out)?;
    let parts = parts(&listed);
    let titles = parts.iter().map(|part| title(*part, &listed)).enumerate();
    let head = Head {
        what: format!("{} {}", overview.kind, overview.form),
        facts: facts(overview),
        parts: titles.collect(),
        path: path.clone(),
    };
    page::write(&head, out)?;
    let (drawn_parts, lists) = (self::parts(&drawn), Lists::new(&listed));
    for (at, listed_part) in parts.iter().enumerate() {
        // A picture of many functions draws only the first of them.
        let same = |of: &&Option<Item>| title(**of, &drawn) == title(*listed_part, &listed);
        let drawn_part = drawn_parts.get(at).filter(same).copied();
        page::write(&part(at, (*listed_part, &listed, &lists), (drawn_part, &drawn)), out)?;
    }
    writeln!(out, "</main>")?;
    page.end_without_baseline(out)
}

/// The graphs and functions of a drawing; of a single one, which has no cluster around it, `None`. Boxes outside of them are folded
/// graphs and functions, which are parts too.
fn parts(drawing: &Drawing) -> Vec<Option<Item>> {
    let is_part = |item: &&Item| match **item {
        Item::Cluster(at) => {
            drawing.clusters.get(at).is_some_and(|cluster| cluster.kind != ClusterKind::Scope)
        }
        Item::Block(_) => false,
    };
    match drawing.items.iter().any(|item| is_part(&item)) {
        true => drawing.items.iter().copied().map(Some).collect(),
        false => vec![None],
    }
}

fn title(part: Option<Item>, drawing: &Drawing) -> String {
    let title = match part {
        None => None,
        Some(Item::Cluster(at)) => drawing.clusters.get(at).map(label::of_cluster),
        Some(Item::Block(at)) => {
            let lines = drawing.blocks.get(at).map(label::of_block);
            lines.and_then(|lines| lines.into_iter().next())
        }
    };
    title.unwrap_or_else(|| "graph".into())
}

fn part(
    at: usize,
    (listed_part, listed, lists): (Option<Item>, &Drawing, &Lists<'_>),
    (drawn_part, drawn): (Option<Option<Item>>, &Drawing),
) -> Part {
    let plan = drawn_part.map_or_else(Plan::default, |part| Plan::new(part, drawn));
    let outline = Outline::new(listed_part, lists);
    Part {
        at,
        anchor: match listed_part {
            Some(Item::Cluster(at)) => format!("c{at}"),
            _ => String::new(),
        },
        title: title(listed_part, listed),
        count: plural(outline.nodes, "node"),
        edges: plan.edges(drawn),
        plan,
        outline,
    }
}

/// The contents of the message besides nodes and edges.
fn facts(overview: &Overview<'_>) -> Vec<String> {
    let graphs: Vec<_> = match &overview.contents {
        Contents::MetaGraphs(graphs) => graphs.iter().map(|meta| &meta.graph).collect(),
        Contents::Graph(graph) => vec![graph],
        Contents::Other(_) => Vec::new(),
    };
    let mut facts = Vec::new();
    for graph in graphs {
        let in_functions = graph.functions.iter().map(|function| function.nodes).sum::<u64>();
        let mut parts = vec![plural(graph.nodes + in_functions, "node")];
        if in_functions > 0 {
            parts =
                vec![format!("{}, {} in functions", parts.concat(), number::count(in_functions))];
        }
        for (count, noun) in [
            (graph.variables.len(), "variable"),
            (graph.placeholders.len(), "placeholder"),
            (graph.functions.len(), "function"),
        ] {
            parts.extend((count > 0).then(|| plural(count as u64, noun)));
        }
        let ops = graph.ops.iter().take(3).map(|op| {
            format!("{} {}", number::count(op.nodes + op.in_functions), printable(&op.name))
        });
        let ops: Vec<_> = ops.collect();
        parts.extend((!ops.is_empty()).then(|| format!("most of all {}", ops.join(", "))));
        facts.push(parts.join(" · "));
    }
    facts
}

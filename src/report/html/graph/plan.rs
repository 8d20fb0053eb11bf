//! The drawing of a graph's outermost scopes, with the places of boxes and edges.

use std::collections::BTreeMap;

use super::lanes::{Lanes, Link};
use super::places::centers;
use super::routes::{Area, Field, Label, Routes};
use crate::picture::{Drawing, Edge, Item};
use crate::report::human::terminal_text::{cut_middle, width_of};
use crate::report::picture::label::{self, Look};

/// The size of a character and of a line, the space in a box, and the space between rows.
const CHARACTER: i64 = 7;
const LINE: i64 = 16;
const PADDING: i64 = 8;
const ROW_GAP: i64 = 56;

/// The most characters of a line in a box.
const CHARACTERS: usize = 26;

/// A drawing.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) boxes: Vec<Placed>,
    pub(super) lines: Vec<Line>,
    /// The texts at edges for which there is room.
    pub(super) labels: Vec<Label>,
    /// The boxes of the drawing, and their names.
    names: BTreeMap<usize, String>,
}

/// A box with its place.
pub(super) struct Placed {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) look: &'static str,
    /// The whole name.
    pub(super) title: String,
    /// The lines with the places of their baselines, in the middle of the box.
    pub(super) lines: Vec<(i64, i64, String)>,
}

/// An edge as a path.
pub(super) struct Line {
    pub(super) path: String,
    pub(super) is_control: bool,
    pub(super) title: String,
}

impl Plan {
    /// The plan of a graph or function: its boxes at any depth.
    pub(super) fn new(part: Option<Item>, drawing: &Drawing) -> Self {
        let mut names = BTreeMap::new();
        match part {
            None => collect(&drawing.items, "", drawing, &mut names),
            Some(Item::Block(_)) => {}
            Some(Item::Cluster(at)) => {
                let items = drawing.clusters.get(at).map(|cluster| cluster.items.as_slice());
                collect(items.unwrap_or_default(), "", drawing, &mut names);
            }
        }
        let numbers: Vec<usize> = names.keys().copied().collect();
        let number = |block: usize| numbers.binary_search(&block).ok();
        let edges: Vec<(usize, usize, &Edge)> = drawing
            .edges
            .iter()
            .filter_map(|edge| Some((number(edge.from)?, number(edge.to)?, edge)))
            .collect();
        let links: Vec<Link> =
            edges.iter().map(|&(from, to, edge)| (from, to, edge.is_control)).collect();
        let mut boxes: Vec<Placed> =
            names.iter().filter_map(|(&at, name)| Placed::new(at, name, drawing)).collect();
        let lanes = Lanes::new(boxes.len(), &links);
        let widths: Vec<i64> = boxes.iter().map(|of| of.width).collect();
        let centers = centers(&lanes, &widths);
        let rows = place(&mut boxes, &lanes, &centers);
        let areas: Vec<Area> = boxes.iter().map(Placed::area).collect();
        let right = areas.iter().map(|area| area.x + area.width).chain(centers.iter().copied());
        let width = right.max().unwrap_or_default();
        let field = Field {
            lanes: &lanes,
            links: &links,
            boxes: &areas,
            centers: &centers,
            rows: &rows,
            width,
        };
        let routes = Routes::new(&field);
        let texts: Vec<String> = edges.iter().map(|(.., edge)| label::of_edge(edge)).collect();
        let lines = edges.iter().enumerate().filter_map(|(at, (from, to, edge))| {
            let title = |at: &usize| boxes.get(*at).map(|of| of.title.as_str());
            Some(Line {
                path: routes.path(at)?,
                is_control: edge.is_control,
                title: format!("{} → {}: {}", title(from)?, title(to)?, what(edge)),
            })
        });
        let (lines, labels) = (lines.collect(), routes.labels(&texts));
        let height = rows.last().map_or(0, |row| row.1);
        Self { lines, labels, width, height, boxes, names }
    }

    /// The edges of the plan: from, to, and what they carry.
    pub(super) fn edges(&self, drawing: &Drawing) -> Vec<(String, String, String)> {
        let row = |edge: &Edge| {
            let (from, to) = (self.names.get(&edge.from)?, self.names.get(&edge.to)?);
            Some((from.clone(), to.clone(), what(edge)))
        };
        drawing.edges.iter().filter_map(row).collect()
    }
}

/// What an edge carries.
fn what(edge: &Edge) -> String {
    match (label::of_edge(edge), edge.is_control) {
        (text, _) if !text.is_empty() => text,
        (_, true) => "control input".into(),
        (_, false) => "a tensor".into(),
    }
}

/// Collects the boxes at any depth, with their names.
fn collect(items: &[Item], outer: &str, drawing: &Drawing, names: &mut BTreeMap<usize, String>) {
    for item in items {
        match *item {
            Item::Block(at) => {
                let first = drawing
                    .blocks
                    .get(at)
                    .and_then(|block| label::of_block(block).into_iter().next());
                names.insert(at, format!("{outer}{}", first.unwrap_or_default()));
            }
            Item::Cluster(at) => {
                let Some(cluster) = drawing.clusters.get(at) else { continue };
                let inner = format!("{outer}{}", label::of_cluster(cluster));
                collect(&cluster.items, &inner, drawing, names);
            }
        }
    }
}

impl Placed {
    fn new(at: usize, name: &str, drawing: &Drawing) -> Option<Self> {
        let block = drawing.blocks.get(at)?;
        let mut lines = label::of_block_within(block, CHARACTERS);
        lines.splice(..lines.len().min(1), [name.to_owned()]);
        let lines: Vec<_> = lines.iter().map(|line| cut_middle(line, CHARACTERS)).collect();
        let columns = lines.iter().map(|line| width_of(line)).max().unwrap_or_default();
        let width = columns as i64 * CHARACTER + 2 * PADDING;
        let height = lines.len() as i64 * LINE + 2 * PADDING;
        let place = |(at, line)| (width / 2, PADDING + at * LINE + LINE * 3 / 4, line);
        Some(Self {
            x: 0,
            y: 0,
            width,
            height,
            look: match Look::of(block) {
                Look::Plain => "plain",
                Look::Variable => "variable",
                Look::Terminal => "terminal",
                Look::Folded => "folded",
            },
            title: name.to_owned(),
            lines: (0..).zip(lines).map(place).collect(),
        })
    }

    fn area(&self) -> Area {
        Area { x: self.x, y: self.y, width: self.width, height: self.height }
    }
}

/// Places the boxes in their rows. Returns the top and the bottom of each row.
fn place(boxes: &mut [Placed], lanes: &Lanes, centers: &[i64]) -> Vec<(i64, i64)> {
    let mut y = 0;
    let mut rows = Vec::new();
    for row in &lanes.rows {
        let mut height = 0;
        for &at in row {
            let (Some(of), Some(center)) = (boxes.get_mut(at), centers.get(at)) else { continue };
            (of.x, of.y) = (center - of.width / 2, y);
            height = height.max(of.height);
        }
        rows.push((y, y + height));
        y += height + ROW_GAP;
    }
    rows
}

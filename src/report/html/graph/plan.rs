//! The drawing of a graph's outermost scopes, with the places of boxes and edges.

use std::collections::BTreeMap;

use super::layers::layers;
use crate::picture::{Drawing, Edge, Item};
use crate::report::human::terminal_text::{cut_middle, width_of};
use crate::report::picture::label::{self, Look};

/// The size of a character and of a line, the space in a box, and the space between boxes.
const CHARACTER: usize = 7;
const LINE: usize = 16;
const PADDING: usize = 8;
const GAP: usize = 24;
const ROW_GAP: usize = 44;

/// The most characters of a line in a box.
const CHARACTERS: usize = 26;

/// A drawing.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) boxes: Vec<Placed>,
    pub(super) lines: Vec<Line>,
    /// The boxes of the drawing, and their names.
    names: BTreeMap<usize, String>,
}

/// A box with its place.
pub(super) struct Placed {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) look: &'static str,
    /// The whole name.
    pub(super) title: String,
    /// The lines with the places of their baselines, in the middle of the box.
    pub(super) lines: Vec<(usize, usize, String)>,
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
        let pairs: Vec<_> = edges.iter().map(|&(from, to, _)| (from, to)).collect();
        let mut boxes: Vec<Placed> =
            names.iter().filter_map(|(&at, name)| Placed::new(at, name, drawing)).collect();
        let (width, height) = place(&mut boxes, &layers(numbers.len(), &pairs));
        let lines = edges.iter().filter_map(|(from, to, edge)| {
            Some(Line {
                path: path(boxes.get(*from)?, boxes.get(*to)?),
                is_control: edge.is_control,
                title: label::of_edge(edge),
            })
        });
        Self { lines: lines.collect(), width, height, boxes, names }
    }

    /// The edges of the plan: from, to, and what they carry.
    pub(super) fn edges(&self, drawing: &Drawing) -> Vec<(String, String, String)> {
        let row = |edge: &Edge| {
            let (from, to) = (self.names.get(&edge.from)?, self.names.get(&edge.to)?);
            let text = label::of_edge(edge);
            let text = match (text.is_empty(), edge.is_control) {
                (false, _) => text,
                (true, true) => "control input".into(),
                (true, false) => "a tensor".into(),
            };
            Some((from.clone(), to.clone(), text))
        };
        drawing.edges.iter().filter_map(row).collect()
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
        let mut lines = label::of_block(block);
        lines.splice(..lines.len().min(1), [name.to_owned()]);
        let lines: Vec<_> = lines.iter().map(|line| cut_middle(line, CHARACTERS)).collect();
        let columns = lines.iter().map(|line| width_of(line)).max().unwrap_or_default();
        let (width, height) = (columns * CHARACTER + 2 * PADDING, lines.len() * LINE + 2 * PADDING);
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
            lines: lines.into_iter().enumerate().map(place).collect(),
        })
    }
}

/// Places the boxes of each row side by side, in the middle. Returns the size of the drawing.
fn place(boxes: &mut [Placed], rows: &[Vec<usize>]) -> (usize, usize) {
    let width_of_row = |boxes: &[Placed], row: &[usize]| {
        let widths = row.iter().filter_map(|&at| boxes.get(at)).map(|of| of.width + GAP);
        widths.sum::<usize>().saturating_sub(GAP)
    };
    let width = rows.iter().map(|row| width_of_row(boxes, row)).max().unwrap_or_default();
    let mut y = 0;
    for row in rows {
        let mut x = (width - width_of_row(boxes, row)) / 2;
        let mut height = 0;
        for &at in row {
            let Some(of) = boxes.get_mut(at) else { continue };
            (of.x, of.y) = (x, y);
            x += of.width + GAP;
            height = height.max(of.height);
        }
        y += height + ROW_GAP;
    }
    (width, y.saturating_sub(ROW_GAP))
}

/// From the bottom of a box to the top of another; beside them, if it leads up.
fn path(from: &Placed, to: &Placed) -> String {
    let (x1, y1) = (from.x + from.width / 2, from.y + from.height);
    let (x2, y2) = (to.x + to.width / 2, to.y);
    if y2 >= y1 {
        let middle = (y1 + y2) / 2;
        return format!("M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}");
    }
    let (y1, y2) = (from.y + from.height / 2, to.y + to.height / 2);
    let (x1, x2) = (from.x + from.width, to.x + to.width);
    let side = x1.max(x2) + GAP;
    format!("M{x1} {y1}C{side} {y1} {side} {y2} {x2} {y2}")
}

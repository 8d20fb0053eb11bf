//! The paths of edges: through the gaps between rows, and down the lanes in rows. No path crosses a box.

use std::collections::BTreeMap;

use super::lanes::{Lanes, Link};
use super::places::GAP;

/// The size of a character of a label, and the space around one.
const CHARACTER: i64 = 6;
const LINE: i64 = 10;
const SPACE: i64 = 4;

/// The place of a box.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Area {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) height: i64,
}

/// Where boxes, lanes and rows are.
pub(super) struct Field<'l> {
    pub(super) lanes: &'l Lanes,
    pub(super) links: &'l [Link],
    /// The boxes.
    pub(super) boxes: &'l [Area],
    /// The horizontal places of boxes and lanes.
    pub(super) centers: &'l [i64],
    /// The top and the bottom of each row.
    pub(super) rows: &'l [(i64, i64)],
    /// The width of the drawing.
    pub(super) width: i64,
}

/// A part of a way, from a row to the next one. Edges in opposite directions, and of two kinds, are side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    above: usize,
    below: usize,
    is_control: bool,
    is_up: bool,
}

/// A part of a path between two rows, with the places of its ends.
#[derive(Debug, Clone, Copy)]
struct Curve {
    from: (i64, i64),
    to: (i64, i64),
}

/// A text at an edge.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) is_left: bool,
    pub(super) text: String,
}

/// The paths of all edges.
pub(super) struct Routes<'l> {
    field: &'l Field<'l>,
    curves: BTreeMap<Step, Curve>,
    /// How many edges have each curve.
    uses: BTreeMap<Step, usize>,
}

impl<'l> Routes<'l> {
    pub(super) fn new(field: &'l Field<'l>) -> Self {
        let mut uses = BTreeMap::new();
        for (way, link) in field.lanes.ways.iter().zip(field.links) {
            steps(way, link).for_each(|step| *uses.entry(step).or_default() += 1);
        }
        let mut routes = Self { field, curves: BTreeMap::new(), uses };
        routes.add_curves();
        routes
    }

    /// Gives each curve its ends: those at one side of a box are side by side, in the order of what they lead to.
    fn add_curves(&mut self) {
        let mut sides: BTreeMap<(usize, bool), Vec<(i64, Step)>> = BTreeMap::new();
        for &step in self.uses.keys() {
            let Step { above, below, .. } = step;
            sides.entry((above, true)).or_default().push((self.center(below), step));
            sides.entry((below, false)).or_default().push((self.center(above), step));
        }
        for ((at, is_bottom), mut ends) in sides {
            ends.sort_unstable();
            let (top, bottom) = self.row(at);
            for (number, (_, step)) in (1..).zip(&ends) {
                let x = match self.field.boxes.get(at) {
                    Some(area) => area.x + area.width * number / (ends.len() as i64 + 1),
                    None => self.center(at),
                };
                let empty = Curve { from: (0, 0), to: (0, 0) };
                let curve = self.curves.entry(*step).or_insert(empty);
                match is_bottom {
                    true => curve.from = (x, bottom),
                    false => curve.to = (x, top),
                }
            }
        }
    }

    fn center(&self, at: usize) -> i64 {
        self.field.centers.get(at).copied().unwrap_or_default()
    }

    fn row(&self, at: usize) -> (i64, i64) {
        let row = self.field.lanes.row_of.get(at).and_then(|&row| self.field.rows.get(row));
        row.copied().unwrap_or_default()
    }

    /// The path of an edge, in the direction of the edge.
    pub(super) fn path(&self, edge: usize) -> Option<String> {
        let (way, link) = (self.field.lanes.ways.get(edge)?, self.field.links.get(edge)?);
        let first = self.field.boxes.get(*way.first()?)?;
        if way.len() < 2 {
            let (right, top, third) = (first.x + first.width, first.y, first.height / 3);
            let (from, to, side) = (top + 2 * third, top + third, right + GAP - SPACE);
            return Some(format!("M{right} {from}C{side} {from} {side} {to} {right} {to}"));
        }
        let curves = steps(way, link).filter_map(|step| self.curves.get(&step));
        let mut points: Vec<(i64, i64)> = curves.flat_map(|of| [of.from, of.to]).collect();
        // A box may be lower than its row.
        points.first_mut()?.1 = first.y + first.height;
        let bottom = self.row(*way.first()?).1;
        let start = points.first().map(|&(x, _)| (x, bottom))?;
        points.insert(1, start);
        if way.first() != Some(&link.0) {
            points.reverse();
        }
        let (x, y) = points.first().copied()?;
        let mut path = format!("M{x} {y}");
        for pair in points.windows(2) {
            let &[(x1, y1), (x2, y2)] = pair else { continue };
            match x1 == x2 {
                true if y1 == y2 => {}
                true => path += &format!("V{y2}"),
                false => {
                    let middle = (y1 + y2) / 2;
                    path += &format!("C{x1} {middle} {x2} {middle} {x2} {y2}");
                }
            }
        }
        Some(path)
    }

    /// Places for the texts of edges: at either end of each, where no other edge passes and no other text is.
    pub(super) fn labels(&self, texts: &[String]) -> Vec<Label> {
        let mut taken: Vec<Area> = Vec::new();
        let mut labels = Vec::new();
        for ((way, link), text) in self.field.lanes.ways.iter().zip(self.field.links).zip(texts) {
            if text.is_empty() {
                continue;
            }
            let width = text.chars().count() as i64 * CHARACTER;
            let steps: Vec<Step> = steps(way, link).collect();
            let ends = [steps.last().map(|of| (of, false)), steps.first().map(|of| (of, true))];
            let found = ends
                .into_iter()
                .flatten()
                .find_map(|(step, is_start)| self.room(*step, is_start, width, &taken));
            if let Some((area, is_left)) = found {
                let x = if is_left { area.x + area.width } else { area.x };
                labels.push(Label { x, y: area.y + area.height - 2, is_left, text: text.clone() });
                taken.push(area);
            }
        }
        labels
    }

    /// Room for a text of a width beside an end of a curve, and whether that is to its left. Nothing else has the curve.
    fn room(&self, step: Step, is_start: bool, width: i64, taken: &[Area]) -> Option<(Area, bool)> {
        if self.uses.get(&step) != Some(&1) {
            return None;
        }
        let curve = self.curves.get(&step)?;
        let y = if is_start { curve.from.1 + SPACE } else { curve.to.1 - LINE - 2 * SPACE };
        let x = curve.x_at(y + LINE / 2);
        [(x + SPACE, false), (x - SPACE - width, true)].into_iter().find_map(|(x, is_left)| {
            let area = Area { x, y, width, height: LINE };
            let is_inside = x >= 0 && x + width <= self.field.width;
            let is_free = !taken.iter().any(|other| other.meets(&area))
                && !self.curves.iter().any(|(other, of)| *other != step && of.meets(&area));
            (is_inside && is_free && !curve.meets(&area)).then_some((area, is_left))
        })
    }
}

/// The steps of a way.
fn steps<'w>(way: &'w [usize], link: &'w Link) -> impl Iterator<Item = Step> + 'w {
    let &(from, _, is_control) = link;
    let is_up = way.first() != Some(&from);
    way.windows(2).filter_map(move |pair| match pair {
        &[above, below] => Some(Step { above, below, is_control, is_up }),
        _ => None,
    })
}

impl Area {
    fn meets(&self, other: &Self) -> bool {
        let is_beside =
            self.x >= other.x + other.width + SPACE || other.x >= self.x + self.width + SPACE;
        !is_beside && self.y < other.y + other.height && other.y < self.y + self.height
    }
}

impl Curve {
    /// The horizontal place at a height between the ends: that of the curve which [`Routes::path`] draws.
    fn x_at(&self, y: i64) -> i64 {
        let ((x1, y1), (x2, y2)) = (self.from, self.to);
        let share = (y - y1) as f64 / (y2 - y1).max(1) as f64;
        // The height of such a curve is t³ + 1.5 t² (1 - t) + 1.5 t (1 - t)², and its horizontal share t² (3 - 2 t).
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..20 {
            let t: f64 = (low + high) / 2.0;
            let s = 1.0 - t;
            let height = t.powi(3) + 1.5 * t * t * s + 1.5 * t * s * s;
            if height < share { low = t } else { high = t }
        }
        #[expect(clippy::cast_possible_truncation, reason = "between the two ends")]
        let moved = ((x2 - x1) as f64 * low * low * (3.0 - 2.0 * low)).round() as i64;
        x1 + moved
    }

    fn meets(&self, area: &Area) -> bool {
        let (top, bottom) = (area.y, area.y + area.height);
        if bottom < self.from.1 || top > self.to.1 {
            return false;
        }
        let ends =
            [top, bottom].map(|y| self.x_at(y.clamp(self.from.1, self.to.1.max(self.from.1))));
        let (left, right) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        left < area.x + area.width + 1 && right > area.x - 1
    }
}

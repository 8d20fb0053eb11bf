//! Lanes: where an edge passes the rows between its boxes, so that it is not drawn behind a box.
//!
//! An edge has a lane in every row between those of its boxes. Edges of one kind from one box share their lanes. In a row, boxes and
//! lanes are ordered by the mean position of their neighbors in the rows above and below, in turn.

use std::collections::BTreeMap;

use super::layers::layers;

/// How often the rows are ordered by their neighbors.
const ROUNDS: usize = 8;

/// An edge: the boxes that it leads from and to, and whether it is a control input.
pub(super) type Link = (usize, usize, bool);

/// Rows of boxes and lanes. Boxes have the first numbers.
#[derive(Debug)]
pub(super) struct Lanes {
    /// The rows, each from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// What each edge passes, from its upper box to its lower one; one box, if it leads to itself.
    pub(super) ways: Vec<Vec<usize>>,
    /// The row of each box and lane.
    pub(super) row_of: Vec<usize>,
}

impl Lanes {
    /// The rows of `boxes` boxes with these edges.
    pub(super) fn new(boxes: usize, links: &[Link]) -> Self {
        let pairs: Vec<_> = links.iter().map(|&(from, to, _)| (from, to)).collect();
        let mut rows = layers(boxes, &pairs);
        let mut row_of = vec![0; boxes];
        for (at, row) in rows.iter().enumerate() {
            for &of in row {
                row_of.get_mut(of).into_iter().for_each(|row| *row = at);
            }
        }
        let mut lanes = BTreeMap::new();
        let mut ways = Vec::new();
        for &(from, to, is_control) in links {
            let [first, last] = [from, to].map(|of| row_of.get(of).copied().unwrap_or_default());
            let is_up = first > last;
            let (upper, lower) = if is_up { (to, from) } else { (from, to) };
            let mut way = vec![upper];
            for at in first.min(last) + 1..first.max(last) {
                let lane = lanes.entry((at, from, is_control, is_up)).or_insert_with(|| {
                    let lane = row_of.len();
                    rows.get_mut(at).into_iter().for_each(|row| row.push(lane));
                    row_of.push(at);
                    lane
                });
                way.push(*lane);
            }
            way.extend((from != to).then_some(lower));
            ways.push(way);
        }
        let mut lanes = Self { rows, ways, row_of };
        lanes.order();
        lanes
    }

    /// The number of boxes and lanes.
    pub(super) fn count(&self) -> usize {
        self.row_of.len()
    }

    /// The neighbors of each box and lane in the rows above and below.
    pub(super) fn neighbors(&self) -> Vec<[Vec<usize>; 2]> {
        let mut neighbors = vec![[Vec::new(), Vec::new()]; self.count()];
        for pair in self.ways.iter().flat_map(|way| way.windows(2)) {
            let &[above, below] = pair else { continue };
            if let Some([_, of]) = neighbors.get_mut(above) {
                of.push(below);
            }
            if let Some([of, _]) = neighbors.get_mut(below) {
                of.push(above);
            }
        }
        neighbors
    }

    fn order(&mut self) {
        let neighbors = self.neighbors();
        let mut places = vec![0.0; self.count()];
        self.rows.iter().for_each(|row| place(row, &mut places));
        for round in 0..ROUNDS {
            let side = round % 2;
            let mean = |at: usize, places: &[f64]| {
                let of = neighbors.get(at).and_then(|of| of.get(side));
                let of: Vec<f64> =
                    of.into_iter().flatten().filter_map(|&at| places.get(at).copied()).collect();
                match of.len() {
                    0 => places.get(at).copied().unwrap_or_default(),
                    len => of.iter().sum::<f64>() / len as f64,
                }
            };
            let mut sort = |row: &mut Vec<usize>| {
                // The sort is stable, so equal means keep their order.
                row.sort_by(|&a, &b| mean(a, &places).total_cmp(&mean(b, &places)));
                place(row, &mut places);
            };
            match side {
                0 => self.rows.iter_mut().for_each(&mut sort),
                _ => self.rows.iter_mut().rev().for_each(&mut sort),
            }
        }
    }
}

/// Sets where each item is in its row, from 0 to 1.
fn place(row: &[usize], places: &mut [f64]) {
    for (at, &of) in row.iter().enumerate() {
        if let Some(place) = places.get_mut(of) {
            *place = (at as f64 + 0.5) / row.len() as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lanes;

    #[test]
    fn an_edge_has_a_lane_in_each_row_between_its_boxes() {
        let links = [(0, 1, false), (1, 2, false), (2, 3, false), (0, 3, false), (3, 1, false)];
        let lanes = Lanes::new(4, &links);
        assert_eq!(lanes.ways[3].len(), 4, "{lanes:?}");
        assert_eq!(lanes.ways[4], [1, lanes.ways[4][1], 3], "{lanes:?}");
        assert_eq!(lanes.rows.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 3, 1]);
        assert_eq!(lanes.count(), 7);
    }

    #[test]
    fn edges_of_one_kind_from_one_box_share_their_lanes() {
        let links = [
            (0, 1, false),
            (1, 2, false),
            (1, 3, false),
            (0, 2, false),
            (0, 3, false),
            (0, 3, true),
        ];
        let lanes = Lanes::new(4, &links);
        assert_eq!(lanes.ways[3][1], lanes.ways[4][1]);
        assert_ne!(lanes.ways[4][1], lanes.ways[5][1]);
        assert_eq!(Lanes::new(1, &[(0, 0, false)]).ways, [[0]]);
    }
}

//! Cycles in a directed graph, found without recursion.
//!
//! Source: R. Tarjan, "Depth-first search and linear graph algorithms", 1972; its stack is kept on the heap.

/// Edges from each of `len` vertices, one row behind the other.
#[derive(Debug)]
struct Rows {
    /// Where the row of each vertex starts in `targets`; one more for the end.
    starts: Vec<usize>,
    targets: Vec<usize>,
}

impl Rows {
    fn new(len: usize, edges: &mut [(usize, usize)]) -> Self {
        edges.sort_unstable();
        let start = |vertex| edges.partition_point(|(from, _)| *from < vertex);
        let starts = (0..=len).map(start).collect();
        Self { starts, targets: edges.iter().map(|(_, to)| *to).collect() }
    }

    fn of(&self, vertex: usize) -> &[usize] {
        let range = self.starts.get(vertex..vertex + 2);
        let Some(&[start, end]) = range else { return &[] };
        self.targets.get(start..end).unwrap_or_default()
    }
}

/// What is known of a vertex.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    /// When it was first seen, from 1; 0: never.
    seen: usize,
    /// The earliest vertex that it leads back to.
    low: usize,
    is_open: bool,
}

/// Groups of vertices each of which leads to all others of its group, or to itself; by their first vertex, each sorted.
///
/// `edges` lead from a vertex to another, both below `len`; they are put in order.
pub(super) fn cycles(len: usize, edges: &mut [(usize, usize)]) -> Vec<Vec<usize>> {
    let rows = Rows::new(len, edges);
    let mut search = Search {
        rows: &rows,
        marks: vec![Mark::default(); len],
        open: Vec::new(),
        found: Vec::new(),
        time: 0,
    };
    for vertex in 0..len {
        search.from(vertex);
    }
    let mut found = search.found;
    found.sort_unstable();
    found
}

struct Search<'r> {
    rows: &'r Rows,
    marks: Vec<Mark>,
    open: Vec<usize>,
    found: Vec<Vec<usize>>,
    time: usize,
}

impl Search<'_> {
    fn mark(&mut self, vertex: usize, change: impl FnOnce(&mut Mark)) -> Mark {
        self.marks
            .get_mut(vertex)
            .map(|mark| {
                change(mark);
                *mark
            })
            .unwrap_or_default()
    }

    fn enter(&mut self, vertex: usize) {
        self.time += 1;
        let time = self.time;
        self.mark(vertex, |mark| *mark = Mark { seen: time, low: time, is_open: true });
        self.open.push(vertex);
    }

    fn from(&mut self, start: usize) {
        if self.mark(start, |_| {}).seen > 0 {
            return;
        }
        self.enter(start);
        // The way from `start`, each vertex with how many of its edges were followed.
        let mut way = vec![(start, 0)];
        while let Some((vertex, followed)) = way.last_mut() {
            let vertex = *vertex;
            if let Some(&next) = self.rows.of(vertex).get(*followed) {
                *followed += 1;
                let mark = self.mark(next, |_| {});
                if mark.seen == 0 {
                    self.enter(next);
                    way.push((next, 0));
                } else if mark.is_open {
                    self.mark(vertex, |at| at.low = at.low.min(mark.seen));
                }
                continue;
            }
            way.pop();
            let mark = self.mark(vertex, |_| {});
            if let Some((before, _)) = way.last() {
                self.mark(*before, |at| at.low = at.low.min(mark.low));
            }
            if mark.low == mark.seen {
                self.close(vertex);
            }
        }
    }

    /// Takes the group of `first` off the open vertices.
    fn close(&mut self, first: usize) {
        let at = self.open.iter().rposition(|vertex| *vertex == first).unwrap_or(0);
        let mut group = self.open.split_off(at);
        for vertex in &group {
            self.mark(*vertex, |mark| mark.is_open = false);
        }
        if group.len() > 1 || self.rows.of(first).contains(&first) {
            group.sort_unstable();
            self.found.push(group);
        }
    }
}

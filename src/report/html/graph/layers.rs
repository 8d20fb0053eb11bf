//! The rows of a layered layout, in which edges lead from top to bottom.
//!
//! A box is in the row after the longest path to it, and one without inputs in the row before its first reader. Edges that close a cycle
//! are left out of this.

/// The most boxes side by side; a row with more continues below.
const MOST_IN_ROW: usize = 8;

/// The rows of `count` boxes with these edges, each box in one row.
pub(super) fn layers(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let edges = forward(count, edges);
    let rows = by_longest_path(count, &edges);
    rows.iter().flat_map(|row| row.chunks(MOST_IN_ROW)).map(<[usize]>::to_vec).collect()
}

/// The edges without those that lead back to a box on the way to their source.
fn forward(count: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut targets = vec![Vec::new(); count];
    for &(from, to) in edges {
        if let Some(of) = targets.get_mut(from).filter(|_| from != to && to < count) {
            of.push(to);
        }
    }
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; count];
    let mut kept = Vec::new();
    for start in 0..count {
        if states.get(start) != Some(&State::New) {
            continue;
        }
        // Each box on the way, with the number of its edges that were followed.
        let mut way = vec![(start, 0)];
        while let Some((at, followed)) = way.last_mut() {
            let at = *at;
            let next = targets.get(at).and_then(|of| of.get(*followed)).copied();
            *followed += 1;
            if let Some(state) = states.get_mut(at) {
                *state = if next.is_some() { State::Open } else { State::Done };
            }
            match next {
                None => drop(way.pop()),
                Some(to) => {
                    let state = states.get(to).copied().unwrap_or(State::Open);
                    kept.extend((state != State::Open).then_some((at, to)));
                    if state == State::New {
                        way.push((to, 0));
                    }
                }
            }
        }
    }
    kept
}

fn by_longest_path(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut depths = vec![0usize; count];
    // Without cycles, no path has more edges than there are boxes.
    for _ in 0..count {
        let mut has_changed = false;
        for &(from, to) in edges {
            let least = depths.get(from).map_or(0, |depth| depth + 1);
            if let Some(depth) = depths.get_mut(to).filter(|depth| **depth < least) {
                *depth = least;
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
    let mut has_input = vec![false; count];
    let mut readers = vec![usize::MAX; count];
    for &(from, to) in edges {
        has_input.get_mut(to).into_iter().for_each(|of| *of = true);
        let depth = depths.get(to).copied().unwrap_or_default();
        readers.get_mut(from).into_iter().for_each(|first| *first = depth.min(*first));
    }
    for ((depth, has_input), first) in depths.iter_mut().zip(has_input).zip(readers) {
        if !has_input && first != usize::MAX {
            *depth = first.saturating_sub(1);
        }
    }
    let count = depths.iter().copied().max().map_or(0, |most| most + 1);
    let mut rows = vec![Vec::new(); count];
    for (at, &depth) in depths.iter().enumerate() {
        rows.get_mut(depth).into_iter().for_each(|row| row.push(at));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::layers;

    #[test]
    fn edges_lead_to_later_rows_unless_they_close_a_cycle() {
        let edges = [(0, 1), (1, 2), (0, 2), (2, 0), (3, 3)];
        assert_eq!(layers(4, &edges), [vec![0, 3], vec![1], vec![2]]);
        assert!(layers(0, &[]).is_empty());
    }

    #[test]
    fn a_box_without_inputs_is_just_above_its_reader() {
        assert_eq!(layers(4, &[(0, 1), (1, 2), (3, 2)]), [vec![0], vec![1, 3], vec![2]]);
    }

    #[test]
    fn wide_rows_continue_below() {
        assert_eq!(layers(20, &[]).iter().map(Vec::len).collect::<Vec<_>>(), [8, 8, 4]);
    }
}

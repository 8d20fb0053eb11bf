//! Places of boxes and lanes in their rows.

use super::lanes::Lanes;

/// The space between boxes, and beside lanes.
pub(super) const GAP: i64 = 24;
const BESIDE_LANE: i64 = 14;

/// How often boxes are moved towards their neighbors.
const ROUNDS: usize = 12;

/// The horizontal center of each box and lane, from 0 on; boxes have these widths, and lanes have none.
///
/// Boxes and lanes of a row keep their order and the space between them, and are otherwise as close as they can be to the mean of
/// their neighbors in the rows above and below.
pub(super) fn centers(lanes: &Lanes, widths: &[i64]) -> Vec<i64> {
    let width = |of: usize| widths.get(of).copied();
    // Between the centers of two that are next to each other.
    let distance = |a: usize, b: usize| {
        let gap = if width(a).is_some() && width(b).is_some() { GAP } else { BESIDE_LANE };
        let half = |of: usize| (width(of).unwrap_or_default() + 1) / 2;
        half(a) + gap + half(b)
    };
    let mut centers = vec![0; lanes.count()];
    for row in &lanes.rows {
        let packed = packed(row, &vec![0; row.len()], distance);
        set(&mut centers, row, &centered(&packed));
    }
    let neighbors = lanes.neighbors();
    for round in 0..ROUNDS {
        let mut settle = |row: &Vec<usize>| {
            let wanted: Vec<i64> = row.iter().map(|&at| mean(at, &neighbors, &centers)).collect();
            set(&mut centers, row, &settled(row, &wanted, distance));
        };
        match round % 2 {
            0 => lanes.rows.iter().for_each(&mut settle),
            _ => lanes.rows.iter().rev().for_each(&mut settle),
        }
    }
    let left = centers.iter().enumerate().map(|(at, center)| center - width(at).unwrap_or(0) / 2);
    let left = left.min().unwrap_or_default();
    centers.iter().map(|center| center - left).collect()
}

fn set(centers: &mut [i64], row: &[usize], values: &[i64]) {
    for (&at, &value) in row.iter().zip(values) {
        centers.get_mut(at).into_iter().for_each(|center| *center = value);
    }
}

/// The same places with the middle at 0.
fn centered(packed: &[i64]) -> Vec<i64> {
    let ends = packed.first().zip(packed.last());
    let middle = ends.map_or(0, |(first, last)| (first + last) / 2);
    packed.iter().map(|place| place - middle).collect()
}

fn mean(at: usize, neighbors: &[[Vec<usize>; 2]], centers: &[i64]) -> i64 {
    let of = neighbors.get(at).into_iter().flatten().flatten();
    let of: Vec<i64> = of.filter_map(|&at| centers.get(at).copied()).collect();
    match i64::try_from(of.len()) {
        Ok(count @ 1..) => of.iter().sum::<i64>() / count,
        _ => centers.get(at).copied().unwrap_or_default(),
    }
}

/// Places that are as far right as wanted, or further.
fn packed(row: &[usize], wanted: &[i64], distance: impl Fn(usize, usize) -> i64) -> Vec<i64> {
    let mut before: Option<(usize, i64)> = None;
    let place = |(&at, &wanted): (&usize, &i64)| {
        let least = before.map_or(wanted, |(other, place)| place + distance(other, at));
        before = Some((at, wanted.max(least)));
        wanted.max(least)
    };
    row.iter().zip(wanted).map(place).collect()
}

/// Places between those that are packed to the right and those that are packed to the left.
fn settled(row: &[usize], wanted: &[i64], distance: impl Fn(usize, usize) -> i64) -> Vec<i64> {
    let right = packed(row, wanted, &distance);
    let reversed: Vec<usize> = row.iter().rev().copied().collect();
    let mirrored: Vec<i64> = wanted.iter().rev().map(|place| -place).collect();
    let left = packed(&reversed, &mirrored, &distance);
    // The mean of places with enough space between them has enough as well.
    right.iter().zip(left.iter().rev()).map(|(right, left)| (right - left).div_euclid(2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_a_row_keep_their_distance() {
        let links = [(0, 3, false), (1, 3, false), (2, 3, false), (3, 4, false), (0, 4, false)];
        let lanes = Lanes::new(5, &links);
        let widths = [100, 60, 80, 120, 40];
        let centers = centers(&lanes, &widths);
        for row in &lanes.rows {
            for pair in row.windows(2) {
                let half = |of: usize| widths.get(of).copied().unwrap_or(0) / 2;
                let space = centers[pair[1]] - half(pair[1]) - centers[pair[0]] - half(pair[0]);
                assert!(space >= BESIDE_LANE, "{pair:?} of {row:?} in {centers:?}");
            }
        }
        let left = (0..5).map(|at| centers[at] - widths[at] / 2).min();
        assert_eq!(left, Some(0));
    }
}

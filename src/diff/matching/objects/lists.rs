//! Pairs the items of two lists of objects: the layers of a model, its variables, the state of an optimizer.
//!
//! The names of items are numbers, which shift when an item is put before others. Items are paired by what they are instead: first
//! those that are the only ones with their content or name, wherever they stand, then the others in order, so that as much as
//! possible stays the same.

use std::collections::{BTreeMap, BTreeSet};

use super::traits::Traits;
use crate::diff::ascending::longest_ascending;
use crate::graph::object_graph::ObjectId;

/// An item of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'m> {
    /// The name of the item in its list.
    pub(super) name: &'m str,
    pub(super) number: u64,
    pub(super) id: ObjectId,
    pub(super) traits: Traits,
}

/// The names of items without their numbers: those of lists, and those that Keras gives layers.
const LISTS: [&str; 3] = ["", "layer-", "layer_with_weights-"];

/// The list that an item is in, and its number; `None` if the name is not that of an item.
pub(in crate::diff) fn list_and_number(name: &str) -> Option<(&str, u64)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (list, number) = name.split_at_checked(name.len() - digits)?;
    let number = number.parse().ok()?;
    LISTS.contains(&list).then_some((list, number))
}

/// The largest table of an alignment.
const MOST_CELLS: usize = 1 << 18;

/// Positions of paired items.
pub(super) type Alignment = Vec<(usize, usize)>;

/// Pairs the items of two lists, given in order; `is_set` if their order means nothing. Swapping the sides swaps the pairs.
pub(super) fn align(lhs: &[Item<'_>], rhs: &[Item<'_>], is_set: bool) -> Alignment {
    let (l, r) = (ordered(lhs, is_set), ordered(rhs, is_set));
    let traits =
        |side: &[(Traits, usize)]| side.iter().map(|(traits, _)| *traits).collect::<Vec<_>>();
    let (of_l, of_r) = (traits(&l), traits(&r));
    // The choice among equally good alignments depends on the order of the arguments, so the traits decide it.
    let pairs = if of_l <= of_r {
        align_traits(&of_l, &of_r)
    } else {
        align_traits(&of_r, &of_l).into_iter().map(|(b, a)| (a, b)).collect()
    };
    let mut pairs: Vec<_> =
        pairs.iter().filter_map(|(a, b)| Some((l.get(*a)?.1, r.get(*b)?.1))).collect();
    pairs.sort_unstable();
    pairs
}

/// The pairs whose order is the same on both sides, so that the fewest are out of order. Swapping the sides swaps the pairs.
pub(super) fn in_order(
    (lhs, rhs): (&[Item<'_>], &[Item<'_>]),
    pairs: &[(usize, usize)],
) -> BTreeSet<(usize, usize)> {
    let traits = |items: &[Item<'_>]| items.iter().map(|item| item.traits).collect::<Vec<_>>();
    if traits(lhs) <= traits(rhs) {
        return longest_ascending(pairs).into_iter().collect();
    }
    let mut swapped: Vec<_> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
    swapped.sort_unstable();
    longest_ascending(&swapped).into_iter().map(|(b, a)| (a, b)).collect()
}

/// The traits of items with their positions: in the order of the list, or for sets in that of the names.
fn ordered(items: &[Item<'_>], is_set: bool) -> Vec<(Traits, usize)> {
    let mut all: Vec<_> = items.iter().enumerate().map(|(at, item)| (item.traits, at)).collect();
    if is_set {
        all.sort_unstable();
    }
    all
}

fn align_traits(lhs: &[Traits], rhs: &[Traits]) -> Alignment {
    let same = |(l, r): (&Traits, &Traits)| (l.name, l.ty, l.class) == (r.name, r.ty, r.class);
    let is_unknown = |traits: &Traits| traits.content == 0;
    if lhs.len() == rhs.len()
        && lhs.iter().zip(rhs).all(same)
        && (lhs == rhs || lhs.iter().chain(rhs).all(is_unknown))
    {
        return (0..lhs.len()).map(|at| (at, at)).collect();
    }
    let mut pairs = unique_pairs(lhs, rhs);
    let free = |side: &[Traits], taken: Vec<usize>| {
        let mut is_free = vec![true; side.len()];
        for at in taken {
            if let Some(slot) = is_free.get_mut(at) {
                *slot = false;
            }
        }
        is_free
    };
    let free_l = free(lhs, pairs.iter().map(|pair| pair.0).collect());
    let free_r = free(rhs, pairs.iter().map(|pair| pair.1).collect());
    // The others are paired between those whose order is the same.
    let anchors = longest_ascending(&pairs);
    let ends = [(lhs.len(), rhs.len())];
    let (mut l, mut r) = (0, 0);
    for &(x, y) in anchors.iter().chain(&ends) {
        let range = |from: usize, to: usize, is_free: &[bool], side: &[Traits]| {
            let here = (from..to).filter(|at| is_free.get(*at) == Some(&true));
            here.filter_map(|at| Some((*side.get(at)?, at))).collect::<Vec<_>>()
        };
        pairs.extend(best_in_order(&range(l, x, &free_l, lhs), &range(r, y, &free_r, rhs)));
        (l, r) = (x + 1, y + 1);
    }
    pairs
}

/// What identifies an item; `None` if it lacks that.
type KeyOf = fn(&Traits) -> Option<[u64; 3]>;

/// Pairs items with a unique content, then items with a unique name, apart from its numbers.
fn unique_pairs(lhs: &[Traits], rhs: &[Traits]) -> Alignment {
    let mut pairs = Alignment::new();
    let mut is_taken = (vec![false; lhs.len()], vec![false; rhs.len()]);
    let keys: [KeyOf; 2] = [
        |t| (t.content != 0).then_some([t.content, t.ty, t.class]),
        |t| (t.stem != 0).then_some([t.stem, t.class, 0]),
    ];
    for key in keys {
        let mut known = BTreeMap::<_, [(usize, usize); 2]>::new();
        for (side, traits) in [lhs, rhs].into_iter().enumerate() {
            for (at, key) in traits.iter().enumerate().filter_map(|(at, t)| Some((at, key(t)?))) {
                if let Some((count, position)) = known.entry(key).or_default().get_mut(side) {
                    (*count, *position) = (*count + 1, at);
                }
            }
        }
        for [(of_l, l), (of_r, r)] in known.into_values() {
            let is_one = (of_l, of_r) == (1, 1);
            let slots = (is_taken.0.get_mut(l), is_taken.1.get_mut(r));
            if let (true, (Some(l_taken @ false), Some(r_taken @ false))) = (is_one, slots) {
                (*l_taken, *r_taken) = (true, true);
                pairs.push((l, r));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// How much two items have in common; `None` if they are not the same.
fn score(l: &Traits, r: &Traits) -> Option<u32> {
    if l.class != r.class {
        return None;
    }
    let is = |a: u64, b: u64| a != 0 && a == b;
    let by_name = match () {
        () if is(l.name, r.name) => 10,
        () if is(l.stem, r.stem) => 7,
        () if is(l.last, r.last) => 3,
        () => 0,
    };
    let of_type = if is(l.ty, r.ty) { 12 } else { 0 };
    // Kernels of as many elements, drawn with one seed, have equal bytes in whatever shape.
    let of_content = if is(l.content, r.content) && l.ty == r.ty { 40 } else { 0 };
    let is_unknown = l.name == 0 && r.name == 0;
    let total = by_name + of_type + of_content + u32::from(is_unknown);
    (total > 0).then_some(total)
}

/// Pairs items in order, so that the sum of what they have in common is highest; in lists that are too long for that, those that
/// agree from the start and from the end.
fn best_in_order(lhs: &[(Traits, usize)], rhs: &[(Traits, usize)]) -> Alignment {
    let equal = |(l, r): &(&(Traits, usize), &(Traits, usize))| {
        score(&l.0, &r.0).is_some() && (l.0.stem, l.0.ty) == (r.0.stem, r.0.ty)
    };
    let mut pairs = Alignment::new();
    let (mut lhs, mut rhs) = (lhs, rhs);
    if lhs.len().saturating_mul(rhs.len()) > MOST_CELLS {
        let head = lhs.iter().zip(rhs).take_while(equal).count();
        pairs.extend(lhs.iter().zip(rhs).take(head).map(|(l, r)| (l.1, r.1)));
        (lhs, rhs) = (lhs.get(head..).unwrap_or_default(), rhs.get(head..).unwrap_or_default());
        let tail = lhs.iter().rev().zip(rhs.iter().rev()).take_while(equal).count();
        pairs.extend(lhs.iter().rev().zip(rhs.iter().rev()).take(tail).map(|(l, r)| (l.1, r.1)));
        let rest = |side: &[(Traits, usize)]| side.len().saturating_sub(tail);
        lhs = lhs.get(..rest(lhs)).unwrap_or_default();
        rhs = rhs.get(..rest(rhs)).unwrap_or_default();
    }
    if lhs.len().saturating_mul(rhs.len()) > MOST_CELLS {
        let pairs_in_place = lhs.iter().zip(rhs).filter(|(l, r)| score(&l.0, &r.0).is_some());
        pairs.extend(pairs_in_place.map(|(l, r)| (l.1, r.1)));
        return pairs;
    }
    pairs.extend(best(lhs, rhs));
    pairs
}

/// The alignment with the highest sum.
fn best(lhs: &[(Traits, usize)], rhs: &[(Traits, usize)]) -> Alignment {
    let width = rhs.len() + 1;
    let mut sums = vec![0u32; (lhs.len() + 1) * width];
    let at =
        |sums: &[u32], l: usize, r: usize| sums.get(l * width + r).copied().unwrap_or_default();
    for (l, of_l) in lhs.iter().enumerate() {
        for (r, of_r) in rhs.iter().enumerate() {
            let apart = at(&sums, l, r + 1).max(at(&sums, l + 1, r));
            let together = score(&of_l.0, &of_r.0).map(|score| at(&sums, l, r) + score);
            if let Some(slot) = sums.get_mut((l + 1) * width + r + 1) {
                *slot = apart.max(together.unwrap_or_default());
            }
        }
    }
    let (mut l, mut r, mut pairs) = (lhs.len(), rhs.len(), Alignment::new());
    while l > 0 && r > 0 {
        let sum = at(&sums, l, r);
        if sum == at(&sums, l - 1, r) {
            l -= 1;
        } else if sum == at(&sums, l, r - 1) {
            r -= 1;
        } else {
            (l, r) = (l - 1, r - 1);
            pairs.extend(lhs.get(l).zip(rhs.get(r)).map(|(a, b)| (a.1, b.1)));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_counts_in_one_shape_only() {
        let item = |name, ty, content| Traits {
            stem: 1,
            class: 1,
            name,
            ty,
            content,
            ..Traits::default()
        };
        let lhs = [item(10, 100, 1), item(11, 101, 2), item(12, 102, 3)];
        // A layer more in front. The second kernel has the bytes of the old second one, in the shape of the old first.
        let rhs = [item(10, 103, 4), item(11, 100, 2), item(12, 101, 5), item(13, 102, 6)];
        let sorted = |mut pairs: Alignment| {
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(sorted(align_traits(&lhs, &rhs)), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(sorted(align_traits(&rhs, &lhs)), [(1, 0), (2, 1), (3, 2)]);
    }
}

//! Folds tensors whose names differ only in numbers into one row: `layer_{0..11}/dense/kernel`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::diff::TensorDiff;

/// The fewest tensors that are folded.
const FEW: usize = 3;

/// Longer lists are not folded, to bound the time.
const MANY: usize = 20_000;

/// A tensor that moved this many times the median is not folded.
const OUTLIER: f64 = 3.0;

/// Longer names, in bytes, are not folded: they may have too many numbers to try.
const LONGEST: usize = 400;

/// A tensor, or several whose names differ only in numbers.
#[derive(Debug, Clone)]
pub struct Fold<'a> {
    /// The name, with folded numbers in braces: `layer_{0..11}/dense/kernel`.
    pub name: String,
    /// The tensors, in the order of importance.
    pub tensors: Vec<&'a TensorDiff>,
    /// The position of the first of them in the order of importance.
    first: usize,
}

impl<'a> Fold<'a> {
    /// Each tensor by itself.
    pub fn none(tensors: &[&'a TensorDiff]) -> Vec<Self> {
        let alone = |(first, &tensor): (usize, &&'a TensorDiff)| Self {
            name: tensor.shown_name(),
            tensors: vec![tensor],
            first,
        };
        tensors.iter().enumerate().map(alone).collect()
    }

    /// The numbers of one folded tensor, in the order of the braces.
    pub fn numbers_of(&self, tensor: &TensorDiff) -> Vec<String> {
        if self.tensors.len() == 1 {
            return Vec::new();
        }
        let name = tensor.shown_name();
        let mut rest = name.as_str();
        let mut found = Vec::new();
        for part in self.name.split('}') {
            let Some((before, _)) = part.split_once('{') else { break };
            let Some(behind) = rest.strip_prefix(before) else { break };
            let len = behind.bytes().take_while(u8::is_ascii_digit).count();
            let Some((number, behind)) = behind.split_at_checked(len) else { break };
            found.push(number.to_owned());
            rest = behind;
        }
        found
    }
}

/// Folds tensors of equal `kind` whose names differ only in numbers. Outliers are not folded.
pub fn fold<'a, K: Ord>(
    tensors: &[&'a TensorDiff],
    kind: impl Fn(&TensorDiff) -> K,
) -> Vec<Fold<'a>> {
    if tensors.len() >= MANY {
        return Fold::none(tensors);
    }
    let mut rows = Vec::new();
    let mut kinds = BTreeMap::<K, Vec<Fold<'a>>>::new();
    for (row, tensor) in Fold::none(tensors).into_iter().zip(tensors) {
        if row.name.len() > LONGEST {
            rows.push(row);
        } else {
            kinds.entry(kind(tensor)).or_default().push(row);
        }
    }
    for mut alike in kinds.into_values() {
        // Folding one number at a time folds blocks of layers, too.
        loop {
            let before = alike.len();
            alike = fold_one_number(alike);
            if alike.len() == before {
                break;
            }
        }
        rows.extend(alike);
    }
    rows.sort_by_key(|row| row.first);
    rows
}

/// The text before and after a number in a name.
type Place<'n> = (&'n str, &'n str);

/// Joins rows whose names differ in one number. A row joins the largest group that it fits in.
fn fold_one_number(rows: Vec<Fold<'_>>) -> Vec<Fold<'_>> {
    let mut groups = BTreeMap::<Place<'_>, Vec<usize>>::new();
    for (at, row) in rows.iter().enumerate() {
        for (place, _) in numbers(&row.name) {
            groups.entry(place).or_default().push(at);
        }
    }
    let mut groups: Vec<(Place<'_>, Vec<usize>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, group)| Reverse(group.len()));
    let mut joined = BTreeMap::<usize, Fold<'_>>::new();
    let mut taken = BTreeSet::new();
    for (place, group) in groups {
        let free: Vec<usize> = group.into_iter().filter(|at| !taken.contains(at)).collect();
        let alike = without_outliers(free, &rows);
        if alike.len() < FEW {
            continue;
        }
        let numbered = alike.iter().filter_map(|&at| {
            let row = rows.get(at)?;
            let (_, number) = numbers(&row.name).find(|(at, _)| *at == place)?;
            Some((number.parse().ok()?, row))
        });
        let members: BTreeMap<u64, &Fold<'_>> = numbered.collect();
        if members.len() != alike.len() {
            continue;
        }
        let mut tensors: Vec<_> =
            members.values().flat_map(|row| row.tensors.iter().copied()).collect();
        tensors.sort_by(|a, b| super::section::descending(moved(a), moved(b)));
        let first = members.values().map(|row| row.first).min().unwrap_or_default();
        let name = format!("{}{{{}}}{}", place.0, ranges(members.keys().copied()), place.1);
        joined.insert(first, Fold { name, tensors, first });
        taken.extend(alike);
    }
    let alone = rows.iter().enumerate().filter(|(at, _)| !taken.contains(at));
    alone.map(|(_, row)| row.clone()).chain(joined.into_values()).collect()
}

/// The rows without those that moved much further than most.
fn without_outliers(group: Vec<usize>, rows: &[Fold<'_>]) -> Vec<usize> {
    let most = |at: &usize| {
        let row = rows.get(*at)?;
        row.tensors.iter().filter_map(|tensor| moved(tensor)).reduce(f64::max)
    };
    let mut all: Vec<f64> = group.iter().filter_map(most).collect();
    all.sort_by(f64::total_cmp);
    let Some(&median) = all.get(all.len().saturating_sub(1) / 2) else { return group };
    group.into_iter().filter(|at| most(at).is_none_or(|moved| moved <= OUTLIER * median)).collect()
}

fn moved(tensor: &TensorDiff) -> Option<f64> {
    tensor.comparison.as_deref()?.rel_l2
}

/// The numbers in a name outside of braces, without leading zeros, each with its place.
fn numbers(name: &str) -> impl Iterator<Item = (Place<'_>, &str)> {
    let mut at = 0;
    let mut depth = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = name.get(at..)?;
            let next = rest.chars().next()?;
            if !next.is_ascii_digit() {
                depth += i32::from(next == '{') - i32::from(next == '}');
                at += next.len_utf8();
                continue;
            }
            let len = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (before, number, after) = (name.get(..at)?, rest.get(..len)?, rest.get(len..)?);
            at += len;
            if depth == 0 && (number == "0" || !number.starts_with('0')) {
                return Some(((before, after), number));
            }
        }
    })
}

/// `0..3,5` for 0, 1, 2, 3 and 5, which are in order.
fn ranges(numbers: impl Iterator<Item = u64>) -> String {
    let mut ranges = Vec::<(u64, u64)>::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |&(first, last): &(u64, u64)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}..{last}"),
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges() {
        assert_eq!(ranges([0, 1, 2, 3, 5].into_iter()), "0..3,5");
        assert_eq!(ranges([7, 8].into_iter()), "7,8");
    }

    #[test]
    fn every_number_of_a_name_has_a_place() {
        let found: Vec<_> = numbers("b1/unit_{2..3}/c10/x007").collect();
        assert_eq!(
            found,
            [(("b", "/unit_{2..3}/c10/x007"), "1"), (("b1/unit_{2..3}/c", "/x007"), "10"),]
        );
    }
}

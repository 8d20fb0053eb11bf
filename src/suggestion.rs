//! Suggestions: names that are close to one that was not found.

use std::cell::Cell;

/// The `count` names that are closest to `wanted`, the closest first. Names that differ in more than half of their letters are
/// left out.
pub(crate) fn closest<'a>(
    wanted: &[u8],
    names: impl Iterator<Item = &'a [u8]>,
    count: usize,
) -> Vec<&'a [u8]> {
    const LONGEST: usize = 512;
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let mut scored: Vec<(usize, &[u8])> = names
        .filter(|name| name.len() <= LONGEST)
        .filter_map(|name| Some((score(wanted, name)?, name)))
        .collect();
    scored.sort();
    scored.into_iter().take(count).map(|(_, name)| name).collect()
}

/// The number of steps that a [`Search`] may take; later errors have no suggestion.
const STEPS: u64 = 100_000_000;

/// Finds suggestions for many names in bounded time.
#[derive(Debug)]
pub(crate) struct Search {
    steps: Cell<u64>,
}

impl Default for Search {
    fn default() -> Self {
        Self { steps: Cell::new(STEPS) }
    }
}

impl Search {
    /// The name that is closest to `wanted`; `None` if there is none, or the steps are used up.
    pub(crate) fn closest<'a>(
        &self,
        wanted: &[u8],
        names: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Option<&'a [u8]> {
        let bytes: u64 = names.clone().map(|name| name.len() as u64 + 1).sum();
        let cost = bytes.saturating_mul(wanted.len() as u64 + 1);
        self.steps.set(self.steps.get().checked_sub(cost)?);
        closest(wanted, names, 1).first().copied()
    }

    /// As [`hint`].
    pub(crate) fn hint<'a>(
        &self,
        wanted: &str,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> String {
        let names = names.map(str::as_bytes);
        did_you_mean(self.closest(wanted.as_bytes(), names))
    }
}

/// The end of an error about a name that was not found: `; did you mean …?`, or nothing.
pub(crate) fn hint<'a>(wanted: &[u8], names: impl Iterator<Item = &'a str>) -> String {
    did_you_mean(closest(wanted, names.map(str::as_bytes), 1).first().copied())
}

fn did_you_mean(name: Option<&[u8]>) -> String {
    match name.and_then(|name| std::str::from_utf8(name).ok()) {
        Some(name) => format!("; did you mean {name}?"),
        None => String::new(),
    }
}

/// The distance of `name` from `wanted`; `None` if they are too different.
fn score(wanted: &[u8], name: &[u8]) -> Option<usize> {
    // Nearly every name contains one given letter, or two.
    let is_part = wanted.len() > 2 && name.windows(wanted.len()).any(|window| window == wanted);
    if is_part {
        return Some(name.len() - wanted.len());
    }
    let distance = distance(wanted, name);
    (distance <= wanted.len().max(name.len()) / 2).then_some(distance)
}

/// The Levenshtein distance.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b) {
            let best = (diagonal + usize::from(x != y)).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, best);
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_levenshteins() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("v1", "v2", 1),
            ("ab", "ba", 2),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
            assert_eq!(distance(b.as_bytes(), a.as_bytes()), expected, "{b} {a}");
        }
    }
}

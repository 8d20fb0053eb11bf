//! What somebody may have meant by a name that is not there.

use std::cell::Cell;

/// The `count` of `names` most like `wanted`, best first; those that have nothing to do with it are left out.
pub(crate) fn nearest<'a>(
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

/// Steps that looking for similar names may take, in all: what is wrong beyond that is still told, without a hint.
const STEPS: u64 = 100_000_000;

/// Looks for similar names as long as there is time for it.
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
    /// The name most like `wanted`.
    pub(crate) fn nearest<'a>(
        &self,
        wanted: &[u8],
        names: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Option<&'a [u8]> {
        let bytes: u64 = names.clone().map(|name| name.len() as u64 + 1).sum();
        let cost = bytes.saturating_mul(wanted.len() as u64 + 1);
        self.steps.set(self.steps.get().checked_sub(cost)?);
        nearest(wanted, names, 1).first().copied()
    }

    /// As [`hint`].
    pub(crate) fn hint<'a>(
        &self,
        wanted: &str,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> String {
        let names = names.map(str::as_bytes);
        did_you_mean(self.nearest(wanted.as_bytes(), names))
    }
}

/// The end of an error about a name that is not known: the one that may have been meant.
pub(crate) fn hint<'a>(wanted: &[u8], names: impl Iterator<Item = &'a str>) -> String {
    did_you_mean(nearest(wanted, names.map(str::as_bytes), 1).first().copied())
}

fn did_you_mean(near: Option<&[u8]>) -> String {
    match near.and_then(|near| std::str::from_utf8(near).ok()) {
        Some(near) => format!("; did you mean {near}?"),
        None => String::new(),
    }
}

/// How far `name` is from `wanted`; `None` for too far.
fn score(wanted: &[u8], name: &[u8]) -> Option<usize> {
    // One letter or two are in nearly every name.
    let is_part = wanted.len() > 2 && name.windows(wanted.len()).any(|window| window == wanted);
    if is_part {
        return Some(name.len() - wanted.len());
    }
    let distance = distance(wanted, name);
    (distance <= wanted.len().max(name.len()) / 2).then_some(distance)
}

/// Levenshtein's distance.
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

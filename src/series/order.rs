//! The order of the checkpoints of a series, which does not depend on the order in which they were given.
//!
//! The first rule that tells all of them apart decides: the values of a tensor that counts steps, such as `global_step`; the numbers at
//! the end of their names; the order in which a state file lists them; the names themselves, in which numbers count as numbers.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::Path;

use super::member::{Found, Member};
use crate::formats::shard_name::without_numbers;
use crate::serial::named_enum;

named_enum! {
    /// What decided the order of a series.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Order {
        /// The values of a tensor that counts steps.
        StepTensor = "step tensor",
        /// The numbers at the end of the names.
        Numbers = "numbers in names",
        /// The state file.
        StateFile = "state file",
        /// The names.
        Names = "names",
    }
}

/// The checkpoints in order, and what decided it.
pub(super) fn sorted(mut found: Vec<Found>) -> (Vec<Member>, Order) {
    found.sort_by(|a, b| natural(&a.path, &b.path));
    let numbers: Vec<Option<i64>> = found.iter().map(|of| number_in(&of.path)).collect();
    let by_name = all_distinct(&numbers);
    let listed: Vec<Option<usize>> = found.iter().map(|of| of.listed).collect();
    let mut order = Order::Names;
    let mut numbered: Vec<(Found, Option<i64>)> = found.into_iter().zip(numbers).collect();
    if by_name {
        numbered.sort_by_key(|(_, number)| *number);
        order = Order::Numbers;
    } else if all_distinct(&listed) {
        numbered.sort_by_key(|(of, _)| of.listed);
        order = Order::StateFile;
    }
    if let Some(steps) = steps_of(&numbered) {
        // A checkpoint that cannot be opened stays behind the one before it in the order of the names.
        let mut last = i64::MIN;
        let keys = steps.iter().map(|step| {
            last = step.unwrap_or(last);
            last
        });
        let mut keyed: Vec<_> = keys.zip(steps.iter().copied()).zip(numbered).collect();
        keyed.sort_by_key(|((key, _), _)| *key);
        let members = keyed.into_iter().map(|((_, step), (of, _))| member(of, step));
        return (members.collect(), Order::StepTensor);
    }
    let step = |number: Option<i64>| number.filter(|_| by_name);
    (numbered.into_iter().map(|(of, number)| member(of, step(number))).collect(), order)
}

fn member(of: Found, step: Option<i64>) -> Member {
    Member { path: of.path, step, bytes: of.bytes, error: of.error }
}

/// Whether all are there, and no two are equal.
fn all_distinct<T: Ord + Copy>(values: &[Option<T>]) -> bool {
    let distinct: BTreeSet<T> = values.iter().flatten().copied().collect();
    distinct.len() == values.len()
}

/// The values of the first tensor that counts steps, if every checkpoint that can be opened has it and no two have the same value. A
/// checkpoint that cannot be opened has the number of its name, if those of the others are their values.
fn steps_of(found: &[(Found, Option<i64>)]) -> Option<Vec<Option<i64>>> {
    let opened = || found.iter().filter(|(of, _)| of.error.is_none());
    let (first, _) = opened().next()?;
    first.values.iter().find_map(|(name, _)| {
        let value = |of: &Found| of.values.iter().find(|(other, _)| other == name).map(|of| of.1);
        let values: Vec<Option<i64>> = opened().map(|(of, _)| value(of)).collect();
        if !all_distinct(&values) {
            return None;
        }
        let are_numbers = opened().all(|(of, number)| value(of) == *number);
        let step = |(of, number): &(Found, Option<i64>)| match of.error {
            None => value(of),
            Some(_) => number.filter(|_| are_numbers),
        };
        Some(found.iter().map(step).collect())
    })
}

/// The number at the end of a checkpoint's name, or else of its directory's: 900 for `model.ckpt-900`, 3 for `epoch_03.safetensors`,
/// 500 for `checkpoint-500/model.safetensors`. The digits of a decimal fraction are none.
pub(super) fn number_in(path: &Path) -> Option<i64> {
    let path = without_numbers(path);
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let own = name(&path).and_then(|name| number_at_end(&name));
    own.or_else(|| number_at_end(&name(path.parent()?)?))
}

/// Whether a file has a name that checkpoints have: with a number at its end, or with `ckpt` in it.
pub(super) fn is_usual(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains("ckpt") || number_at_end(&name).is_some()
}

fn number_at_end(name: &str) -> Option<i64> {
    let mut rest = name;
    loop {
        let stem = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = rest.get(stem.len()..).unwrap_or_default();
        if !digits.is_empty() {
            let before = stem.strip_suffix('.').unwrap_or_default();
            let is_fraction = before.ends_with(|c: char| c.is_ascii_digit());
            return digits.parse().ok().filter(|_| !is_fraction);
        }
        (rest, _) = rest.rsplit_once('.')?;
    }
}

/// The order of two paths in which runs of digits are compared as numbers.
pub(super) fn natural(a: &Path, b: &Path) -> Ordering {
    let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
    let (left, right) = (bytes(a), bytes(b));
    let (mut x, mut y) = (left.as_slice(), right.as_slice());
    loop {
        let (Some(&first), Some(&second)) = (x.first(), y.first()) else {
            // Paths that differ in leading zeros only.
            return x.len().cmp(&y.len()).then_with(|| left.cmp(&right));
        };
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            let (m, n) = (digits(&mut x), digits(&mut y));
            m.len().cmp(&n.len()).then_with(|| m.cmp(n))
        } else {
            (x, y) = (x.get(1..).unwrap_or_default(), y.get(1..).unwrap_or_default());
            first.cmp(&second)
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Takes the digits at the start of a text, and returns them without leading zeros.
fn digits<'t>(text: &mut &'t [u8]) -> &'t [u8] {
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(len);
    *text = rest;
    let zeros = number.iter().take_while(|&&byte| byte == b'0').count();
    number.get(zeros..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_at_the_end_of_the_name() {
        for (path, number) in [
            ("run7/model.ckpt-900", Some(900)),
            ("ckpt-5", Some(5)),
            ("epoch_03.safetensors", Some(3)),
            ("cp-0012.ckpt", Some(12)),
            ("model.ckpt-40-?????-of-00002", Some(40)),
            ("checkpoint-500/model.safetensors", Some(500)),
            ("export/1699999999", Some(1_699_999_999)),
            ("weights.05-0.33.safetensors", None),
            ("run/model.ckpt", None),
            ("m-99999999999999999999", None),
        ] {
            assert_eq!(number_in(Path::new(path)), number, "{path}");
        }
    }

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let mut paths = ["m-10", "m-9", "m-09b", "m-9/x", "m", "m-100"].map(Path::new);
        paths.sort_by(|a, b| natural(a, b));
        assert_eq!(paths, ["m", "m-9", "m-9/x", "m-09b", "m-10", "m-100"].map(Path::new));
    }
}

//! The numbers by which TensorFlow tells names apart: `dense_1/MatMul`, `AddN_3`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::graph::Node;

/// Whether a name has a number.
pub(super) fn is_numbered(name: &str) -> bool {
    numbers(name).next().is_some()
}

/// The hash of what a node keeps when it is numbered anew: op and name without numbers.
pub(super) fn family(node: &Node<'_>) -> u64 {
    let mut state = DefaultHasher::new();
    node.op.hash(&mut state);
    hash_unnumbered(node.name, &mut state);
    state.finish()
}

/// Hashes a name without its numbers.
fn hash_unnumbered(name: &str, state: &mut impl Hasher) {
    let mut from = 0;
    for number in numbers(name) {
        state.write(name.as_bytes().get(from..number.start).unwrap_or_default());
        from = number.end;
    }
    state.write(name.as_bytes().get(from..).unwrap_or_default());
    state.write_u8(0xff);
}

/// Hashes the last word of a name without its numbers.
pub(super) fn hash_last_word(name: &str, state: &mut impl Hasher) {
    let mut end = name.len();
    for number in numbers(name).collect::<Vec<_>>().into_iter().rev() {
        if number.end == end {
            end = number.start;
        }
    }
    let words = name.get(..end).unwrap_or(name);
    state.write(words.rsplit('_').next().unwrap_or(words).as_bytes());
}

/// Whether two names differ at most in their numbers.
pub(super) fn is_same_unnumbered(lhs: &str, rhs: &str) -> bool {
    unnumbered(lhs).eq(unnumbered(rhs))
}

/// The bytes of a name without its numbers.
fn unnumbered(name: &str) -> impl Iterator<Item = u8> {
    let ends = numbers(name).map(|number| (number.start, number.end));
    let mut from = 0;
    ends.chain([(name.len(), name.len())]).flat_map(move |(start, end)| {
        let part = name.as_bytes().get(from..start).unwrap_or_default();
        from = end;
        part.iter().copied()
    })
}

/// The first part between slashes in which two names differ, if the names differ in numbers only.
pub(super) fn renumbered_part<'n>(lhs: &'n str, rhs: &'n str) -> Option<(&'n str, &'n str)> {
    let mut parts = lhs.split('/').zip(rhs.split('/'));
    is_same_unnumbered(lhs, rhs).then(|| parts.find(|(l, r)| l != r)).flatten()
}

/// The difference of the first numbers in which two parts of names differ; a part without a number counts as 0.
pub(super) fn shift(lhs: &str, rhs: &str) -> i128 {
    let values = |part: &str| -> Vec<i128> {
        let digits = numbers(part).filter_map(|at| part.get(at.start + 1..at.end));
        digits.map(|digits| digits.parse().unwrap_or(i128::MAX / 2)).collect()
    };
    let (lhs, rhs) = (values(lhs), values(rhs));
    let of = |side: &[i128], at: usize| side.get(at).copied().unwrap_or_default();
    let differences = (0..lhs.len().max(rhs.len())).map(|at| of(&rhs, at) - of(&lhs, at));
    differences.into_iter().find(|difference| *difference != 0).unwrap_or_default()
}

/// The ranges of the numbers in a name, each with the `_` before it.
pub(in crate::diff) fn numbers(name: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = name.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = bytes.get(from..)?;
            let start = from + rest.iter().position(|&byte| byte == b'_')?;
            let behind = bytes.get(start + 1..)?;
            let digits = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let end = start + 1 + digits;
            let is_end =
                bytes.get(end).is_none_or(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric());
            from = end;
            if digits > 0 && is_end && start > 0 {
                return Some(start..end);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_alike_without_their_numbers() {
        for (lhs, rhs, is_same) in [
            ("dense/kernel", "dense_1/kernel", true),
            ("a_1_2/b", "a/b_7", true),
            ("update_dense_1/kernel", "update_dense_10/kernel", true),
            ("conv2d_1", "conv3d_1", false),
            ("x_1y", "x", false),
            ("_1", "", false),
            ("a_1/b", "a/c", false),
            ("block_1conv", "block_2conv", false),
        ] {
            assert_eq!(is_same_unnumbered(lhs, rhs), is_same, "{lhs} {rhs}");
        }
        assert_eq!(renumbered_part("g/d/x_1", "g/d_1/x_2"), Some(("d", "d_1")));
        assert_eq!(renumbered_part("g/d", "h/d"), None);
        assert_eq!(shift("dense", "dense_1"), 1);
        assert_eq!(shift("a_7", "a_5"), -2);
        assert_eq!(shift("a_1_2", "a_1_4"), 2);
    }
}

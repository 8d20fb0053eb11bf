//! Counters that TensorFlow appends to the names that it generates: `while_body_6_grad_62`.

use std::borrow::Cow;
use std::ops::Range;

/// Suffixes that TensorFlow appends after a counter, often followed by another counter.
const MARKS: [&str; 3] = ["rewritten", "grad", "frozen"];

/// The name without its counters.
pub(crate) fn stem(name: &str) -> Cow<'_, str> {
    without(name, counters(name))
}

/// The name without its last counter; the others may be part of the name, as in `__inference_dense_1_123`.
pub(super) fn without_last(name: &str) -> Cow<'_, str> {
    without(name, counters(name).take(1))
}

/// The name without these ranges, of which the last comes first.
fn without(name: &str, ranges: impl Iterator<Item = Range<usize>>) -> Cow<'_, str> {
    let mut rest = Cow::Borrowed(name);
    ranges.for_each(|range| rest.to_mut().replace_range(range, ""));
    rest
}

/// The ranges of the counters at the end of a name, each with its `_`; the last first.
fn counters(name: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = name.len();
    std::iter::from_fn(move || {
        loop {
            let start = name.get(..end)?.rfind('_').filter(|&start| start > 0)?;
            let part = name.get(start + 1..end)?;
            let range = start..std::mem::replace(&mut end, start);
            if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Some(range);
            }
            if !MARKS.contains(&part) {
                end = 0;
                return None;
            }
        }
    })
}

/// A name without its numbers, and without the `_` before them: of `sequential_1/dense_2_bias`, `sequential/dense_bias`.
pub(crate) fn unnumbered(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '0'..='9' => {
                let is_number = text.ends_with('_') && text.len() > 1;
                text.truncate(text.len() - usize::from(is_number));
            }
            c => text.push(c),
        }
    }
    text
}

/// A key that sorts names by their counters.
pub(super) fn counted(name: &str) -> (Cow<'_, str>, usize, &str) {
    (stem(name), name.len(), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_where_tensorflow_puts_them() {
        for (name, expected) in [
            ("__inference_f_123", "__inference_f"),
            ("__inference_dense_1_123", "__inference_dense"),
            ("while_body_6_grad_62", "while_body_grad"),
            ("while_cond_5_rewritten_grad_161", "while_cond_rewritten_grad"),
            ("cond_true_5_frozen_9", "cond_true_frozen"),
            ("conv_2_weights", "conv_2_weights"),
            ("_12", "_12"),
            ("grad", "grad"),
            ("", ""),
        ] {
            assert_eq!(stem(name), expected);
        }
        assert_eq!(without_last("while_body_6_grad_62"), "while_body_6_grad");
    }

    #[test]
    fn numbers_are_taken_out_with_the_underscore_before_them() {
        for (name, expected) in [
            ("sequential_1/dense_2_bias", "sequential/dense_bias"),
            ("conv2d", "convd"),
            ("block12/conv", "block/conv"),
            ("_1", "_"),
            ("", ""),
        ] {
            assert_eq!(unnumbered(name), expected);
        }
    }
}

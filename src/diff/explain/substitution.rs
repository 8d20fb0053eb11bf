//! What two texts replace: `[6, 8] → [6, 16]` has `8 → 16`, and `[DT_FLOAT, DT_INT64] → [DT_HALF, DT_INT64]` has `DT_FLOAT → DT_HALF`.

use crate::schema::tensorflow::DataType;
use crate::tensor::DType;

/// The words that are replaced, each by another, without repetition. Empty if the texts differ in more than such words.
pub(super) type Substitution<'a> = Vec<(&'a str, &'a str)>;

/// The maximum number of words in a text. Longer texts are values, not shapes.
const MOST_WORDS: usize = 64;

/// The sizes that differ in two texts of shapes.
pub(super) fn of_sizes<'a>(lhs: &'a str, rhs: &'a str) -> Substitution<'a> {
    between(lhs, rhs, |word| {
        word == "?" || word.strip_prefix('-').unwrap_or(word).bytes().all(|b| b.is_ascii_digit())
    })
}

/// The types that differ in two texts with types, by their names: `DT_FLOAT` and `float32` are the same one.
pub(super) fn of_types<'a>(lhs: &'a str, rhs: &'a str) -> Substitution<'a> {
    let replaced = between(lhs, rhs, |word| type_name(word).is_some());
    let named = replaced.into_iter().filter_map(|(a, b)| Some((type_name(a)?, type_name(b)?)));
    let mut named: Substitution<'a> = named.collect();
    named.dedup();
    named
}

/// The name of a type; `None` for other words.
fn type_name(word: &str) -> Option<&'static str> {
    if let Some(stated) = DataType::from_str_name(word) {
        let known = DType::from_code(stated.into()).map(DType::name);
        return Some(known.unwrap_or(stated.as_str_name()));
    }
    DType::ALL.iter().map(|dtype| dtype.name()).find(|name| *name == word)
}

fn between<'a>(lhs: &'a str, rhs: &'a str, counts: impl Fn(&str) -> bool) -> Substitution<'a> {
    let (mut l, mut r) = (words(lhs), words(rhs));
    let mut replaced = Substitution::new();
    for _ in 0..MOST_WORDS {
        match (l.next(), r.next()) {
            (None, None) => {
                replaced.sort_unstable();
                replaced.dedup();
                return replaced;
            }
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) if counts(a) && counts(b) => replaced.push((a, b)),
            _ => break,
        }
    }
    Substitution::new()
}

/// The words of a text and the characters between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || "_-.?".contains(c);
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_words_are_told_once() {
        assert_eq!(of_sizes("[8, 8]", "[16, 16]"), [("8", "16")]);
        assert_eq!(of_sizes("[?, 6]", "[64, 6]"), [("?", "64")]);
        assert_eq!(of_sizes("8", "16"), [("8", "16")]);
        assert_eq!(of_sizes("float32 [8]", "float32 [16]"), [("8", "16")]);
        assert_eq!(
            of_types("[DT_FLOAT, DT_INT64]", "[DT_HALF, DT_INT64]"),
            [("float32", "float16")]
        );
        assert_eq!(of_types("float32 [2]", "float64 [2]"), [("float32", "float64")]);
    }

    #[test]
    fn texts_that_differ_otherwise_replace_nothing() {
        for (lhs, rhs) in [("[8]", "[8, 4]"), ("0.5", "0.25"), ("a 8", "b 8"), ("", "8")] {
            assert_eq!(of_sizes(lhs, rhs), [], "{lhs} {rhs}");
        }
    }
}

//! Text from files, prepared for a terminal.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::graph::object_graph::VALUE_SUFFIX;
use crate::name::is_plain;
use crate::tensor::Name;

use super::WIDTH;

/// `text` with control characters escaped, so that it cannot control a terminal.
pub fn printable(text: &str) -> String {
    Name::from(text).printable()
}

/// The name of a tensor, without TensorFlow 2's [`VALUE_SUFFIX`].
pub(super) fn short_name(name: &str) -> &str {
    name.strip_suffix(VALUE_SUFFIX).unwrap_or(name)
}

/// The two ends of a text that is longer than a line. A name of megabytes that is shown often must not cost its length each time.
pub(in crate::report) fn ends(text: &str) -> Cow<'_, str> {
    const KEPT: usize = 2 * WIDTH;
    let head = text.char_indices().nth(KEPT).and_then(|(end, _)| text.get(..end));
    let tail = text.char_indices().nth_back(KEPT - 1).and_then(|(start, _)| text.get(start..));
    match (head, tail) {
        (Some(head), Some(tail)) if head.len() + tail.len() < text.len() => {
            format!("{head}…{tail}").into()
        }
        _ => text.into(),
    }
}

/// The longest name in bytes that a report shows whole.
const LONGEST: usize = 1_000;

/// A name, or its two ends and its length if it is too long to be read. A file can repeat such a name in every line of a report.
pub(in crate::report) fn short_of(name: &str) -> Cow<'_, str> {
    let length = || format!("… {} bytes …", super::number::count(name.len() as u64));
    without_middle(name, length)
}

/// A path, without its middle if it is too long to be read.
pub(super) fn short_path(path: &str) -> Cow<'_, str> {
    // The length of the text says nothing, since long keys in it are shortened already.
    without_middle(path, || "…".into())
}

/// The two ends of a text that is longer than [`LONGEST`], with `middle` between them.
fn without_middle(text: &str, middle: impl Fn() -> String) -> Cow<'_, str> {
    if text.len() <= LONGEST {
        return text.into();
    }
    let head = text.floor_char_boundary(LONGEST / 2);
    let tail = text.ceil_char_boundary(text.len() - LONGEST / 2);
    let [head, tail] = [text.get(..head), text.get(tail..)].map(Option::unwrap_or_default);
    format!("{head}{}{tail}", middle()).into()
}

/// `text` in at most `width` columns, with an ellipsis in place of its middle if it is longer.
pub(in crate::report) fn cut_middle(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    // A text can be wider than the sum of its characters.
    let mut cuts = (1..=width).rev().map(|width| cut_to(text, width));
    cuts.find(|cut| width_of(cut) <= width).unwrap_or_default()
}

/// `text` in at most `width` columns, with an ellipsis in place of its end if it is longer.
pub(super) fn cut_end(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    let start: String = fitting(text.chars(), width.saturating_sub(1)).collect();
    format!("{start}…")
}

/// The two ends of `text`, whose characters sum to `width` columns.
fn cut_to(text: &str, width: usize) -> String {
    // The end of a name is more distinctive than its start.
    let head = width.saturating_sub(1) * 2 / 5;
    let tail = width.saturating_sub(1) - head;
    let start: String = fitting(text.chars(), head).collect();
    let end: Vec<char> = fitting(text.chars().rev(), tail).collect();
    // A combining mark whose letter was cut off would combine with the ellipsis.
    let end: String = end.into_iter().rev().skip_while(|c| c.width() == Some(0)).collect();
    format!("{start}…{end}")
}

/// The first characters that fit into `width` columns.
fn fitting(chars: impl Iterator<Item = char>, width: usize) -> impl Iterator<Item = char> {
    let mut used = 0;
    chars.take_while(move |c| {
        used += c.width().unwrap_or(1);
        used <= width
    })
}

/// `text` padded with spaces to `width` columns.
pub(super) fn padded(text: &str, width: usize) -> String {
    format!("{text}{:1$}", "", width.saturating_sub(width_of(text)))
}

/// The width of `text` in columns.
pub(in crate::report) fn width_of(text: &str) -> usize {
    // Most cells are printable ASCII, one column a byte, and a report may have millions of them.
    if is_plain(text) { text.len() } else { text.width() }
}

/// `start` and `parts`, separated by commas, wrapped to the width of a report with an indent of two.
pub(super) fn wrapped(start: &str, parts: &[String]) -> Vec<String> {
    wrapped_to(WIDTH, start, parts, ", ")
}

/// `start` and `parts` with `separator` between them, wrapped to `width` columns with an indent of two.
pub(super) fn wrapped_to(
    width: usize,
    start: &str,
    parts: &[String],
    separator: &str,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = start.to_owned();
    for (i, part) in parts.iter().enumerate() {
        let separator = if i + 1 < parts.len() { separator } else { "" };
        if width_of(&line) + width_of(part) + 3 > width && i > 0 {
            let end = line.trim_end();
            lines.push(end.strip_suffix(" ·").unwrap_or(end).to_owned());
            line = " ".repeat(width_of(start));
        }
        line += part;
        line += separator;
    }
    lines.push(line);
    lines
}

/// `text` as one word of a POSIX shell.
pub fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// "1 tensor", "2 tensors".
pub fn plural(n: u64, noun: &str) -> String {
    let count = super::number::count(n);
    if n == 1 { format!("{count} {noun}") } else { format!("{count} {}", several(noun)) }
}

/// "tensors", "function libraries".
pub(super) fn several(noun: &str) -> String {
    match noun.strip_suffix("ry") {
        Some(start) => format!("{start}ries"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_have_a_plural() {
        assert_eq!(plural(1, "tensor"), "1 tensor");
        assert_eq!(plural(2, "function library"), "2 function libraries");
        assert_eq!(several("saver"), "savers");
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        let name = "model/encoder/layer_11/attention/self/query/kernel";
        assert_eq!(cut_middle(name, 24), "model/enc…f/query/kernel");
        assert_eq!(cut_middle(name, 80), name);
    }

    #[test]
    fn a_suffix_that_says_nothing_is_not_shown() {
        let name = "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE";
        assert_eq!(short_name(name), "layer_with_weights-0/kernel");
        assert_eq!(short_name("step/.ATTRIBUTES/other"), "step/.ATTRIBUTES/other");
    }

    #[test]
    fn a_name_of_any_length_is_shown_in_bounded_length() {
        let name = "語".repeat(400);
        let short = short_of(&name);
        assert!(short.len() < LONGEST + 40, "{}", short.len());
        assert!(short.starts_with("語") && short.ends_with("語"));
        assert!(short.contains("語… 1,200 bytes …語"), "{short}");
        assert_eq!(short_of(&"n".repeat(LONGEST)), "n".repeat(LONGEST));
        assert_eq!(short_path(&"a.".repeat(LONGEST)).matches('…').count(), 1);
    }

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        assert_eq!(cut_middle(&"語".repeat(9), 10), "語…語語語");
        assert_eq!(width_of(&cut_middle(&"e\u{301}".repeat(20), 10)), 10);
        assert_eq!(cut_middle("e\u{301}e\u{301}", 2), "e\u{301}e\u{301}");
        assert_eq!(padded("語e\u{301}", 5), "語e\u{301}  ");
    }

    #[test]
    fn no_control_character_passes() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}"), "a\\u{1b}[31mb\\u{7}");
        assert_eq!(shell_quoted("a'b"), r"'a'\''b'");
    }
}

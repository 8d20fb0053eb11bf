//! Text that came from a file, made fit for a terminal.

use crate::tensor::Name;

use super::WIDTH;

/// What TensorFlow 2 puts after the path of every variable; it says nothing, and takes half a line.
const ATTRIBUTE_SUFFIX: &str = "/.ATTRIBUTES/VARIABLE_VALUE";

/// `text` without anything that a terminal would obey: control characters are escaped.
pub fn printable(text: &str) -> String {
    Name::from(text).printable()
}

/// A tensor's name in at most `width` characters, with both of its ends.
pub(super) fn cut_name(name: &str, width: usize) -> String {
    match name.strip_suffix(ATTRIBUTE_SUFFIX) {
        Some(path) if width_of(name) > width => cut_middle(&format!("{path}/…"), width),
        _ => cut_middle(name, width),
    }
}

/// `text` in at most `width` characters: where it is longer, an ellipsis takes the place of its middle.
pub(super) fn cut_middle(text: &str, width: usize) -> String {
    let len = width_of(text);
    if len <= width {
        return text.to_owned();
    }
    // The end of a name tells more than its start.
    let head = width.saturating_sub(1) * 2 / 5;
    let tail = width.saturating_sub(1) - head;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(len - tail).collect();
    format!("{start}…{end}")
}

/// How many columns `text` takes.
pub(super) fn width_of(text: &str) -> usize {
    text.chars().count()
}

/// `parts` with commas between them behind `start`, in as many lines as that takes at an indent of two.
pub(super) fn wrapped(start: &str, parts: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = start.to_owned();
    for (i, part) in parts.iter().enumerate() {
        let comma = if i + 1 < parts.len() { ", " } else { "" };
        if width_of(&line) + width_of(part) + 3 > WIDTH && i > 0 {
            lines.push(line.trim_end().to_owned());
            line = " ".repeat(width_of(start));
        }
        line += part;
        line += comma;
    }
    lines.push(line);
    lines
}

/// `text` as one word of a POSIX shell.
pub(super) fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// "1 tensor", "2 tensors".
pub(super) fn plural(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", super::number::count(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_both_ends() {
        let name = "model/encoder/layer_11/attention/self/query/kernel";
        assert_eq!(cut_name(name, 24), "model/enc…f/query/kernel");
        assert_eq!(cut_name(name, 80), name);
    }

    #[test]
    fn a_suffix_that_says_nothing_goes_first() {
        let name = "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE";
        assert_eq!(cut_name(name, 40), "layer_with_weights-0/kernel/…");
    }

    #[test]
    fn no_control_character_passes() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}"), "a\\u{1b}[31mb\\u{7}");
        assert_eq!(shell_quoted("a'b"), r"'a'\''b'");
    }
}

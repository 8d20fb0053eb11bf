//! Foreign text in Markdown, as forges render it: it is shown, and never links, mentions, formats or ends anything.

use std::fmt::Write;

use crate::name::is_printable;

/// Text of a code span, for a paragraph or a cell of a table.
///
/// Forges neither link nor mention what is in code. A span in backticks cannot hold a backtick without care and, in a table, no `|`; other
/// than plain names are in a `<code>` element, with references for what Markdown or HTML knows.
pub(super) fn code(text: &str) -> String {
    let is_plain = |c: char| is_printable(c) && !matches!(c, '`' | '|' | '\\' | '<' | '>' | '&');
    // GitHub's runner finds `##[error]` anywhere in a log.
    let is_altered = text.contains("  ") || text.contains("##[") || text.trim() != text;
    if !text.is_empty() && !is_altered && text.chars().all(is_plain) {
        return format!("`{text}`");
    }
    let mut out = String::from("<code>");
    let last = text.chars().count().saturating_sub(1);
    let mut before = ' ';
    for (at, c) in text.chars().enumerate() {
        // Spaces at the ends and next to others would be lost.
        let is_lost = c == ' ' && (at == 0 || at == last || before == ' ');
        match c {
            ' ' if is_lost => out.push_str("&nbsp;"),
            c => push(c, &mut out),
        }
        before = c;
    }
    out + "</code>"
}

/// Running text in which names may occur.
pub(super) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let begins_word = next.is_alphanumeric() || "\"_+-/".contains(next);
        match c {
            // Mentions, references to issues, emoji and links to the Web begin inside a word. Forges look for them in the rendered
            // text, which a comment divides.
            '@' | '#' | '!' | '~' | '%' | '$' | ':' if begins_word => {
                let _ = write!(out, "&#{};<!-- -->", u32::from(c));
            }
            '.' if before == 'w' || before == 'W' => out.push_str("&#46;<!-- -->"),
            // A name such as layer_1, and an index behind other text: neither is emphasis, a link or the definition of one.
            '_' if before.is_alphanumeric() && next.is_alphanumeric() => out.push(c),
            '[' if !out.is_empty() && (next.is_ascii_digit() || next == ']') => out.push(c),
            ']' if !"([".contains(next) => out.push(c),
            c => push(c, &mut out),
        }
        before = c;
    }
    out
}

/// A cell of a table: numbers and words as they are, other text as code.
pub(super) fn cell(text: &str) -> String {
    let is_number = |word: &str| {
        let digits = word.trim_end_matches([',', '%']).trim_start_matches('×');
        digits.replace(',', "").parse::<f64>().is_ok() || ["", "-", "→"].contains(&word)
    };
    let is_word = |word: &str| word.chars().all(|c| c.is_ascii_alphabetic());
    let is_plain = text.split(' ').all(|word| is_number(word) || is_word(word));
    if is_plain { text.trim().to_owned() } else { code(text) }
}

/// A character, or a reference to it; an escape if it is invisible or controls something.
fn push(c: char, out: &mut String) {
    let is_known = c.is_ascii_punctuation()
        && !matches!(
            c,
            ',' | '.' | ';' | '/' | '-' | '(' | ')' | '\'' | '%' | '?' | '"' | ':' | '='
        );
    match c {
        // Writing to a string cannot fail.
        c if is_known => drop(write!(out, "&#{};", u32::from(c))),
        c if is_printable(c) => out.push(c),
        c => {
            let escaped: String = c.escape_default().collect();
            escaped.chars().for_each(|c| push(c, out));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_in_backticks() {
        for name in ["dense/kernel:0", "layer_1/w", "a@b", "#1", "*x*", "語"] {
            assert_eq!(code(name), format!("`{name}`"));
        }
    }

    #[test]
    fn other_names_are_in_an_element() {
        let cases = [
            ("a|b", "<code>a&#124;b</code>"),
            ("a`b", "<code>a&#96;b</code>"),
            ("##[error]x", "<code>&#35;&#35;&#91;error&#93;x</code>"),
            ("a\\|b", "<code>a&#92;&#124;b</code>"),
            ("<script>", "<code>&#60;script&#62;</code>"),
            (" a  b ", "<code>&nbsp;a &nbsp;b&nbsp;</code>"),
            ("a\nb\u{1b}", "<code>a&#92;nb&#92;u&#123;1b&#125;</code>"),
            ("", "<code></code>"),
        ];
        for (name, written) in cases {
            assert_eq!(code(name), written, "{name:?}");
        }
    }

    #[test]
    fn nothing_in_running_text_is_a_mention_a_link_or_a_format() {
        let cases = [
            ("Different: 1 of 2", "Different: 1 of 2"),
            ("@all", "&#64;<!-- -->all"),
            ("#1", "&#35;<!-- -->1"),
            ("http://x", "http&#58;<!-- -->//x"),
            ("www.x", "www&#46;<!-- -->x"),
            (":x:", "&#58;<!-- -->x:"),
            ("*a_b*", "&#42;a_b&#42;"),
            ("_a_", "&#95;a&#95;"),
            ("[1](x)", "&#91;1&#93;(x)"),
            ("[1]: x", "&#91;1]: x"),
            ("at [0]: 1", "at [0]: 1"),
            ("[x]", "&#91;x]"),
            ("50%", "50%"),
            ("46.6%", "46.6%"),
        ];
        for (text, written) in cases {
            assert_eq!(super::text(text), written, "{text:?}");
        }
    }

    #[test]
    fn numbers_in_cells_are_plain() {
        for plain in ["46.6%", "3 of 576", "all 1,024", "-2.4e-7 → inf", "×0.9", "", "-"] {
            assert_eq!(cell(plain), plain);
        }
        assert_eq!(cell("[12, 29]"), "`[12, 29]`");
        assert_eq!(cell("www.x"), "`www.x`");
    }
}

//! Names and strings in a snapshot, and their escapes.
//!
//! ```text
//! name   := [A-Za-z0-9_./:^>@$*+-]+ | string
//! string := '"' ( character | '\' [nrt"\] | '\' octal{3} )* '"'
//! ```
//! Characters that control a terminal, are invisible or change the order of others are octal bytes, as are bytes that are not UTF-8.

use std::fmt::Write as _;

use crate::name::is_printable;

/// Whether a character can stand in a name without quotes.
pub(super) fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_./:^>@$*+-".contains(c)
}

/// Appends a name, in quotes if it needs them.
pub(super) fn name(text: &str, out: &mut String) {
    if !text.is_empty() && text.chars().all(is_bare) {
        out.push_str(text);
    } else {
        string(text.as_bytes(), out);
    }
}

/// A name, in quotes if it needs them.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::new();
    name(text, &mut out);
    out
}

/// Appends bytes in quotes.
pub(super) fn string(bytes: &[u8], out: &mut String) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if is_printable(c) => out.push(c),
                c => octal(c.encode_utf8(&mut [0; 4]).as_bytes(), out),
            }
        }
        octal(chunk.invalid(), out);
    }
    out.push('"');
}

fn octal(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(out, "\\{byte:03o}");
    }
}

/// The bytes of a string that begins with its quote, and the length of its text; the offset of the error if it has one.
pub(super) fn unquote(text: &str) -> Result<(Vec<u8>, usize), (usize, &'static str)> {
    const UNFINISHED: &str = "a closing quote";
    let mut bytes = Vec::new();
    let mut rest = text.char_indices().skip(1);
    while let Some((at, c)) = rest.next() {
        match c {
            '"' => return Ok((bytes, at + 1)),
            '\\' => match rest.next().ok_or((at, UNFINISHED))?.1 {
                'n' => bytes.push(b'\n'),
                'r' => bytes.push(b'\r'),
                't' => bytes.push(b'\t'),
                c @ ('"' | '\\') => bytes.extend(c.to_string().as_bytes()),
                _ => {
                    let digits = text.get(at + 1..at + 4).filter(|digits| is_octal(digits));
                    let byte = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
                    bytes.push(byte.ok_or((
                        at,
                        "an escape: \\n, \\r, \\t, \\\", \\\\ or three octal digits",
                    ))?);
                    rest.nth(1);
                }
            },
            c => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Err((text.len(), UNFINISHED))
}

fn is_octal(digits: &str) -> bool {
    digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_what_its_text_reads_as() {
        for bytes in [
            b"".as_slice(),
            b"a b",
            b"\"\\\n\r\t\x1b[2J\0",
            b"\xff\xfe",
            "é\u{202e}\u{7f}".as_bytes(),
            b"<script>",
            b"]]>|`",
            b"\\101",
        ] {
            let mut text = String::new();
            string(bytes, &mut text);
            assert!(!text.contains('\n') && text.chars().all(is_printable), "{text}");
            assert_eq!(unquote(&text), Ok((bytes.to_vec(), text.len())));
        }
    }

    #[test]
    fn errors_of_strings_have_their_offset() {
        for (text, at) in
            [("\"ab", 3), ("\"a\\", 2), ("\"\\9\"", 1), ("\"\\777\"", 1), ("\"\\1é\"", 1)]
        {
            assert_eq!(unquote(text).unwrap_err().0, at, "{text}");
        }
    }
}

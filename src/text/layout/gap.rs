//! The white space, separators and comments between two tokens.

use crate::text::syntax::{after_spaces, is_space};

/// A comment.
#[derive(Debug)]
pub(super) struct Comment<'i> {
    /// The text from `#` on, without trailing spaces.
    pub(super) text: &'i [u8],
    /// Whether a line break precedes it in the gap.
    pub(super) own_line: bool,
    /// Whether a blank line precedes it.
    pub(super) blank: bool,
}

/// The text between two tokens.
#[derive(Debug, Default)]
pub(super) struct Gap<'i> {
    pub(super) comments: Vec<Comment<'i>>,
    pub(super) comma: bool,
    /// Whether it contains a line break.
    pub(super) broken: bool,
    /// Whether a blank line precedes the next token.
    pub(super) blank: bool,
}

impl<'i> Gap<'i> {
    pub(super) fn read(bytes: &'i [u8]) -> Self {
        let mut gap = Self::default();
        let (mut rest, mut lines) = (bytes, 0);
        while let [first, tail @ ..] = rest {
            rest = tail;
            match first {
                b'\n' => {
                    lines += 1;
                    gap.broken = true;
                    gap.blank |= lines > 1;
                }
                b'#' => {
                    let end = 1 + memchr::memchr(b'\n', tail).unwrap_or(tail.len());
                    let text = bytes.get(bytes.len() - tail.len() - 1..).unwrap_or_default();
                    let text = text.get(..end).unwrap_or_default().trim_ascii_end();
                    gap.comments.push(Comment { text, own_line: gap.broken, blank: gap.blank });
                    rest = tail.get(end - 1..).unwrap_or_default();
                    (lines, gap.blank) = (0, false);
                }
                byte if is_space(*byte) => {}
                byte => {
                    gap.comma |= *byte == b',';
                    lines = 0;
                }
            }
        }
        gap
    }
}

/// Returns a name in brackets without its white space and comments, and the comments.
pub(super) fn compact(inner: &[u8]) -> (Vec<u8>, Vec<Comment<'_>>) {
    let (mut name, mut comments, mut at) = (vec![b'['], Vec::new(), 0);
    while at < inner.len() {
        let end = after_spaces(inner, at);
        comments.extend(Gap::read(inner.get(at..end).unwrap_or_default()).comments);
        name.extend(inner.get(end));
        at = end + 1;
    }
    name.push(b']');
    (name, comments)
}

/// Whether a list is laid out on one line, of which `room` columns are left; `rest` is the text after its `[`.
///
/// A list is laid out on one line if its text is on one line or fits on one. Messages, comments and the literals of a
/// string over several lines need lines of their own.
pub(super) fn is_one_line(rest: &[u8], room: usize) -> bool {
    let (mut at, mut used, mut broken) = (0, 1, false);
    // After a literal: whether a line break followed it.
    let mut literal = None;
    while let Some(&byte) = rest.get(at) {
        at += 1;
        match byte {
            b'#' | b'{' | b'<' => return false,
            b']' => break,
            b'\n' => {
                broken = true;
                literal = literal.map(|_| true);
            }
            byte if is_space(byte) => {}
            b',' => {
                used += 2;
                literal = None;
            }
            b'"' | b'\'' => {
                match literal {
                    Some(true) => return false,
                    Some(false) => used += 1,
                    None => {}
                }
                let body = rest.get(at..).unwrap_or_default();
                let length = string_length(byte, body);
                used += 1 + columns(body.get(..length).unwrap_or_default());
                at += length;
                literal = Some(false);
            }
            _ => used += 1,
        }
        if broken && used > room {
            return false;
        }
    }
    !broken || used <= room
}

/// The length of a string's body with its closing quote.
fn string_length(quote: u8, body: &[u8]) -> usize {
    let mut escaped = false;
    for (at, &byte) in body.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if byte == quote => return at + 1,
            _ => {}
        }
    }
    body.len()
}

/// The number of characters of a text.
pub(super) fn columns(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

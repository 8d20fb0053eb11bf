//! The tokens of text and JSON, which are the same: words, strings, and marks of the syntax.
//!
//! This scan reports no errors; the parser does, later.

/// A word, a string without its quotes, or a mark of the syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Word(&'a [u8]),
    String(&'a [u8]),
    Mark(u8),
}

/// The tokens of a text or JSON.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    /// The tokens of a file that begins with `head`.
    pub(crate) fn new(head: &'a [u8]) -> Self {
        Self { rest: without_bom(head) }
    }
}

/// Whether `head` starts a JSON object, as opposed to text format.
pub(super) fn begins_json(head: &[u8]) -> bool {
    let rest = head.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| matches!(rest.first(), Some(b'"' | b'}')))
}

/// Whether `head` starts with a field of the text format, after any comments.
pub(super) fn begins_text(head: &[u8]) -> bool {
    let mut tokens = Tokens::new(head);
    match tokens.next() {
        Some(Token::Word(word)) if !word.first().is_some_and(u8::is_ascii_digit) => {}
        Some(Token::Mark(b'[')) if tokens.any(|token| token == Token::Mark(b']')) => {}
        _ => return false,
    }
    matches!(tokens.next(), Some(Token::Mark(b':' | b'{' | b'<')))
}

/// Whether a control character other than white space occurs outside quotes; only text and JSON have quotes.
pub(super) fn has_control(head: &[u8]) -> bool {
    let control = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace() && *byte != 0x0b;
    let mut rest = head;
    while let Some(at) = rest.iter().position(|byte| control(byte) || b"#\"'".contains(byte)) {
        let Some((&first, after)) = rest.get(at..).and_then(<[u8]>::split_first) else { break };
        if control(&first) {
            return true;
        }
        let string = if first == b'#' { None } else { end_of_string(after, first) };
        let skipped = if let Some(end) = string {
            end + 1
        } else {
            // A comment, or a quote that is not closed and starts no string.
            let line = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
            if line.iter().any(control) {
                return true;
            }
            line.len()
        };
        rest = after.get(skipped..).unwrap_or_default();
    }
    false
}

/// `head` without a byte order mark.
pub(super) fn without_bom(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let (&first, after) = self.rest.split_first()?;
            match first {
                b'#' => {
                    let end = self.rest.iter().position(|byte| *byte == b'\n');
                    self.rest = self.rest.get(end?..)?;
                }
                b'"' | b'\'' => {
                    let end = end_of_string(after, first)?;
                    let inside = after.get(..end)?;
                    self.rest = after.get(end + 1..)?;
                    return Some(Token::String(inside));
                }
                byte if is_word(byte) => {
                    let len = self.rest.iter().position(|byte| !is_word(*byte));
                    let (word, rest) =
                        self.rest.split_at_checked(len.unwrap_or(self.rest.len()))?;
                    self.rest = rest;
                    return Some(Token::Word(word));
                }
                byte if byte.is_ascii_whitespace() || byte == 0x0b => self.rest = after,
                mark => {
                    self.rest = after;
                    return Some(Token::Mark(mark));
                }
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The length of a string that ends with `quote`; `None` if its line ends first.
fn end_of_string(text: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    let end = text.iter().position(|byte| {
        let ends = (*byte == quote && !escaped) || *byte == b'\n';
        escaped = *byte == b'\\' && !escaped;
        ends
    })?;
    (text.get(end) == Some(&quote)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_is_no_text() {
        for text in ["a: 1", "a{", "# x\n a <", "[a.b/c]: {", " \t\r\n_a1\n:"] {
            assert!(begins_text(text.as_bytes()), "{text}");
        }
        for other in ["", "# only", "1: 2", "{", "a", "a b", "\"a\": 1", "[a", "a = 1"] {
            assert!(!begins_text(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn control_characters_may_stand_in_quotes() {
        for text in
            ["a: 1\t", "a: '\x01' b: \"\x00'\\\"\x02\"", "# don't\na: '\x01'", "a: '# \x01'"]
        {
            assert!(!has_control(text.as_bytes()), "{text:?}");
        }
        for other in ["\x01", "a: '\x01", "a: 'b\n\x01'", "'a' \x01 'b'", "# '\x01'", "'\x7f'\x1f"]
        {
            assert!(has_control(other.as_bytes()), "{other:?}");
        }
    }
}

//! Lines and columns of a text, for people.

use std::fmt;

/// The number of characters of a line in an error message.
const SHOWN: usize = 80;
/// The number of these characters before the error, in a long line.
const BEFORE: usize = 40;

/// A location in a text, with an excerpt of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1; a tab is one character.
    pub column: u64,
    /// The line, or the part around the column if the line is long, without control characters.
    pub excerpt: String,
    /// The number of characters of the excerpt before the column.
    pub caret: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Location {
    /// The location of the byte `offset` of `input`, which may end before it and need not be UTF-8.
    ///
    /// ```
    /// use ckdiff::Location;
    ///
    /// let location = Location::of(b"{\n\t\"name\": 1}", 11);
    /// assert_eq!((location.line, location.column), (2, 10));
    /// assert_eq!((&*location.excerpt, location.caret), (" \"name\": 1}", 9));
    /// ```
    pub fn of(input: &[u8], offset: usize) -> Self {
        let before = input.get(..offset).unwrap_or(input);
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = before.get(..start).unwrap_or_default();
        let column = chars(before.get(start..).unwrap_or_default());

        // A character has at most four bytes, which bounds the work for a long line.
        let from = before.len().saturating_sub(4 * BEFORE).max(start);
        let head = text(input.get(from..before.len()).unwrap_or_default());
        let skipped = head.chars().count().saturating_sub(BEFORE);
        let mut excerpt: String = head.chars().skip(skipped).map(printable).collect();
        let caret = excerpt.chars().count();

        let tail = input.get(before.len()..).unwrap_or_default();
        let tail = tail.get(..4 * SHOWN).unwrap_or(tail);
        let end = tail.iter().position(|&byte| byte == b'\n').unwrap_or(tail.len());
        let tail = text(tail.get(..end).unwrap_or_default());
        excerpt.extend(tail.trim_end_matches('\r').chars().take(SHOWN - caret).map(printable));
        Self {
            line: line.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1,
            column: column as u64 + 1,
            excerpt,
            caret,
        }
    }
}

/// Counts the bytes that start a character.
fn chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    // The line may start in the middle of a character.
    let cut = bytes.iter().take(3).take_while(|&&byte| byte & 0xc0 == 0x80).count();
    String::from_utf8_lossy(bytes.get(cut..).unwrap_or_default())
}

/// Replaces characters that would affect a terminal.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        // Bidirectional marks would make the terminal show a different text.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_counted_in_characters_from_1() {
        for (input, offset, line, column, excerpt, caret) in [
            ("", 0, 1, 1, "", 0),
            ("abc", 9, 1, 4, "abc", 3),
            ("a\nbc\r\nd", 3, 2, 2, "bc", 1),
            ("a\nbc\r\nd", 6, 3, 1, "d", 0),
            ("é\té!", 5, 1, 4, "é é!", 3),
            ("a\u{1b}[2Jb", 5, 1, 6, "a\u{fffd}[2Jb", 5),
        ] {
            let location = Location::of(input.as_bytes(), offset);
            assert_eq!((location.line, location.column), (line, column), "{input:?}");
            assert_eq!((&*location.excerpt, location.caret), (excerpt, caret), "{input:?}");
        }
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let line = "0123456789".repeat(1_000);
        let location = Location::of(line.as_bytes(), 5_005);
        assert_eq!(location.column, 5_006);
        assert_eq!(location.excerpt.chars().count(), SHOWN);
        assert_eq!(location.excerpt.chars().nth(location.caret), Some('5'));
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        let location = Location::of(b"ab\xff\xfe\x80cd", 3);
        assert_eq!((location.line, location.column), (1, 4));
        for offset in 0..9 {
            Location::of(b"\x80\x80\xf0\x9f\x98\x80\xed", offset);
        }
    }
}

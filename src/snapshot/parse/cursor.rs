//! Reads one line from left to right.

use crate::error::shortened;
use crate::snapshot::quote;

/// Why a text is no snapshot, and the offset of the place in bytes.
#[derive(Debug)]
pub(super) struct Fail {
    pub(super) at: usize,
    pub(super) message: String,
}

/// A position in a line.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'t> {
    /// What is left of the line.
    rest: &'t str,
    /// The offset of the rest in the text.
    at: usize,
}

/// A message in braces, and its offset in the text.
#[derive(Debug)]
pub(super) struct BlockText<'t> {
    /// The text between the braces.
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(rest: &'t str, at: usize) -> Self {
        Self { rest, at }
    }

    /// The error that something else was expected here.
    pub(super) fn unexpected(&self, expected: &str) -> Fail {
        let found = match self.rest {
            "" => "the end of the line".to_owned(),
            rest => format!(
                "{:?}",
                shortened(rest.split(' ').next().filter(|word| !word.is_empty()).unwrap_or(" "))
            ),
        };
        Fail { at: self.at, message: format!("expected {expected}, found {found}") }
    }

    /// What is left of the line.
    pub(super) fn rest(&self) -> &'t str {
        self.rest
    }

    /// Moves over `len` bytes, which end between two characters.
    fn advance(&mut self, len: usize) -> &'t str {
        let (before, rest) = self.rest.split_at_checked(len).unwrap_or((self.rest, ""));
        (self.rest, self.at) = (rest, self.at + before.len());
        before
    }

    /// Whether the rest begins with a text.
    pub(super) fn has(&self, text: &str) -> bool {
        self.rest.starts_with(text)
    }

    /// Moves over a text if it is next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.has(text);
        if found {
            self.advance(text.len());
        }
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<(), Fail> {
        match self.eat(text) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("{text:?}"))),
        }
    }

    pub(super) fn end(&self) -> Result<(), Fail> {
        match self.rest {
            "" => Ok(()),
            _ => Err(self.unexpected("the end of the line")),
        }
    }

    /// The characters for which `is_part` holds; maybe none.
    pub(super) fn word(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        self.advance(end)
    }

    /// A name, in quotes or not.
    pub(super) fn name(&mut self) -> Result<String, Fail> {
        if !self.has("\"") {
            let start = self.clone();
            return match self.word(quote::is_bare) {
                "" => Err(start.unexpected("a name")),
                name => Ok(name.to_owned()),
            };
        }
        let start = self.clone();
        String::from_utf8(self.string()?).map_err(|_| start.unexpected("a name in UTF-8"))
    }

    /// Bytes in quotes.
    pub(super) fn string(&mut self) -> Result<Vec<u8>, Fail> {
        if !self.has("\"") {
            return Err(self.unexpected("a string in quotes"));
        }
        match quote::unquote(self.rest) {
            Ok((bytes, len)) => {
                self.advance(len);
                Ok(bytes)
            }
            Err((at, expected)) => {
                self.advance(at);
                Err(self.unexpected(expected))
            }
        }
    }

    /// A number of the type that is wanted.
    pub(super) fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, Fail> {
        let start = self.clone();
        let word = self.word(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        word.parse().map_err(|_| start.unexpected(what))
    }

    /// An integer.
    pub(super) fn integer(&mut self) -> Result<i64, Fail> {
        self.number("an integer")
    }

    /// A message in braces. Braces in strings do not count.
    pub(super) fn block(&mut self) -> Result<BlockText<'t>, Fail> {
        if !self.has("{") {
            return Err(self.unexpected("a message in braces"));
        }
        let (mut depth, mut quote, mut is_escaped) = (0usize, None, false);
        for (at, byte) in self.rest.bytes().enumerate() {
            match (quote, byte) {
                (Some(_), _) if std::mem::take(&mut is_escaped) => {}
                (Some(_), b'\\') => is_escaped = true,
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'{') => depth += 1,
                (None, b'}') if depth == 1 => {
                    let start = self.at + 1;
                    let text = self.advance(at + 1);
                    let text = text.get(1..at).unwrap_or_default();
                    return Ok(BlockText { text, at: start });
                }
                (None, b'}') => depth -= 1,
                _ => {}
            }
        }
        self.advance(self.rest.len());
        Err(self.unexpected("a closing brace"))
    }
}

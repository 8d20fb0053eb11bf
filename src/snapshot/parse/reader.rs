//! The lines of a text, with their levels.

use super::cursor::{Cursor, Fail};

/// Reads lines, without those that are empty or for readers only.
#[derive(Debug)]
pub(super) struct Reader<'t> {
    text: &'t str,
    /// The offset of the next line.
    at: usize,
    peeked: Option<Line<'t>>,
}

/// A line without its indentation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// The level of indentation.
    pub(super) level: usize,
    text: &'t str,
    at: usize,
}

impl<'t> Line<'t> {
    /// A cursor at the start of the line, after its indentation.
    pub(super) fn cursor(&self) -> Cursor<'t> {
        Cursor::new(self.text, self.at)
    }
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut reader = Self { text, at: 0, peeked: None };
        reader.peeked = reader.read();
        reader
    }

    /// The next line.
    pub(super) fn peek(&self) -> Option<Line<'t>> {
        self.peeked
    }

    /// Takes the next line.
    pub(super) fn next(&mut self) -> Option<Line<'t>> {
        let line = self.peeked;
        self.peeked = self.read();
        line
    }

    /// The next line if it has this level.
    pub(super) fn peek_at(&self, level: usize) -> Option<Line<'t>> {
        self.peek().filter(|line| line.level == level)
    }

    /// Takes the next line if it has this level.
    pub(super) fn next_at(&mut self, level: usize) -> Option<Line<'t>> {
        self.peek_at(level)?;
        self.next()
    }

    /// Takes the next line, which must begin with a text; the cursor is behind it.
    pub(super) fn expect(&mut self, start: &str) -> Result<Cursor<'t>, Fail> {
        let mut cursor = match self.next() {
            Some(line) => line.cursor(),
            None => Cursor::new("", self.text.len()),
        };
        cursor.expect(start)?;
        Ok(cursor)
    }

    /// Takes the next line if it has this level and begins with a text; the cursor is behind it.
    pub(super) fn eat(&mut self, level: usize, start: &str) -> Option<Cursor<'t>> {
        let mut cursor = self.peek_at(level)?.cursor();
        cursor.eat(start).then(|| {
            self.next();
            cursor
        })
    }

    fn read(&mut self) -> Option<Line<'t>> {
        loop {
            let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
            let line = rest.split('\n').next().unwrap_or_default();
            let start = self.at;
            self.at += line.len() + 1;
            // A checkout may have changed the ends of lines.
            let line = line.strip_suffix('\r').unwrap_or(line);
            let text = line.trim_start_matches(' ');
            if !text.is_empty() && !text.starts_with('#') {
                let indentation = line.len() - text.len();
                // An odd number of spaces is a level that no line is expected at.
                let level = match indentation % 2 {
                    0 => indentation / 2,
                    _ => usize::MAX,
                };
                return Some(Line { level, text, at: start + indentation });
            }
        }
    }
}

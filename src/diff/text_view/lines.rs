//! The text of a changed part as lines, in bounded memory and time.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Write};

use super::PartMessage;
use crate::schema::Schema;
use crate::text::block;

/// The maximum number of lines that are stored.
const LINES: usize = 10_000;

/// The maximum number of bytes of all lines that are stored.
const TEXT: usize = 1 << 20;

/// The maximum number of bytes of a line that are stored.
const LONGEST: usize = 16 << 10;

/// The maximum length of the text per byte of a message, and its minimum; enough for all messages but those that are made to
/// grow.
const GROWTH: usize = 64;
const LEAST: usize = 64 << 10;

/// The maximum length of the text of a changed part.
const MOST: usize = 16 << 20;

/// A line, stored up to a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StoredLine {
    kept: Vec<u8>,
    /// The number of bytes that are not stored, and their hash.
    pub(super) more: u64,
    rest: u64,
}

impl StoredLine {
    /// The stored text.
    pub(super) fn text(&self) -> &str {
        match str::from_utf8(&self.kept) {
            Ok(text) => text,
            // The cut is inside a character.
            Err(error) => {
                let valid = self.kept.get(..error.valid_up_to()).unwrap_or_default();
                str::from_utf8(valid).unwrap_or_default()
            }
        }
    }

    /// A key that is equal for equal lines only.
    pub(super) fn key(&self) -> Cow<'_, [u8]> {
        if self.more == 0 {
            return Cow::Borrowed(&self.kept);
        }
        let mut key = self.kept.clone();
        key.extend(self.more.to_le_bytes());
        key.extend(self.rest.to_le_bytes());
        Cow::Owned(key)
    }

    /// The width of the indentation.
    pub(super) fn indent(&self) -> usize {
        self.kept.iter().take_while(|&&byte| byte == b' ').count()
    }
}

/// The lines of a text.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) rows: Vec<StoredLine>,
    /// Whether lines are missing at the end.
    pub(super) is_cut: bool,
    open: Option<(StoredLine, DefaultHasher)>,
    kept: usize,
    printed: usize,
    budget: usize,
}

impl Lines {
    /// The text of messages.
    pub(super) fn of(schema: &Schema, pieces: &[PartMessage<'_>]) -> Self {
        let bytes: usize = pieces.iter().map(|piece| piece.bytes.len()).sum();
        let budget = bytes.saturating_mul(GROWTH).saturating_add(LEAST).min(MOST);
        let mut lines = Self { budget, ..Self::default() };
        for piece in pieces {
            if block(schema, piece.name, (piece.ty, &piece.bytes), &mut lines).is_err() {
                lines.is_cut = true;
                break;
            }
        }
        lines.close();
        lines
    }

    fn close(&mut self) {
        let Some((mut row, rest)) = self.open.take() else { return };
        if row.more > 0 {
            row.rest = rest.finish();
        }
        self.rows.push(row);
    }

    /// Appends to the open line.
    fn part(&mut self, part: &[u8]) {
        let (row, rest) = self.open.get_or_insert_default();
        let room = LONGEST.min(row.kept.len() + TEXT.saturating_sub(self.kept)) - row.kept.len();
        let (kept, more) = part.split_at(room.min(part.len()));
        row.kept.extend_from_slice(kept);
        self.kept += kept.len();
        row.more += more.len() as u64;
        rest.write(more);
    }
}

impl Write for Lines {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            self.printed += line.len();
            let is_full = self.rows.len() >= LINES || self.kept >= TEXT;
            if self.printed > self.budget || (is_full && self.open.is_none()) {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            self.part(line.strip_suffix(b"\n").unwrap_or(line));
            if line.ends_with(b"\n") {
                self.close();
            }
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(parts: &[&str]) -> Lines {
        let mut lines = Lines { budget: MOST, ..Lines::default() };
        lines.is_cut = parts.iter().any(|part| lines.write(part.as_bytes()).is_err());
        lines.close();
        lines
    }

    #[test]
    fn lines_do_not_depend_on_the_writes() {
        let text = format!("a\nb\n\n{}\nend", "x".repeat(50_000));
        let whole = lines(&[&text]);
        let (head, tail) = text.split_at(20_001);
        let (middle, tail) = tail.split_at(3);
        assert_eq!(lines(&[head, middle, "", tail]).rows, whole.rows);
        assert_eq!(whole.rows.len(), 5);
        assert_eq!((whole.is_cut, whole.rows[3].more > 0), (false, true));
        let other = lines(&[&text.replace("x\nend", "y\nend")]);
        assert_eq!(other.rows[3].text(), whole.rows[3].text());
        assert_ne!(other.rows[3].key(), whole.rows[3].key());
    }

    #[test]
    fn lines_are_stored_up_to_a_limit() {
        let many = lines(&["a\n".repeat(LINES + 1).as_str()]);
        assert!(many.is_cut);
        assert_eq!(many.rows.len(), LINES);
        assert!(!lines(&["a\n".repeat(LINES).as_str()]).is_cut);
    }
}

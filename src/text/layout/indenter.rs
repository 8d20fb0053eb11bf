//! Writes lines with their indentation.

use super::gap::{Comment, columns};

/// The laid-out text so far. Its last line has no end yet.
#[derive(Debug)]
pub(super) struct Indenter {
    out: Vec<u8>,
    /// The number of spaces per level.
    indent: usize,
    level: usize,
    /// The start of the last line.
    line: usize,
    /// Whether the next line is the first of the text or of a message, which no blank line precedes.
    fresh: bool,
}

impl Indenter {
    pub(super) fn new(indent: usize) -> Self {
        Self { out: Vec::new(), indent, level: 0, line: 0, fresh: true }
    }

    /// The number of bytes.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Begins a line, after a blank one if `blank`.
    pub(super) fn line(&mut self, blank: bool) {
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
        if blank && !self.fresh {
            self.out.push(b'\n');
        }
        self.fresh = false;
        self.line = self.out.len();
        self.out.resize(self.line + self.level * self.indent, b' ');
    }

    /// Appends to the last line.
    pub(super) fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// Indents the next lines by one more level, after an opening bracket.
    pub(super) fn deeper(&mut self) {
        self.level += 1;
        self.fresh = true;
    }

    /// Indents the next lines by one level less.
    pub(super) fn shallower(&mut self) {
        self.level = self.level.saturating_sub(1);
    }

    /// Writes a comment at the end of the last line, or on a line of its own.
    pub(super) fn comment(&mut self, comment: &Comment<'_>) {
        if comment.own_line || self.out.is_empty() {
            self.line(comment.blank);
        } else {
            self.put(b"  ");
        }
        self.put(comment.text);
    }

    /// The number of characters of the last line.
    pub(super) fn column(&self) -> usize {
        columns(self.out.get(self.line..).unwrap_or_default())
    }

    /// Ends the last line and returns the text.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
        self.out
    }
}

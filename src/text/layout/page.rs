//! Lines with their indentation.

use super::gap::{Comment, columns};

/// What is laid out so far; its last line is still open.
#[derive(Debug)]
pub(super) struct Page {
    out: Vec<u8>,
    /// Blanks for each level.
    indent: usize,
    level: usize,
    /// Where the last line begins.
    line: usize,
    /// No line has begun since a bracket was opened, or at all: a blank line would be the first.
    fresh: bool,
}

impl Page {
    pub(super) fn new(indent: usize) -> Self {
        Self { out: Vec::new(), indent, level: 0, line: 0, fresh: true }
    }

    /// How many bytes there are.
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

    /// Adds to the line.
    pub(super) fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// A bracket is open: the lines that follow are indented, and no blank one comes first.
    pub(super) fn deeper(&mut self) {
        self.level += 1;
        self.fresh = true;
    }

    /// The lines that follow are no longer indented so.
    pub(super) fn shallower(&mut self) {
        self.level = self.level.saturating_sub(1);
    }

    /// Adds a comment: behind what the line holds, or on a line of its own.
    pub(super) fn comment(&mut self, comment: &Comment<'_>) {
        if comment.own_line || self.out.is_empty() {
            self.line(comment.blank);
        } else {
            self.put(b"  ");
        }
        self.put(comment.text);
    }

    /// How many characters the line has.
    pub(super) fn column(&self) -> usize {
        columns(self.out.get(self.line..).unwrap_or_default())
    }

    /// All of it, with the line feed at the end of the last line.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
        self.out
    }
}

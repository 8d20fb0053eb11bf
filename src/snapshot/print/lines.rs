//! The lines of a snapshot, indented by two spaces per level.

/// A text under construction.
#[derive(Debug, Default)]
pub(super) struct Lines(String);

impl Lines {
    /// Begins a line; the caller appends its text, and [`end`](Self::end)s it.
    pub(super) fn begin(&mut self, level: usize) -> &mut String {
        for _ in 0..level {
            self.0.push_str("  ");
        }
        &mut self.0
    }

    pub(super) fn end(&mut self) {
        self.0.push('\n');
    }

    /// Adds a line.
    pub(super) fn line(&mut self, level: usize, text: &str) {
        self.begin(level).push_str(text);
        self.end();
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

//! Writes the tokens of a text with new white space between them.

use std::borrow::Cow;

use super::LayoutOptions;
use super::gap::{self, Comment, Gap};
use super::indenter::Indenter;
use crate::text::syntax::{Literals, Name, NameKind, Number, Refusal, Sink, Word, after_spaces};

/// A sink that writes each token, with the comments before it.
#[derive(Debug)]
pub(super) struct Layout<'i> {
    input: &'i [u8],
    width: usize,
    out: Indenter,
    /// The offset of the piece in the text.
    offset: usize,
    /// The end of the last token.
    end: usize,
    /// The name whose value comes next.
    name: Option<PendingName<'i>>,
    /// Whether the open list is on one line.
    one_line: bool,
}

/// A field name that is not written yet: the comments up to its value come first.
#[derive(Debug)]
struct PendingName<'i> {
    text: Cow<'i, [u8]>,
    comments: Vec<Comment<'i>>,
    /// Whether a blank line precedes it.
    blank: bool,
}

impl<'i> Layout<'i> {
    /// The empty layout of `input`.
    pub(super) fn new(input: &'i [u8], options: &LayoutOptions) -> Self {
        Self {
            input,
            width: options.width,
            out: Indenter::new(options.indent),
            offset: 0,
            end: 0,
            name: None,
            one_line: false,
        }
    }

    /// The number of bytes so far.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Ends a piece of `bytes` bytes.
    pub(super) fn end_piece(&mut self, bytes: usize) {
        self.offset += bytes;
    }

    /// Writes the comments after the last token, and returns the text.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let rest = self.gap(self.input.len());
        self.comments(&rest.comments);
        self.out.finish()
    }

    fn slice(&self, from: usize, to: usize) -> &'i [u8] {
        self.input.get(from..to).unwrap_or_default()
    }

    /// The gap between the last token and the next one, at `to`.
    fn gap(&self, to: usize) -> Gap<'i> {
        Gap::read(self.slice(self.end, to))
    }

    fn comments(&mut self, comments: &[Comment<'_>]) {
        for comment in comments {
            self.out.comment(comment);
        }
    }

    /// Writes the comments above a value, and its name. `joint` separates the name from the value; `inner` are comments
    /// inside of the value.
    fn begin(&mut self, at: usize, joint: &[u8], inner: Vec<Comment<'i>>) {
        let gap = self.gap(at);
        let Some(name) = self.name.take() else {
            self.element(gap, inner);
            return;
        };
        let above = name.comments.into_iter().chain(gap.comments).chain(inner);
        let blank = self.above(name.blank, above);
        self.out.line(blank);
        self.out.put(&name.text);
        self.out.put(joint);
    }

    /// Writes the comma, comments and line break before an element of a list.
    fn element(&mut self, gap: Gap<'i>, inner: Vec<Comment<'i>>) {
        if gap.comma {
            self.out.put(if self.one_line { b", " } else { b"," });
        }
        if !self.one_line {
            self.comments(&gap.comments);
            let blank = self.above(gap.blank, inner.into_iter());
            self.out.line(blank);
        }
    }

    /// Writes comments on lines of their own. Returns whether the next line still needs the blank line that `blank` asks
    /// for.
    fn above(&mut self, mut blank: bool, comments: impl Iterator<Item = Comment<'i>>) -> bool {
        for comment in comments {
            self.out.line(blank);
            self.out.put(comment.text);
            blank = false;
        }
        blank
    }

    /// Writes a number or a word of `length` bytes, with its `-` if it is negative.
    fn scalar(&mut self, at: usize, negative: bool, length: usize) {
        let at = self.offset + at;
        let from = if negative { after_spaces(self.input, at + 1) } else { at };
        let inner =
            if negative { Gap::read(self.slice(at + 1, from)).comments } else { Vec::new() };
        self.begin(at, b": ", inner);
        if negative {
            self.out.put(b"-");
        }
        self.out.put(self.slice(from, from + length));
        self.end = from + length;
    }

    /// Writes literals on a line each, below the name or indented below the first one.
    fn lines(&mut self, literals: Literals<'_, '_>) {
        let mut level = 0;
        if let Some(name) = self.name.take() {
            let blank = self.above(name.blank, name.comments.into_iter());
            self.out.line(blank);
            self.out.put(&name.text);
            self.out.put(b":");
            self.out.deeper();
            level += 1;
        }
        for literal in literals {
            let at = self.offset + literal.at;
            let gap = self.gap(at);
            if level == 0 {
                self.element(gap, Vec::new());
                self.out.deeper();
                level += 1;
            } else {
                self.comments(&gap.comments);
                self.out.line(gap.blank);
            }
            self.literal(at, literal.text);
        }
        self.out.shallower();
    }

    fn literal(&mut self, at: usize, text: &[u8]) {
        self.end = at + text.len() + 2;
        self.out.put(self.slice(at, self.end));
    }

    /// Writes a closing bracket on a line of its own, one level up.
    fn closing(&mut self, at: usize, bracket: &[u8]) {
        let gap = self.gap(self.offset + at);
        self.comments(&gap.comments);
        self.out.shallower();
        self.out.line(false);
        self.out.put(bracket);
        self.end = self.offset + at + 1;
    }
}

impl<'t> Sink<'t> for Layout<'_> {
    fn field(&mut self, name: Name<'t>) -> Result<(), Refusal> {
        let at = self.offset + name.at;
        let gap = self.gap(at);
        self.comments(&gap.comments);
        let named = match name.kind {
            NameKind::Field | NameKind::Number => {
                self.end = at + name.text.len();
                PendingName {
                    text: self.slice(at, self.end).into(),
                    comments: Vec::new(),
                    blank: gap.blank,
                }
            }
            NameKind::Extension | NameKind::Any => {
                self.end = at + name.text.len() + 2;
                let (text, comments) = gap::compact(self.slice(at + 1, self.end - 1));
                PendingName { text: text.into(), comments, blank: gap.blank }
            }
        };
        self.name = Some(named);
        Ok(())
    }

    fn open(&mut self, at: usize) -> Result<(), Refusal> {
        let at = self.offset + at;
        self.begin(at, b" ", Vec::new());
        self.out.put(b"{");
        self.out.deeper();
        self.end = at + 1;
        Ok(())
    }

    fn close(&mut self, at: usize) -> Result<(), Refusal> {
        self.closing(at, b"}");
        Ok(())
    }

    fn list(&mut self, at: usize, colon: bool) -> Result<(), Refusal> {
        let at = self.offset + at;
        self.begin(at, if colon { b": [" } else { b" [" }, Vec::new());
        self.end = at + 1;
        let rest = self.input.get(self.end..).unwrap_or_default();
        self.one_line = gap::is_one_line(rest, self.width.saturating_sub(self.out.column()));
        if !self.one_line {
            self.out.deeper();
        }
        Ok(())
    }

    fn end_list(&mut self, at: usize) -> Result<(), Refusal> {
        if self.one_line {
            self.out.put(b"]");
            self.end = self.offset + at + 1;
        } else {
            self.closing(at, b"]");
        }
        self.one_line = false;
        Ok(())
    }

    fn string(&mut self, literals: Literals<'_, 't>) -> Result<(), Refusal> {
        let mut end = None;
        let over_lines = literals.clone().any(|literal| {
            let at = self.offset + literal.at;
            let gap = end.map(|end| Gap::read(self.slice(end, at)));
            end = Some(at + literal.text.len() + 2);
            gap.is_some_and(|gap| gap.broken)
        });
        if over_lines {
            self.lines(literals);
            return Ok(());
        }
        for (number, literal) in literals.enumerate() {
            let at = self.offset + literal.at;
            if number == 0 {
                self.begin(at, b": ", Vec::new());
            } else {
                self.out.put(b" ");
            }
            self.literal(at, literal.text);
        }
        Ok(())
    }

    fn number(&mut self, number: Number<'t>) -> Result<(), Refusal> {
        self.scalar(number.at, number.negative, number.text.len());
        Ok(())
    }

    fn identifier(&mut self, word: Word<'t>) -> Result<(), Refusal> {
        self.scalar(word.at, word.negative, word.text.len());
        Ok(())
    }
}

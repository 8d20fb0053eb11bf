//! Lays out a text anew, without a schema.
//!
//! The tokens come from the grammar. The blanks and separators between them are replaced by those that protobuf prints;
//! comments stay at the end of their line or on the lines above the next token.

mod gap;
mod page;

use std::borrow::Cow;

use self::gap::{Comment, Gap};
use self::page::Page;
use super::syntax::{
    Literals, Name, NameKind, Number, PieceOptions, Pieces, Refusal, Scratch, Sink, Word,
    after_blanks,
};
use crate::error::{Error, Result};

/// Options for laying out a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutOptions {
    /// The number of blanks per level.
    pub indent: usize,
    /// The maximum number of characters of a line to which the lines of a list are joined.
    pub width: usize,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        Self { indent: 2, width: 80 }
    }
}

/// Lays out `input` as protobuf prints text, and keeps its comments.
///
/// Each field has a line, with a blank after its colon or before its brace, `{}` instead of `<>`, and no separator.
/// Lists and strings of several literals stay on one line if they are on one. Blank lines between two fields become one.
/// Names and values keep their order and spelling. A text in this layout does not change.
///
/// ```
/// use ckdiff::text::{LayoutOptions, format};
///
/// let input = b"saver_def <max_to_keep:5,version : V2;> # the default\n";
/// let text = "saver_def {\n  max_to_keep: 5\n  version: V2\n}  # the default\n";
/// assert_eq!(format(input, &LayoutOptions::default())?, text.as_bytes());
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the text does not match the grammar, or nests messages more than 1,000 deep: the error has line and column. If
/// indentation would make the text many times longer.
pub fn format(input: &[u8], options: &LayoutOptions) -> Result<Vec<u8>> {
    let mut layout = Layout {
        input,
        width: options.width,
        page: Page::new(options.indent),
        offset: 0,
        end: 0,
        name: None,
        one_line: false,
    };
    let mut scratch = Scratch::default();
    for piece in Pieces::new(input, PieceOptions::default()) {
        let piece = piece?;
        piece.events(&mut scratch, &mut layout)?;
        layout.offset += piece.bytes().len();
        let most = MAX_GROWTH.saturating_mul(input.len()).saturating_add(SMALL);
        if layout.page.len() > most {
            let allowed = format!(
                "at most {MAX_GROWTH} times as long as the text, which is nested too deeply"
            );
            return Err(Error::unexpected("laid-out text", "longer", allowed));
        }
    }
    let rest = layout.gap(input.len());
    layout.comments(&rest.comments);
    Ok(layout.page.finish())
}

/// The maximum number of bytes of a layout per byte of text. The indentation of deeply nested messages is most of a long layout.
const MAX_GROWTH: usize = 64;

/// A length that every layout may have, in bytes.
const SMALL: usize = 16 << 20;

/// A sink that writes each token, with the comments before it.
#[derive(Debug)]
struct Layout<'i> {
    input: &'i [u8],
    width: usize,
    page: Page,
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
    fn slice(&self, from: usize, to: usize) -> &'i [u8] {
        self.input.get(from..to).unwrap_or_default()
    }

    /// The gap between the last token and the next one, at `to`.
    fn gap(&self, to: usize) -> Gap<'i> {
        Gap::read(self.slice(self.end, to))
    }

    fn comments(&mut self, comments: &[Comment<'_>]) {
        for comment in comments {
            self.page.comment(comment);
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
        self.page.line(blank);
        self.page.put(&name.text);
        self.page.put(joint);
    }

    /// Writes the comma, comments and line break before an element of a list.
    fn element(&mut self, gap: Gap<'i>, inner: Vec<Comment<'i>>) {
        if gap.comma {
            self.page.put(if self.one_line { b", " } else { b"," });
        }
        if !self.one_line {
            self.comments(&gap.comments);
            let blank = self.above(gap.blank, inner.into_iter());
            self.page.line(blank);
        }
    }

    /// Writes comments on lines of their own. Returns whether the next line still needs the blank line that `blank` asks
    /// for.
    fn above(&mut self, mut blank: bool, comments: impl Iterator<Item = Comment<'i>>) -> bool {
        for comment in comments {
            self.page.line(blank);
            self.page.put(comment.text);
            blank = false;
        }
        blank
    }

    /// Writes a number or a word of `length` bytes, with its `-` if it is negative.
    fn scalar(&mut self, at: usize, negative: bool, length: usize) {
        let at = self.offset + at;
        let from = if negative { after_blanks(self.input, at + 1) } else { at };
        let inner =
            if negative { Gap::read(self.slice(at + 1, from)).comments } else { Vec::new() };
        self.begin(at, b": ", inner);
        if negative {
            self.page.put(b"-");
        }
        self.page.put(self.slice(from, from + length));
        self.end = from + length;
    }

    /// Writes literals on a line each, below the name or indented below the first one.
    fn lines(&mut self, literals: Literals<'_, '_>) {
        let mut level = 0;
        if let Some(name) = self.name.take() {
            let blank = self.above(name.blank, name.comments.into_iter());
            self.page.line(blank);
            self.page.put(&name.text);
            self.page.put(b":");
            self.page.deeper();
            level += 1;
        }
        for literal in literals {
            let at = self.offset + literal.at;
            let gap = self.gap(at);
            if level == 0 {
                self.element(gap, Vec::new());
                self.page.deeper();
                level += 1;
            } else {
                self.comments(&gap.comments);
                self.page.line(gap.blank);
            }
            self.literal(at, literal.text);
        }
        self.page.shallower();
    }

    fn literal(&mut self, at: usize, text: &[u8]) {
        self.end = at + text.len() + 2;
        self.page.put(self.slice(at, self.end));
    }

    /// Writes a closing bracket on a line of its own, one level up.
    fn closing(&mut self, at: usize, bracket: &[u8]) {
        let gap = self.gap(self.offset + at);
        self.comments(&gap.comments);
        self.page.shallower();
        self.page.line(false);
        self.page.put(bracket);
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
        self.page.put(b"{");
        self.page.deeper();
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
        self.one_line = gap::is_one_line(rest, self.width.saturating_sub(self.page.column()));
        if !self.one_line {
            self.page.deeper();
        }
        Ok(())
    }

    fn end_list(&mut self, at: usize) -> Result<(), Refusal> {
        if self.one_line {
            self.page.put(b"]");
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
                self.page.put(b" ");
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

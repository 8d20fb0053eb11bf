//! Finds where a text can be cut, by a scan that knows only quotes, comments and brackets.
//!
//! The scan cuts or refuses, and accepts nothing: every byte is also matched against the grammar. It cuts
//! - before an identifier that follows white space and precedes `:`, `{` or `<`, outside `[ ]`, and not directly after
//!   `:` or `-`. In a text that the grammar accepts, such an identifier is a field name: other identifiers are values,
//!   which none of the three follows, or are in brackets;
//! - in a list after a comma, where the grammar allows only the next element.
//!
//! A cut separates two tokens that no rule joins, and the grammar has rules for parts that close or leave open a message
//! or list (`fields_part`, `messages_part`, `scalars_part`). So a text is accepted in parts exactly if it is accepted
//! whole, with the same tokens. The scan checks the pairs of brackets that are in different parts.
//!
//! If more than [`NESTED`] messages are open within a part, the part ends there, which bounds the recursion of the
//! matcher for a text of any depth.

use super::matcher::StartRule;
use super::plain_text::{after_word, is_letter, is_stop, next_after, significant};
use super::space::is_space;

/// How many brackets may be open at once within one part.
const NESTED: usize = 64;

/// A bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// `{`, `<` or `[`.
    pub bracket: u8,
    /// Its position, in bytes from the start of the text.
    pub offset: u64,
    /// Its line, from 1; 0 if it is in the piece that is being scanned.
    pub line: u64,
    /// Its column in characters, from 1; 0 if it is in the piece that is being scanned.
    pub column: u64,
    /// The content of a list.
    content: BracketContent,
}

/// What the scan knows of the content of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BracketContent {
    /// Fields, in the brackets of a message.
    Fields,
    /// A list after a colon in which no message was seen.
    Scalars,
    Messages,
    /// A name in brackets, or a list without a colon in which no message was seen.
    Unknown,
}

/// Bytes of a piece that must match one rule as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextPart {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) entry: StartRule,
}

/// An error that the scan finds, at a byte of the piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScanError {
    pub(super) at: usize,
    pub(super) kind: ScanErrorKind,
}

/// The errors that the scan finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanErrorKind {
    /// A string that is not closed on its line.
    Unclosed,
    /// A closing bracket that does not match the innermost open bracket, if there is one.
    Mismatch(Option<Open>),
    /// The end of the text with an open bracket.
    LeftOpen(Open),
    /// A list in a list.
    Nested,
    /// More nested messages than this limit.
    TooDeep(usize),
}

/// Why the scan stops.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It needs more bytes.
    More,
    /// The piece ends before this byte.
    Cut(usize),
    Error(ScanError),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Plain,
    Comment,
    /// In a string: its quote and the quote's position.
    Text(u8, usize),
}

/// The scan of a text, piece by piece.
#[derive(Debug)]
pub(super) struct Scan {
    limit: usize,
    /// The offset of the piece in the text.
    offset: u64,
    open: Vec<Open>,
    /// The number of messages in `open`.
    depth: usize,
    /// The number of brackets in `open` that earlier parts opened.
    base: usize,
    parts: Vec<TextPart>,
    start: usize,
    entry: StartRule,
    at: usize,
    state: State,
    /// The last byte before `at` that is neither white space nor part of a comment.
    last: u8,
}

impl Scan {
    /// A scan from the start of a text in which up to `limit` messages may nest.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            offset: 0,
            open: Vec::new(),
            depth: 0,
            base: 0,
            parts: Vec::new(),
            start: 0,
            entry: StartRule::Fields,
            at: 0,
            state: State::Plain,
            last: b';',
        }
    }

    /// The open brackets at the position of the scan, outermost first.
    pub(super) fn open(&mut self) -> &mut Vec<Open> {
        &mut self.open
    }

    /// How many of the first `read` bytes the next [`advance`](Self::advance) scans, some of them again.
    pub(super) fn unseen(&self, read: usize) -> usize {
        read.saturating_sub(self.at)
    }

    /// Continues in `piece`, which has grown, until a cut after at least `target` bytes. `last` says that no bytes
    /// follow.
    pub(super) fn advance(&mut self, piece: &[u8], target: usize, last: bool) -> Stop {
        loop {
            let step = match self.state {
                State::Plain => self.plain(piece, target, last),
                State::Comment => self.comment(piece),
                State::Text(quote, from) => self.string(piece, quote, from),
            };
            match step {
                Some(Stop::More) if last => return self.finish(piece),
                Some(stop) => return stop,
                None => {}
            }
        }
    }

    /// Returns the parts up to `end`, where the next piece begins.
    pub(super) fn take_parts(&mut self, end: usize) -> Vec<TextPart> {
        self.split_open();
        self.split(end);
        self.offset += end as u64;
        self.at = self.at.saturating_sub(end);
        self.start = 0;
        self.entry = self.entry_here();
        std::mem::take(&mut self.parts)
    }

    fn finish(&self, piece: &[u8]) -> Stop {
        Stop::Error(match (self.state, self.open.last()) {
            (State::Text(_, from), _) => ScanError { at: from, kind: ScanErrorKind::Unclosed },
            (_, Some(open)) => ScanError { at: piece.len(), kind: ScanErrorKind::LeftOpen(*open) },
            _ => return Stop::Cut(piece.len()),
        })
    }

    fn comment(&mut self, piece: &[u8]) -> Option<Stop> {
        let Some(length) = memchr::memchr(b'\n', piece.get(self.at..).unwrap_or_default()) else {
            self.at = piece.len();
            return Some(Stop::More);
        };
        self.at += length + 1;
        self.state = State::Plain;
        None
    }

    fn string(&mut self, piece: &[u8], quote: u8, from: usize) -> Option<Stop> {
        let rest = piece.get(self.at..).unwrap_or_default();
        let Some(length) = memchr::memchr2(quote, b'\n', rest) else {
            self.at = piece.len();
            return Some(Stop::More);
        };
        let end = self.at + length;
        if piece.get(end) == Some(&b'\n') {
            return Some(Stop::Error(ScanError { at: from, kind: ScanErrorKind::Unclosed }));
        }
        let body = piece.get(from + 1..end).unwrap_or_default();
        let backslashes = body.iter().rev().take_while(|&&byte| byte == b'\\').count();
        self.at = end + 1;
        if backslashes % 2 == 0 {
            self.state = State::Plain;
            self.last = quote;
        }
        None
    }

    /// Scans up to and including the next quote, `#` or bracket.
    fn plain(&mut self, piece: &[u8], target: usize, last: bool) -> Option<Stop> {
        let rest = piece.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&byte| is_stop(byte));
        let end = self.at + length.unwrap_or(rest.len());
        if end >= target
            && let Some(cut) = self.cut(piece, target.max(self.at), end, last || length.is_some())
        {
            self.last = b';';
            self.at = cut;
            return Some(Stop::Cut(cut));
        }
        if length.is_none() {
            // A possible cut depends on bytes that are not read yet: scan these again, from the same state.
            if last {
                self.at = end;
            }
            return Some(Stop::More);
        }
        let byte = *piece.get(end)?;
        let before = |scan: &Self| significant(piece, scan.at, end).unwrap_or(scan.last);
        let (mut last, mut error) = (byte, None);
        match byte {
            b'#' => {
                self.state = State::Comment;
                last = before(self);
            }
            b'"' | b'\'' => self.state = State::Text(byte, end),
            b'{' | b'<' => error = self.opening(byte, end),
            b'[' => error = self.list(before(self), end),
            _ => error = self.closing(byte, end),
        }
        self.last = last;
        self.at = end + 1;
        error.map(|kind| Stop::Error(ScanError { at: end, kind }))
    }

    fn opening(&mut self, bracket: u8, at: usize) -> Option<ScanErrorKind> {
        if let Some(list) = self.open.last_mut().filter(|open| open.bracket == b'[') {
            list.content = BracketContent::Messages;
        }
        if self.depth == self.limit {
            return Some(ScanErrorKind::TooDeep(self.limit));
        }
        self.depth += 1;
        self.push(bracket, at, BracketContent::Fields);
        if self.open.len() - self.base > NESTED {
            self.split_open();
        }
        None
    }

    fn list(&mut self, before: u8, at: usize) -> Option<ScanErrorKind> {
        if self.open.last().is_some_and(|open| open.bracket == b'[') {
            return Some(ScanErrorKind::Nested);
        }
        self.push(
            b'[',
            at,
            if before == b':' { BracketContent::Scalars } else { BracketContent::Unknown },
        );
        None
    }

    fn push(&mut self, bracket: u8, at: usize, content: BracketContent) {
        let offset = self.offset + at as u64;
        self.open.push(Open { bracket, offset, line: 0, column: 0, content });
    }

    fn closing(&mut self, byte: u8, at: usize) -> Option<ScanErrorKind> {
        let wanted = match byte {
            b'}' => b'{',
            b'>' => b'<',
            _ => b'[',
        };
        let Some(open) = self.open.pop_if(|open| open.bracket == wanted) else {
            return Some(ScanErrorKind::Mismatch(self.open.last().copied()));
        };
        if open.bracket != b'[' {
            self.depth -= 1;
        }
        if self.open.len() < self.base {
            self.base = self.open.len();
            // The rules for parts of lists match the closing bracket.
            if open.bracket != b'[' {
                self.split(at);
                self.entry = self.entry_here();
            }
        }
        None
    }

    /// Ends the part at `end`.
    fn split(&mut self, end: usize) {
        if self.start < end {
            self.parts.push(TextPart { start: self.start, end, entry: self.entry });
        }
        self.start = end;
    }

    /// Ends a part after the opening bracket of each message that is open in the current part.
    fn split_open(&mut self) {
        for index in self.base..self.open.len() {
            if let Some(open) = self.open.get(index).filter(|open| open.bracket != b'[') {
                // The bracket is in this piece, so its distance from the start fits in memory.
                let at = usize::try_from(open.offset - self.offset).unwrap_or(usize::MAX);
                self.split(at + 1);
                self.entry = StartRule::Fields;
            }
        }
        self.base = self.open.len();
    }

    fn entry_here(&self) -> StartRule {
        match self.open.last().map(|open| open.content) {
            Some(BracketContent::Messages) => StartRule::Messages,
            Some(BracketContent::Scalars) => StartRule::Scalars,
            _ => StartRule::Fields,
        }
    }

    /// The first possible cut after `target` bytes and before `to`; there are no quotes, comments and brackets up to `to`.
    ///
    /// Up to twice the target, a piece begins only with a message: cutting a list of packed numbers costs a rewrite.
    fn cut(&self, piece: &[u8], target: usize, to: usize, complete: bool) -> Option<usize> {
        let from = target.max(self.at);
        match self.open.last().map(|open| open.content) {
            Some(BracketContent::Unknown) => None,
            Some(BracketContent::Scalars | BracketContent::Messages) => {
                let plain = piece.get(from..to).unwrap_or_default();
                Some(from + memchr::memchr(b',', plain)? + 1)
            }
            Some(BracketContent::Fields) | None => {
                let mut at = from.max(1);
                while at < to {
                    let plain = piece.get(at..to)?;
                    at += plain.iter().position(|&byte| is_letter(byte))?;
                    let after = after_word(piece, at, to);
                    if is_space(*piece.get(at - 1)?)
                        && !matches!(
                            significant(piece, self.at, at).unwrap_or(self.last),
                            b':' | b'-'
                        )
                        && match next_after(piece, after, to) {
                            Some(byte) => byte == b':' && at / 2 >= target,
                            None => complete && matches!(piece.get(to), Some(b'{' | b'<')),
                        }
                    {
                        return Some(at);
                    }
                    at = after;
                }
                None
            }
        }
    }
}

/// The innermost open bracket at the end of `bytes`, the beginning of a piece that begins inside the brackets `open`.
pub(super) fn innermost(bytes: &[u8], open: &[Open]) -> Option<u8> {
    let depth = open.iter().filter(|open| open.bracket != b'[').count();
    let scanned = Scan::new(usize::MAX);
    let mut scan = Scan { open: open.to_vec(), base: open.len(), depth, ..scanned };
    scan.advance(bytes, usize::MAX, false);
    scan.open.last().map(|open| open.bracket)
}

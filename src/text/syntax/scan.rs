//! Where a text may be cut: a scan over its bytes that knows quotes, comments and brackets, and nothing else.
//!
//! It may cut or refuse, never accept: every byte also goes through the grammar. A cut stands
//! - before an identifier that follows white space and precedes `:`, `{` or `<`, outside `[ ]`, and not right after
//!   `:` or `-`. In text that the grammar accepts such an identifier is a field's name: the other identifiers are
//!   values, which nothing of the three follows, or stand in brackets;
//! - inside a list after a comma, where the grammar allows nothing but the next element.
//!
//! Both sides of a cut end and begin between two tokens that no rule joins, and the grammar has a rule for what may
//! be left open or closed there (`fields_part`, `messages_part`, `scalars_part`). Hence text is accepted in parts
//! exactly when it is accepted whole, with the same tokens; the scan answers for brackets that no part holds both of.
//!
//! Parts also end at brackets when messages nest deeper than [`NESTED`] within one, so that the recursion of the
//! recogniser is bounded whatever the depth of the text.

use super::blank::is_blank;
use super::matcher::Entry;

/// How many brackets may be open at once within one part.
const NESTED: usize = 64;

/// A bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// `{`, `<` or `[`.
    pub bracket: u8,
    /// Its byte, from the start of the text.
    pub offset: u64,
    /// Its line, from 1; 0 while it stands in the piece being scanned.
    pub line: u64,
    /// Its column in characters, from 1; 0 likewise.
    pub column: u64,
    /// For `[`: what stands in it.
    content: Content,
}

/// What a `[` is seen to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Fields, for the other brackets.
    Fields,
    /// After a colon, until a message is seen in it.
    Scalars,
    Messages,
    /// A name in brackets, or a list of messages whose first one is not seen yet.
    Unknown,
}

/// Bytes of a piece that match one rule from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) entry: Entry,
}

/// What the scan refuses, at a byte of the piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) at: usize,
    pub(super) what: Trouble,
}

/// The scan's own reasons; the grammar has others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A string that its line, or the text, does not close.
    Unclosed,
    /// A bracket that does not close the innermost open one, or closes none.
    Mismatch(Option<Open>),
    /// The end of the text while a bracket is open.
    LeftOpen(Open),
    /// A list in a list.
    Nested,
    /// More messages within each other than this.
    TooDeep(usize),
}

/// Why the scan stops.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It has seen all bytes there are.
    More,
    /// The piece is complete up to this byte.
    Cut(usize),
    Refused(Refused),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Plain,
    Comment,
    /// In a string: its quote, and where that stands.
    Text(u8, usize),
}

/// The scan of one text, piece after piece.
#[derive(Debug)]
pub(super) struct Scan {
    limit: usize,
    /// Bytes of the text before the piece.
    offset: u64,
    open: Vec<Open>,
    /// How many of `open` are messages.
    depth: usize,
    /// How many of `open` earlier parts opened.
    base: usize,
    parts: Vec<Part>,
    start: usize,
    entry: Entry,
    at: usize,
    state: State,
    /// The last byte before `at` that is neither blank nor comment.
    last: u8,
}

impl Scan {
    /// A scan from the start of a text that lets messages nest `limit` deep.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            offset: 0,
            open: Vec::new(),
            depth: 0,
            base: 0,
            parts: Vec::new(),
            start: 0,
            entry: Entry::Fields,
            at: 0,
            state: State::Plain,
            last: b';',
        }
    }

    /// Brackets open at the start of the piece, outermost first, or where the scan stands.
    pub(super) fn open(&mut self) -> &mut Vec<Open> {
        &mut self.open
    }

    /// How many of the first `read` bytes the next [`advance`](Self::advance) looks at, perhaps again.
    pub(super) fn unseen(&self, read: usize) -> usize {
        read.saturating_sub(self.at)
    }

    /// Scans on in `piece`, which has grown, until it is at least `target` bytes and may be cut; `last` when no
    /// bytes follow.
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

    /// The parts up to `end`, where the next piece begins.
    pub(super) fn take_parts(&mut self, end: usize) -> Vec<Part> {
        self.split_open();
        self.split(end);
        self.offset += end as u64;
        self.at = self.at.saturating_sub(end);
        self.start = 0;
        self.entry = self.entry_here();
        std::mem::take(&mut self.parts)
    }

    fn finish(&self, piece: &[u8]) -> Stop {
        Stop::Refused(match (self.state, self.open.last()) {
            (State::Text(_, from), _) => Refused { at: from, what: Trouble::Unclosed },
            (_, Some(open)) => Refused { at: piece.len(), what: Trouble::LeftOpen(*open) },
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
            return Some(Stop::Refused(Refused { at: from, what: Trouble::Unclosed }));
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

    /// From here to the next quote, `#` or bracket, and over it.
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
            // What could be cut when more is known is looked at again, with the last significant byte before it.
            if last {
                self.at = end;
            }
            return Some(Stop::More);
        }
        let byte = *piece.get(end)?;
        let before = |scan: &Self| significant(piece, scan.at, end).unwrap_or(scan.last);
        let (mut last, mut trouble) = (byte, None);
        match byte {
            b'#' => {
                self.state = State::Comment;
                last = before(self);
            }
            b'"' | b'\'' => self.state = State::Text(byte, end),
            b'{' | b'<' => trouble = self.opening(byte, end),
            b'[' => trouble = self.list(before(self), end),
            _ => trouble = self.closing(byte, end),
        }
        self.last = last;
        self.at = end + 1;
        trouble.map(|what| Stop::Refused(Refused { at: end, what }))
    }

    fn opening(&mut self, bracket: u8, at: usize) -> Option<Trouble> {
        if let Some(list) = self.open.last_mut().filter(|open| open.bracket == b'[') {
            list.content = Content::Messages;
        }
        if self.depth == self.limit {
            return Some(Trouble::TooDeep(self.limit));
        }
        self.depth += 1;
        self.push(bracket, at, Content::Fields);
        if self.open.len() - self.base > NESTED {
            self.split_open();
        }
        None
    }

    fn list(&mut self, before: u8, at: usize) -> Option<Trouble> {
        if self.open.last().is_some_and(|open| open.bracket == b'[') {
            return Some(Trouble::Nested);
        }
        self.push(b'[', at, if before == b':' { Content::Scalars } else { Content::Unknown });
        None
    }

    fn push(&mut self, bracket: u8, at: usize, content: Content) {
        let offset = self.offset + at as u64;
        self.open.push(Open { bracket, offset, line: 0, column: 0, content });
    }

    fn closing(&mut self, byte: u8, at: usize) -> Option<Trouble> {
        let wanted = match byte {
            b'}' => b'{',
            b'>' => b'<',
            _ => b'[',
        };
        let Some(open) = self.open.pop_if(|open| open.bracket == wanted) else {
            return Some(Trouble::Mismatch(self.open.last().copied()));
        };
        if open.bracket != b'[' {
            self.depth -= 1;
        }
        if self.open.len() < self.base {
            self.base = self.open.len();
            // The rules for parts of lists close the list themselves.
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
            self.parts.push(Part { start: self.start, end, entry: self.entry });
        }
        self.start = end;
    }

    /// Ends a part after each message that is open in this one.
    fn split_open(&mut self) {
        for index in self.base..self.open.len() {
            if let Some(open) = self.open.get(index).filter(|open| open.bracket != b'[') {
                // Opened in this piece: its distance from the start is that of a byte in memory.
                let at = usize::try_from(open.offset - self.offset).unwrap_or(usize::MAX);
                self.split(at + 1);
                self.entry = Entry::Fields;
            }
        }
        self.base = self.open.len();
    }

    fn entry_here(&self) -> Entry {
        match self.open.last().map(|open| open.content) {
            Some(Content::Messages) => Entry::Messages,
            Some(Content::Scalars) => Entry::Scalars,
            _ => Entry::Fields,
        }
    }

    /// Where a piece of `target` bytes may end, up to `to`: a stretch without quotes, comments and brackets.
    ///
    /// Before twice the target only messages begin a piece: cut numbers, which lie packed in the message, cost a rewrite.
    fn cut(&self, piece: &[u8], target: usize, to: usize, complete: bool) -> Option<usize> {
        let from = target.max(self.at);
        match self.open.last().map(|open| open.content) {
            Some(Content::Unknown) => None,
            Some(Content::Scalars | Content::Messages) => {
                let stretch = piece.get(from..to).unwrap_or_default();
                Some(from + memchr::memchr(b',', stretch)? + 1)
            }
            Some(Content::Fields) | None => {
                let mut at = from.max(1);
                while at < to {
                    let stretch = piece.get(at..to)?;
                    at += stretch.iter().position(|&byte| is_letter(byte))?;
                    let after = after_word(piece, at, to);
                    if is_blank(*piece.get(at - 1)?)
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

/// The innermost bracket that is open at the end of `bytes`, a piece that begins inside the brackets `open` or the
/// beginning of one.
pub(super) fn innermost(bytes: &[u8], open: &[Open]) -> Option<u8> {
    let depth = open.iter().filter(|open| open.bracket != b'[').count();
    let scanned = Scan::new(usize::MAX);
    let mut scan = Scan { open: open.to_vec(), base: open.len(), depth, ..scanned };
    scan.advance(bytes, usize::MAX, false);
    scan.open.last().map(|open| open.bracket)
}

/// The first byte in `from..to` that is not blank.
fn next_after(piece: &[u8], from: usize, to: usize) -> Option<u8> {
    piece.get(from..to)?.iter().find(|&&byte| !is_blank(byte)).copied()
}

/// The last byte in `from..to` that is not blank.
fn significant(piece: &[u8], from: usize, to: usize) -> Option<u8> {
    piece.get(from..to)?.iter().rev().find(|&&byte| !is_blank(byte)).copied()
}

fn after_word(piece: &[u8], from: usize, to: usize) -> usize {
    let rest = piece.get(from..to).unwrap_or_default();
    from + rest.iter().take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit()).count()
}

/// Quotes, `#` and brackets. Looked up: a comparison for each takes twice as long.
#[expect(clippy::indexing_slicing, reason = "done by the compiler: out of range does not compile")]
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let mut bytes: &[u8] = b"\"'#{}<>[]";
    while let [byte, rest @ ..] = bytes {
        stops[*byte as usize] = true;
        bytes = rest;
    }
    stops
};

fn is_stop(byte: u8) -> bool {
    STOPS.get(usize::from(byte)) == Some(&true)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

//! A text read in pieces, each of which can be parsed by itself, on any thread.

use std::io::Read;

use super::events::{Join, Scratch, Sink, Source, joins, walk};
use super::explain::{self, Failure};
use super::matcher::{Farthest, Mark, Matcher};
use super::scan::{self, Open, Part, Refused, Scan, Stop, Trouble};
use crate::error::{Error, ErrorKind, Location, Result};

/// What is read at a time.
const BLOCK: usize = 64 << 10;

/// How much of what follows a piece its errors may show.
const SHOWN: usize = 320;

/// How a text is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Bytes from which on a piece ends where it may. A piece is longer only by what cannot be cut: a string, a
    /// value, the stretch to the next field.
    pub piece_bytes: usize,
    /// How deep messages may nest.
    pub depth: usize,
}

impl Default for Reading {
    fn default() -> Self {
        // At 256 KiB the text and its tokens stay in the cache.
        Self { piece_bytes: 256 << 10, depth: 1000 }
    }
}

/// The pieces of a text, in order; ends after the first that is refused.
#[derive(Debug)]
pub struct Pieces<R> {
    reader: R,
    reading: Reading,
    scan: Scan,
    /// Read, but behind the last piece.
    rest: Vec<u8>,
    offset: u64,
    line: u64,
    column: u64,
    /// The reader has no more.
    drained: bool,
    done: bool,
}

/// Bytes of a text that begin and end between two fields (or two elements of a list), at any depth.
///
/// A piece may close messages that earlier pieces opened, and leave some open for later ones.
#[derive(Debug)]
pub struct Piece {
    /// Its bytes and a little of what follows, for errors at its end.
    bytes: Vec<u8>,
    end: usize,
    offset: u64,
    line: u64,
    column: u64,
    open: Vec<Open>,
    parts: Vec<Part>,
    refused: Option<Refused>,
}

/// What a [`Sink`] does not accept, and where: a byte as the events give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The byte, from the start of the piece.
    pub at: usize,
    /// What is wrong, for people.
    pub what: String,
}

impl<R: Read> Pieces<R> {
    /// The pieces of the text that `reader` gives.
    pub fn new(reader: R, reading: Reading) -> Self {
        Self {
            reader,
            reading,
            scan: Scan::new(reading.depth),
            rest: Vec::new(),
            offset: 0,
            line: 1,
            column: 1,
            drained: false,
            done: false,
        }
    }

    fn next_piece(&mut self) -> Result<Piece> {
        let mut bytes = std::mem::take(&mut self.rest);
        let open = self.scan.open().clone();
        loop {
            match self.scan.advance(&bytes, self.reading.piece_bytes.max(1), self.drained) {
                Stop::More => self.read(&mut bytes)?,
                Stop::Cut(end) => {
                    // The next piece starts with what is read of it; its buffer is as large as this one, if that is no
                    // exception.
                    let room = self.reading.piece_bytes.saturating_add(4 * BLOCK);
                    let room = if self.drained { 0 } else { room.min(bytes.capacity()) };
                    self.rest = Vec::with_capacity(room);
                    self.rest.extend_from_slice(bytes.get(end..).unwrap_or_default());
                    bytes.truncate(end + SHOWN);
                    // What is still open at the end is refused with the next piece, which is empty.
                    self.done = self.drained && self.rest.is_empty() && self.scan.open().is_empty();
                    return Ok(self.piece(bytes, end, open, None));
                }
                Stop::Refused(refused) => {
                    self.done = true;
                    return Ok(self.piece(bytes, refused.at, open, Some(refused)));
                }
            }
        }
    }

    /// Reads on. Twice what the scan must look at again at least, so that looking again costs no more than reading.
    fn read(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        let block = BLOCK.min(self.reading.piece_bytes).max(1);
        let missing =
            self.reading.piece_bytes.min(1 << 30).saturating_sub(bytes.len()).min(16 * BLOCK);
        let want = (missing + block).max(self.scan.unseen(bytes.len()));
        bytes.reserve(want);
        let got = (&mut self.reader)
            .take(want as u64)
            .read_to_end(bytes)
            .map_err(|error| Error::io("read", error))?;
        self.drained = got < want;
        Ok(())
    }

    fn piece(
        &mut self,
        bytes: Vec<u8>,
        end: usize,
        open: Vec<Open>,
        refused: Option<Refused>,
    ) -> Piece {
        let parts = self.scan.take_parts(end);
        let (offset, line, column) = (self.offset, self.line, self.column);
        let mut seen = 0;
        for open in self.scan.open().iter_mut().filter(|open| open.line == 0) {
            let at = usize::try_from(open.offset - offset).unwrap_or(end);
            advance(bytes.get(seen..at), &mut self.line, &mut self.column);
            (open.line, open.column) = (self.line, self.column);
            seen = at;
        }
        advance(bytes.get(seen..end), &mut self.line, &mut self.column);
        self.offset += end as u64;
        Piece { bytes, end, offset, line, column, open, parts, refused }
    }
}

impl<R: Read> Iterator for Pieces<R> {
    type Item = Result<Piece>;

    fn next(&mut self) -> Option<Result<Piece>> {
        if self.done {
            return None;
        }
        let piece = self.next_piece();
        self.done |= piece.is_err();
        Some(piece)
    }
}

/// Moves a line and a column over `text`.
fn advance(text: Option<&[u8]>, line: &mut u64, column: &mut u64) {
    let text = text.unwrap_or_default();
    let lines = memchr::memchr_iter(b'\n', text).count();
    let rest = match memchr::memrchr(b'\n', text) {
        Some(at) => {
            *line += lines as u64;
            *column = 1;
            text.get(at + 1..).unwrap_or_default()
        }
        None => text,
    };
    *column += rest.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64;
}

impl Piece {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.end).unwrap_or(&self.bytes)
    }

    /// The first byte's place in the text, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Brackets open at the first byte, outermost first.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// Parses the piece and gives what it finds to `sink`, in the order of the text.
    ///
    /// # Errors
    /// The first that breaks the grammar or that `sink` refuses, with line and column. A part of a piece is wholly
    /// matched before `sink` sees its first event.
    pub fn events<'t, S: Sink<'t>>(&'t self, scratch: &mut Scratch, sink: &mut S) -> Result<()> {
        let tokens = self.tokens(std::mem::take(scratch));
        let result = tokens.events(sink);
        *scratch = tokens.into_scratch();
        result
    }

    /// Matches the piece, up to what the grammar refuses.
    pub(in crate::text) fn tokens(&self, scratch: Scratch) -> Tokens<'_> {
        let mut tokens = Tokens { piece: self, scratch, refused: None };
        tokens.scratch.clear();
        for part in &self.parts {
            let text = self.bytes.get(part.start..part.end).unwrap_or_default();
            let mut matcher = Matcher::new(text, std::mem::take(&mut tokens.scratch.marks));
            if !matcher.matches(part.entry) {
                tokens.refused = Some(self.syntax(*part, matcher.farthest(part.entry)));
                tokens.scratch.marks = matcher.into_marks();
                return tokens;
            }
            tokens.scratch.marks = matcher.into_marks();
            tokens.scratch.ends.push((part.start, tokens.scratch.marks.len()));
        }
        tokens.refused = self.refused.as_ref().map(|refused| self.refused(refused));
        tokens
    }

    /// Where a byte of the piece stands in the text.
    pub fn location(&self, at: usize) -> Location {
        let mut location = Location::of(&self.bytes, at);
        if location.line == 1 {
            location.column += self.column - 1;
        }
        location.line += self.line - 1;
        location
    }

    /// An error at a byte of the piece.
    pub fn error(&self, at: usize, what: impl Into<String>) -> Error {
        Error::from(ErrorKind::Syntax(what.into())).at_location(self.location(at))
    }

    /// Why the grammar refuses a part, unless the scan refused something before that.
    fn syntax(&self, part: Part, farthest: Farthest) -> Error {
        let after = part.start + farthest.token.map_or(0, explain::after);
        let failure = Failure {
            at: part.start + farthest.at,
            after,
            token: farthest.token,
            entry: part.entry,
            bracket: scan::innermost(self.bytes.get(..after).unwrap_or_default(), &self.open),
        };
        let (at, what) = explain::explain(&self.bytes, failure);
        match &self.refused {
            // Where a bracket closes nothing, what is missing before it says more.
            Some(refused) if refused.at <= at && refused.what != Trouble::Mismatch(None) => {
                self.refused(refused)
            }
            _ => self.error(at, what),
        }
    }

    fn refused(&self, refused: &Refused) -> Error {
        let found = explain::found(&self.bytes, refused.at);
        let what = match refused.what {
            Trouble::Unclosed => "this string is not closed on its line".to_owned(),
            Trouble::Mismatch(None) => format!("{found} closes nothing"),
            Trouble::Mismatch(Some(open)) => {
                format!("{found} does not close {}", self.opened(&open))
            }
            Trouble::LeftOpen(open) => {
                format!("the text ends before {} is closed", self.opened(&open))
            }
            Trouble::Nested => "a list cannot stand in a list".to_owned(),
            Trouble::TooDeep(limit) => format!("messages are nested more than {limit} deep"),
        };
        self.error(refused.at, what)
    }

    fn opened(&self, open: &Open) -> String {
        let (mut line, mut column) = (open.line, open.column);
        if line == 0 {
            let at = usize::try_from(open.offset - self.offset).unwrap_or(usize::MAX);
            let location = self.location(at);
            (line, column) = (location.line, location.column);
        }
        format!("'{}' opened at {line}:{column}", char::from(open.bracket))
    }
}

/// What a piece says, matched.
#[derive(Debug)]
pub(in crate::text) struct Tokens<'t> {
    piece: &'t Piece,
    scratch: Scratch,
    refused: Option<Error>,
}

impl<'t> Tokens<'t> {
    /// Gives what was matched to `sink`.
    ///
    /// # Errors
    /// What `sink` refuses, else what the grammar does.
    pub(in crate::text) fn events<S: Sink<'t>>(&self, sink: &mut S) -> Result<()> {
        for (source, marks) in self.parts() {
            walk(source, marks, sink)
                .map_err(|refusal| self.piece.error(refusal.at, refusal.what))?;
        }
        self.refused.clone().map_or(Ok(()), Err)
    }

    /// What the piece does to what is open around it, or around a part of it.
    pub(in crate::text) fn joins(&self, mut each: impl FnMut(Join<'t>)) {
        for (source, marks) in self.parts() {
            joins(source, marks, &mut each);
        }
    }

    /// The error that ends the piece.
    #[cfg(test)]
    pub(super) fn refused(&self) -> Option<&Error> {
        self.refused.as_ref()
    }

    pub(in crate::text) fn into_scratch(self) -> Scratch {
        self.scratch
    }

    /// The tokens of each part.
    fn parts(&self) -> impl Iterator<Item = (Source<'t>, &[Mark])> {
        let mut start = 0;
        self.scratch.ends.iter().map(move |&(base, end)| {
            let marks = self.scratch.marks.get(start..end).unwrap_or_default();
            start = end;
            (Source { bytes: &self.piece.bytes, base }, marks)
        })
    }
}

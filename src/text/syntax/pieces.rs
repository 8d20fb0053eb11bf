//! Reads a text in pieces that can be parsed independently, on any thread.

use std::io::Read;

use super::events::{Scratch, Sink, Source, Unbalanced, unbalanced, walk};
use super::explain::{self, Failure};
use super::matcher::{Farthest, Mark, Matcher};
use super::scan::{self, Open, Scan, ScanError, ScanErrorKind, Stop, TextPart};
use crate::error::{Error, Location, Result};

/// The least number of bytes to read at a time.
const BLOCK: usize = 64 << 10;

/// The number of bytes after a piece that an error's excerpt may show.
const SHOWN: usize = 320;

/// How a text is cut and how deep it may nest.
#[derive(Clone, Copy, Debug)]
pub struct PieceOptions {
    /// The least length of a piece, in bytes. A piece is longer if no field begins there: in a long string, for
    /// example.
    pub piece_bytes: usize,
    /// How many messages may nest.
    pub depth: usize,
}

impl Default for PieceOptions {
    fn default() -> Self {
        // Small enough that the text of a piece and its tokens stay in the cache.
        Self { piece_bytes: 256 << 10, depth: 1000 }
    }
}

/// The pieces of a text, in order, up to the first error.
#[derive(Debug)]
pub struct Pieces<R> {
    reader: R,
    options: PieceOptions,
    scan: Scan,
    /// Bytes that were read, after the last piece.
    rest: Vec<u8>,
    offset: u64,
    line: u64,
    column: u64,
    /// Whether the reader is at its end.
    drained: bool,
    done: bool,
}

/// A part of a text that begins and ends between two fields (or two elements of a list), at any depth.
///
/// A piece may close messages that earlier pieces opened, and leave messages open for later pieces to close.
#[derive(Debug)]
pub struct Piece {
    /// Its bytes and a few after them, for errors at its end.
    bytes: Vec<u8>,
    end: usize,
    offset: u64,
    line: u64,
    column: u64,
    open: Vec<Open>,
    parts: Vec<TextPart>,
    scan_error: Option<ScanError>,
}

impl<R: Read> Pieces<R> {
    /// The pieces of the text of `reader`.
    pub fn new(reader: R, options: PieceOptions) -> Self {
        Self {
            reader,
            options,
            scan: Scan::new(options.depth),
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
            match self.scan.advance(&bytes, self.options.piece_bytes.max(1), self.drained) {
                Stop::More => self.read(&mut bytes)?,
                Stop::Cut(end) => {
                    // The next piece begins with the bytes that were already read. Its buffer is as large as this one,
                    // unless this piece was unusually long.
                    let room = self.options.piece_bytes.saturating_add(4 * BLOCK);
                    let room = if self.drained { 0 } else { room.min(bytes.capacity()) };
                    self.rest = Vec::with_capacity(room);
                    self.rest.extend_from_slice(bytes.get(end..).unwrap_or_default());
                    bytes.truncate(end + SHOWN);
                    // Brackets that are still open at the end are refused in a last, empty piece.
                    self.done = self.drained && self.rest.is_empty() && self.scan.open().is_empty();
                    return Ok(self.piece(bytes, end, open, None));
                }
                Stop::Error(error) => {
                    self.done = true;
                    return Ok(self.piece(bytes, error.at, open, Some(error)));
                }
            }
        }
    }

    /// Reads more bytes: at least as many as the scan looks at again, so that the scan stays linear.
    fn read(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        let block = BLOCK.min(self.options.piece_bytes).max(1);
        let missing =
            self.options.piece_bytes.min(1 << 30).saturating_sub(bytes.len()).min(16 * BLOCK);
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
        scan_error: Option<ScanError>,
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
        Piece { bytes, end, offset, line, column, open, parts, scan_error }
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
    /// The bytes of the piece.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.end).unwrap_or(&self.bytes)
    }

    /// The offset of the piece in the text, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The brackets that are open where the piece begins, outermost first.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// Parses the piece and passes its events to `sink`, in the order of the text.
    ///
    /// # Errors
    /// The first error of the grammar or of `sink`, with line and column. A part of a piece is matched as a whole before
    /// `sink` receives its first event.
    pub fn events<'t, S: Sink<'t>>(&'t self, scratch: &mut Scratch, sink: &mut S) -> Result<()> {
        let tokens = self.tokens(std::mem::take(scratch));
        let result = tokens.events(sink);
        *scratch = tokens.into_scratch();
        result
    }

    /// Matches the piece up to the first part that the grammar refuses.
    pub(in crate::text) fn tokens(&self, scratch: Scratch) -> Tokens<'_> {
        let mut tokens = Tokens { piece: self, scratch, error: None };
        tokens.scratch.clear();
        for part in &self.parts {
            let text = self.bytes.get(part.start..part.end).unwrap_or_default();
            let mut matcher = Matcher::new(text, std::mem::take(&mut tokens.scratch.marks));
            if !matcher.matches(part.entry) {
                tokens.error = Some(self.grammar_error(*part, matcher.farthest(part.entry)));
                tokens.scratch.marks = matcher.into_marks();
                return tokens;
            }
            tokens.scratch.marks = matcher.into_marks();
            tokens.scratch.ends.push((part.start, tokens.scratch.marks.len()));
        }
        tokens.error = self.scan_error.as_ref().map(|error| self.describe(error));
        tokens
    }

    /// Line and column of a byte of the piece.
    pub fn location(&self, at: usize) -> Location {
        let mut location = Location::of(&self.bytes, at);
        if location.line == 1 {
            location.column += self.column - 1;
        }
        location.line += self.line - 1;
        location
    }

    /// An error at a byte of the piece.
    pub fn error(&self, at: usize, message: impl Into<String>) -> Error {
        Error::syntax(message).at_location(self.location(at))
    }

    /// The error of a part that the grammar refuses, or of the scan if that comes first.
    fn grammar_error(&self, part: TextPart, farthest: Farthest) -> Error {
        let after = part.start + farthest.token.map_or(0, explain::after);
        let failure = Failure {
            at: part.start + farthest.at,
            after,
            token: farthest.token,
            entry: part.entry,
            bracket: scan::innermost(self.bytes.get(..after).unwrap_or_default(), &self.open),
        };
        let (at, message) = explain::explain(&self.bytes, failure);
        match &self.scan_error {
            // If a bracket closes nothing, what is missing before it is the better message.
            Some(error) if error.at <= at && error.kind != ScanErrorKind::Mismatch(None) => {
                self.describe(error)
            }
            _ => self.error(at, message),
        }
    }

    fn describe(&self, error: &ScanError) -> Error {
        let found = explain::found(&self.bytes, error.at);
        let message = match error.kind {
            ScanErrorKind::Unclosed => "this string is not closed on its line".to_owned(),
            ScanErrorKind::Mismatch(None) => format!("{found} closes nothing"),
            ScanErrorKind::Mismatch(Some(open)) => {
                format!("{found} does not close {}", self.opened(&open))
            }
            ScanErrorKind::LeftOpen(open) => {
                format!("the text ends before {} is closed", self.opened(&open))
            }
            ScanErrorKind::Nested => "a list cannot contain a list".to_owned(),
            ScanErrorKind::TooDeep(limit) => format!("messages are nested more than {limit} deep"),
        };
        self.error(error.at, message)
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

/// The tokens of a piece.
#[derive(Debug)]
pub(in crate::text) struct Tokens<'t> {
    piece: &'t Piece,
    scratch: Scratch,
    error: Option<Error>,
}

impl<'t> Tokens<'t> {
    /// Passes the tokens to `sink` as events.
    ///
    /// # Errors
    /// The first error of `sink`, else that of the grammar.
    pub(in crate::text) fn events<S: Sink<'t>>(&self, sink: &mut S) -> Result<()> {
        for (source, marks) in self.parts() {
            walk(source, marks, sink)
                .map_err(|refusal| self.piece.error(refusal.at, refusal.message))?;
        }
        self.error.clone().map_or(Ok(()), Err)
    }

    /// Calls `each` for the brackets whose partners are in other parts.
    pub(in crate::text) fn unbalanced(&self, mut each: impl FnMut(Unbalanced<'t>)) {
        for (source, marks) in self.parts() {
            unbalanced(source, marks, &mut each);
        }
    }

    /// The error that ends the piece.
    #[cfg(test)]
    pub(super) fn error(&self) -> Option<&Error> {
        self.error.as_ref()
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

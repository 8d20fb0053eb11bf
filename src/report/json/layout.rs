//! The layout of JSON reports: one line for each key of the outermost object, and for each item of a list in it.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::name::{is_plain, is_printable};
use crate::tensor::in_parallel;

/// Bytes that are written at once.
const BUFFER: usize = 64 << 10;
/// Items of a list that are in memory as text at once.
const ROUND: usize = 1 << 12;
/// Items that a thread writes at once.
const TURN: usize = 1 << 5;

/// Writes `value` as JSON, followed by a line end.
pub(super) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // A buffer of a known type, since a report is many small writes.
    let mut out = BufWriter::with_capacity(BUFFER, out);
    value.serialize(&mut Serializer::with_formatter(&mut out, Lines::default()))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// A list whose items are written on several threads.
pub(super) struct LongList<'a, T> {
    pub(super) key: &'static str,
    pub(super) items: &'a [T],
    /// 0 for one per core.
    pub(super) threads: usize,
}

/// Writes one object: the entries of `before`, which has at least one, the list, and the entries of `after`; and a line end.
pub(super) fn write_with_list<T: Serialize + Sync>(
    before: &impl Serialize,
    list: &LongList<'_, T>,
    after: &impl Serialize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    let start = Lines { part: ObjectPart::Start, ..Lines::default() };
    before.serialize(&mut Serializer::with_formatter(&mut out, start))?;
    write!(out, ",\n  \"{}\": [", list.key)?;
    let mut first = true;
    for round in list.items.chunks(ROUND) {
        let turns: Vec<_> = round.chunks(TURN).collect();
        for text in in_parallel(&turns, list.threads, |turn| items(turn)) {
            let text = text?;
            // No comma precedes the first item.
            let text = if first { text.strip_prefix(b",").unwrap_or(&text) } else { &text };
            out.write_all(text)?;
            first = false;
        }
    }
    out.write_all(if list.items.is_empty() { b"]" } else { b"\n  ]" })?;
    let end = Lines { part: ObjectPart::End, ..Lines::default() };
    after.serialize(&mut Serializer::with_formatter(&mut out, end))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Items of a list of the outermost object, each after a comma.
fn items<T: Serialize>(items: &[T]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for item in items {
        text.extend_from_slice(b",\n    ");
        let inside = Lines { depth: 2, listing: true, ..Lines::default() };
        item.serialize(&mut Serializer::with_formatter(&mut text, inside))?;
    }
    Ok(text)
}

/// Breaks lines in the outermost object and in the arrays that are its values.
#[derive(Debug, Default)]
struct Lines {
    depth: usize,
    /// Whether the innermost object or array has an item.
    filled: bool,
    /// Whether lines break at depth 2, as they do in arrays.
    listing: bool,
    /// The part of the outermost object that is written.
    part: ObjectPart,
}

/// A part of the outermost object.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum ObjectPart {
    #[default]
    All,
    /// The first entries, without a closing bracket.
    Start,
    /// The last entries, without an opening bracket.
    End,
}

impl Lines {
    fn breaks(&self) -> bool {
        self.depth == 1 || self.depth == 2 && self.listing
    }

    fn open<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        bracket: &[u8],
        array: bool,
    ) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        if self.depth == 2 {
            self.listing = array;
        }
        if self.depth == 1 && self.part == ObjectPart::End {
            Ok(())
        } else {
            out.write_all(bracket)
        }
    }

    fn item<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        let first = first && !(self.depth == 1 && self.part == ObjectPart::End);
        match (self.breaks(), first) {
            (true, first) => {
                out.write_all(if first { b"\n" } else { b",\n" })?;
                self.indent(out)
            }
            (false, true) => Ok(()),
            (false, false) => out.write_all(b", "),
        }
    }

    fn close<W: Write + ?Sized>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.depth == 1 && self.part == ObjectPart::Start {
            return Ok(());
        }
        let breaks = self.breaks() && self.filled;
        self.depth -= 1;
        self.filled = true;
        if breaks {
            out.write_all(b"\n")?;
            self.indent(out)?;
        }
        out.write_all(bracket)
    }

    fn indent<W: Write + ?Sized>(&self, out: &mut W) -> io::Result<()> {
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Lines {
    /// Escapes characters that control a terminal, are invisible, or change the order of others.
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if is_plain(fragment) {
            return out.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, special)) = rest.char_indices().find(|(_, c)| !is_printable(*c)) {
            let (plain, from) = rest.split_at(at);
            out.write_all(plain.as_bytes())?;
            for unit in special.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = from.get(special.len_utf8()..).unwrap_or_default();
        }
        out.write_all(rest.as_bytes())
    }

    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[", true)
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{", false)
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }
}

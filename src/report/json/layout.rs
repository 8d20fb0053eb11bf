//! The layout of JSON reports: one line for each key of the outermost object, and for each item of a list in it.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::name::is_printable;

/// Bytes that are written at once.
const BUFFER: usize = 64 << 10;

/// Writes `value` as JSON, followed by a line end.
pub(super) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // A buffer of a known type, since a report is many small writes.
    let mut out = BufWriter::with_capacity(BUFFER, out);
    value.serialize(&mut Serializer::with_formatter(&mut out, Lines::default()))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Breaks lines in the outermost object and in the arrays that are its values.
#[derive(Debug, Default)]
struct Lines {
    depth: usize,
    /// Whether the innermost object or array has an item.
    filled: bool,
    /// Whether lines break at depth 2, as they do in arrays.
    listing: bool,
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
        out.write_all(bracket)
    }

    fn item<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
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

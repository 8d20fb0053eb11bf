//! Lines that are alike in every report: headings, the number of items that are left out, the first lines of a text.

use std::io::{self, Write};

use anstyle::Style;

use super::ReportOptions;
use super::number;
use super::terminal_text::plural;

/// Writes the heading of a section, after an empty line.
pub(super) fn heading(title: &str, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let style = options.palette.heading;
    writeln!(out, "\n{style}{title}{style:#}")
}

/// Writes the number of items that are not shown, if there are any: `  … and 3 more tensors`, or without a noun `… and 3 more`.
pub(super) fn more(
    hidden: u64,
    noun: &str,
    indent: &str,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let more = match (hidden, noun) {
        (0, _) => return Ok(()),
        (hidden, "") => format!("{} more", number::count(hidden)),
        (hidden, noun) => plural(hidden, &format!("more {noun}")),
    };
    writeln!(out, "{style}{indent}… and {more}{style:#}")
}

/// Writes the number of rows beyond those that the options allow, and the option that lists all.
pub(super) fn rest(
    total: usize,
    noun: &str,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let hidden = total.saturating_sub(options.max_rows);
    if hidden == 0 {
        return Ok(());
    }
    let style = options.palette.faint;
    let more = plural(hidden as u64, &format!("more {noun}"));
    writeln!(out, "\n{style}… and {more}: -n {total} lists all{style:#}")
}

/// A writer that passes on the first lines and counts the others.
pub(super) struct FirstLines<'o> {
    out: &'o mut dyn Write,
    left: usize,
    /// Line ends after the lines that were passed on.
    more: u64,
}

impl<'o> FirstLines<'o> {
    pub(super) fn new(out: &'o mut dyn Write, count: usize) -> Self {
        Self { out, left: count, more: 0 }
    }

    /// The number of lines that were not passed on.
    pub(super) fn more(&self) -> u64 {
        self.more
    }
}

impl Write for FirstLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while self.left > 0
            && let Some(end) = rest.iter().position(|&byte| byte == b'\n')
        {
            let (line, behind) = rest.split_at(end + 1);
            self.out.write_all(line)?;
            self.left -= 1;
            rest = behind;
        }
        if self.left > 0 {
            self.out.write_all(rest)?;
        } else {
            self.more += rest.iter().filter(|&&byte| byte == b'\n').count() as u64;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

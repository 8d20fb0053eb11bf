//! What was verified: a line per artifact, and lines for what is wrong with it.

use std::io::{self, Write};

use crate::error::Error;
use crate::verify::Verification;

use super::text::{plural, printable};
use super::{View, number};

/// Tells a person what was found in an artifact, or why it could not be opened.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(
    result: &Result<Verification, Error>,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let bad = view.palette.bad;
    match result {
        Ok(found) => verified(found, view, out),
        Err(error) => writeln!(out, "{bad}unreadable{bad:#}  {}", printable(&error.to_string())),
    }
}

fn verified(found: &Verification, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let palette = view.palette;
    let path = printable(&found.path.display().to_string());
    let what = format!("{} {}", found.kind, found.format);
    let tensors = plural(found.tensors(), "tensor");
    if found.is_sound() {
        let good = palette.good;
        let bytes = number::bytes(found.bytes);
        return writeln!(
            out,
            "{good}ok{good:#}  {path}: {what}, {tensors}, {bytes}, every checksum holds"
        );
    }
    let bad = palette.bad;
    let unsound = match found.unsound.len() as u64 {
        0 => tensors,
        n => format!("{} of {tensors} unreadable", number::count(n)),
    };
    writeln!(out, "{bad}damaged{bad:#}  {path}: {what}, {unsound}")?;
    let errors = found.damage.iter().chain(found.unsound.iter().map(|(_, error)| error));
    for error in errors.clone().take(view.max_diffs) {
        writeln!(out, "  {}", printable(&error.to_string()))?;
    }
    match errors.count().saturating_sub(view.max_diffs) {
        0 => Ok(()),
        more => writeln!(out, "  … and {}", plural(more as u64, "more error")),
    }
}

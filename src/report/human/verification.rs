//! What was verified: a line per artifact, and lines for what is wrong with it.

use std::io::{self, Write};

use crate::error::Error;
use crate::verify::Verification;

use super::text::{plural, printable};
use super::{View, fit, number};

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
        return sound(found, &what, &path, view, out);
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
    let more = errors.count().saturating_sub(view.max_diffs);
    if more > 0 {
        writeln!(out, "  … and {}", plural(more as u64, "more error"))?;
    }
    if let Some(answer) = fit::answer(found) {
        writeln!(out, "  {answer}")?;
    }
    fit::write(found, view, out)
}

/// Tells of an artifact in which nothing is damaged.
fn sound(
    found: &Verification,
    what: &str,
    path: &str,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (good, changed) = (view.palette.good, view.palette.changed);
    let bytes = number::bytes(found.bytes);
    let checksums =
        if found.has_checksums { "every checksum holds" } else { "no checksum in this format" };
    let content = if found.has_tensors {
        format!("{what}, {}, {bytes}, {checksums}", plural(found.tensors(), "tensor"))
    } else {
        let nodes = found.graphs.iter().map(|graph| graph.nodes).sum();
        format!("{what}, {}", plural(nodes, "node"))
    };
    match fit::answer(found) {
        Some(answer) => {
            writeln!(out, "{changed}unfit{changed:#}  {path}: {answer}")?;
            writeln!(out, "  {content}")?;
        }
        None => {
            let praise =
                if found.has_tensors { fit::praise(found) } else { ", as their ops are defined" };
            writeln!(out, "{good}ok{good:#}  {path}: {content}{praise}")?;
        }
    }
    fit::write(found, view, out)
}

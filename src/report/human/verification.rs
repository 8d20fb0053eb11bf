//! The report of verifications: a line for each artifact, and lines for its errors, misfits and findings.

use std::io::{self, Write};
use std::path::PathBuf;

use anstyle::Style;

use crate::error::Error;
use crate::verify::Verification;

use super::terminal_text::{plural, printable};
use super::{ReportOptions, lines, number, restorability};

/// Writes the verification of an artifact, or the reason why it could not be opened.
pub(super) fn write(
    result: &Result<Verification, Error>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let bad = options.palette.bad;
    match result {
        Ok(found) => verified(found, options, out),
        Err(error) => writeln!(out, "{bad}unreadable{bad:#}  {}", printable(&error.to_string())),
    }
}

/// Writes a note about the state files that have nothing to verify.
pub(super) fn write_skipped(state_files: &[PathBuf], out: &mut dyn Write) -> io::Result<()> {
    match state_files {
        [] => Ok(()),
        [path] => {
            let path = printable(&path.display().to_string());
            writeln!(out, "note: {path} is a state file and has nothing to verify")
        }
        _ => writeln!(out, "note: {} state files have nothing to verify", state_files.len()),
    }
}

fn verified(found: &Verification, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let palette = options.palette;
    let path = printable(&found.artifact.path.display().to_string());
    let what = format!("{} {}", found.artifact.kind, found.artifact.format);
    let tensors = plural(found.tensors(), "tensor");
    if found.is_sound() {
        return sound(found, &what, &path, options, out);
    }
    let bad = palette.bad;
    let unsound = match found.unsound.len() as u64 {
        0 => tensors,
        n => format!("{} of {tensors} unreadable", number::count(n)),
    };
    writeln!(out, "{bad}damaged{bad:#}  {path}: {what}, {unsound}")?;
    for error in found.errors().take(options.max_rows) {
        writeln!(out, "  {}", printable(&error.to_string()))?;
    }
    let hidden = found.errors().count().saturating_sub(options.max_rows);
    lines::more(hidden as u64, "error", "  ", Style::new(), out)?;
    if let Some(answer) = restorability::answer(found) {
        writeln!(out, "  {answer}")?;
    }
    restorability::write(found, options, out)
}

/// Writes the verification of an artifact without damage.
fn sound(
    found: &Verification,
    what: &str,
    path: &str,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (good, changed) = (options.palette.good, options.palette.changed);
    let bytes = number::bytes(found.bytes);
    let checksums = if found.artifact.has_checksums {
        "all checksums match"
    } else {
        "no checksum in this format"
    };
    let content = if found.has_tensors {
        format!("{what}, {}, {bytes}, {checksums}", plural(found.tensors(), "tensor"))
    } else {
        let nodes = found.graphs.iter().map(|graph| graph.nodes).sum();
        format!("{what}, {}", plural(nodes, "node"))
    };
    match restorability::answer(found) {
        Some(answer) => {
            writeln!(out, "{changed}unfit{changed:#}  {path}: {answer}")?;
            writeln!(out, "  {content}")?;
        }
        None => {
            let note = if found.has_tensors {
                restorability::note_on_graphs(found)
            } else {
                ", which match their op definitions"
            };
            writeln!(out, "{good}ok{good:#}  {path}: {content}{note}")?;
        }
    }
    restorability::write(found, options, out)
}

//! `ckdiff fmt FILE…`: formats text files.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::bytes::{File, read_to_end};
use crate::error::Error;
use crate::files::cannot_write;
use crate::message::MAX_BYTES;
use crate::report::human::printable;
use crate::tensor::Name;
use crate::text;

use crate::command::Exit;
use crate::command::args::FmtArgs;
use crate::command::diagnostics::Diagnostics;
use crate::command::output;

/// Formats each file, or lists those that would change; `-` formats standard input to standard output.
///
/// # Errors
/// If a file cannot be read, is not valid text, or cannot be written; the others are formatted.
pub(crate) fn run(args: &FmtArgs) -> Result<Exit, Diagnostics> {
    let (mut changed, mut errors) = (Vec::new(), Vec::new());
    for path in &args.files {
        match format(path, args.check) {
            Ok(true) => changed.push(path),
            Ok(false) => {}
            Err(error) => errors.push(error),
        }
    }
    if args.check {
        list(&changed)?;
    }
    if !errors.is_empty() {
        return Err(errors.into_iter().collect());
    }
    Ok(if args.check && !changed.is_empty() { Exit::Different } else { Exit::Same })
}

/// Prints the files that would change.
fn list(changed: &[&PathBuf]) -> Result<(), Error> {
    output::to_stdout(|out| {
        changed
            .iter()
            .try_for_each(|path| writeln!(out, "{}", printable(&path.display().to_string())))
    })
}

/// Formats a file; returns whether it changed, or with `is_check` whether it would.
fn format(path: &Path, is_check: bool) -> Result<bool, Error> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { Path::new("standard input") } else { path };
    let in_file = |error: Error| error.in_file(name);
    let text = if is_stdin {
        read_to_end(Vec::new(), io::stdin().lock(), MAX_BYTES).map_err(in_file)?
    } else {
        File::open(path)?.read(u64::MAX)?
    };
    let options = text::LayoutOptions::default();
    let formatted = text::format(&text, &options).map_err(in_file)?;
    let changes = formatted != text;
    let is_terminal = is_stdin && io::stdout().is_terminal();
    let write = |out: &mut dyn Write| {
        let written =
            if is_terminal { escaped(&formatted, out) } else { out.write_all(&formatted) };
        written.map_err(cannot_write)
    };
    if !is_check && (changes || is_stdin) {
        output::to_path(path, write)?;
    }
    Ok(changes)
}

/// Writes a text to a terminal, which strings and comments in it must not control.
fn escaped(text: &[u8], out: &mut dyn Write) -> io::Result<()> {
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let (line, end) = match line.split_last() {
            Some((b'\n', line)) => (line, "\n"),
            _ => (line, ""),
        };
        // A comment may have tabs.
        let parts: Vec<String> =
            line.split(|byte| *byte == b'\t').map(|part| Name::from(part).printable()).collect();
        write!(out, "{}{end}", parts.join("\t"))?;
    }
    Ok(())
}

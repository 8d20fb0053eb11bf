//! `ckdiff fmt FILE…`: formats text files.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use ckdiff::Error;
use ckdiff::bytes::File;
use ckdiff::report::human::printable;
use ckdiff::text;

use crate::Exit;
use crate::args::FmtArgs;
use crate::diagnostics::Diagnostics;
use crate::output;

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
    let fail = |error| Error::io("read", error).in_file(name);
    let mut text = Vec::new();
    if is_stdin {
        io::stdin().lock().read_to_end(&mut text).map_err(fail)?;
    } else {
        text = File::open(path)?.read(u64::MAX)?;
    }
    let options = text::LayoutOptions::default();
    let formatted = text::format(&text, &options).map_err(|error| error.in_file(name))?;
    let changes = formatted != text;
    let write =
        |out: &mut dyn Write| out.write_all(&formatted).map_err(|error| Error::io("write", error));
    if !is_check && (changes || is_stdin) {
        output::to_path(path, write)?;
    }
    Ok(changes)
}

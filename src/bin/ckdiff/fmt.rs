//! `ckdiff fmt FILE…`: lays text out anew.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use ckdiff::Error;
use ckdiff::report::human::printable;
use ckdiff::text;

use crate::Exit;
use crate::args::FmtArgs;
use crate::output;
use crate::trouble::Trouble;

/// Lays out each file, or tells which would change; `-` goes from standard input to standard output.
///
/// # Errors
/// When a file cannot be read, is no text, or cannot be written; the others are laid out.
pub(crate) fn run(args: &FmtArgs) -> Result<Exit, Trouble> {
    let (mut changed, mut errors) = (Vec::new(), Vec::new());
    for path in &args.files {
        match layout(path, args.check) {
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

/// Names the files that would change.
fn list(changed: &[&PathBuf]) -> Result<(), Error> {
    output::to_stdout(|out| {
        changed
            .iter()
            .try_for_each(|path| writeln!(out, "{}", printable(&path.display().to_string())))
    })
}

/// Whether a file changes, or would.
fn layout(path: &Path, check: bool) -> Result<bool, Error> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { Path::new("standard input") } else { path };
    let fail = |error| Error::io("read", error).in_file(name);
    let mut text = Vec::new();
    if is_stdin {
        io::stdin().lock().read_to_end(&mut text).map_err(fail)?;
    } else {
        text = fs::read(path).map_err(fail)?;
    }
    let options = text::LayoutOptions::default();
    let laid_out = text::format(&text, &options).map_err(|error| error.in_file(name))?;
    let changes = laid_out != text;
    let write =
        |out: &mut dyn Write| out.write_all(&laid_out).map_err(|error| Error::io("write", error));
    if !check && (changes || is_stdin) {
        output::to_place(path, write)?;
    }
    Ok(changes)
}

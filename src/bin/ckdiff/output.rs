//! Where reports go: stdout and files.

use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use ckdiff::files::{self, cannot_write};
use ckdiff::report::Palette;
use ckdiff::{Error, ErrorKind};

use crate::args::{Color, Format, ReportArgs};
use crate::interrupt;

/// Writes a report to every place that was asked for, in the form that was asked for there.
///
/// # Errors
/// When a file cannot be written. A reader of stdout who has gone away is none.
pub(crate) fn write(
    args: &ReportArgs,
    quiet: bool,
    report: impl Fn(Format, Palette, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    for (format, path) in &args.output {
        replace(path, |out| report(*format, Palette::PLAIN, out).map_err(cannot_write))?;
    }
    if quiet { Ok(()) } else { to_stdout(|out| report(args.format, palette(args.color), out)) }
}

/// Writes to stdout.
///
/// # Errors
/// When it cannot be written, but for a reader who has gone away.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    stdout(|out| write(out).map_err(cannot_write)).map(drop)
}

/// Writes to the file at `path`, or where that is `-` to stdout; gives what `write` does, unless a reader has gone away.
///
/// # Errors
/// What `write` says, or when it cannot be written; then there is no file, or the one that was there before.
pub(crate) fn to_place<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    if path == Path::new("-") { stdout(write) } else { replace(path, write).map(Some) }
}

/// Writes a file, which is there in full or not at all.
fn replace<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
) -> Result<T, Error> {
    interrupt::heed();
    files::replace(path, write)
}

fn stdout<T>(write: impl FnOnce(&mut dyn Write) -> Result<T, Error>) -> Result<Option<T>, Error> {
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    match write(&mut out).and_then(|done| out.flush().map(|()| done).map_err(cannot_write)) {
        Ok(done) => Ok(Some(done)),
        Err(error) => match error.kind() {
            ErrorKind::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => Ok(None),
            _ => Err(error.in_file(Path::new("standard output"))),
        },
    }
}

/// Whether a person sees the report and what it says of errors.
pub(crate) fn is_seen(args: &ReportArgs) -> bool {
    args.format == Format::Human && io::stdout().is_terminal()
}

/// Whether any of the reports is for a person.
pub(crate) fn is_for_person(args: &ReportArgs) -> bool {
    let mut formats = args.output.iter().map(|(format, _)| format).chain([&args.format]);
    formats.any(|&format| format == Format::Human)
}

/// The colours for what git shows: stdout may be its pager, which takes what a terminal takes.
pub(crate) fn palette_in_git(color: Color) -> Palette {
    let paged =
        env::var_os("GIT_PAGER_IN_USE").is_some_and(|value| value == "true" || value == "1");
    let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || env::var_os("TERM") == Some("dumb".into());
    match color {
        Color::Auto if paged && !plain => Palette::COLOUR,
        color => palette(color),
    }
}

/// The colours for stdout: an option is stronger than the environment, and that is stronger than a guess.
fn palette(color: Color) -> Palette {
    let set = |name| env::var_os(name).is_some_and(|value: OsString| !value.is_empty());
    let coloured = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if set("NO_COLOR") => false,
        Color::Auto
            if set("CLICOLOR_FORCE") && env::var_os("CLICOLOR_FORCE") != Some("0".into()) =>
        {
            true
        }
        Color::Auto => io::stdout().is_terminal() && env::var_os("TERM") != Some("dumb".into()),
    };
    if coloured { Palette::COLOUR } else { Palette::PLAIN }
}

//! Where reports go: stdout, and files that are there in full or not at all.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use ckdiff::report::Palette;
use ckdiff::{Error, ErrorKind};

use crate::args::{Color, Format, ReportArgs};

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
        to_file(path, |out| report(*format, Palette::PLAIN, out).map_err(cannot_write))?;
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
    if path == Path::new("-") { stdout(write) } else { to_file(path, write).map(Some) }
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

fn cannot_write(error: io::Error) -> Error {
    Error::io("write", error)
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

/// Writes a file under another name and moves it into place, so that what was there before is there until then.
fn to_file<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
) -> Result<T, Error> {
    let in_file = |error: Error| error.in_file(path);
    let fail = |error| in_file(cannot_write(error));
    // A link stays one; what it points at is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(path).ok();
    if old.is_some() {
        // What may not be written may not be replaced either; a directory refuses.
        let place = OpenOptions::new().write(true).open(path).map_err(fail)?;
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            // Devices and pipes cannot be replaced.
            let mut out = BufWriter::new(place);
            let done = write(&mut out).map_err(in_file)?;
            return out.flush().map(|()| done).map_err(fail);
        }
    }
    let temporary = beside(path).map_err(fail)?;
    let result = new_file(&temporary, old.as_ref(), write)
        .and_then(|done| fs::rename(&temporary, path).map(|()| done).map_err(cannot_write));
    match result {
        Ok(done) => sync_folder(path).map(|()| done).map_err(fail),
        Err(error) => {
            // The error that counts is told; this one would only hide it.
            let _ = fs::remove_file(&temporary);
            Err(in_file(error))
        }
    }
}

/// A name in the same folder that nobody else takes.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(hidden))
}

/// Writes a new file, with the permissions of the one it will replace.
fn new_file<T>(
    path: &Path,
    old: Option<&Metadata>,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
) -> Result<T, Error> {
    let file = File::create_new(path).map_err(cannot_write)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions()).map_err(cannot_write)?;
    }
    let mut out = BufWriter::with_capacity(64 << 10, file);
    let done = write(&mut out)?;
    let file = out.into_inner().map_err(|error| cannot_write(error.into_error()))?;
    file.sync_all().map(|()| done).map_err(cannot_write)
}

/// Makes the new name last through a crash.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Folders cannot be synced here.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

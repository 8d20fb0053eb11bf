//! Where reports go: stdout, and files that are there in full or not at all.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use ckdiff::Error;
use ckdiff::report::Palette;

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
        to_file(path, |out| report(*format, Palette::PLAIN, out))
            .map_err(|error| Error::io("write", error).in_file(path))?;
    }
    if quiet { Ok(()) } else { to_stdout(|out| report(args.format, palette(args.color), out)) }
}

/// Writes to stdout.
///
/// # Errors
/// When it cannot be written, but for a reader who has gone away.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => {
            result.map_err(|error| Error::io("write", error).in_file(Path::new("standard output")))
        }
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
fn to_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link stays one; what it points at is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        // Devices and pipes cannot be replaced; a directory refuses to be opened.
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(&path)?);
        return write(&mut out).and_then(|()| out.flush());
    }
    let temporary = beside(&path)?;
    let result = new_file(&temporary, write).and_then(|()| fs::rename(&temporary, &path));
    if result.is_err() {
        // The error that counts is told; this one would only hide it.
        let _ = fs::remove_file(&temporary);
        return result;
    }
    sync_folder(&path)
}

/// A name in the same folder that nobody else takes.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(hidden))
}

fn new_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create_new(path)?);
    write(&mut out)?;
    out.into_inner()?.sync_all()
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

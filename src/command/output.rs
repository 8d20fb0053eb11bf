//! Output to stdout and files, and when it is colored.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use crate::artifact::{Artifact, FileKind, Sniffed};
use crate::error::{Error, ErrorKind};
use crate::files::{OpenFile, Replacement, cannot_write, check_writable};
use crate::report::{Format, Palette, ReportOptions};

use crate::command::args::{Color, ReportArgs};
use crate::command::diagnostics::Diagnostics;
use crate::command::interrupt;
use crate::command::step_summary;

/// The numbers of the open files for output.
const STDOUT: u32 = 1;
const STDERR: u32 = 2;

/// Whether a path stands for standard output: `-`, or a path such as `/dev/stdout`. If that is a file, only the part that the shell
/// has opened may be written, so the file is not replaced.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || OpenFile::at(path) == Some(OpenFile::Own(STDOUT))
}

/// Checks that every requested report can be written, before long work.
///
/// # Errors
/// If a file cannot be written or is a model, or two reports go to the same place.
pub(crate) fn check(args: &ReportArgs) -> Result<(), Error> {
    interrupt::install_handler();
    let paths = || args.output.iter().map(|(_, path)| &**path);
    let mut streams = BTreeSet::new();
    for (path, stream) in paths().filter_map(|path| Some((path, stream_of(path)?))) {
        if !streams.insert(stream) {
            return Err(written_twice(path));
        }
    }
    let files = || paths().filter(|path| stream_of(path).is_none());
    check_writable(files())?;
    files().try_for_each(refuse_model)
}

/// Refuses to replace a model by a report: it may be one of those that are compared.
fn refuse_model(path: &Path) -> Result<(), Error> {
    // A path that is not there may still be the prefix of a checkpoint.
    if !path.exists() {
        return Ok(());
    }
    let kind = match Sniffed::of_path(path).kind() {
        // Damaged or not.
        FileKind::Checkpoint { .. }
        | FileKind::CheckpointFile(_)
        | FileKind::ShardFile(_)
        | FileKind::TextIndex(_) => "a checkpoint".to_owned(),
        // Reports have the forms of messages, and are none.
        FileKind::Message(_) => match Artifact::open(path) {
            Ok(message) => message.kind().with_article(),
            Err(_) => return Ok(()),
        },
        _ => return Ok(()),
    };
    let why = format!("it is {kind}, which a report does not replace");
    Err(Error::usage(why).in_file(path))
}

/// The error for two outputs in one file.
fn written_twice(path: &Path) -> Error {
    Error::usage("it is the path of two outputs").in_file(path)
}

/// Writes the report to each requested file and to stdout, each in its format.
///
/// # Errors
/// If a file or stdout cannot be written, or two reports go to the same place; then all existing files are unchanged. A closed pipe
/// is not an error.
pub(crate) fn write(
    args: &ReportArgs,
    quiet: bool,
    report: impl Fn(Format, Look, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let report = &report;
    to_paths(args.output.iter().map(|(format, path)| {
        let look = if is_stdout(path) { Look::stdout(args.color) } else { Look::FILE };
        (&**path, move |out: &mut dyn Write| report(*format, look, out).map_err(cannot_write))
    }))?;
    // A report on stdout replaces the default one.
    let has_default = !quiet && !args.output.iter().any(|(_, path)| is_stdout(path));
    if has_default {
        to_stdout(|out| report(args.format, Look::stdout(args.color), out))?;
    }
    let mut formats = args.output.iter().map(|(format, _)| *format);
    if formats.any(|format| format == Format::GITHUB)
        || (has_default && args.format == Format::GITHUB)
    {
        step_summary::append(|max_bytes, out| {
            report(Format::MARKDOWN, Look { max_bytes: Some(max_bytes), ..Look::FILE }, out)
        });
    }
    Ok(())
}

/// How a report for people looks at its destination.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// The colors.
    pub(crate) palette: Palette,
    /// The width of the terminal, if it is one.
    pub(crate) columns: Option<usize>,
    /// The limit of a page of Markdown, if it is not that of a comment.
    max_bytes: Option<usize>,
}

impl Look {
    const FILE: Self = Self { palette: Palette::PLAIN, columns: None, max_bytes: None };

    fn stdout(color: Color) -> Self {
        let size = terminal_size::terminal_size_of(io::stdout());
        let columns = size.map(|(width, _)| match usize::from(width.0) {
            0 => unknown_width(),
            columns => columns,
        });
        Self { palette: palette(color), columns, max_bytes: None }
    }

    /// The options of a report with at most `max_rows` rows of each list; without a number, 20 on a terminal, and all elsewhere.
    pub(crate) fn options(self, max_rows: Option<usize>) -> ReportOptions {
        const ON_TERMINAL: usize = 20;
        let Self { palette, columns, max_bytes } = self;
        let default = if columns.is_some() { ON_TERMINAL } else { usize::MAX };
        let defaults = ReportOptions::default();
        ReportOptions {
            palette,
            columns,
            max_rows: max_rows.unwrap_or(default),
            max_bytes: max_bytes.unwrap_or(defaults.max_bytes),
            ..defaults
        }
    }
}

/// The width of a terminal that does not know it: that of `COLUMNS`, else 80.
fn unknown_width() -> usize {
    const COMMON: usize = 80;
    let columns = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.filter(|&columns| columns > 0).unwrap_or(COMMON)
}

/// Writes to stdout.
///
/// # Errors
/// If stdout cannot be written. A closed pipe is not an error.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    stdout(|out| write(out).map_err(cannot_write)).map(drop)
}

/// Refuses to write a file that exists, unless it may be replaced.
///
/// # Errors
/// If the file exists, is not stdout, and `overwrite` is not set.
pub(crate) fn refuse_existing(path: &Path, overwrite: bool) -> Result<(), Error> {
    match !overwrite && !is_stdout(path) && path.exists() {
        true => Err(Error::usage("it exists; --overwrite replaces it").in_file(path)),
        false => Ok(()),
    }
}

/// Writes to the file at `path`, or to stdout for `-`. Returns the result of `write`, or `None` if the pipe was closed.
///
/// # Errors
/// The errors of `write`, and when the output cannot be written; then an existing file is unchanged.
pub(crate) fn to_path<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    to_paths([(path, write)]).map(|done| done.into_iter().next())
}

/// Writes to the file at each path, or to stdout for `-`, with its own function; to files first. Returns the results of the
/// functions, without that of a closed pipe.
///
/// # Errors
/// The errors of the functions, and when a file cannot be written or two outputs are one file; then all existing files are
/// unchanged, and a file that cannot be created leaves stdout empty.
pub(crate) fn to_paths<'p, T>(
    outputs: impl IntoIterator<Item = (&'p Path, impl FnOnce(&mut dyn Write) -> Result<T, Error>)>,
) -> Result<Vec<T>, Error> {
    interrupt::install_handler();
    let mut files = Replacement::default();
    let mut done = Vec::new();
    let mut streams = BTreeMap::new();
    for (path, write) in outputs {
        match stream_of(path) {
            None => done.push(files.write(path, write)?),
            Some(stream) => {
                if streams.insert(stream, write).is_some() {
                    return Err(written_twice(path));
                }
            }
        }
    }
    for (stream, write) in streams {
        match stream {
            STDERR => done.push(stderr(write)?),
            _ => done.extend(stdout(write)?),
        }
    }
    files.publish()?;
    Ok(done)
}

/// The number of the open file that a path stands for: stdout or stderr.
fn stream_of(path: &Path) -> Option<u32> {
    match OpenFile::at(path) {
        _ if is_stdout(path) => Some(STDOUT),
        Some(OpenFile::Own(STDERR)) => Some(STDERR),
        _ => None,
    }
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

fn stderr<T>(write: impl FnOnce(&mut dyn Write) -> Result<T, Error>) -> Result<T, Error> {
    let mut out = BufWriter::new(io::stderr().lock());
    let written = write(&mut out).and_then(|done| out.flush().map(|()| done).map_err(cannot_write));
    written.map_err(|error| error.in_file(Path::new("standard error")))
}

/// Prints errors on stderr, unless a person sees them in the report on a terminal.
pub(crate) fn print_unseen<'e>(
    command: &str,
    args: &ReportArgs,
    quiet: bool,
    errors: impl IntoIterator<Item = &'e Error>,
) {
    if quiet || !args.format.is_for_people || !io::stdout().is_terminal() {
        errors.into_iter().cloned().collect::<Diagnostics>().print(command);
    }
}

/// The formats of the reports.
pub(crate) fn formats(args: &ReportArgs, quiet: bool) -> impl Iterator<Item = &Format> {
    let on_stdout = (!quiet).then_some(&args.format);
    args.output.iter().map(|(format, _)| format).chain(on_stdout)
}

/// The colors for output to git: stdout may be git's pager, which accepts what a terminal accepts.
pub(crate) fn palette_in_git(color: Color) -> Palette {
    let paged =
        env::var_os("GIT_PAGER_IN_USE").is_some_and(|value| value == "true" || value == "1");
    let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || env::var_os("TERM") == Some("dumb".into());
    match color {
        Color::Auto if paged && !plain => Palette::COLOR,
        color => palette(color),
    }
}

/// The colors for stdout: the option decides, else the environment, else whether stdout is a terminal.
fn palette(color: Color) -> Palette {
    let set = |name| env::var_os(name).is_some_and(|value: OsString| !value.is_empty());
    let colored = match color {
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
    if colored { Palette::COLOR } else { Palette::PLAIN }
}

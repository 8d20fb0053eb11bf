//! The summary of a step of GitHub Actions: a file to which every program of the step may append Markdown.

use std::env;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::command::diagnostics::warn;

/// The variable with the path of the file.
const VARIABLE: &str = "GITHUB_STEP_SUMMARY";

/// The most bytes of a summary; GitHub drops one of more than a mebibyte.
const MOST: u64 = 1_000_000;

/// The fewest bytes that are worth adding.
const FEWEST: u64 = 1_000;

/// Appends what `write` writes to the summary of the running step, if there is one. The argument of `write` is the number of bytes that it
/// may write.
///
/// A summary that cannot be written is a warning, since the report is elsewhere, too. What was written of it is removed again.
pub(crate) fn append(write: impl FnOnce(usize, &mut dyn Write) -> io::Result<()>) {
    let path = env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(path) = path
        && let Err(why) = append_to(&path, write)
    {
        warn(&format!("{VARIABLE}: {}: cannot append the summary: {why}", path.display()));
    }
}

fn append_to(
    path: &Path,
    write: impl FnOnce(usize, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let before = file.metadata()?;
    let left = MOST.saturating_sub(before.len());
    if left < FEWEST {
        let why = format!("it has {} bytes, of which GitHub shows {MOST}", before.len());
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    // The summary of another program may end inside a line.
    let mut page = Vec::from(*b"\n");
    write(usize::try_from(left).unwrap_or(usize::MAX) - 1, &mut page)?;
    let written = file.write_all(&page);
    if written.is_err() && before.is_file() {
        shorten(&file, before.len());
    }
    written
}

/// Removes what was written of a summary.
fn shorten(file: &File, len: u64) {
    // If the system refuses, the first part of a page remains.
    let _ = file.set_len(len);
}

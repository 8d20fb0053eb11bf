//! `ckdiff textconv FILE`: prints a file as text that git can compare, cache, and blame line by line.
//!
//! ```text
//! NAME  DTYPE  SHAPE  DIGEST     for each tensor
//! ```
//! DIGEST is the checksum in the index, `crc32c:…`, which needs no data; for a sliced tensor `slices:…`, a hash of the
//! checksums of its slices; for a format without checksums, the SHA-256 of the content. The text does not depend on the path
//! of the file.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;

use crate::bytes::{File, hex};
use crate::checkpoint::{Checkpoint, Entry, ListedTensor, Listing};
use crate::error::Error;
use crate::progress::Silent;
use crate::report::human::printable;
use crate::text::{self, PrintOptions, Style, UnknownFields};
use sha2::{Digest, Sha256};

use crate::command::Exit;
use crate::command::args::TextconvArgs;
use crate::command::diagnostics::Diagnostics;
use crate::command::git_file::{ContentDigest, GitFile, without_name};
use crate::command::output;

/// Prints the content of a file as text. An error in the content is a line of the text, because git stops at an error.
///
/// # Errors
/// If the file does not exist, or the text cannot be written.
pub(crate) fn run(args: &TextconvArgs) -> Result<Exit, Diagnostics> {
    let path = &args.file;
    if path.is_dir() {
        let why = "expected a file, found a directory";
        return Err(Error::usage(why).in_file(path).into());
    }
    // The text must not depend on git's temporary path.
    let name = path.file_name().map_or(path.as_path(), Path::new);
    let file = GitFile::read(path, name)?;
    output::to_stdout(|out| match &file {
        GitFile::Pointer(_) | GitFile::Text(_) => lines(path, out),
        GitFile::Shard(content) => writeln!(out, "binary shard, {}", described(content)),
        GitFile::Unreadable(error, content) => {
            writeln!(out, "unreadable: {} ({})", without_name(error, name), described(content))
        }
        GitFile::Artifact(artifact) => match (artifact.checkpoint(), artifact.message()) {
            (Some(checkpoint), _) => tensors(checkpoint, name, out),
            (None, Some(document)) => {
                let mut options = PrintOptions::new(Style::TensorFlow);
                options.unknown_fields = UnknownFields::ByNumber;
                options.printable = true;
                text::print(document.message(), &options, out)?;
                Ok(())
            }
            (None, None) => Ok(()),
        },
    })?;
    Ok(Exit::Same)
}

/// Prints the lines of a text.
fn lines(path: &Path, out: &mut dyn Write) -> io::Result<()> {
    let file = Arc::new(File::open(path).map_err(io::Error::other)?);
    for line in BufReader::new(file.reader(0)).split(b'\n') {
        writeln!(out, "{}", printable(&String::from_utf8_lossy(&line?)))?;
    }
    Ok(())
}

fn described(content: &ContentDigest) -> String {
    format!("{} bytes, sha256:{}", content.bytes, content.sha256)
}

fn tensors(checkpoint: &Checkpoint, name: &Path, out: &mut dyn Write) -> io::Result<()> {
    let entries: Vec<&Entry> = checkpoint.tensors().collect();
    let stored: Vec<Option<String>> = entries.iter().map(|entry| stored(entry)).collect();
    let listing = if stored.iter().all(Option::is_some) {
        Listing::new(checkpoint, |_| true)
    } else {
        Listing::with_digests(checkpoint, |_| true, 0, &Silent)
    };
    for error in &listing.damage {
        writeln!(out, "damaged: {}", without_name(error, name))?;
    }
    for (row, stored) in listing.tensors.iter().zip(stored) {
        writeln!(out, "{}", line(row, stored, name))?;
    }
    Ok(())
}

fn line(row: &ListedTensor, stored: Option<String>, name: &Path) -> String {
    let tensor = row.name.printable();
    let facts = row.facts.as_ref().map(|facts| format!("  {}  {}", facts.dtype, facts.shape));
    let facts = facts.unwrap_or_default();
    let digest = match (&row.error, stored, &row.sha256) {
        (Some(error), ..) => {
            format!("unreadable: {}", without_name(&error.clone().without_tensor(), name))
        }
        (None, Some(stored), _) => stored,
        (None, None, Some(sha256)) => format!("sha256:{sha256}"),
        (None, None, None) => "unknown".into(),
    };
    format!("{tensor}{facts}  {digest}")
}

/// The checksum that the index stores for a tensor's content; `None` if it stores none, and "" if the entry is unreadable.
fn stored(entry: &Entry) -> Option<String> {
    let Ok(source) = &entry.source else {
        return Some(String::new());
    };
    let stored = source.stored_checksums()?;
    if let [only] = &*stored.checksums {
        return Some(format!("{}:{:08x}", only.kind(), only.value()));
    }
    let mut sha256 = Sha256::new();
    sha256.update(&stored.layout);
    for checksum in &stored.checksums {
        sha256.update(checksum.len().to_le_bytes());
        sha256.update(checksum.value().to_le_bytes());
    }
    Some(format!("slices:{:.16}", hex(sha256.finalize())))
}

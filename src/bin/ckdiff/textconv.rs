//! `ckdiff textconv FILE`: a file as text that git can compare, keep, and blame line by line.
//!
//! ```text
//! NAME  DTYPE  SHAPE  DIGEST     for each tensor
//! ```
//! The digest of a tensor is the checksum that an index has for it, `crc32c:…`, which is at hand without the data; of
//! one in slices `slices:…`, made of theirs. A V1 file has none, and gives the SHA-256 of the content. The text is the same
//! wherever the file lies, and git may cache it.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use ckdiff::checkpoint::{Checkpoint, Entry};
use ckdiff::progress::Silent;
use ckdiff::report::{Listing, Row};
use ckdiff::text::{self, PrintOptions, Style, UnknownFields};
use ckdiff::{Error, ErrorKind};
use sha2::{Digest, Sha256};

use crate::Exit;
use crate::args::TextconvArgs;
use crate::blob::{Blob, Content, without_name};
use crate::output;
use crate::trouble::Trouble;

/// Prints what is in a file. What cannot be read is a line of the text: at an error, git would stop its own work.
///
/// # Errors
/// When there is no such file, or the text cannot be written.
pub(crate) fn run(args: &TextconvArgs) -> Result<Exit, Trouble> {
    let path = &args.file;
    if path.is_dir() {
        let kind = "this is a directory; a file is needed".into();
        return Err(Error::from(ErrorKind::Usage(kind)).in_file(path).into());
    }
    // Where git has put the file is not for the text.
    let name = path.file_name().map_or(path.as_path(), Path::new);
    let blob = Blob::read(path, name)?;
    output::to_stdout(|out| match &blob {
        Blob::Pointer(_) => out.write_all(&fs::read(path)?),
        Blob::Shard(content) => writeln!(out, "binary shard, {}", told(content)),
        Blob::Unread(error, content) => {
            writeln!(out, "unreadable: {} ({})", without_name(error, name), told(content))
        }
        Blob::Model(artifact) => match (artifact.checkpoint(), artifact.message()) {
            (Some(checkpoint), _) => tensors(checkpoint, name, out),
            (None, Some(document)) => {
                let mut options = PrintOptions::new(Style::TensorFlow);
                options.unknown_fields = UnknownFields::ByNumber;
                text::print(document.message(), &options, out)?;
                Ok(())
            }
            (None, None) => Ok(()),
        },
    })?;
    Ok(Exit::Same)
}

fn told(content: &Content) -> String {
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

fn line(row: &Row, stored: Option<String>, name: &Path) -> String {
    let tensor = row.name.printable();
    let facts = row.facts.as_ref().map(|facts| format!("  {}  {}", facts.dtype, facts.shape));
    let facts = facts.unwrap_or_default();
    let digest = match (&row.error, stored, &row.sha256) {
        (Some(error), ..) => {
            let said = without_name(error, name);
            let said = said.replace(&format!("tensor {tensor}: "), "");
            format!("unreadable: {said}")
        }
        (None, Some(stored), _) => stored,
        (None, None, Some(sha256)) => format!("sha256:{sha256}"),
        (None, None, None) => "unknown".into(),
    };
    format!("{tensor}{facts}  {digest}")
}

/// What the index says of a tensor's content; nothing where it says nothing, and of what cannot be read "".
fn stored(entry: &Entry) -> Option<String> {
    /// The size and the checksum of content in one piece.
    const ONE: usize = 12;
    let Ok(source) = &entry.source else {
        return Some(String::new());
    };
    let fingerprint = source.fingerprint()?;
    let sums = &fingerprint.checksums;
    if let (ONE, Some(crc32c)) = (sums.len(), sums.last_chunk::<4>()) {
        return Some(format!("crc32c:{:08x}", u32::from_le_bytes(*crc32c)));
    }
    let mut sha256 = Sha256::new();
    sha256.update(&fingerprint.layout);
    sha256.update(sums);
    let hash = sha256.finalize();
    let hex: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Some(format!("slices:{hex}"))
}

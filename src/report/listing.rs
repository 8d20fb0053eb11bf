//! What is in a checkpoint.

use std::fmt::Write as _;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::checkpoint::{Checkpoint, Entry};
use crate::diff::Facts;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::tensor::{Kind, Name, TensorSource};
use crate::tensor::{in_parallel, read_through};

/// The tensors of a checkpoint, and what is damaged in it.
#[derive(Debug, Clone)]
pub struct Listing {
    /// As the user gave it.
    pub path: PathBuf,
    /// What it is, as in `checkpoint`.
    pub kind: &'static str,
    /// Its format, as in `V2`.
    pub format: &'static str,
    /// Pairs of texts that a program noted beside the tensors.
    pub metadata: Vec<(String, String)>,
    /// The tensors, by name.
    pub tensors: Vec<Row>,
    /// Damage that belongs to no one tensor.
    pub damage: Vec<Error>,
}

/// A tensor in a listing.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub name: Name,
    /// Its type and shape, where they can be read.
    pub facts: Option<Facts>,
    /// Bytes it takes in its file.
    pub bytes: Option<u64>,
    /// The SHA-256 of its content, in hexadecimal, where that was asked for.
    pub sha256: Option<String>,
    /// Why it cannot be read.
    pub error: Option<Error>,
}

impl Listing {
    /// Lists the tensors that `takes` lets through; their content is not read.
    pub fn new(checkpoint: &Checkpoint, takes: impl Fn(&Name) -> bool) -> Self {
        Self::of(checkpoint, takes, |entries| entries.iter().map(|entry| Row::new(entry)).collect())
    }

    /// Lists all tensors, and of which the content cannot be there: its file is missing or cut. Of the content itself no
    /// more than the lengths of strings is read.
    pub fn with_presence(checkpoint: &Checkpoint) -> Self {
        let row = |entry: &&Entry| Row::new(entry).with_presence(entry);
        Self::of(checkpoint, |_| true, |entries| entries.iter().map(row).collect())
    }

    /// Lists the tensors that `takes` lets through, with digests of their content, read on `threads` threads.
    pub fn with_digests(
        checkpoint: &Checkpoint,
        takes: impl Fn(&Name) -> bool,
        threads: usize,
        progress: &dyn Progress,
    ) -> Self {
        Self::of(checkpoint, takes, |entries| {
            let sources = entries.iter().filter_map(|entry| entry.source.as_ref().ok());
            progress
                .total(sources.fold(0, |sum, source| source.stored_bytes().saturating_add(sum)));
            in_parallel(entries, threads, |entry| Row::new(entry).with_digest(entry, progress))
        })
    }

    fn of(
        checkpoint: &Checkpoint,
        takes: impl Fn(&Name) -> bool,
        rows: impl FnOnce(&[&Entry]) -> Vec<Row>,
    ) -> Self {
        let entries: Vec<&Entry> =
            checkpoint.tensors().filter(|entry| takes(&entry.name)).collect();
        Self {
            path: checkpoint.path().to_path_buf(),
            kind: "checkpoint",
            format: checkpoint.format().name(),
            metadata: checkpoint.metadata().to_vec(),
            tensors: rows(&entries),
            damage: checkpoint.damage().to_vec(),
        }
    }

    /// Whether everything could be read.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty() && self.tensors.iter().all(|row| row.error.is_none())
    }

    /// Elements of all tensors but those of bytes.
    pub fn parameters(&self) -> u64 {
        let facts = self.tensors.iter().filter_map(|row| row.facts.as_ref());
        let numbers = facts.filter(|facts| facts.dtype.kind() != Kind::Bytes);
        numbers.map(|facts| facts.shape.elements()).fold(0, u64::saturating_add)
    }

    /// Bytes of all tensors.
    pub fn bytes(&self) -> u64 {
        self.tensors.iter().filter_map(|row| row.bytes).fold(0, u64::saturating_add)
    }
}

impl Row {
    fn new(entry: &Entry) -> Self {
        let source = entry.source.as_ref();
        let facts = |source: &dyn TensorSource| Facts {
            dtype: source.dtype(),
            shape: source.shape().clone(),
        };
        Self {
            name: entry.name.clone(),
            facts: source.ok().map(|source| facts(&**source)),
            bytes: source.ok().map(|source| source.stored_bytes()),
            sha256: None,
            error: source.err().map(|error| error.clone().of_tensor(&entry.name)),
        }
    }

    fn with_presence(mut self, entry: &Entry) -> Self {
        if let Ok(source) = &entry.source {
            self.error = presence(&**source).err().map(|error| error.of_tensor(&entry.name));
        }
        self
    }

    fn with_digest(mut self, entry: &Entry, progress: &dyn Progress) -> Self {
        if let Ok(source) = &entry.source {
            match digest(&**source, progress) {
                Ok(digest) => self.sha256 = Some(digest),
                Err(error) => self.error = Some(error.of_tensor(&entry.name)),
            }
        }
        self
    }
}

/// Whether there can be content: the files are there, and long enough.
fn presence(source: &dyn TensorSource) -> Result<()> {
    match source.parts().as_slice() {
        [] => source.stream().map(drop),
        parts => parts.iter().try_for_each(|(_, part)| presence(*part)),
    }
}

fn digest(source: &dyn TensorSource, progress: &dyn Progress) -> Result<String> {
    let mut sha256 = Sha256::new();
    read_through(source, progress, |bytes| {
        sha256.update(bytes);
        Ok(())
    })?;
    let mut hex = String::new();
    for byte in sha256.finalize() {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    Ok(hex)
}

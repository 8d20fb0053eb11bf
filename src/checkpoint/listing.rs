//! The listing of a checkpoint.

use std::path::PathBuf;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::bytes::hex;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::serial;
use crate::tensor::{Facts, Kind, Name, TensorSource, in_parallel, read_through};

use super::{Checkpoint, Entry};

/// The tensors of a checkpoint, and its damage.
#[derive(Debug, Clone)]
pub struct Listing {
    /// As the user gave it.
    pub path: PathBuf,
    /// Its format, such as `V2`.
    pub format: &'static str,
    /// The metadata of its files: pairs of a key and a value.
    pub metadata: Vec<(String, String)>,
    /// The tensors, by name.
    pub tensors: Vec<ListedTensor>,
    /// Damage that does not belong to a single tensor.
    pub damage: Vec<Error>,
}

/// A tensor in a listing.
#[derive(Debug, Clone)]
pub struct ListedTensor {
    /// Its name.
    pub name: Name,
    /// Its dtype and shape; `None` where they cannot be read.
    pub facts: Option<Facts>,
    /// Its size in the file.
    pub bytes: Option<u64>,
    /// The SHA-256 of its content, in hexadecimal, if requested.
    pub sha256: Option<String>,
    /// Why it cannot be read.
    pub error: Option<Error>,
}

impl Serialize for ListedTensor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serial::name(&mut map, "name", Some(&self.name))?;
        map.serialize_entry("dtype", &self.facts.as_ref().map(|facts| facts.dtype))?;
        map.serialize_entry("shape", &self.facts.as_ref().map(|facts| &facts.shape))?;
        map.serialize_entry("bytes", &self.bytes)?;
        if let Some(sha256) = &self.sha256 {
            map.serialize_entry("sha256", sha256)?;
        }
        if let Some(error) = &self.error {
            map.serialize_entry("error", error)?;
        }
        map.end()
    }
}

impl Listing {
    /// Lists the tensors that `accepts` selects, without reading their content.
    pub fn new(checkpoint: &Checkpoint, accepts: impl Fn(&Name) -> bool) -> Self {
        Self::of(checkpoint, accepts, |entries| {
            entries.iter().map(|entry| ListedTensor::new(entry)).collect()
        })
    }

    /// Lists all tensors, with an error for each whose content is missing, because its file is missing or truncated. Of the
    /// content, only the lengths of strings are read.
    pub fn with_presence(checkpoint: &Checkpoint) -> Self {
        let row = |entry: &&Entry| ListedTensor::new(entry).with_presence(entry);
        Self::of(checkpoint, |_| true, |entries| entries.iter().map(row).collect())
    }

    /// Lists the tensors that `accepts` selects, with digests of their content, which is read on `threads` threads.
    pub fn with_digests(
        checkpoint: &Checkpoint,
        accepts: impl Fn(&Name) -> bool,
        threads: usize,
        progress: &dyn Progress,
    ) -> Self {
        Self::of(checkpoint, accepts, |entries| {
            let sources = entries.iter().filter_map(|entry| entry.source.as_ref().ok());
            progress
                .total(sources.fold(0, |sum, source| source.stored_bytes().saturating_add(sum)));
            in_parallel(entries, threads, |entry| {
                ListedTensor::new(entry).with_digest(entry, progress)
            })
        })
    }

    fn of(
        checkpoint: &Checkpoint,
        accepts: impl Fn(&Name) -> bool,
        rows: impl FnOnce(&[&Entry]) -> Vec<ListedTensor>,
    ) -> Self {
        let entries: Vec<&Entry> =
            checkpoint.tensors().filter(|entry| accepts(&entry.name)).collect();
        Self {
            path: checkpoint.path().to_path_buf(),
            format: checkpoint.format().name,
            metadata: checkpoint.metadata().to_vec(),
            tensors: rows(&entries),
            damage: checkpoint.damage().to_vec(),
        }
    }

    /// Every error: first the damage, then the errors of tensors.
    pub fn errors(&self) -> impl Iterator<Item = &Error> {
        self.damage.iter().chain(self.tensors.iter().filter_map(|row| row.error.as_ref()))
    }

    /// The number of elements of all tensors, except those of bytes.
    pub fn parameters(&self) -> u64 {
        let facts = self.tensors.iter().filter_map(|row| row.facts.as_ref());
        let numbers = facts.filter(|facts| facts.dtype.kind() != Kind::Bytes);
        numbers.map(|facts| facts.shape.elements()).fold(0, u64::saturating_add)
    }

    /// The size of all tensors.
    pub fn bytes(&self) -> u64 {
        self.tensors.iter().filter_map(|row| row.bytes).fold(0, u64::saturating_add)
    }
}

impl ListedTensor {
    fn new(entry: &Entry) -> Self {
        let stored = entry.whole_or_slices().ok();
        let error = entry.source.as_ref().err();
        Self {
            name: entry.name.clone(),
            facts: stored.map(Facts::of),
            bytes: stored.map(TensorSource::stored_bytes),
            sha256: None,
            error: error.map(|error| error.clone().of_tensor(&entry.name)),
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

/// Checks that the files of the content exist and are long enough.
fn presence(source: &dyn TensorSource) -> Result<()> {
    match source.slices().as_slice() {
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
    Ok(hex(sha256.finalize()))
}

//! What identifies the content of a checkpoint without reading it.

use sha2::{Digest, Sha256};

use super::Checkpoint;
use crate::bytes::hex;

impl Checkpoint {
    /// A digest of the names, sizes and modification times of the files, and of the name, dtype, shape and stored checksums of each
    /// tensor. Whoever changes the content changes one of them. The directory does not count: it may be moved.
    pub(crate) fn fingerprint(&self) -> String {
        let mut digest = Sha256::new();
        let mut add = |part: &[u8]| {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        };
        add(self.format().name.as_bytes());
        for file in self.files() {
            add(file.file_name().unwrap_or_default().as_encoded_bytes());
            let metadata = file.metadata();
            let len = metadata.as_ref().map_or(0, |metadata| metadata.len());
            let time = metadata.and_then(|metadata| metadata.modified()).ok();
            let since = time.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            add(&len.to_le_bytes());
            add(&since.map_or(0, |since| since.as_nanos()).to_le_bytes());
        }
        for entry in self.tensors() {
            add(entry.name.as_bytes());
            let Ok(source) = &entry.source else {
                add(b"unreadable");
                continue;
            };
            add(&source.dtype().code().to_le_bytes());
            source.shape().dims().iter().for_each(|dim| add(&dim.to_le_bytes()));
            let stored = source.stored_checksums().unwrap_or_default();
            add(&stored.layout);
            for checksum in stored.checksums {
                add(checksum.kind().name().as_bytes());
                add(&checksum.value().to_le_bytes());
                add(&checksum.len().to_le_bytes());
            }
        }
        hex(digest.finalize())
    }
}

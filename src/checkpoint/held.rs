//! A checkpoint whose content is in memory, to be compared many times.

use super::Checkpoint;
use crate::bytes::{File, ReadAt};
use crate::tensor::{Tensor, TensorSource, in_parallel};

impl Checkpoint {
    /// The sizes of all tensors together.
    pub(crate) fn stored_bytes(&self) -> u64 {
        let sources = self.tensors().filter_map(|entry| entry.source.as_ref().ok());
        sources.fold(0, |sum, source| source.stored_bytes().saturating_add(sum))
    }

    /// Asks the system to read the files ahead of time, as far as they have at most `most_bytes` together.
    pub(crate) fn read_ahead(&self, most_bytes: u64) {
        let mut left = most_bytes;
        for file in self.files().iter().filter_map(|path| File::open(path).ok()) {
            file.read_ahead(left);
            left = left.saturating_sub(file.len());
        }
    }

    /// Reads tensors into memory, in the order of their names, as long as they take at most `most_bytes` together, and verifies their
    /// checksums. The others are still read from their files, as are strings, whose size in memory is not that in the file. A
    /// tensor that cannot be read has that error from then on.
    pub(crate) fn hold(&mut self, most_bytes: u64, threads: usize) {
        if !self.has_data() {
            return;
        }
        let mut left = most_bytes;
        let mut sources: Vec<Option<&dyn TensorSource>> = Vec::new();
        for entry in self.tensors() {
            let source = entry.source.as_deref().ok();
            let fits = |source: &&dyn TensorSource| {
                source.dtype().size().is_some() && source.stored_bytes() <= left
            };
            let source = source.filter(fits);
            left -= source.map_or(0, TensorSource::stored_bytes);
            sources.push(source);
        }
        let read = in_parallel(&sources, threads, |source| source.map(Tensor::read_exactly));
        for (entry, read) in self.tensors_mut().zip(read) {
            match read {
                Some(Ok(tensor)) => entry.source = Ok(Box::new(tensor)),
                Some(Err(error)) => entry.source = Err(error.of_tensor(&entry.name)),
                None => {}
            }
        }
    }
}

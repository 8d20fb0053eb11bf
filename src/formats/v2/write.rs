//! Writes a V2 checkpoint: the shards, then the index.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::path::Path;

use crate::bytes::Crc32c;
use crate::error::{Error, Result};
use crate::files::{CompleteFile, NewFile, cannot_write};
use crate::progress::Progress;
use crate::tensor::{Name, Slice};

use super::super::stored_tensor::{self, StoredTensor, shard_count};
use super::super::{shard_name, slice_key};
use super::encode;
use super::entry::{BundleEntry, ByteOrder, write_index};
use super::path::{data_of, index_of};

/// See [`Format`](super::super::Format).
pub(super) fn write(
    shards: &[stored_tensor::Shard<'_>],
    _metadata: &[(String, String)],
    path: &Path,
    progress: &dyn Progress,
) -> Result<Vec<CompleteFile>> {
    let count = shard_count(shards.len())?;
    let mut files = Vec::with_capacity(shards.len() + 1);
    let mut entries = BTreeMap::new();
    for (number, tensors) in (0..count).zip(shards) {
        let place = shard_name::shard(&data_of(path), number, count);
        let mut shard = Shard { number, offset: 0, file: NewFile::create(&place)?, progress };
        for tensor in tensors {
            let written = shard.write(tensor, &mut entries);
            written.map_err(|error| error.of_tensor(&tensor.name).in_file(&place))?;
        }
        files.push(shard.file.complete()?);
    }
    let place = index_of(path);
    let index = write_index(count, ByteOrder::Little, &entries, NewFile::create(&place)?);
    files.push(index.map_err(|error| cannot_write(error).in_file(&place))?.complete()?);
    Ok(files)
}

/// A shard that is being written.
struct Shard<'a> {
    number: u32,
    offset: u64,
    file: NewFile,
    progress: &'a dyn Progress,
}

impl Shard<'_> {
    /// Writes the content of `tensor`, and adds its entry.
    fn write(
        &mut self,
        tensor: &StoredTensor<'_>,
        entries: &mut BTreeMap<Vec<u8>, BundleEntry>,
    ) -> Result<()> {
        let written = encode::write(tensor.source, &mut self.file, self.progress)?;
        let entry = BundleEntry {
            dtype: tensor.source.dtype(),
            shape: tensor.source.shape().clone(),
            shard: self.number,
            offset: self.offset,
            size: written.bytes,
            crc32c: written.crc32c,
            slices: Vec::new(),
        };
        self.offset += written.bytes;
        let name = tensor.name.as_bytes();
        // A slice that covers its tensor is stored as a whole tensor.
        let slice = tensor.slice.as_ref().filter(|slice| *slice.shape() != tensor.shape);
        let key = match slice {
            None => name.to_vec(),
            Some(slice) => {
                self.list(tensor, slice, entries)?;
                let mut key = Vec::new();
                slice_key::write(name, slice.given_extents(), &mut key);
                key
            }
        };
        match entries.entry(key) {
            MapEntry::Occupied(known) => Err(duplicate(known.key())),
            MapEntry::Vacant(place) => {
                place.insert(entry);
                Ok(())
            }
        }
    }

    /// Adds a slice to the list in the entry of its tensor.
    fn list(
        &self,
        tensor: &StoredTensor<'_>,
        slice: &Slice,
        entries: &mut BTreeMap<Vec<u8>, BundleEntry>,
    ) -> Result<()> {
        let listed = slice.given_extents().into();
        match entries.entry(tensor.name.as_bytes().to_vec()) {
            MapEntry::Occupied(whole) if whole.get().slices.is_empty() => {
                return Err(duplicate(whole.key()));
            }
            MapEntry::Occupied(mut whole) => whole.get_mut().slices.push(listed),
            MapEntry::Vacant(place) => {
                place.insert(BundleEntry {
                    dtype: tensor.source.dtype(),
                    shape: tensor.shape.clone(),
                    // The shard of the first slice, as in checkpoints that TensorFlow merged.
                    shard: self.number,
                    offset: 0,
                    size: 0,
                    crc32c: Crc32c::unmask(0),
                    slices: vec![listed],
                });
            }
        }
        Ok(())
    }
}

/// A name may equal the key of a slice, and empty slices may be equal.
fn duplicate(key: &[u8]) -> Error {
    Error::duplicate("key", Name::from(key).printable())
}

//! Writes a checkpoint: each file with a header, followed by the content of its tensors.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

use serde::{Serialize, Serializer};

use crate::error::{Error, Remedy, Result};
use crate::files::{CompleteFile, NewFile, cannot_write};
use crate::progress::Progress;
use crate::tensor::{TensorSource, read_through};

use super::super::stored_tensor::{Shard, StoredTensor, shard_count};
use super::header::{MAX_BYTES, METADATA};
use super::path;
use super::types::{TYPES, Type};

/// See [`Writer`](super::super::format::Writer).
///
/// # Errors
/// If a tensor cannot be stored, before anything is written, or if something cannot be read or written.
pub(super) fn write(
    shards: &[Shard<'_>],
    metadata: &[(String, String)],
    path: &Path,
    progress: &dyn Progress,
) -> Result<Vec<CompleteFile>> {
    let count = shard_count(shards.len())?;
    let opened = path::open_path(path, shards.len());
    let mut keys = BTreeSet::new();
    let metadata: Vec<_> = metadata.iter().filter(|(key, _)| keys.insert(key)).collect();
    let mut seen = BTreeSet::new();
    let mut files = Vec::with_capacity(shards.len());
    for tensors in shards {
        // A tensor in slices belongs to the shard of its first slice.
        let first = tensors.iter().filter(|tensor| seen.insert(&tensor.name));
        let tensors = first.map(|tensor| {
            let stored = Stored::new(tensor);
            stored.map_err(|error| error.of_tensor(&tensor.name).in_file(&opened))
        });
        files.push(File::new(tensors.collect::<Result<_>>()?, &metadata)?);
    }
    let mut complete = Vec::with_capacity(files.len() + 1);
    for (number, file) in (1..).zip(&files) {
        let place = path::shard_of(path, number, count);
        complete.push(file.write(&place, progress).map_err(|error| error.in_file(&place))?);
    }
    if files.len() > 1 {
        complete.push(index(&files, path, count).map_err(|error| error.in_file(&opened))?);
    }
    Ok(complete)
}

/// A tensor that is to be written.
struct Stored<'a> {
    name: &'a str,
    source: &'a dyn TensorSource,
    /// The position of `ty` in [`TYPES`].
    position: usize,
    ty: &'static Type,
    bytes: u64,
}

impl<'a> Stored<'a> {
    /// The stored form of a whole tensor.
    ///
    /// # Errors
    /// If the format cannot store the tensor.
    fn new(tensor: &'a StoredTensor<'_>) -> Result<Self> {
        let refused = |kind: String| Error::unsupported(kind);
        let name = tensor.name.as_str();
        let name = name.ok_or_else(|| refused("safetensors needs names in UTF-8".into()))?;
        if name == METADATA {
            return Err(refused("safetensors has this name for its metadata".into()));
        }
        let source =
            tensor.whole.ok_or_else(|| refused("safetensors cannot store slices".into()))?;
        let (dtype, elements) = (source.dtype(), source.shape().elements());
        let known = TYPES.iter().enumerate().find(|(_, ty)| ty.dtype == Some(dtype));
        let (position, ty) = known.ok_or_else(|| {
            refused(format!("safetensors has no type for {dtype}"))
                .avoided_by(Remedy::ExcludeTensor)
        })?;
        let bits = elements.checked_mul(ty.bits).filter(|bits| bits % 8 == 0);
        let bits = bits.ok_or_else(|| {
            let what = format!("safetensors stores {dtype} in whole bytes");
            refused(format!("{what}, which {elements} elements do not fill"))
        })?;
        Ok(Self { name, source, position, ty, bytes: bits / 8 })
    }

    /// Writes the content.
    fn write(&self, out: &mut NewFile, progress: &dyn Progress) -> Result<()> {
        let mut written = 0;
        read_through(self.source, progress, |elements| {
            let packed: Vec<u8>;
            let bytes = if self.ty.bits < 8 {
                packed = pack(elements);
                &packed
            } else {
                elements
            };
            written += bytes.len() as u64;
            out.write_all(bytes).map_err(cannot_write)
        })?;
        if written == self.bytes {
            return Ok(());
        }
        let expected = format!("{}, as its shape has", self.bytes);
        Err(Error::unexpected("bytes of content", written, expected))
    }
}

/// Packs two elements into each byte, the first one into its low half. Chunks have an even number of elements.
fn pack(elements: &[u8]) -> Vec<u8> {
    let pair = |pair: &[u8; 2]| {
        let [low, high] = *pair;
        low & 0xf | high << 4
    };
    elements.as_chunks().0.iter().map(pair).collect()
}

/// A file to write.
struct File<'a> {
    /// The length of the header, and the header.
    head: Vec<u8>,
    tensors: Vec<Stored<'a>>,
}

/// The JSON value of a tensor, with fields in the library's order.
#[derive(Serialize)]
struct Fields<'a> {
    dtype: &'static str,
    shape: &'a [u64],
    data_offsets: (u64, u64),
}

/// An object with these members, in order.
struct Pairs<'a>(&'a [&'a (String, String)]);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        json.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'a> File<'a> {
    /// A file with these tensors, in the library's order.
    ///
    /// # Errors
    /// If the header is too long.
    fn new(mut tensors: Vec<Stored<'a>>, metadata: &[&(String, String)]) -> Result<Self> {
        tensors.sort_by_key(|tensor| (tensor.position, tensor.name));
        let mut json = Vec::new();
        if !metadata.is_empty() {
            member(METADATA, &Pairs(metadata), &mut json);
        }
        let mut start = 0;
        for tensor in &tensors {
            let end = start + tensor.bytes;
            let shape = tensor.source.shape().dims();
            let fields = Fields { dtype: tensor.ty.name, shape, data_offsets: (start, end) };
            member(tensor.name, &fields, &mut json);
            start = end;
        }
        if json.is_empty() {
            json.push(b'{');
        }
        json.push(b'}');
        json.resize(json.len().next_multiple_of(8), b' ');
        let bytes = json.len() as u64;
        if bytes > MAX_BYTES {
            let kind = format!("a safetensors header of {bytes} bytes is over {MAX_BYTES}");
            return Err(Error::unsupported(kind));
        }
        Ok(Self { head: [&bytes.to_le_bytes(), &*json].concat(), tensors })
    }

    fn write(&self, place: &Path, progress: &dyn Progress) -> Result<CompleteFile> {
        let mut out = NewFile::create(place)?;
        out.write_all(&self.head).map_err(cannot_write)?;
        for tensor in &self.tensors {
            let written = tensor.write(&mut out, progress);
            written.map_err(|error| error.of_tensor(&tensor.name.into()))?;
        }
        out.complete()
    }
}

/// Appends a member to an unfinished object.
fn member(key: &str, value: &impl Serialize, json: &mut Vec<u8>) {
    json.push(if json.is_empty() { b'{' } else { b',' });
    // Writing strings to memory cannot fail.
    let _ = serde_json::to_writer(&mut *json, key);
    json.push(b':');
    let _ = serde_json::to_writer(json, value);
}

/// The index, formatted as by the transformers library.
#[derive(Serialize)]
struct Index<'a> {
    metadata: TotalSize,
    weight_map: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
struct TotalSize {
    total_size: u64,
}

/// Writes the index of `files`, which are written to `path`.
fn index(files: &[File<'_>], path: &Path, count: u32) -> Result<CompleteFile> {
    let tensors = files.iter().flat_map(|file| &file.tensors);
    let total_size = tensors.fold(0, |sum, tensor| sum + tensor.bytes);
    let mut weight_map = BTreeMap::new();
    for (number, file) in (1..).zip(files) {
        let shard = path::shard_of(path, number, count);
        let shard = shard.file_name().unwrap_or_default().to_string_lossy();
        weight_map.extend(file.tensors.iter().map(|tensor| (tensor.name, shard.to_string())));
    }
    let mut out = NewFile::create(&path::open_path(path, files.len()))?;
    let index = Index { metadata: TotalSize { total_size }, weight_map };
    let fail = |error: serde_json::Error| cannot_write(error.into());
    serde_json::to_writer_pretty(&mut out, &index).map_err(fail)?;
    out.write_all(b"\n").map_err(cannot_write)?;
    out.complete()
}

//! Writes a V1 checkpoint: one table per shard.

use std::collections::BTreeMap;
use std::path::Path;

use prost::Message as _;

use crate::bytes::varint;
use crate::error::{Error, Result};
use crate::files::{CompleteFile, NewFile, cannot_write};
use crate::message::Writer;
use crate::progress::Progress;
use crate::schema::WireType;
use crate::schema::field::{
    saved_slice, saved_slice_meta, saved_tensor_slice_meta, saved_tensor_slices,
};
use crate::table::Builder;
use crate::tensor::Name;

use super::super::stored_tensor::{Shard, StoredTensor, shard_count};
use super::super::{proto, shard_name, slice_key};
use super::encode::Values;

/// The maximum number of bytes of a message that protobuf reads.
const MAX_LEN: u64 = 0x7fff_ffff;

/// See [`Format`](super::super::Format).
pub(super) fn write(
    shards: &[Shard<'_>],
    _metadata: &[(String, String)],
    path: &Path,
    progress: &dyn Progress,
) -> Result<Vec<CompleteFile>> {
    let count = shard_count(shards.len())?;
    let mut files = Vec::with_capacity(shards.len());
    for (number, tensors) in (0..count).zip(shards) {
        let place = match count {
            1 => path.to_path_buf(),
            count => shard_name::shard(path, number, count),
        };
        let file = NewFile::create(&place)?;
        let file = shard(tensors, file, progress).map_err(|error| error.in_file(&place))?;
        files.push(file.complete()?);
    }
    Ok(files)
}

/// Writes one table.
fn shard(tensors: &[StoredTensor<'_>], out: NewFile, progress: &dyn Progress) -> Result<NewFile> {
    let mut keyed = BTreeMap::new();
    for tensor in tensors {
        let mut key = Vec::new();
        slice_key::write(tensor.name.as_bytes(), &extents(tensor), &mut key);
        if keyed.insert(key, tensor).is_some() {
            let slice = tensor.slice.as_ref().map(ToString::to_string).unwrap_or_default();
            return Err(Error::duplicate("slice", slice).of_tensor(&tensor.name));
        }
    }
    let mut table = Builder::new(out);
    table.add(b"", &meta(tensors)).map_err(cannot_write)?;
    for (key, tensor) in keyed {
        let in_tensor = |error: Error| error.of_tensor(&tensor.name);
        let values = Values::measure(tensor.source).map_err(in_tensor)?;
        let head = head(tensor, values.bytes()).map_err(in_tensor)?;
        let len = head.len() as u64 + values.bytes();
        table.begin(&key, len).and_then(|()| table.value(&head)).map_err(cannot_write)?;
        let mut write = |bytes: &[u8]| table.value(bytes).map_err(cannot_write);
        values.write(progress, &mut write).map_err(in_tensor)?;
    }
    table.finish().map_err(cannot_write)
}

/// The extents of a tensor, with full dimensions as the writer gave them.
fn extents(tensor: &StoredTensor<'_>) -> Vec<(i64, i64)> {
    match &tensor.slice {
        Some(slice) => slice.given_extents().to_vec(),
        None => vec![(0, -1); tensor.shape.rank()],
    }
}

/// The list of tensors, `SavedTensorSlices { meta }`, in the order of their first slices.
fn meta(tensors: &[StoredTensor<'_>]) -> Vec<u8> {
    let mut order: Vec<(&Name, Vec<&StoredTensor<'_>>)> = Vec::new();
    let mut places = BTreeMap::new();
    for tensor in tensors {
        let at = *places.entry(&tensor.name).or_insert(order.len());
        match order.get_mut(at) {
            Some((_, slices)) => slices.push(tensor),
            None => order.push((&tensor.name, vec![tensor])),
        }
    }
    let mut out = Writer::default();
    out.put_message(saved_tensor_slices::META, |out| {
        for (name, slices) in &order {
            out.put_message(saved_tensor_slice_meta::TENSOR, |out| tensor(name, slices, out));
        }
        let versions = proto::versions().encode_to_vec();
        out.put_bytes(saved_tensor_slice_meta::VERSIONS, &versions);
    });
    out.finish()
}

/// A `SavedSliceMeta`.
fn tensor(name: &Name, slices: &[&StoredTensor<'_>], out: &mut Writer) {
    out.put_bytes(saved_slice_meta::NAME, name.as_bytes());
    if let Some(first) = slices.first() {
        out.put_bytes(saved_slice_meta::SHAPE, &proto::shape_proto(&first.shape).encode_to_vec());
        let code = first.source.dtype().code();
        out.put_varint(saved_slice_meta::TYPE, u64::try_from(code).unwrap_or_default());
    }
    for tensor in slices {
        let slice = proto::slice_proto(&extents(tensor)).encode_to_vec();
        out.put_bytes(saved_slice_meta::SLICE, &slice);
    }
}

/// Encodes `SavedTensorSlices { data: SavedSlice { name, slice, data: TensorProto } }` except for the fields of the
/// `TensorProto`, which take `values` bytes.
fn head(tensor: &StoredTensor<'_>, values: u64) -> Result<Vec<u8>> {
    let mut slice = Writer::default();
    slice.put_bytes(saved_slice::NAME, tensor.name.as_bytes());
    let extents = proto::slice_proto(&extents(tensor)).encode_to_vec();
    slice.put_bytes(saved_slice::SLICE, &extents);
    slice.tag(saved_slice::DATA, WireType::Len);
    slice.varint(values);
    let slice = slice.finish();
    let len = slice.len() as u64 + values;
    let mut out = Writer::default();
    out.tag(saved_tensor_slices::DATA, WireType::Len);
    out.varint(len);
    out.raw(&slice);
    if len + 1 + varint::len(len) as u64 > MAX_LEN {
        let kind = format!("a slice of {len} bytes is over the 2 GiB of a V1 checkpoint");
        return Err(Error::unsupported(kind));
    }
    Ok(out.finish())
}

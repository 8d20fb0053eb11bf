//! The V1 checkpoint: one table with names and content, or several such as `P-00000-of-00002`.
//!
//! ```text
//! key ""        → SavedTensorSlices.meta: of each tensor the name, full shape, type, and the slices in this file
//! a slice's key → SavedTensorSlices.data: name, slice, and a TensorProto of nothing but a `*_val` list
//! ```
//! Every tensor is stored in slices, usually in a single one. A shard lists its own tensors and slices only. Source: TensorFlow's
//! `tensor_slice_writer.cc`, `saved_tensor_slice_util.cc`.
//!
//! Opening reads only the first block. The other blocks are verified when the first of their tensors is read.

mod encode;
mod merged;
mod meta;
mod path;
mod read;
mod saved;
mod table_file;
mod tensor;
mod types;
mod values;
mod walk;
mod write;

use crate::bytes::ChecksumKind;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

use super::Format;
use super::format::Writer;

/// See [`FORMATS`](super::FORMATS).
pub(super) static FORMAT: Format = Format {
    name: "V1",
    option: "v1",
    about: "One table for each shard",
    checksum: Some(ChecksumKind::Crc32c),
    version: Some(CheckpointFormatVersion::V1),
    role: path::role,
    locate: path::locate,
    files: path::files,
    claimed: path::files,
    marker: path::marker,
    prefix: path::prefix,
    open_name: path::open_name,
    read: read::read,
    read_file: read::read_file,
    writer: Some(Writer {
        open_path: path::open_path,
        keeps_metadata: false,
        write: write::write,
        merge: None,
    }),
};

//! The V2 checkpoint ("tensor bundle"): the index `P.index`, a table of names, and shards such as `P.data-00000-of-00001` with
//! the content.
//!
//! ```text
//! P.index := table; key "" → BundleHeaderProto; name → BundleEntryProto; slice key → BundleEntryProto
//! P.data  := content of tensors, in any order, gaps allowed
//!
//! numbers  := elements, row-major, in the header's byte order
//! strings  := length: varint *, masked crc32c of the lengths: u32, bytes *
//! variants := (length: varint, VariantTensorDataProto, masked crc32c so far: u32) *
//! ```
//! The entry of a partitioned variable has a list of slices instead of content; each slice has an entry under its slice key.
//! Source: TensorFlow's `tensor_bundle.cc`. Two checksums cover other bytes than those stored: string lengths count as `u32` (or
//! `u64`, if they need it), variant lengths as `u64`.

mod bundle;
mod encode;
mod entry;
mod index;
mod merge;
mod overlaps;
mod path;
mod slices;
mod source;
mod stored;
mod strings;
mod variants;
mod write;

use crate::bytes::ChecksumKind;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

use super::Format;
use super::format::Writer;

/// See [`FORMATS`](super::FORMATS).
pub(super) static FORMAT: Format = Format {
    name: "V2",
    option: "v2",
    about: "An index and data in shards: what TensorFlow has written since 2016",
    checksum: Some(ChecksumKind::Crc32c),
    version: Some(CheckpointFormatVersion::V2),
    role: path::role,
    locate: path::locate,
    files: path::files,
    claimed: path::claimed,
    marker: path::marker,
    prefix: path::prefix,
    open_name: path::open_name,
    read: bundle::read,
    read_file: bundle::read_file,
    writer: Some(Writer {
        open_path: |path, _| path.to_path_buf(),
        keeps_metadata: false,
        write: write::write,
        merge: Some(merge::merge),
    }),
};

//! What an index says of one tensor or slice, and the index as it is written.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::bytes::Crc32c;
use crate::message::Writer;
use crate::schema::WireType;
use crate::schema::field::{bundle_entry_proto, bundle_header_proto};
use crate::table::Builder;
use crate::tensor::{DType, Shape};

use super::super::wire::{self, Extents};

/// The order of a number's bytes in the shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// A `BundleEntryProto`.
#[derive(Debug, Clone)]
pub(super) struct BundleEntry {
    pub(super) dtype: DType,
    pub(super) shape: Shape,
    pub(super) shard: u32,
    pub(super) offset: u64,
    pub(super) size: u64,
    /// Unmasked; of a tensor in slices, which has no content of its own, what 0 is unmasked.
    pub(super) crc32c: u32,
    pub(super) slices: Vec<Extents>,
}

impl BundleEntry {
    /// Its wire bytes, as TensorFlow writes them.
    fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        // No code is negative.
        wire::write_uint(
            bundle_entry_proto::DTYPE,
            u64::try_from(self.dtype.code()).unwrap_or_default(),
            &mut out,
        );
        wire::write_shape(bundle_entry_proto::SHAPE, &self.shape, &mut out);
        wire::write_uint(bundle_entry_proto::SHARD_ID, self.shard.into(), &mut out);
        wire::write_uint(bundle_entry_proto::OFFSET, self.offset, &mut out);
        wire::write_uint(bundle_entry_proto::SIZE, self.size, &mut out);
        let masked = Crc32c::mask(self.crc32c);
        if masked != 0 {
            out.tag(bundle_entry_proto::CRC32C, WireType::Fixed32);
            out.raw(&masked.to_le_bytes());
        }
        self.slices
            .iter()
            .for_each(|slice| wire::write_slice(bundle_entry_proto::SLICES, slice, &mut out));
        out.finish()
    }
}

/// Writes an index: its header, and the entries by key.
pub(super) fn write_index<W: Write>(
    shards: u32,
    order: ByteOrder,
    entries: &BTreeMap<Vec<u8>, BundleEntry>,
    out: W,
) -> io::Result<W> {
    let mut header = Writer::default();
    wire::write_uint(bundle_header_proto::NUM_SHARDS, shards.into(), &mut header);
    wire::write_uint(
        bundle_header_proto::ENDIANNESS,
        u64::from(order == ByteOrder::Big),
        &mut header,
    );
    wire::write_versions(bundle_header_proto::VERSION, &mut header);
    let mut table = Builder::new(out);
    table.add(b"", &header.finish())?;
    for (key, entry) in entries {
        table.add(key, &entry.encode())?;
    }
    table.finish()
}

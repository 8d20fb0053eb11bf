//! The entries of an index, and writing an index.

use std::collections::BTreeMap;
use std::io::{self, Write};

use prost::Message as _;

use crate::bytes::Crc32c;
use crate::error::{Error, Result};
use crate::schema::tensorflow::{BundleEntryProto, BundleHeaderProto};
use crate::table::Builder;
use crate::tensor::{DType, Shape};

use super::super::proto::{self, Extents};

/// The byte order of the numbers in the shards.
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
    /// Unmasked. For a tensor in slices the stored checksum is 0, unmasked.
    pub(super) crc32c: u32,
    pub(super) slices: Vec<Extents>,
}

impl BundleEntry {
    /// Checks that the content of a tensor or a slice can be what the entry says.
    ///
    /// # Errors
    /// If the size does not fit the dtype and the shape, or the content would end beyond 2^64.
    pub(super) fn check(&self) -> Result<()> {
        let elements = self.shape.elements();
        if let Some(element) = self.dtype.size() {
            let need = elements.checked_mul(element as u64);
            if need != Some(self.size) {
                let need = match need {
                    Some(need) => format!("{need} bytes"),
                    None => "over 2^64 bytes".into(),
                };
                let expected = format!("{need}, as {} of shape {} has", self.dtype, self.shape);
                return Err(Error::unexpected("size", self.size, expected));
            }
        } else if self.dtype == DType::Resource {
            return Err(Error::unsupported("a resource has no content that could be stored"));
        } else if elements > self.size {
            let expected = format!("at least {elements}, a byte for each element");
            return Err(Error::unexpected("size", self.size, expected));
        }
        if self.offset.checked_add(self.size).is_none() {
            let expected = format!("at most 2^64 - 1 less the size, {}", self.size);
            return Err(Error::unexpected("offset", self.offset, expected));
        }
        Ok(())
    }

    /// Encodes the entry as TensorFlow does.
    fn encode(&self) -> Vec<u8> {
        let entry = BundleEntryProto {
            dtype: self.dtype.code(),
            shape: Some(proto::shape_proto(&self.shape)),
            shard_id: self.shard.cast_signed(),
            offset: self.offset.cast_signed(),
            size: self.size.cast_signed(),
            crc32c: Crc32c::mask(self.crc32c),
            slices: self.slices.iter().map(|slice| proto::slice_proto(slice)).collect(),
        };
        entry.encode_to_vec()
    }
}

/// Writes an index with these entries.
pub(super) fn write_index<W: Write>(
    shards: u32,
    order: ByteOrder,
    entries: &BTreeMap<Vec<u8>, BundleEntry>,
    out: W,
) -> io::Result<W> {
    let header = BundleHeaderProto {
        num_shards: shards.cast_signed(),
        endianness: i32::from(order == ByteOrder::Big),
        version: Some(proto::versions()),
    };
    let mut table = Builder::new(out);
    table.add(b"", &header.encode_to_vec())?;
    for (key, entry) in entries {
        table.add(key, &entry.encode())?;
    }
    table.finish()
}

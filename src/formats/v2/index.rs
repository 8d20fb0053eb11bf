//! Reads an index: its header and its entries.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::bytes::{Crc32c, File, ReadAt};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::message::Records;
use crate::schema::field::{bundle_entry_proto, bundle_header_proto};
use crate::table::{Table, Value};
use crate::tensor::{DType, Name, Shape};

use super::super::proto;
use super::super::shard_name::MAX_SHARDS;
use super::entry::{BundleEntry, ByteOrder};
use super::overlaps;
use super::slices::NamedEntry;

/// The content of an index.
pub(super) struct Index {
    pub(super) order: ByteOrder,
    pub(super) shards: u32,
    /// Sorted by name.
    pub(super) entries: Vec<NamedEntry>,
    pub(super) damage: Vec<Error>,
}

impl Index {
    /// Reads all of the index.
    ///
    /// # Errors
    /// If the file is not a table, its header is missing, or its version cannot be read.
    pub(super) fn read(file: Arc<File>, limits: &Limits) -> Result<Self> {
        let path = file.path().to_path_buf();
        let mut scan = Scan::new(file.len(), limits);
        let table = Table::open(file, limits)?;
        let mut damage = table.scan(&mut |key, value| scan.visit(key, value));
        let header = match scan.header {
            Some(header) => header?,
            None => return Err(damage.into_iter().next().unwrap_or_else(|| no_header(None))),
        };
        for error in &mut damage {
            *error = error.clone().in_file(&path);
        }
        let mut entries = scan.entries;
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            entries.dedup_by(|later, first| {
                let twice = later.0 == first.0;
                if twice {
                    first.1 = Err(Error::duplicate("name", first.0.printable()));
                }
                twice
            });
        }
        let (order, shards) = header;
        for (_, read) in &mut entries {
            if let Ok(entry) = read
                && entry.shard >= shards
            {
                let expected = format!("less than {shards}, the number of shards");
                *read = Err(Error::unexpected("shard_id", entry.shard, expected));
            }
        }
        damage.extend(overlaps::check(&mut entries).map(|error| error.in_file(&path)));
        Ok(Self { order, shards, entries, damage })
    }
}

/// Whether a table is an index and not a V1 file. The header of an index starts with a number, the list of a V1 file with a
/// message.
pub(super) fn is_index(file: Arc<dyn ReadAt>) -> bool {
    /// The tag of `num_shards`, which is never 0, so it is always written.
    const SHARDS: u8 = 1 << 3;
    let mut found = false;
    let limits = Limits::default();
    if let Ok(table) = Table::open(file, &limits) {
        // Later damage is found when the index is read.
        let _ = table.scan(&mut |key, value| {
            let header = value.bytes(limits.entry_bytes);
            found = key.is_empty() && header.is_ok_and(|bytes| bytes.first() == Some(&SHARDS));
            ControlFlow::Break(no_header(Some(key)))
        });
    }
    found
}

/// The number of shards that the header of an index states; `None` if it cannot be read.
pub(super) fn shard_count(file: Arc<File>) -> Option<u32> {
    let limits = Limits::default();
    let mut scan = Scan::new(file.len(), &limits);
    // Later damage is found when the index is read.
    let _ = Table::open(file, &limits).ok()?.scan(&mut |key, value| match scan.visit(key, value) {
        ControlFlow::Continue(()) => ControlFlow::Break(no_header(Some(key))),
        stop => stop,
    });
    scan.header?.ok().map(|(_, shards)| shards)
}

fn no_header(first_key: Option<&[u8]>) -> Error {
    proto::wrong_first_key(first_key, "the header")
}

struct Scan<'a> {
    header: Option<Result<(ByteOrder, u32)>>,
    entries: Vec<NamedEntry>,
    key_bytes_left: u64,
    dims: Vec<i64>,
    limits: &'a Limits,
}

impl<'a> Scan<'a> {
    /// A scan of an index of `bytes` bytes.
    fn new(bytes: u64, limits: &'a Limits) -> Self {
        let key_bytes_left = proto::key_bytes(bytes);
        Self { header: None, entries: Vec::new(), key_bytes_left, dims: Vec::new(), limits }
    }

    fn visit(&mut self, key: &[u8], value: Value<'_>) -> ControlFlow<Error> {
        if self.header.is_none() {
            if !key.is_empty() {
                return ControlFlow::Break(no_header(Some(key)).at(value.offset()));
            }
            self.header = Some(self.header(value));
            return ControlFlow::Continue(());
        }
        if key.is_empty() {
            // The table reports that the key is out of order.
            return ControlFlow::Continue(());
        }
        let Some(left) = self.key_bytes_left.checked_sub(key.len() as u64) else {
            let expected =
                format!("at most {}, which are left to a file of this size", self.key_bytes_left);
            let error = Error::unexpected("bytes of a name", key.len(), expected);
            return ControlFlow::Break(error.at(value.offset()));
        };
        self.key_bytes_left = left;
        let read = self.entry(value).map_err(|error| error.at(value.offset()));
        self.entries.push((Name::from(key), read));
        ControlFlow::Continue(())
    }

    fn header(&self, value: Value<'_>) -> Result<(ByteOrder, u32)> {
        let bytes = value.bytes(self.limits.entry_bytes)?;
        let at = value.offset();
        let (mut shards, mut order) = (0, 0);
        for record in Records::new(&bytes, at) {
            let record = record?;
            match record.number {
                bundle_header_proto::NUM_SHARDS => shards = record.int32("num_shards")?,
                bundle_header_proto::ENDIANNESS => order = record.int32("endianness")?,
                bundle_header_proto::VERSION => proto::check_versions(&record)?,
                _ => {}
            }
        }
        let order = match order {
            0 => ByteOrder::Little,
            1 => ByteOrder::Big,
            other => return Err(Error::unexpected("endianness", other, "0 or 1").at(at)),
        };
        match u32::try_from(shards) {
            Ok(shards) if (1..=MAX_SHARDS).contains(&shards) => Ok((order, shards)),
            _ => {
                let expected = format!("1 to {MAX_SHARDS}");
                Err(Error::unexpected("num_shards", shards, expected).at(at))
            }
        }
    }

    fn entry(&mut self, value: Value<'_>) -> Result<BundleEntry> {
        let bytes = value.bytes(self.limits.entry_bytes)?;
        let (mut dtype, mut shard, mut offset, mut size, mut stored) = (0, 0, 0, 0, 0);
        let mut slices = Vec::new();
        self.dims.clear();
        for record in Records::new(&bytes, value.offset()) {
            let record = record?;
            match record.number {
                bundle_entry_proto::DTYPE => dtype = record.int32("dtype")?,
                bundle_entry_proto::SHAPE => {
                    proto::read_shape(&record, &mut self.dims, self.limits)?;
                }
                bundle_entry_proto::SHARD_ID => shard = record.int32("shard_id")?,
                bundle_entry_proto::OFFSET => offset = record.int64("offset")?,
                bundle_entry_proto::SIZE => size = record.int64("size")?,
                bundle_entry_proto::CRC32C => stored = record.fixed32("crc32c")?,
                bundle_entry_proto::SLICES => {
                    proto::read_slice(&record, &mut slices, self.limits)?;
                }
                _ => {}
            }
        }
        let negative = |what, n: i64| Error::unexpected(what, n, "at least 0");
        Ok(BundleEntry {
            dtype: DType::stored("dtype", dtype)?,
            shape: Shape::new(&self.dims).map_err(|error| error.at(value.offset()))?,
            shard: u32::try_from(shard).map_err(|_| negative("shard_id", shard.into()))?,
            offset: u64::try_from(offset).map_err(|_| negative("offset", offset))?,
            size: u64::try_from(size).map_err(|_| negative("size", size))?,
            crc32c: Crc32c::unmask(stored),
            slices,
        })
    }
}

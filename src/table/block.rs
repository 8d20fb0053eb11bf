//! One block: read, verified and decompressed.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::bytes::{Crc32c, ReadAt, Stream};
use crate::error::{Error, Result};

use super::format::{BlockHandle, RAW, TRAILER_LEN};

/// Blocks of up to this size are read into memory.
const SMALL: u64 = 1 << 20;
const SNAPPY: u8 = 1;

/// A block whose checksum is verified.
///
/// Offsets are those of the file; in a compressed block, the offset of the block plus the position in the decompressed bytes.
#[derive(Debug, Clone)]
pub struct Block {
    source: Payload,
    /// The offset of the byte after the entries.
    end: u64,
    handle: BlockHandle,
    compressed: bool,
}

/// The payload of a block.
#[derive(Debug, Clone)]
enum Payload {
    /// In the file: large and not compressed.
    File(Arc<dyn ReadAt>),
    Memory(Arc<Window>),
}

impl Payload {
    fn source(&self) -> Arc<dyn ReadAt> {
        match self {
            Self::File(file) => Arc::clone(file),
            Self::Memory(window) => Arc::clone(window) as Arc<dyn ReadAt>,
        }
    }
}

/// Bytes in memory with the offset that they have in a file.
struct Window {
    bytes: Box<[u8]>,
    base: u64,
}

impl Window {
    fn get(&self, start: u64, end: u64) -> Option<&[u8]> {
        let position = |offset: u64| usize::try_from(offset.checked_sub(self.base)?).ok();
        self.bytes.get(position(start)?..position(end)?)
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Window({} bytes at {})", self.bytes.len(), self.base)
    }
}

impl ReadAt for Window {
    fn len(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let need = out.len() as u64;
        let bytes = self.get(offset, offset.saturating_add(need)).ok_or_else(|| {
            Error::truncated("read", need, self.len().saturating_sub(offset)).at(offset)
        })?;
        out.copy_from_slice(bytes);
        Ok(())
    }
}

impl Block {
    /// Reads and verifies the block at `handle`.
    ///
    /// # Errors
    /// If the block is not inside `file`, cannot be read, fails its checksum, has an unknown or broken compression, or wrong restart
    /// offsets; the error has the offset.
    pub fn open(file: &Arc<dyn ReadAt>, handle: BlockHandle) -> Result<Self> {
        handle.check(file.len(), handle.offset)?;
        let trailer = read_trailer(file, handle)?;
        let kind = [trailer.kind];
        if handle.size > SMALL && trailer.kind == RAW {
            let end = handle.offset + handle.size;
            let mut crc = Stream::new(Arc::clone(file), handle.offset, end).crc32c()?;
            crc.update(&kind);
            trailer.verify(crc, handle)?;
            return Self::new(Payload::File(Arc::clone(file)), end, handle);
        }
        let mut bytes = read_payload(&**file, handle)?;
        let mut crc = Crc32c::of(&bytes);
        crc.update(&kind);
        trailer.verify(crc, handle)?;
        let compressed = trailer.kind == SNAPPY;
        if compressed {
            bytes = decompress(&bytes).map_err(|error| error.at(handle.offset))?;
        }
        let window = Window { bytes: bytes.into(), base: handle.offset };
        let end = window.len();
        let block = Self::new(Payload::Memory(Arc::new(window)), end, handle)?;
        Ok(Self { compressed, ..block })
    }

    /// Checks the restart offsets at the end of the payload, which is at `end`.
    fn new(source: Payload, end: u64, handle: BlockHandle) -> Result<Self> {
        let len = end - handle.offset;
        if len < 4 {
            return Err(Error::truncated("a block", 4, len).at(handle.offset));
        }
        let restarts = u64::from(Stream::new(source.source(), end - 4, end).u32("restarts")?);
        let most = (len - 4) / 4;
        if restarts == 0 || restarts > most {
            let expected = format!("1 to {most} in {len} bytes");
            return Err(Error::unexpected("number of restarts", restarts, expected).at(end - 4));
        }
        let entries = len - 4 - 4 * restarts;
        let array = Stream::new(source.source(), handle.offset + entries, end - 4);
        check_restarts(array, entries)?;
        Ok(Self { source, end: handle.offset + entries, handle, compressed: false })
    }

    /// The offset and size of the block in the file.
    pub fn handle(&self) -> BlockHandle {
        self.handle
    }

    /// Whether the block was compressed, so that its values are not in the file as such.
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// A reader of the bytes of the entries.
    pub(super) fn stream(&self) -> Stream {
        Stream::new(self.source(), self.handle.offset, self.end)
    }

    /// The bytes `start..end`, which are inside the block.
    pub(super) fn bytes(&self, start: u64, end: u64) -> Result<Cow<'_, [u8]>> {
        match &self.source {
            Payload::Memory(window) => {
                let missing = || Error::truncated("a value", end - start, 0).at(start);
                window.get(start, end).map(Cow::Borrowed).ok_or_else(missing)
            }
            Payload::File(file) => {
                let mut bytes = vec![0; addressable(end - start)?];
                file.read_at(start, &mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// The source of the values, for reading them by offset.
    pub fn source(&self) -> Arc<dyn ReadAt> {
        self.source.source()
    }
}

/// Checks that the restart offsets ascend. Only a search would use them, but they are a part of the format.
fn check_restarts(mut array: Stream, entries: u64) -> Result<()> {
    let mut least = 0;
    while array.remaining() > 0 {
        let at = array.offset();
        let offset = u64::from(array.u32("restart offset")?);
        let first = least == 0;
        if offset < least || (first && offset > 0) || (offset >= entries && offset > 0) {
            let expected = format!("offsets that ascend from 0 and stay below {entries}");
            return Err(Error::unexpected("restart offset", offset, expected).at(at));
        }
        least = offset + 1;
    }
    Ok(())
}

struct Trailer {
    kind: u8,
    stored: u32,
}

impl Trailer {
    fn verify(&self, crc: Crc32c, handle: BlockHandle) -> Result<()> {
        crc.verify("a block", self.stored).map_err(|error| error.at(handle.offset))?;
        if self.kind > SNAPPY {
            let error = Error::unexpected("compression of a block", self.kind, "0 or 1");
            return Err(error.at(handle.offset + handle.size));
        }
        Ok(())
    }
}

fn read_trailer(file: &Arc<dyn ReadAt>, handle: BlockHandle) -> Result<Trailer> {
    let start = handle.offset + handle.size;
    let mut stream = Stream::new(Arc::clone(file), start, start + TRAILER_LEN);
    Ok(Trailer { kind: stream.u8("type of a block")?, stored: stream.u32("checksum of a block")? })
}

/// Reads the payload, whose size was checked against that of the file.
fn read_payload(file: &dyn ReadAt, handle: BlockHandle) -> Result<Vec<u8>> {
    let mut bytes = vec![0; addressable(handle.size)?];
    file.read_at(handle.offset, &mut bytes)?;
    Ok(bytes)
}

/// A length that was checked against that of the file, as a `usize`.
fn addressable(len: u64) -> Result<usize> {
    let expected = "as many as this machine can address";
    usize::try_from(len).map_err(|_| Error::unexpected("number of bytes", len, expected))
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>> {
    let broken = |error: snap::Error| {
        let reason = error.to_string();
        Error::malformed("snappy block", "valid", reason.trim_start_matches("snappy: "))
    };
    let len = snap::raw::decompress_len(bytes).map_err(broken)?;
    // Three bytes of snappy become at most 64, so a longer length is wrong; checked before it is allocated.
    let most = bytes.len().saturating_mul(22).saturating_add(64);
    if len > most {
        let expected = format!("at most {most}, from {} compressed bytes", bytes.len());
        return Err(Error::unexpected("length of a snappy block", len, expected));
    }
    snap::raw::Decoder::new().decompress_vec(bytes).map_err(broken)
}

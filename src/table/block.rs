//! One block: verified, decompressed, and walked entry by entry.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::bytes::{Crc32c, Limits, ReadAt, Stream};
use crate::error::{Error, ErrorKind, Result};

use super::entries::Entries;
use super::format::{BlockHandle, RAW, TRAILER_LEN};

/// Blocks of up to this size are read whole.
const WHOLE: u64 = 1 << 20;
const SNAPPY: u8 = 1;

/// A block whose checksum holds.
///
/// Offsets in it are the file's; in a compressed block they count decompressed bytes from the block's first.
#[derive(Debug, Clone)]
pub struct Block {
    source: Payload,
    /// Where the entries end.
    end: u64,
    handle: BlockHandle,
    compressed: bool,
}

/// What a block's payload is read from.
#[derive(Debug, Clone)]
enum Payload {
    /// The file itself: raw and large.
    File(Arc<dyn ReadAt>),
    Memory(Arc<Window>),
}

impl Payload {
    fn read_at(&self) -> &dyn ReadAt {
        match self {
            Self::File(file) => &**file,
            Self::Memory(window) => &**window,
        }
    }
}

/// Bytes in memory at the place they have in a file.
struct Window {
    bytes: Box<[u8]>,
    base: u64,
}

impl Window {
    fn get(&self, start: u64, end: u64) -> Option<&[u8]> {
        let place = |offset: u64| usize::try_from(offset.checked_sub(self.base)?).ok();
        self.bytes.get(place(start)?..place(end)?)
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
    /// Verifies and opens the block at `handle`, which lies inside `file`.
    ///
    /// # Errors
    /// When it cannot be read, its checksum does not hold, its compression is unknown or broken, or its end makes no
    /// sense; the error names the byte.
    pub fn open(file: &Arc<dyn ReadAt>, handle: BlockHandle) -> Result<Self> {
        handle.check(file.len(), handle.offset)?;
        let trailer = read_trailer(&**file, handle)?;
        let kind = [trailer.kind];
        if handle.size > WHOLE && trailer.kind == RAW {
            let end = handle.offset + handle.size;
            let mut crc = Stream::new(&**file, handle.offset, end).crc32c()?;
            crc.update(&kind);
            trailer.verify(crc, handle)?;
            return Self::framed(Payload::File(Arc::clone(file)), end, handle);
        }
        let mut bytes = read_whole(&**file, handle)?;
        let mut crc = Crc32c::of(&bytes);
        crc.update(&kind);
        trailer.verify(crc, handle)?;
        let compressed = trailer.kind == SNAPPY;
        if compressed {
            bytes = decompress(&bytes).map_err(|error| error.at(handle.offset))?;
        }
        let window = Window { bytes: bytes.into(), base: handle.offset };
        let end = window.len();
        let block = Self::framed(Payload::Memory(Arc::new(window)), end, handle)?;
        Ok(Self { compressed, ..block })
    }

    /// The block of the payload up to `end`, less the restart offsets there.
    fn framed(source: Payload, end: u64, handle: BlockHandle) -> Result<Self> {
        let len = end - handle.offset;
        if len < 4 {
            return Err(Error::truncated("a block", 4, len).at(handle.offset));
        }
        let restarts = u64::from(Stream::new(source.read_at(), end - 4, end).u32("restarts")?);
        let most = (len - 4) / 4;
        if restarts == 0 || restarts > most {
            let allowed = format!("1 to {most} is allowed in {len} bytes");
            return Err(Error::unexpected("number of restarts", restarts, allowed).at(end - 4));
        }
        let entries = len - 4 - 4 * restarts;
        let array = Stream::new(source.read_at(), handle.offset + entries, end - 4);
        check_restarts(array, entries)?;
        Ok(Self { source, end: handle.offset + entries, handle, compressed: false })
    }

    /// Where the block lies in its file.
    pub fn handle(&self) -> BlockHandle {
        self.handle
    }

    /// Whether its payload was compressed, so that its values are nowhere in the file.
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// The entries in order.
    pub fn entries(&self, limits: &Limits) -> Entries<'_> {
        let stream = Stream::new(self.source.read_at(), self.handle.offset, self.end);
        Entries::new(self, stream, limits)
    }

    /// The bytes `start..end` of it, which lie inside.
    pub(super) fn bytes(&self, start: u64, end: u64) -> Result<Cow<'_, [u8]>> {
        match &self.source {
            Payload::Memory(window) => {
                let lost = || Error::truncated("a value", end - start, 0).at(start);
                window.get(start, end).map(Cow::Borrowed).ok_or_else(lost)
            }
            Payload::File(file) => {
                let mut bytes = vec![0; addressable(end - start)?];
                file.read_at(start, &mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// What its values are read from.
    pub fn source(&self) -> Arc<dyn ReadAt> {
        match &self.source {
            Payload::File(file) => Arc::clone(file),
            Payload::Memory(window) => Arc::clone(window) as Arc<dyn ReadAt>,
        }
    }
}

/// Reading in order needs no restart offsets, but those who search do.
fn check_restarts(mut array: Stream<'_>, entries: u64) -> Result<()> {
    let mut least = 0;
    while array.remaining() > 0 {
        let at = array.offset();
        let offset = u64::from(array.u32("restart offset")?);
        let first = least == 0;
        if offset < least || (first && offset > 0) || (offset >= entries && offset > 0) {
            let allowed = format!("they ascend from 0 to below {entries}");
            return Err(Error::unexpected("restart offset", offset, allowed).at(at));
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
        let (stored, computed) = (Crc32c::unmask(self.stored), crc.value());
        if stored != computed {
            let kind = ErrorKind::Checksum { what: "a block", stored, computed };
            return Err(Error::from(kind).at(handle.offset));
        }
        if self.kind > SNAPPY {
            let error = Error::unexpected("compression of a block", self.kind, "0 or 1 is known");
            return Err(error.at(handle.offset + handle.size));
        }
        Ok(())
    }
}

fn read_trailer(file: &dyn ReadAt, handle: BlockHandle) -> Result<Trailer> {
    let start = handle.offset + handle.size;
    let mut stream = Stream::new(file, start, start + TRAILER_LEN);
    Ok(Trailer { kind: stream.u8("type of a block")?, stored: stream.u32("checksum of a block")? })
}

/// The payload; its size was checked against the file's.
fn read_whole(file: &dyn ReadAt, handle: BlockHandle) -> Result<Vec<u8>> {
    let mut bytes = vec![0; addressable(handle.size)?];
    file.read_at(handle.offset, &mut bytes)?;
    Ok(bytes)
}

/// A length that was checked against the file's, as this machine counts.
fn addressable(len: u64) -> Result<usize> {
    let allowed = "this machine cannot address as many";
    usize::try_from(len).map_err(|_| Error::unexpected("number of bytes", len, allowed))
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>> {
    let broken =
        |error: snap::Error| Error::unexpected("snappy block", error, "it must decompress");
    let len = snap::raw::decompress_len(bytes).map_err(broken)?;
    // Three bytes of snappy make at most 64, so a longer claim is a lie; found before it is allocated.
    let most = bytes.len().saturating_mul(22).saturating_add(64);
    if len > most {
        let allowed = format!("{} compressed bytes make at most {most}", bytes.len());
        return Err(Error::unexpected("length of a snappy block", len, allowed));
    }
    snap::raw::Decoder::new().decompress_vec(bytes).map_err(broken)
}

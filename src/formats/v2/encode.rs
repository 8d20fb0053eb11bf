//! Writes the content of a tensor to a shard.

use std::io::Write;

use crate::bytes::{Checksum, ChecksumKind, Crc32c, varint};
use crate::error::{Error, Result};
use crate::files::cannot_write;
use crate::progress::{Progress, Silent};
use crate::tensor::framing::{ElementPart, read_elements};
use crate::tensor::{DType, Extent, TensorSource, read_through};

/// The size of a read.
const CHUNK: usize = 256 << 10;

/// The result of writing a tensor.
pub(super) struct WriteSummary {
    pub(super) bytes: u64,
    /// Unmasked.
    pub(super) crc32c: u32,
}

/// Writes the content of `source`.
///
/// # Errors
/// If the source cannot be read, fails its checksum, or has another number of elements than its shape; or `out` cannot be
/// written.
pub(super) fn write(
    source: &dyn TensorSource,
    out: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<WriteSummary> {
    let mut out = Checked { out, crc: Crc32c::default(), bytes: 0 };
    match (source.dtype(), source.extent()) {
        (DType::String, _) => strings(source, &mut out, progress)?,
        (DType::Variant, _) => variants(source, &mut out, progress)?,
        (_, Some(extent)) => numbers_at_once(source, extent, &mut out, progress)?,
        (_, None) => numbers(source, &mut out, progress)?,
    }
    Ok(WriteSummary { bytes: out.bytes, crc32c: out.crc.value() })
}

/// Counts and checksums the bytes that go to a file.
struct Checked<'o> {
    out: &'o mut dyn Write,
    crc: Crc32c,
    bytes: u64,
}

impl Checked<'_> {
    /// Writes bytes that the checksum covers.
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.crc.update(bytes);
        self.write_apart(bytes)
    }

    /// Writes bytes without adding them to the checksum.
    fn write_apart(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes).map_err(cannot_write)
    }

    /// Writes the checksum so far, which then counts as content.
    fn write_checksum(&mut self) -> Result<()> {
        let masked = self.crc.masked();
        self.write(&masked.to_le_bytes())
    }
}

/// Writes numbers from a contiguous range. If the source stores a crc32c too, it is computed only once.
fn numbers_at_once(
    source: &dyn TensorSource,
    extent: &dyn Extent,
    out: &mut Checked<'_>,
    progress: &dyn Progress,
) -> Result<()> {
    let mut left = numbers_bytes(source)?;
    let other = extent.stored_checksum().filter(|stored| stored.kind() != ChecksumKind::Crc32c);
    let mut other = other.map(|stored| Checksum::new(stored.kind()));
    let mut chunk = vec![0; usize::try_from(left).map_or(CHUNK, |len| len.min(CHUNK))];
    while left > 0 {
        let len = usize::try_from(left).map_or(chunk.len(), |left| left.min(chunk.len()));
        let bytes = chunk.get_mut(..len).unwrap_or_default();
        extent.read_at(out.bytes, bytes)?;
        if let Some(other) = &mut other {
            other.update(bytes);
        }
        out.write(bytes)?;
        left -= len as u64;
        progress.advance(len as u64);
    }
    extent.verify(other.unwrap_or_else(|| out.crc.into()))
}

fn numbers(
    source: &dyn TensorSource,
    out: &mut Checked<'_>,
    progress: &dyn Progress,
) -> Result<()> {
    read_through(source, progress, |bytes| out.write(bytes))?;
    let need = numbers_bytes(source)?;
    if out.bytes == need {
        return Ok(());
    }
    Err(Error::unexpected("bytes of content", out.bytes, format!("{need}, as its shape has")))
}

fn numbers_bytes(source: &dyn TensorSource) -> Result<u64> {
    let size = source.dtype().size().unwrap_or_default() as u64;
    let (elements, shape) = (source.shape().elements(), source.shape());
    let expected = "at most 2^64 - 1 bytes";
    elements.checked_mul(size).ok_or_else(|| Error::unexpected("shape", shape, expected))
}

/// Writes all lengths, their checksum, then all bytes. So the source is read twice.
fn strings(
    source: &dyn TensorSource,
    out: &mut Checked<'_>,
    progress: &dyn Progress,
) -> Result<()> {
    let mut varints = Vec::new();
    read_elements(source, &Silent, |part| {
        if let ElementPart::Length(len) = part {
            match u32::try_from(len) {
                Ok(len) => out.crc.update(&len.to_le_bytes()),
                Err(_) => out.crc.update(&len.to_le_bytes()),
            }
            varint::write(len, &mut varints);
            if varints.len() >= CHUNK {
                out.write_apart(&varints)?;
                varints.clear();
            }
        }
        Ok(())
    })?;
    out.write_apart(&varints)?;
    out.write_checksum()?;
    read_elements(source, progress, |part| match part {
        ElementPart::Bytes(bytes) => out.write(bytes),
        ElementPart::Length(_) | ElementPart::End => Ok(()),
    })
}

/// Writes for each element its length, its bytes, and the checksum of everything so far.
fn variants(
    source: &dyn TensorSource,
    out: &mut Checked<'_>,
    progress: &dyn Progress,
) -> Result<()> {
    read_elements(source, progress, |part| match part {
        ElementPart::Length(len) => {
            let mut varint = Vec::with_capacity(varint::MAX_LEN);
            varint::write(len, &mut varint);
            out.crc.update(&len.to_le_bytes());
            out.write_apart(&varint)
        }
        ElementPart::Bytes(bytes) => out.write(bytes),
        ElementPart::End => out.write_checksum(),
    })
}

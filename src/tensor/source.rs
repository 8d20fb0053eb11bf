//! Where a tensor's content comes from: read in order, or, where it lies in one piece, at any place.

use std::fmt;

use crate::bytes::Checksum;
use crate::error::Result;

use super::{DType, Shape, Slice};

/// A tensor whose content is read on demand.
///
/// Content is row-major and little-endian, as stored in a V2 shard: one byte per element for `bool` and types of
/// less than a byte. For elements of any length (`string`, `variant`, `resource`) it is, for each element, its length
/// as `u64` and then its bytes.
pub trait TensorSource: fmt::Debug + Send + Sync {
    /// The type of the elements.
    fn dtype(&self) -> DType;

    /// The full shape, also of a tensor stored in slices.
    fn shape(&self) -> &Shape;

    /// Bytes it takes in its file, without keys and checksums; for fixed-width types the size of the content.
    fn stored_bytes(&self) -> u64;

    /// The content as one piece that can be read at any place; `None` when it can only be read in order.
    fn extent(&self) -> Option<&dyn Extent> {
        None
    }

    /// What the index says of the content. `None` where the format stores no checksum per tensor.
    fn fingerprint(&self) -> Option<Fingerprint> {
        None
    }

    /// The slices that it is stored in, each with its content; none where it is whole.
    fn parts(&self) -> Vec<(&Slice, &dyn TensorSource)> {
        Vec::new()
    }

    /// The content of one of its [`parts`](Self::parts), where it is stored just so.
    fn part(&self, _slice: &Slice) -> Option<&dyn TensorSource> {
        None
    }

    /// Where it is stored: the number of the file, and a place in that, which grows in the order of writing. Whoever writes
    /// a checkpoint again keeps to it.
    fn stored_at(&self) -> (u32, u64) {
        (0, 0)
    }

    /// Opens the content for reading from the start.
    ///
    /// # Errors
    /// When the file is not there, or what is known already contradicts the shape.
    fn stream(&self) -> Result<Box<dyn TensorStream + '_>>;
}

/// What an index knows of a tensor's content: of the same layout, equal ones stand for equal content where the data
/// itself is not at hand, and unequal ones for another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fingerprint {
    /// Slices and byte order, in no format but its own.
    pub layout: Vec<u8>,
    /// Sizes and checksums as stored.
    pub checksums: Vec<u8>,
}

/// Content read in order.
pub trait TensorStream: Send {
    /// Fills `out` with the next bytes of the content and returns how many; 0 at the end.
    ///
    /// For fixed-width types `out.len()` is a multiple of the element size, and so is what is returned; less than
    /// `out.len()` only at the end. Every stored checksum has been verified when this returns 0, and not before: report
    /// nothing about a tensor until then.
    ///
    /// # Errors
    /// When bytes are missing or a checksum does not hold; the error names file and byte.
    fn read(&mut self, out: &mut [u8]) -> Result<usize>;
}

/// Fixed-width content stored in one piece, little-endian, under at most one checksum.
///
/// A caller that reads it in parts joins the checksums of the parts with [`Checksum::then`] and then
/// [verifies](Extent::verify) the whole.
pub trait Extent: fmt::Debug + Sync {
    /// Fills `out` with the content from byte `offset` on.
    ///
    /// # Errors
    /// When the file is not there or too short; the error names file and byte.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()>;

    /// The checksum that the file stores for the whole content; `None` where it stores none.
    fn stored_checksum(&self) -> Option<Checksum> {
        None
    }

    /// Compares the computed checksum of the whole content with the stored one, which is of the same kind.
    ///
    /// # Errors
    /// When they differ; the error names file and byte.
    fn verify(&self, _computed: Checksum) -> Result<()> {
        Ok(())
    }
}

//! The content of a tensor: a stream that is read in order, or an extent that is read by offset.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::bytes::{Checksum, ReadWindow};
use crate::error::Result;

use super::{DType, Shape, Slice};

/// A tensor whose content is read on demand.
///
/// Content is row-major and little-endian, as in a V2 shard, with one byte per element for `bool` and for types of less than a
/// byte. An element of variable length (`string`, `variant`, `resource`) is its length as `u64`, followed by its bytes.
pub trait TensorSource: fmt::Debug + Send + Sync {
    /// The type of the elements.
    fn dtype(&self) -> DType;

    /// The full shape, even of a tensor that is stored in slices.
    fn shape(&self) -> &Shape;

    /// The size in the file in bytes, without keys and checksums; for fixed-width types the size of the content.
    fn stored_bytes(&self) -> u64;

    /// The content as an extent; `None` if it can only be read in order.
    fn extent(&self) -> Option<&dyn Extent> {
        None
    }

    /// The content, if any part of it can be read by itself, although it is not an extent.
    fn sections(&self) -> Option<&dyn Sections> {
        None
    }

    /// The sizes and checksums of the content in the index; `None` if the format has no checksum per tensor.
    fn stored_checksums(&self) -> Option<StoredChecksums> {
        None
    }

    /// The slices that the tensor is stored in, each with its content; none if it is stored as a whole.
    fn slices(&self) -> Vec<(&Slice, &dyn TensorSource)> {
        Vec::new()
    }

    /// The content of a slice, if that is one of the [`slices`](Self::slices).
    fn slice(&self, _slice: &Slice) -> Option<&dyn TensorSource> {
        None
    }

    /// The number of the file, and a position in it that grows in the order of writing; to keep that order when a checkpoint is
    /// written again.
    fn stored_at(&self) -> (u32, u64) {
        (0, 0)
    }

    /// Opens the content for reading from the start.
    ///
    /// # Errors
    /// If the file is missing, or its size contradicts the shape.
    fn stream(&self) -> Result<Box<dyn TensorStream + '_>>;
}

/// The sizes and checksums of a tensor's content in an index. If the layouts are equal, two tensors are considered equal exactly
/// if their stored checksums are, where the content itself is not available.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredChecksums {
    /// Slices and byte order, in an internal encoding.
    pub layout: Vec<u8>,
    /// The stored checksums, with the sizes of what they cover: one per slice, or the only one.
    pub checksums: Vec<Checksum>,
}

/// Content that is read in order.
pub trait TensorStream: Send {
    /// Fills `out` with the next bytes of the content and returns their number; 0 at the end.
    ///
    /// For fixed-width types `out.len()` must be a multiple of the element size, and so is the result, which is less than
    /// `out.len()` only at the end. All stored checksums are verified when this returns 0, and not before: report nothing about a
    /// tensor until then.
    ///
    /// # Errors
    /// If bytes are missing or a checksum does not match; the error has file and offset.
    fn read(&mut self, out: &mut [u8]) -> Result<usize>;
}

/// Fixed-width content in one contiguous range, little-endian, with at most one checksum.
///
/// A caller that reads it in parts combines the checksums of the parts with [`Checksum::then`], and then
/// [verifies](Extent::verify) the whole.
pub trait Extent: fmt::Debug + Sync {
    /// Fills `out` with the content from byte `offset` on.
    ///
    /// # Errors
    /// If the file is missing or too short; the error has file and offset.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()>;

    /// As [`read_at`](Self::read_at), through a window on the file, if the content is in one.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at).
    fn read_through(&self, window: &mut ReadWindow, offset: u64, out: &mut [u8]) -> Result<()> {
        let _ = window;
        self.read_at(offset, out)
    }

    /// The stored checksum of the whole content, if there is one.
    fn stored_checksum(&self) -> Option<Checksum> {
        None
    }

    /// Compares the computed checksum of the whole content with the stored one, which is of the same kind.
    ///
    /// # Errors
    /// If they differ; the error has file and offset.
    fn verify(&self, _computed: Checksum) -> Result<()> {
        Ok(())
    }
}

/// Fixed-width content that lies in several places, or in another byte order, and of which any part can be read by itself.
pub trait Sections: Sync {
    /// Checks that the files have the content.
    ///
    /// # Errors
    /// If a file is missing, or its size contradicts the shape.
    fn check_files(&self) -> Result<()>;

    /// The elements from one position to another, in row-major order.
    ///
    /// # Errors
    /// If a file is missing.
    fn section(&self, positions: Range<u64>) -> Result<Box<dyn Section + '_>>;

    /// Compares the computed checksum of each place, by its number, with the stored one; places without elements have none.
    ///
    /// # Errors
    /// If they differ; the error has file and offset.
    fn verify_places(&self, computed: &BTreeMap<usize, Checksum>) -> Result<()>;
}

/// Some elements of content.
pub trait Section: Send {
    /// Fills `out`, a multiple of the element size, with the next elements, of which there must be as many.
    ///
    /// # Errors
    /// If a file is missing or too short; the error has file and offset.
    fn read(&mut self, out: &mut [u8]) -> Result<()>;

    /// The checksums of the bytes that were read, as they are stored, by the number of their place.
    fn checksums(&self) -> BTreeMap<usize, Checksum>;
}

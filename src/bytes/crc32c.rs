//! CRC-32C (Castagnoli), and the masked form in which TensorFlow and LevelDB store it.

use super::checksum::{Checksum, ChecksumKind};
use crate::error::{ErrorKind, Result};

const MASK_DELTA: u32 = 0xa282_ead8;

/// The CRC-32C of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crc32c(Checksum);

/// The checksum of no bytes.
impl Default for Crc32c {
    fn default() -> Self {
        Self(Checksum::new(ChecksumKind::Crc32c))
    }
}

impl From<Crc32c> for Checksum {
    fn from(crc: Crc32c) -> Self {
        crc.0
    }
}

impl Crc32c {
    /// The checksum of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Checksum::of(ChecksumKind::Crc32c, bytes))
    }

    /// Adds `bytes` to the end.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The plain checksum; 0 for no bytes.
    pub fn value(self) -> u32 {
        self.0.value()
    }

    /// The masked form: rotated and offset, so that the checksum of bytes that include checksums stays sound.
    pub fn masked(self) -> u32 {
        Self::mask(self.value())
    }

    /// Compares the checksum with the masked one that is stored for `what`.
    ///
    /// # Errors
    /// If they differ.
    pub fn verify(self, what: &'static str, masked: u32) -> Result<()> {
        let (stored, computed) = (Self::unmask(masked), self.value());
        if stored == computed {
            return Ok(());
        }
        Err(ErrorKind::Checksum { what, stored, computed }.into())
    }

    /// The masked form of a plain checksum.
    pub fn mask(plain: u32) -> u32 {
        plain.rotate_right(15).wrapping_add(MASK_DELTA)
    }

    /// The plain form of a masked checksum.
    pub fn unmask(stored: u32) -> u32 {
        stored.wrapping_sub(MASK_DELTA).rotate_left(15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masking_is_undone() {
        assert_eq!(Crc32c::default().masked(), 0xa282_ead8);
        assert_eq!(Crc32c::unmask(Crc32c::of(b"x").masked()), Crc32c::of(b"x").value());
    }
}

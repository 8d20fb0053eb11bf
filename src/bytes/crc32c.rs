//! CRC-32C (Castagnoli), and the mask that TensorFlow and LevelDB store it under.

use crc_fast::{CrcAlgorithm, Digest, checksum_combine};

const ALGORITHM: CrcAlgorithm = CrcAlgorithm::Crc32Iscsi;
const MASK_DELTA: u32 = 0xa282_ead8;

/// The checksum of some bytes, and how many they were, so that neighbours can be joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Crc32c {
    value: u32,
    len: u64,
}

impl Crc32c {
    /// The checksum of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let value = narrow(crc_fast::checksum(ALGORITHM, bytes));
        Self { value, len: bytes.len() as u64 }
    }

    /// The checksum of these bytes followed by those of `next`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        if self.len == 0 {
            return next;
        }
        if next.len == 0 {
            return self;
        }
        let value =
            checksum_combine(ALGORITHM, u64::from(self.value), u64::from(next.value), next.len);
        Self { value: narrow(value), len: self.len + next.len }
    }

    /// Takes `bytes` in after those before.
    pub fn update(&mut self, bytes: &[u8]) {
        if self.len == 0 {
            *self = Self::of(bytes);
            return;
        }
        let mut digest = Digest::new_with_init_state(ALGORITHM, u64::from(!self.value));
        digest.update(bytes);
        self.value = narrow(digest.finalize());
        self.len += bytes.len() as u64;
    }

    /// The plain checksum; 0 of no bytes.
    pub fn value(self) -> u32 {
        self.value
    }

    /// How many bytes it covers.
    pub fn len(self) -> u64 {
        self.len
    }

    /// Whether it covers no bytes.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The stored form: rotated and offset, so that a checksum over bytes that hold checksums stays sound.
    pub fn masked(self) -> u32 {
        Self::mask(self.value)
    }

    /// The stored form of a plain checksum.
    pub fn mask(plain: u32) -> u32 {
        plain.rotate_right(15).wrapping_add(MASK_DELTA)
    }

    /// The plain checksum of a stored one.
    pub fn unmask(stored: u32) -> u32 {
        stored.wrapping_sub(MASK_DELTA).rotate_left(15)
    }
}

/// `crc_fast` gives checksums of every width as `u64`.
#[expect(clippy::cast_possible_truncation, reason = "a crc32 has 32 bits")]
fn narrow(checksum: u64) -> u32 {
    checksum as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_polynomial_holds() {
        assert_eq!(Crc32c::of(b"123456789").value(), 0xe306_9283);
        assert_eq!(Crc32c::default().masked(), 0xa282_ead8);
        assert_eq!(Crc32c::unmask(Crc32c::of(b"x").masked()), Crc32c::of(b"x").value());
    }

    #[test]
    fn parts_join_to_the_whole() {
        let bytes: Vec<u8> = (0..10_000u32).map(|i| (i * 7 % 251) as u8).collect();
        let whole = Crc32c::of(&bytes);
        for cut in [0, 1, 15, 16, 4096, 9_999, 10_000] {
            let (head, tail) = bytes.split_at(cut);
            assert_eq!(Crc32c::of(head).then(Crc32c::of(tail)), whole, "cut at {cut}");
            let mut updated = Crc32c::default();
            updated.update(head);
            updated.update(tail);
            assert_eq!(updated, whole, "cut at {cut}");
        }
    }
}

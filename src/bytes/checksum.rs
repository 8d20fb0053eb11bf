//! The checksums that formats store.

use std::fmt;

use crc_fast::{CrcAlgorithm, Digest};

use super::crc_combine;

/// A kind of checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumKind {
    /// CRC-32C (Castagnoli), as LevelDB and TensorFlow store it.
    Crc32c,
    /// CRC-32 (ISO-HDLC), as zip archives store it.
    Crc32,
}

impl ChecksumKind {
    /// `crc32c` or `CRC-32`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crc32c => "crc32c",
            Self::Crc32 => "CRC-32",
        }
    }

    /// The polynomial with its bits reversed, as the CRC is computed.
    fn polynomial(self) -> u32 {
        match self {
            Self::Crc32c => 0x82f6_3b78,
            Self::Crc32 => 0xedb8_8320,
        }
    }

    fn algorithm(self) -> CrcAlgorithm {
        match self {
            Self::Crc32c => CrcAlgorithm::Crc32Iscsi,
            Self::Crc32 => CrcAlgorithm::Crc32IsoHdlc,
        }
    }
}

impl fmt::Display for ChecksumKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The checksum of some bytes. The checksums of adjacent ranges can be combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum {
    kind: ChecksumKind,
    value: u32,
    len: u64,
}

impl Checksum {
    /// The checksum of no bytes.
    pub fn new(kind: ChecksumKind) -> Self {
        Self::stored(kind, 0, 0)
    }

    /// A checksum that a file stores for `len` bytes, unmasked.
    pub fn stored(kind: ChecksumKind, value: u32, len: u64) -> Self {
        Self { kind, value, len }
    }

    /// The checksum of `bytes`.
    pub fn of(kind: ChecksumKind, bytes: &[u8]) -> Self {
        let value = narrow(crc_fast::checksum(kind.algorithm(), bytes));
        Self { kind, value, len: bytes.len() as u64 }
    }

    /// The checksum of the bytes of `self` followed by those of `next`, which has the same kind.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        if self.len == 0 {
            return next;
        }
        if next.len == 0 {
            return self;
        }
        let value = crc_combine::combine(self.kind.polynomial(), self.value, next.value, next.len);
        Self { value, len: self.len + next.len, ..self }
    }

    /// Adds `bytes` to the end.
    pub fn update(&mut self, bytes: &[u8]) {
        if self.len == 0 {
            *self = Self::of(self.kind, bytes);
            return;
        }
        let mut digest = Digest::new_with_init_state(self.kind.algorithm(), u64::from(!self.value));
        digest.update(bytes);
        self.value = narrow(digest.finalize());
        self.len += bytes.len() as u64;
    }

    /// The kind of the checksum.
    pub fn kind(self) -> ChecksumKind {
        self.kind
    }

    /// The plain checksum; 0 for no bytes.
    pub fn value(self) -> u32 {
        self.value
    }

    /// The number of bytes that it covers.
    pub fn len(self) -> u64 {
        self.len
    }

    /// Whether it covers no bytes.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// Narrows what `crc_fast` returns, which is `u64` for checksums of every width.
#[expect(clippy::cast_possible_truncation, reason = "a CRC of 32 bits fits in 32 bits")]
fn narrow(checksum: u64) -> u32 {
    checksum as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [(ChecksumKind, u32); 2] =
        [(ChecksumKind::Crc32c, 0xe306_9283), (ChecksumKind::Crc32, 0xcbf4_3926)];

    #[test]
    fn the_check_values_of_the_polynomials_hold() {
        for (kind, check) in KINDS {
            assert_eq!(Checksum::of(kind, b"123456789").value(), check, "{kind}");
        }
    }

    #[test]
    fn parts_join_to_the_whole() {
        let bytes: Vec<u8> = (0..10_000u32).map(|i| (i * 7 % 251) as u8).collect();
        for (kind, _) in KINDS {
            let whole = Checksum::of(kind, &bytes);
            for cut in [0, 1, 15, 16, 4096, 9_999, 10_000] {
                let (head, tail) = bytes.split_at(cut);
                let joined = Checksum::of(kind, head).then(Checksum::of(kind, tail));
                assert_eq!(joined, whole, "{kind} cut at {cut}");
                let mut updated = Checksum::new(kind);
                updated.update(head);
                updated.update(tail);
                assert_eq!(updated, whole, "{kind} cut at {cut}");
            }
        }
    }
}

//! Base-128 varints, as protobuf and LevelDB write them.

/// The number of bytes of the longest 64-bit varint.
pub const MAX_LEN: usize = 10;

/// Reads the varint at the start of `bytes`: its value, and its length in bytes.
///
/// Returns `None` if `bytes` ends inside the varint, or the value does not fit in 64 bits.
#[inline]
pub fn read(bytes: &[u8]) -> Option<(u64, usize)> {
    // Most varints have one byte.
    if let Some(&byte) = bytes.first()
        && byte < 0x80
    {
        return Some((u64::from(byte), 1));
    }
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(MAX_LEN).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if i == MAX_LEN - 1 && bits > 1 {
            return None;
        }
        value |= bits << (7 * i);
        if byte < 0x80 {
            return Some((value, i + 1));
        }
    }
    None
}

/// The length of `value` as a varint, in bytes.
#[inline]
pub const fn len(value: u64) -> usize {
    (70 - (value | 1).leading_zeros() as usize) / 7
}

/// Appends `value` as a varint.
#[inline]
pub fn write(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push((value & 0x7f) as u8);
}

/// The low 32 bits as a signed number.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the wire format truncates an int32 to 32 bits"
)]
pub fn int32(value: u64) -> i32 {
    (value as u32).cast_signed()
}

/// Decodes a ZigZag number of a `sint32` or `sint64`.
#[inline]
pub fn from_zigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Encodes a signed number as ZigZag.
#[inline]
pub fn to_zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_reads_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1u64 << shift) - 1, u64::MAX >> shift] {
                let mut bytes = Vec::new();
                write(value, &mut bytes);
                assert_eq!(read(&bytes), Some((value, bytes.len())));
                assert_eq!(len(value), bytes.len());
                for cut in 0..bytes.len() {
                    assert_eq!(read(&bytes[..cut]), None, "cut at {cut}");
                }
            }
        }
    }

    #[test]
    fn more_than_64_bits_are_refused() {
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]), None);
        assert_eq!(read(&[0x80; 11]), None);
    }
}

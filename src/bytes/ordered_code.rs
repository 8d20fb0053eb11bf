//! OrderedCode: encodings of integers and strings that sort as the values do.
//!
//! The keys of tensor slices, in V2 indexes and V1 files, are
//! `0, name, rank, then start and length of each dimension`. Source: TensorFlow's `ordered_code.cc`.
//!
//! ```text
//! unsigned := length: u8, big-endian bytes without leading zeros
//! string   := bytes with 00 → 00 ff and ff → ff 00, then 00 01
//! signed   := -64..=63 in one byte (v ^ 0x80); longer ones have their length in the leading bits
//! ```
#![expect(
    clippy::big_endian_bytes,
    reason = "ordered code is big-endian, so that bytes sort as numbers"
)]

/// Appends an unsigned integer.
pub fn write_unsigned(value: u64, out: &mut Vec<u8>) {
    let bytes = value.to_be_bytes();
    let mut kept = bytes.as_slice();
    let mut len = 8;
    while let [0, rest @ ..] = kept {
        kept = rest;
        len -= 1;
    }
    out.push(len);
    out.extend_from_slice(kept);
}

/// Appends a byte string.
pub fn write_string(value: &[u8], out: &mut Vec<u8>) {
    for &byte in value {
        match byte {
            0x00 => out.extend([0x00, 0xff]),
            0xff => out.extend([0xff, 0x00]),
            _ => out.push(byte),
        }
    }
    out.extend([0x00, 0x01]);
}

/// Appends a signed integer.
///
/// An encoding of `n` bytes has `7 n - 1` bits besides the sign. It starts with `n` ones and a zero (for negative numbers, the
/// complement), which continue in the second byte if `n` is over 7.
pub fn write_signed(value: i64, out: &mut Vec<u8>) {
    let magnitude = if value < 0 { !value } else { value }.cast_unsigned();
    let bits = 64 - magnitude.leading_zeros() as usize;
    let len = (bits / 7 + 1).min(10);
    // Sign-extended to 16 bytes, of which the last `len` are written, XORed with the length header.
    let extended = i128::from(value).to_be_bytes();
    let mut kept = extended.get(16 - len..).unwrap_or(&[]).to_vec();
    let header: u16 = !(0xffff_u16 >> len);
    for (byte, mask) in kept.iter_mut().zip(header.to_be_bytes()) {
        *byte ^= mask;
    }
    out.extend(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(value: i64) -> Vec<u8> {
        let mut out = Vec::new();
        write_signed(value, &mut out);
        out
    }

    #[test]
    fn signed_numbers_are_tensorflows() {
        assert_eq!(signed(0), [0x80]);
        assert_eq!(signed(-1), [0x7f]);
        assert_eq!(signed(63), [0xbf]);
        assert_eq!(signed(-64), [0x40]);
        assert_eq!(signed(250), [0xc0, 0xfa]);
        assert_eq!(signed(70_000), [0xe1, 0x11, 0x70]);
    }

    #[test]
    fn signed_numbers_sort() {
        let mut values = vec![i64::MIN, i64::MAX, 0, -1];
        for shift in 0..63 {
            let v = 1i64 << shift;
            values.extend([v, -v, v - 1, 1 - v, -v - 1]);
        }
        values.sort_unstable();
        values.dedup();
        for pair in values.windows(2) {
            assert!(signed(pair[0]) < signed(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn unsigned_and_strings_are_tensorflows() {
        let mut out = Vec::new();
        write_unsigned(0, &mut out);
        write_unsigned(2, &mut out);
        write_string(b"a\x00\xff", &mut out);
        assert_eq!(out, [0x00, 0x01, 0x02, b'a', 0x00, 0xff, 0xff, 0x00, 0x00, 0x01]);
    }
}

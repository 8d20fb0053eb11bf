//! The keys of slices in an index.
//!
//! ```text
//! key := OrderedCode of: unsigned 0, string name, unsigned rank, then signed start, signed length per dimension
//! ```
//! A full dimension has start 0 and length -1, unless the writer gave its length. Source: TensorFlow's
//! `saved_tensor_slice_util.cc`.

use crate::bytes::ordered_code;

/// Appends the key of a slice of `name`.
pub(super) fn write(name: &[u8], extents: &[(i64, i64)], key: &mut Vec<u8>) {
    ordered_code::write_unsigned(0, key);
    ordered_code::write_string(name, key);
    ordered_code::write_unsigned(extents.len() as u64, key);
    for &(start, len) in extents {
        ordered_code::write_signed(start, key);
        ordered_code::write_signed(len, key);
    }
}

/// The name of the tensor that `key` is a slice of; `None` if it is not the key of a slice.
///
/// A scalar has no slices, so a key of rank 0 is an ordinary name that resembles one.
pub(super) fn name(key: &[u8]) -> Option<Vec<u8>> {
    let mut rest = key.strip_prefix(&[0x00])?;
    let mut name = Vec::new();
    loop {
        let (&byte, tail) = rest.split_first()?;
        rest = tail;
        if byte != 0x00 && byte != 0xff {
            name.push(byte);
            continue;
        }
        let (&escape, tail) = rest.split_first()?;
        rest = tail;
        match (byte, escape) {
            (0x00, 0x01) => break,
            (0x00, 0xff) | (0xff, 0x00) => name.push(byte),
            _ => return None,
        }
    }
    // The rank is at most 254, which takes one byte.
    let (&rank, mut rest) = rest.strip_prefix(&[1])?.split_first()?;
    for _ in 0..2 * usize::from(rank) {
        rest = rest.get(signed_len(rest)?..)?;
    }
    rest.is_empty().then_some(name)
}

/// The length of the signed number at the start of `bytes`: the number of leading ones, or of leading zeros if it is negative.
fn signed_len(bytes: &[u8]) -> Option<usize> {
    let first = *bytes.first()?;
    let complement = if first & 0x80 == 0 { 0xff } else { 0x00 };
    match (first ^ complement).leading_ones() as usize {
        8 => Some(8 + (bytes.get(1)? ^ complement).leading_ones() as usize),
        len => Some(len),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_gives_its_name_back() {
        let numbers = [0, 1, -1, 63, 64, -64, -65, 250, 70_000, 1 << 40, i64::MAX, i64::MIN];
        for stored in [&b"w"[..], b"", b"\0", b"a\xff\0b", b"\0\x01"] {
            for rank in 1..4 {
                for &number in &numbers {
                    let mut key = Vec::new();
                    write(stored, &vec![(number, !number); rank], &mut key);
                    assert_eq!(name(&key).as_deref(), Some(stored), "{number} of rank {rank}");
                    key.push(0);
                    assert_eq!(name(&key), None);
                }
            }
        }
    }

    #[test]
    fn what_is_no_key_has_no_name() {
        for key in [
            &b""[..],
            b"w",
            b"\0",
            b"\0a",
            b"\0a\0\x01",
            b"\0a\0\x02\0",
            b"\0a\0\x01\0",
            b"\0a\0\x01\x01\x01",
        ] {
            assert_eq!(name(key), None, "{key:?}");
        }
    }
}

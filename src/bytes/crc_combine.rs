//! The CRC of two adjacent ranges from the CRC of each.
//!
//! A CRC is the remainder of the bytes as a polynomial over GF(2). Bytes that follow multiply it by a power of `x`, whose remainder is
//! a product of squares. `crc_fast` squares matrices instead, which takes about 50 microseconds: a twentieth of the time in which
//! a unit of float8 is compared.

/// Bits of a CRC.
const BITS: usize = u32::BITS as usize;

/// The CRC of a range followed by a range of `len` bytes, both by this polynomial.
pub(super) fn combine(polynomial: u32, crc: u32, next: u32, len: u64) -> u32 {
    multiply(polynomial, power_of_x(polynomial, len), crc) ^ next
}

/// `x` to the power of the bits in `len` bytes.
fn power_of_x(polynomial: u32, len: u64) -> u32 {
    // Bits are reversed: the highest is 1, the next is x.
    let (mut power, mut square) = (1 << (BITS - 1), 1 << (BITS - 2));
    for _ in 0..u8::BITS.ilog2() {
        square = multiply(polynomial, square, square);
    }
    let mut left = len;
    while left > 0 {
        if left & 1 == 1 {
            power = multiply(polynomial, square, power);
        }
        square = multiply(polynomial, square, square);
        left >>= 1;
    }
    power
}

/// The product of two remainders.
fn multiply(polynomial: u32, a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for bit in (0..BITS).rev() {
        // Without branches, which would be mispredicted half of the time.
        product ^= b & ((a >> bit) & 1).wrapping_neg();
        b = (b >> 1) ^ (polynomial & (b & 1).wrapping_neg());
    }
    product
}

#[cfg(test)]
mod tests {
    use crc_fast::{CrcAlgorithm, checksum_combine};

    use super::*;

    #[test]
    fn checksums_are_combined_as_by_the_library() {
        let mut random = 1u64;
        for shift in 0..63 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (crc, next) = ((random >> 32) as u32, (random >> 33) as u32 ^ 0x5a5a_5a5a);
            let len = (random >> (63 - shift)) + 1;
            for (algorithm, polynomial) in
                [(CrcAlgorithm::Crc32Iscsi, 0x82f6_3b78), (CrcAlgorithm::Crc32IsoHdlc, 0xedb8_8320)]
            {
                let expected = checksum_combine(algorithm, crc.into(), next.into(), len);
                assert_eq!(u64::from(combine(polynomial, crc, next, len)), expected, "{len}");
            }
        }
    }
}

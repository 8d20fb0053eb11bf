//! Parses the numbers of the text format.

/// The magnitude of an integer: decimal, octal after `0`, hexadecimal after `0x`.
///
/// `None` if the token is a float or needs more than 64 bits.
pub(super) fn integer(token: &str) -> Option<u64> {
    let bytes = token.as_bytes();
    if let ([b'0'..=b'9'], &[digit]) = (bytes, bytes) {
        return Some(u64::from(digit - b'0'));
    }
    let (digits, radix) = match bytes {
        [b'0', b'x' | b'X', ..] => (token.get(2..)?, 16),
        [b'0', ..] => (token.get(1..)?, 8),
        _ => (token, 10),
    };
    // from_str_radix accepts a sign, which the text format has as a token of its own.
    u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'))
}

/// The value of a decimal number, rounded to nearest; infinite if it is too large.
pub(super) fn float(token: &str) -> Option<f64> {
    token.strip_suffix(['f', 'F']).unwrap_or(token).parse().ok()
}

/// The value of `inf`, `infinity` or `nan`, in any case.
pub(super) fn float_word(word: &str) -> Option<f64> {
    let is = |name| word.eq_ignore_ascii_case(name);
    if is("inf") || is("infinity") { Some(f64::INFINITY) } else { is("nan").then_some(f64::NAN) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_decimal_octal_or_hexadecimal() {
        for (token, value) in [
            ("0", Some(0)),
            ("7", Some(7)),
            ("017", Some(15)),
            ("0x1F", Some(31)),
            ("0X1f", Some(31)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("0xffffffffffffffff", Some(u64::MAX)),
            ("1e2", None),
            ("1.0", None),
            ("5f", None),
        ] {
            assert_eq!(integer(token), value, "{token}");
        }
    }

    #[test]
    fn floats_may_be_of_any_size() {
        for (token, value) in [
            ("5.", Some(5.0)),
            (".5", Some(0.5)),
            ("5.f", Some(5.0)),
            ("0f", Some(0.0)),
            ("1e5F", Some(1e5)),
            ("0", Some(0.0)),
            ("123456789012345678901234567890", Some(123_456_789_012_345_678_901_234_567_890.0)),
            ("1e400", Some(f64::INFINITY)),
            ("1e18446744073709551616", Some(f64::INFINITY)),
            ("1e-18446744073709551616", Some(0.0)),
        ] {
            assert_eq!(float(token), value, "{token}");
        }
    }
}

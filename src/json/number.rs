//! JSON number syntax, and exact integers.

/// The parts of a number: `-12.5e3` is minus, `12`, `5`, 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parts<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

/// Returns whether all of `text` is one JSON number.
pub(super) fn is_number(text: &[u8]) -> bool {
    parts(text).is_some()
}

fn parts(text: &[u8]) -> Option<Parts<'_>> {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unsigned = text.strip_prefix(b"-");
    let (negative, text) = (unsigned.is_some(), unsigned.unwrap_or(text));
    let (whole, mut rest) = text.split_at_checked(digits(text))?;
    if whole.is_empty() || (whole.len() > 1 && whole.first() == Some(&b'0')) {
        return None;
    }
    let mut fraction: &[u8] = &[];
    if let Some(behind) = rest.strip_prefix(b".") {
        (fraction, rest) = behind.split_at_checked(digits(behind))?;
        if fraction.is_empty() {
            return None;
        }
    }
    let mut exponent = 0;
    if let [b'e' | b'E', behind @ ..] = rest {
        let unsigned = behind.strip_prefix(b"-").or_else(|| behind.strip_prefix(b"+"));
        let number = unsigned.unwrap_or(behind);
        if number.is_empty() || digits(number) != number.len() {
            return None;
        }
        // A saturated exponent is out of range for every number that fits in memory.
        exponent = number.iter().fold(0i64, |value, byte| {
            value.saturating_mul(10).saturating_add(i64::from(byte - b'0'))
        });
        if behind.first() == Some(&b'-') {
            exponent = -exponent;
        }
        rest = &[];
    }
    rest.is_empty().then_some(Parts { negative, whole, fraction, exponent })
}

/// Parses an integer in any notation: `1`, `1.0` and `10e-1` are the same one.
///
/// Returns `None` if `text` is not a number, has a fraction, or is outside the range of every field.
#[inline]
pub(super) fn integer(text: &[u8]) -> Option<i128> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    // The fast path: plain digits.
    let plain =
        (1..19).contains(&digits.len()) && (digits.first() != Some(&b'0') || digits.len() == 1);
    if plain && let Some(value) = plain_digits(digits) {
        return Some(if negative { -i128::from(value) } else { i128::from(value) });
    }
    integer_in_any_notation(text)
}

/// Parses at most 18 digits.
#[inline]
fn plain_digits(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| value * 10 + u64::from(digit))
    })
}

#[cold]
fn integer_in_any_notation(text: &[u8]) -> Option<i128> {
    /// The digits of the largest 64-bit integer.
    const MAX_DIGITS: i64 = 20;
    let Parts { negative, whole, fraction, exponent } = parts(text)?;
    let digits = || whole.iter().chain(fraction).map(|byte| byte - b'0');
    let len = i64::try_from(whole.len() + fraction.len()).ok()?;
    let leading = i64::try_from(digits().take_while(|&digit| digit == 0).count()).ok()?;
    if leading == len {
        return Some(0);
    }
    let trailing = digits().rev().take_while(|&digit| digit == 0).count();
    // The number of digits before the decimal point, and without trailing zeros.
    let point = i64::try_from(whole.len()).ok()?.saturating_add(exponent);
    let needed = len - i64::try_from(trailing).ok()?;
    if point < needed || point.saturating_sub(leading) > MAX_DIGITS {
        return None;
    }
    let count = usize::try_from(point).ok()?;
    let skip = usize::try_from(leading).ok()?;
    let padded = digits().chain(std::iter::repeat(0)).take(count).skip(skip);
    let value = padded.fold(0i128, |value, digit| value * 10 + i128::from(digit));
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_exact_however_they_are_spelled() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("0.0", 0),
            ("0e99999999999999999999", 0),
            ("12", 12),
            ("1e5", 100_000),
            ("100000.000", 100_000),
            ("1.5e1", 15),
            ("150e-1", 15),
            ("0.0012e4", 12),
            ("-12.0", -12),
            ("9223372036854774784", 9_223_372_036_854_774_784),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("-9223372036854775809", -9_223_372_036_854_775_809),
            ("18446744073709551616", 1 << 64),
            ("1.8446744073709551615E+19", u64::MAX.into()),
        ] {
            assert_eq!(integer(text.as_bytes()), Some(value), "{text}");
        }
        for text in [
            "",
            "-",
            "+1",
            "01",
            "-01",
            " 1",
            "1 ",
            "0.5",
            "1e-1",
            "1.",
            ".5",
            "1e",
            "1e+",
            "0x1",
            "1_0",
            "--1",
            "1e536870000",
            "-1e99999999999999999999",
            "1e-99999999999999999999",
            "NaN",
            "1.5",
        ] {
            assert_eq!(integer(text.as_bytes()), None, "{text}");
        }
    }
}

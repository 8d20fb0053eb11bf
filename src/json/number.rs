//! JSON number syntax: exact integers, and floats in the fewest digits that round-trip.

use std::io::Write;

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

/// Appends a finite `double` in the fewest digits that round-trip, in Python's notation.
pub(super) fn push_double(value: f64, out: &mut Vec<u8>) {
    let start = out.len();
    // Writing to a Vec cannot fail.
    let _ = serde_json::to_writer(&mut *out, &value);
    use_python_exponent(start, out);
}

/// Appends a finite `float` in the fewest digits that round-trip, at least six where they differ, as Python does.
pub(super) fn push_float(value: f32, out: &mut Vec<u8>) {
    // The shortest form of the largest float is slightly above it; Python prints that form and then refuses to read it.
    if value.abs() >= f32::MAX {
        return push_double(value.into(), out);
    }
    let start = out.len();
    // Only for subnormal numbers can the shortest form have fewer than six digits without being the nearest.
    if value.is_subnormal() {
        let digits = (5..9).map(|digits| format!("{value:.digits$e}"));
        let text = { digits }.find(|text| text.parse() == Ok(value)).unwrap_or_default();
        out.extend_from_slice(text.as_bytes());
    } else {
        // Writing to a Vec cannot fail.
        let _ = serde_json::to_writer(&mut *out, &value);
    }
    use_python_exponent(start, out);
}

/// Rewrites the number at `start` with an exponent where Python uses one: below 1e-4, and from 1e16.
fn use_python_exponent(start: usize, out: &mut Vec<u8>) {
    /// The positions of the decimal point, relative to the first digit, that need no exponent.
    const POINTS: std::ops::RangeInclusive<i64> = -3..=16;
    let text = out.get(start..).unwrap_or_default();
    let short = text.len() <= 6 && !text.contains(&b'e');
    if short {
        return;
    }
    let Some(Parts { negative, whole, fraction, exponent }) = parts(text) else { return };
    let mut digits = [0; 40];
    let mut len = 0;
    let all = whole.iter().chain(fraction).skip_while(|&&byte| byte == b'0');
    for (place, byte) in digits.iter_mut().zip(all) {
        *place = *byte;
        len += 1;
    }
    let zeros = whole.iter().chain(fraction).take_while(|&&byte| byte == b'0').count();
    // The lengths are small, because the number was just printed.
    let point = whole.len() as i64 + exponent - zeros as i64;
    let digits = digits.get(..len).unwrap_or_default();
    let trailing = digits.iter().rev().take_while(|&&byte| byte == b'0').count();
    let digits = digits.get(..len - trailing).unwrap_or_default();
    if digits.is_empty() || (exponent == 0 && POINTS.contains(&point)) {
        return;
    }
    out.truncate(start);
    if negative {
        out.push(b'-');
    }
    let count = digits.len() as i64;
    // Writing to a Vec cannot fail.
    let _ = if POINTS.contains(&point) {
        let (whole, fraction) =
            digits.split_at(usize::try_from(point).unwrap_or(0).min(digits.len()));
        let before = usize::try_from(point - count).unwrap_or(0);
        let behind = usize::try_from(-point).unwrap_or(0);
        let whole = if point <= 0 { "0" } else { std::str::from_utf8(whole).unwrap_or_default() };
        let fraction = if fraction.is_empty() { b"0" } else { fraction };
        let fraction = std::str::from_utf8(fraction).unwrap_or_default();
        write!(out, "{whole}{:0<before$}.{:0<behind$}{fraction}", "", "")
    } else {
        let (first, rest) = digits.split_at(1);
        out.extend_from_slice(first);
        if !rest.is_empty() {
            out.push(b'.');
            out.extend_from_slice(rest);
        }
        let sign = if point < 1 { '-' } else { '+' };
        write!(out, "e{sign}{:02}", (point - 1).abs())
    };
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

    #[test]
    fn floats_are_laid_out_as_python_does() {
        let text = |value| {
            let mut out = Vec::new();
            push_double(value, &mut out);
            String::from_utf8(out).unwrap()
        };
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (1_234_567_890_123_456.7, "1234567890123456.8"),
            (0.0001, "0.0001"),
            (0.000_12, "0.00012"),
            (0.000_01, "1e-05"),
            (-1.5e-7, "-1.5e-07"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(text(value), expected);
        }
        let mut out = Vec::new();
        for value in [0.041_690_066, f32::MAX, f32::from_bits(1), 1e5] {
            push_float(value, &mut out);
            out.push(b' ');
        }
        assert_eq!(out, b"0.041690066 3.4028234663852886e+38 1.4013e-45 100000.0 ");
    }
}

//! The text of floating-point numbers, as Python and as C print them.
//!
//! | | digits | layout |
//! | --- | --- | --- |
//! | Python `float` | the fewest, from 6 up, that read back | `repr`: `1e+16`, `10000000000.0` |
//! | Python `double` | the fewest that read back | the same |
//! | C `float` | 6; 9 where these do not read back | `%g`: `1e+10`, `123456789` |
//! | C `double` | 15; 17 where these do not read back | the same |
//!
//! Source: `ToShortestFloat` in protobuf for Python, `SimpleFtoa` and `SimpleDtoa` in C++.

use super::decimal::{Binary, Decimal, Exact};

/// Whose notation a number gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatStyle {
    /// That of Python: TensorFlow's text and all JSON.
    Python,
    /// That of C: protoc's text.
    C,
}

/// The text of a `float` with these bits.
pub(crate) fn float_text(bits: u32, style: FloatStyle) -> NumberText {
    let is_negative = bits >> 31 == 1;
    let (exponent, fraction) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    let Some(number) = binary(exponent.into(), fraction.into(), 0xff, 23, 150) else {
        return special(is_negative, exponent != 0, fraction != 0, style);
    };
    let value = f32::from_bits(bits & 0x7fff_ffff);
    let (digits, precision) = match style {
        FloatStyle::Python => (few_digits(number, value), 16),
        FloatStyle::C => six_or_nine(number, value),
    };
    decimal_text(is_negative, digits, precision, style)
}

/// The text of a `double` with these bits.
pub(crate) fn double_text(bits: u64, style: FloatStyle) -> NumberText {
    let is_negative = bits >> 63 == 1;
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & 0xf_ffff_ffff_ffff);
    let Some(number) = binary(exponent, fraction, 0x7ff, 52, 1075) else {
        return special(is_negative, exponent != 0, fraction != 0, style);
    };
    let value = f64::from_bits(bits & !(1 << 63));
    let (digits, precision) = match style {
        FloatStyle::Python => (shortest(number, value), 16),
        FloatStyle::C => fifteen_or_seventeen(number, value),
    };
    decimal_text(is_negative, digits, precision, style)
}

/// The number with these bits; `None` for zero, infinity and NaN.
fn binary(exponent: u64, fraction: u64, top: u64, width: u32, bias: i32) -> Option<Binary> {
    if exponent == top || exponent == 0 && fraction == 0 {
        return None;
    }
    let is_normal = exponent > 0;
    let m = fraction | u64::from(is_normal) << width;
    let e = i32::try_from(exponent.max(1)).ok()? - bias;
    Some(Binary { m, e, is_power: fraction == 0 })
}

/// The fewest digits, from 6 up, that read back.
fn few_digits(number: Binary, value: f32) -> Decimal {
    if let Some(exact) = Exact::new(number, 9)
        && let Some(few) = exact.fewest(6)
    {
        return few;
    }
    for precision in 5..8 {
        let text = format!("{:.precision$e}", f64::from(value));
        if text.parse().is_ok_and(|read| is_float(read, value)) {
            return parse(&text);
        }
    }
    parse(&format!("{:.8e}", f64::from(value)))
}

/// Whether a number rounds to this `float`.
#[expect(clippy::cast_possible_truncation, reason = "rounds")]
fn is_float(read: f64, value: f32) -> bool {
    (read as f32).to_bits() == value.to_bits()
}

/// The fewest digits that read back; of two equally close numbers the even one.
fn shortest(number: Binary, value: f64) -> Decimal {
    // Any 15 digits read back. Below a power of two, the shortest number may not be the closest.
    if !number.is_power
        && let Some(exact) = Exact::new(number, 17)
        && let Some(few) = exact.fewest(15)
    {
        return few;
    }
    let text = format!("{value:e}");
    let digits = text.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
    let even = format!("{value:.*e}", digits.saturating_sub(1));
    let reads_back = even.parse().is_ok_and(|read: f64| read.to_bits() == value.to_bits());
    parse(if reads_back { &even } else { &text })
}

fn six_or_nine(number: Binary, value: f32) -> (Decimal, i32) {
    // C's strtof reports a subnormal number as out of range, which protobuf takes for a number that does not read back.
    let is_subnormal = value < f32::MIN_POSITIVE;
    if !is_subnormal
        && let Some(exact) = Exact::new(number, 9)
        && let Some(few) = exact.reads_back(6)
    {
        return if few { (exact.round(6), 6) } else { (exact.round(9), 9) };
    }
    let text = format!("{value:.5e}");
    if !is_subnormal && text.parse().is_ok_and(|read: f32| read.to_bits() == value.to_bits()) {
        (parse(&text), 6)
    } else {
        (parse(&format!("{value:.8e}")), 9)
    }
}

fn fifteen_or_seventeen(number: Binary, value: f64) -> (Decimal, i32) {
    if let Some(exact) = Exact::new(number, 17)
        && let Some(few) = exact.reads_back(15)
    {
        return if few { (exact.round(15), 15) } else { (exact.round(17), 17) };
    }
    let text = format!("{value:.14e}");
    if text.parse().is_ok_and(|read: f64| read.to_bits() == value.to_bits()) {
        (parse(&text), 15)
    } else {
        (parse(&format!("{value:.16e}")), 17)
    }
}

fn parse(text: &str) -> Decimal {
    Decimal::parse(text).unwrap_or(Decimal { digits: 0, exponent: 0 })
}

fn special(is_negative: bool, is_endless: bool, is_nan: bool, style: FloatStyle) -> NumberText {
    let mut text = NumberText::default();
    if is_negative && !is_nan {
        text.push(b"-");
    }
    text.push(match (is_nan, is_endless, style) {
        (true, ..) => b"nan",
        (_, true, _) => b"inf",
        (.., FloatStyle::Python) => b"0.0",
        (.., FloatStyle::C) => b"0",
    });
    text
}

/// The text of a number, with an exponent if it is below 10^-4 or at least 10^`precision`.
fn decimal_text(
    is_negative: bool,
    number: Decimal,
    precision: i32,
    style: FloatStyle,
) -> NumberText {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(number.digits).as_bytes();
    let mut text = NumberText::default();
    if is_negative {
        text.push(b"-");
    }
    match usize::try_from(number.exponent) {
        _ if !(-4..precision).contains(&number.exponent) => {
            let (first, rest) = digits.split_at_checked(1).unwrap_or_default();
            text.push(first);
            if !rest.is_empty() {
                text.push(b".");
                text.push(rest);
            }
            text.push(if number.exponent < 0 { b"e-" } else { b"e+" });
            let exponent = number.exponent.unsigned_abs();
            if exponent < 10 {
                text.push(b"0");
            }
            text.push(itoa::Buffer::new().format(exponent).as_bytes());
        }
        Ok(exponent) if exponent + 1 >= digits.len() => {
            text.push(digits);
            let zeros = exponent + 1 - digits.len();
            text.push(b"0000000000000000".get(..zeros).unwrap_or_default());
            if style == FloatStyle::Python {
                text.push(b".0");
            }
        }
        Ok(exponent) => {
            let (whole, rest) = digits.split_at_checked(exponent + 1).unwrap_or_default();
            text.push(whole);
            text.push(b".");
            text.push(rest);
        }
        Err(_) => {
            let zeros = number.exponent.unsigned_abs() as usize + 1;
            text.push(b"0.000".get(..zeros).unwrap_or_default());
            text.push(digits);
        }
    }
    text
}

/// The text of a number: at most 17 digits, with sign, point, zeros and exponent.
#[derive(Debug, Default)]
pub(crate) struct NumberText {
    text: [u8; 32],
    len: usize,
}

impl NumberText {
    #[inline]
    fn push(&mut self, text: &[u8]) {
        if let Some(place) = self.text.get_mut(self.len..self.len + text.len()) {
            place.copy_from_slice(text);
            self.len += text.len();
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.get(..self.len).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_laid_out_as_python_does() {
        let text = |value: f64| {
            let text = double_text(value.to_bits(), FloatStyle::Python);
            String::from_utf8(text.bytes().to_vec()).unwrap()
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
        for (value, expected) in [
            (0.041_690_066, "0.041690066"),
            (f32::from_bits(1), "1.4013e-45"),
            (1e5, "100000.0"),
            (2f32.powi(87), "1.54742505e+26"),
        ] {
            let text = float_text(f32::to_bits(value), FloatStyle::Python);
            assert_eq!(str::from_utf8(text.bytes()), Ok(expected));
        }
    }
}

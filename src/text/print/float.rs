//! Prints floating-point numbers as Python and as C++ do.
//!
//! | | digits | layout |
//! | --- | --- | --- |
//! | TensorFlow `float` | the fewest, from 6 up, that read back | Python's `repr`: `1e+16`, `10000000000.0` |
//! | TensorFlow `double` | the fewest that read back | the same |
//! | protoc `float` | 6; 9 where these do not read back | C's `%g`: `1e+10`, `123456789` |
//! | protoc `double` | 15; 17 where these do not read back | the same |
//!
//! Source: `ToShortestFloat` in protobuf for Python, `SimpleFtoa` and `SimpleDtoa` in C++.

use super::Style;
use super::buffer::TextBuffer;
use super::decimal::{Binary, Decimal, Exact};
use crate::error::Result;

/// Appends a `float`.
pub(super) fn write_float(bits: u32, style: Style, out: &mut TextBuffer<'_>) -> Result<()> {
    let is_negative = bits >> 31 == 1;
    let (exponent, mantissa) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    let Some(number) = binary(exponent.into(), mantissa.into(), 0xff, 23, 150) else {
        return write_special(is_negative, exponent != 0, mantissa != 0, style, out);
    };
    let value = f32::from_bits(bits & 0x7fff_ffff);
    let (digits, precision) = match style {
        Style::TensorFlow => (few_digits(number, value), 16),
        Style::Protoc => six_or_nine(number, value),
    };
    write_decimal(is_negative, digits, precision, style, out)
}

/// Appends a `double`.
pub(super) fn write_double(bits: u64, style: Style, out: &mut TextBuffer<'_>) -> Result<()> {
    let is_negative = bits >> 63 == 1;
    let (exponent, mantissa) = (bits >> 52 & 0x7ff, bits & 0xf_ffff_ffff_ffff);
    let Some(number) = binary(exponent, mantissa, 0x7ff, 52, 1075) else {
        return write_special(is_negative, exponent != 0, mantissa != 0, style, out);
    };
    let value = f64::from_bits(bits & !(1 << 63));
    let (digits, precision) = match style {
        Style::TensorFlow => (shortest(number, value), 16),
        Style::Protoc => fifteen_or_seventeen(number, value),
    };
    write_decimal(is_negative, digits, precision, style, out)
}

/// The number with these bits; `None` for zero, infinity and NaN.
fn binary(exponent: u64, mantissa: u64, top: u64, width: u32, bias: i32) -> Option<Binary> {
    if exponent == top || exponent == 0 && mantissa == 0 {
        return None;
    }
    let is_normal = exponent > 0;
    let m = mantissa | u64::from(is_normal) << width;
    let e = i32::try_from(exponent.max(1)).ok()? - bias;
    Some(Binary { m, e, is_power: mantissa == 0 })
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

fn write_special(
    is_negative: bool,
    is_endless: bool,
    is_nan: bool,
    style: Style,
    out: &mut TextBuffer<'_>,
) -> Result<()> {
    if is_nan {
        return out.put(b"nan");
    }
    if is_negative {
        out.put(b"-")?;
    }
    out.put(match (is_endless, style) {
        (true, _) => b"inf",
        (false, Style::TensorFlow) => b"0.0",
        (false, Style::Protoc) => b"0",
    })
}

/// Appends a number, with an exponent if it is below 10^-4 or at least 10^`precision`.
fn write_decimal(
    is_negative: bool,
    number: Decimal,
    precision: i32,
    style: Style,
    out: &mut TextBuffer<'_>,
) -> Result<()> {
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
            if style == Style::TensorFlow {
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
    out.put(text.text())
}

/// The text of a number: at most 17 digits, with sign, point, zeros and exponent.
#[derive(Default)]
struct NumberText {
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

    fn text(&self) -> &[u8] {
        self.text.get(..self.len).unwrap_or_default()
    }
}

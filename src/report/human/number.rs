//! Numbers, rounded for reading.

use crate::tensor::{DType, Scalar, shortest};

/// Significant digits of a rounded number.
const DIGITS: usize = 3;

/// A number with three significant digits: `0.0123`, `1.5`, `31400`, `2.5e-7`.
pub(in crate::report) fn short(value: f64) -> String {
    rounded(value, DIGITS)
}

/// A number with this many significant digits, without trailing zeros.
fn rounded(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return match value {
            f64::INFINITY => "inf".into(),
            f64::NEG_INFINITY => "-inf".into(),
            value => value.to_string(),
        };
    }
    // Rounding can change the exponent, as of 9.999.
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let (significand, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if !(-3..5).contains(&exponent) {
        return format!("{}e{exponent}", trimmed(significand));
    }
    let decimals = usize::try_from(digits as i64 - 1 - i64::from(exponent)).unwrap_or_default();
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

/// A number with all digits that are needed to read it back.
pub(in crate::report) fn exact(value: f64) -> String {
    let shortest = format!("{value:e}");
    let significand = shortest.split('e').next().unwrap_or(&shortest);
    rounded(value, significand.chars().filter(char::is_ascii_digit).count())
}

fn trimmed(decimal: &str) -> &str {
    if decimal.contains('.') {
        decimal.trim_end_matches('0').trim_end_matches('.')
    } else {
        decimal
    }
}

/// The shortest number of at most three significant digits that is not below `value`.
pub(super) fn at_least(value: f64) -> String {
    let nearest = format!("{value:.1e}");
    let (significand, exponent) = nearest.split_once('e').unwrap_or((&nearest, "0"));
    let tenths: i64 = significand.replace('.', "").parse().unwrap_or_default();
    // Rounding went down by less than one in the last digit, so the next number up is enough.
    [tenths, tenths + 1]
        .iter()
        .filter_map(|tenths| format!("{}.{}e{exponent}", tenths / 10, tenths % 10).parse().ok())
        .find(|&up: &f64| up >= value)
        .map_or_else(|| value.to_string(), |up| rounded(up, DIGITS))
}

/// An element in the shortest form that can be read back.
pub(super) fn element(scalar: Scalar, dtype: DType) -> String {
    formatted(scalar, |part| exact(shortest(dtype, part)))
}

/// Two elements with as many digits as distinguish them; long integers rounded, if that distinguishes them, too.
pub(in crate::report) fn pair(lhs: (Scalar, DType), rhs: (Scalar, DType)) -> [String; 2] {
    const LONG: usize = 12;
    let different = |pair: &[String; 2]| pair[0] != pair[1];
    let digits = |digits| {
        let float = |value| rounded(value, digits);
        Some([formatted(lhs.0, float), formatted(rhs.0, float)]).filter(different)
    };
    let full = (DIGITS..=9)
        .find_map(digits)
        .unwrap_or_else(|| [element(lhs.0, lhs.1), element(rhs.0, rhs.1)]);
    let roughly = match (lhs.0, rhs.0) {
        (Scalar::Integer(a), Scalar::Integer(b)) if full.iter().any(|side| side.len() > LONG) => {
            Some([a, b].map(|side| short(side as f64))).filter(different)
        }
        _ => None,
    };
    roughly.unwrap_or(full)
}

fn formatted(scalar: Scalar, float: impl Fn(f64) -> String) -> String {
    match scalar {
        Scalar::Float(value) => float(value),
        Scalar::Integer(value) => value.to_string(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Complex(re, im) => {
            // The sign of a NaN is not shown.
            let sign = if im.is_sign_negative() && !im.is_nan() { "" } else { "+" };
            format!("{}{sign}{}i", float(re), float(im))
        }
    }
}

/// A count with all digits: `1,234,567`.
pub(in crate::report) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count in about five characters: `9,999`, `12.3k`, `1.23M`.
pub(in crate::report) fn short_count(n: u64) -> String {
    if n < 10_000 { count(n) } else { with_unit(n, &["", "k", "M", "G", "T", "P", "E"]) }
}

/// A size in decimal units: `512 B`, `1.23 MB`.
pub(in crate::report) fn bytes(n: u64) -> String {
    with_unit(n, &[" B", " kB", " MB", " GB", " TB", " PB", " EB"])
}

fn with_unit(n: u64, units: &[&str]) -> String {
    let mut value = n as f64;
    let mut units = units.iter();
    let mut unit = units.next();
    // 999.5 is rounded to 1000.
    while value >= 999.5 {
        value /= 1000.0;
        unit = units.next();
    }
    format!("{}{}", rounded(value, DIGITS), unit.unwrap_or(&""))
}

/// A share: `12.3%`, `2.5e-5%`. The movement of a tensor that was 0 is infinite: `from 0`.
pub(in crate::report) fn percent(value: f64) -> String {
    if value == f64::INFINITY { "from 0".into() } else { format!("{}%", short(value * 100.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.5, "0.5"),
            (0.012_345, "0.0123"),
            (9.999, "10"),
            (999.6, "1000"),
            (31_415.9, "31416"),
            (314_159.0, "3.14e5"),
            (0.000_99, "9.9e-4"),
            (2.5e-7, "2.5e-7"),
            (-1e300, "-1e300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, printed) in cases {
            assert_eq!(short(value), printed);
        }
    }

    #[test]
    fn a_tolerance_is_rounded_up() {
        for (value, printed) in [(0.5, "0.5"), (0.501, "0.51"), (9.99, "10"), (1.234e-7, "1.3e-7")]
        {
            assert_eq!(at_least(value), printed);
            assert!(at_least(value).parse::<f64>().unwrap() >= value);
        }
    }

    #[test]
    fn neighbors_are_told_apart() {
        let float = |value| (Scalar::Float(value), DType::F32);
        let a = f64::from(0.1f32);
        let b = f64::from(0.1f32.next_up());
        assert_eq!(pair(float(a), float(b)), ["0.1", "0.10000001"]);
        assert_eq!(pair(float(a), float(1.0)), ["0.1", "1"]);
        let complex = |re, im| (Scalar::Complex(re, im), DType::Complex64);
        assert_eq!(pair(complex(1.0, -2.0), complex(1.0, 2.0)), ["1-2i", "1+2i"]);
        assert_eq!(element(Scalar::Complex(1.0, -f64::NAN), DType::Complex64), "1+NaNi");
        let integer = |value| (Scalar::Integer(value), DType::I64);
        assert_eq!(pair(integer(10_000), integer(12_500)), ["10000", "12500"]);
        assert_eq!(pair(integer(i64::MIN.into()), integer(0)), ["-9.22e18", "0"]);
    }

    #[test]
    fn counts_and_sizes_are_short() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(short_count(9_999), "9,999");
        assert_eq!(short_count(12_345), "12.3k");
        assert_eq!(short_count(999_999), "1M");
        assert_eq!(short_count(u64::MAX), "18.4E");
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(1_234_567), "1.23 MB");
        assert_eq!(percent(0.123), "12.3%");
        assert_eq!(percent(2.5e-7), "2.5e-5%");
    }
}

//! Numbers, rounded for reading.

use crate::tensor::{DType, Scalar, shortest};

/// Significant digits of a rounded number.
const DIGITS: usize = 3;

/// The most significant digits of a rounded element, if so many show a difference.
const MOST_DIGITS: usize = 9;

/// The most digits of a whole part that is written without an exponent.
const PLAIN_DIGITS: usize = 5;

/// The most leading zeros, with the one before the point, that are written without an exponent: `0.00123`.
const PLAIN_ZEROS: i32 = 3;

/// A number with three significant digits: `0.0123`, `1.5`, `31400`, `2.5e-7`.
pub(in crate::report) fn short(value: f64) -> String {
    rounded(value, DIGITS)
}

/// A number with this many significant digits, or all of a whole part below 100,000, without zeros at the end of the fraction.
fn rounded(value: f64, digits: usize) -> String {
    if !has_digits(value) {
        return unrounded(value);
    }
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    // Rounding can change the exponent, as of 9.999.
    let (_, exponent) = significand_and_exponent(&scientific);
    match usize::try_from(exponent) {
        Ok(exponent) if exponent >= digits && exponent < PLAIN_DIGITS => format!("{value:.0}"),
        _ => plain_or_scientific(&scientific),
    }
}

/// A number with all digits that are needed to read it back.
pub(in crate::report) fn exact(value: f64) -> String {
    /// With so many digits a number can be in the middle between two decimals. `{:e}` gives the greater one, and a format with a
    /// precision the even one, which reports show.
    const MAY_TIE: usize = 16;
    if !has_digits(value) {
        return unrounded(value);
    }
    let shortest = format!("{value:e}");
    let (significand, _) = significand_and_exponent(&shortest);
    match significand.bytes().filter(u8::is_ascii_digit).count() {
        digits @ MAY_TIE.. => rounded(value, digits),
        _ => plain_or_scientific(&shortest),
    }
}

/// Whether a number is finite and not zero.
fn has_digits(value: f64) -> bool {
    value != 0.0 && value.is_finite()
}

/// A zero, an infinity or NaN.
fn unrounded(value: f64) -> String {
    match value {
        f64::INFINITY => "inf".into(),
        f64::NEG_INFINITY => "-inf".into(),
        value => value.to_string(),
    }
}

/// The significand and the exponent of a number as `{:e}` formats it.
fn significand_and_exponent(scientific: &str) -> (&str, i32) {
    let (significand, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    (significand, exponent.parse().unwrap_or_default())
}

/// A number that `{:e}` formatted, without zeros at the end of the fraction, and without an exponent unless it is very large or small.
fn plain_or_scientific(scientific: &str) -> String {
    let (significand, exponent) = significand_and_exponent(scientific);
    let significand = match significand.contains('.') {
        true => significand.trim_end_matches('0').trim_end_matches('.'),
        false => significand,
    };
    let mut out = String::with_capacity(scientific.len() + PLAIN_DIGITS);
    out.extend(significand.starts_with('-').then_some('-'));
    let mut digits = significand.chars().filter(char::is_ascii_digit);
    match usize::try_from(exponent) {
        Ok(exponent) if exponent < PLAIN_DIGITS => {
            out.extend((0..=exponent).map(|_| digits.next().unwrap_or('0')));
            if let Some(first) = digits.next() {
                out.extend(['.', first]);
                out.extend(digits);
            }
            out
        }
        Err(_) if exponent >= -PLAIN_ZEROS => {
            out.push_str("0.");
            out.extend((exponent + 1..0).map(|_| '0'));
            out.extend(digits);
            out
        }
        _ => format!("{significand}e{exponent}"),
    }
}

/// The shortest number of at most three significant digits that is not below `value`.
pub(super) fn at_least(value: f64) -> String {
    let nearest = format!("{value:.1e}");
    let (significand, exponent) = significand_and_exponent(&nearest);
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

/// Two elements with as many digits as show how far apart they are; long integers rounded, if that shows it, too.
pub(in crate::report) fn pair(lhs: (Scalar, DType), rhs: (Scalar, DType)) -> [String; 2] {
    const LONG: usize = 12;
    const MORE: usize = 4;
    let digits = |digits| with_digits(lhs.0, rhs.0, digits);
    let exact = [element(lhs.0, lhs.1), element(rhs.0, rhs.1)];
    let len = |pair: &[String; 2]| pair[0].len() + pair[1].len();
    // The shortest form of a narrow type says less than a few more digits of the value: 1.01 for 1.0078.
    let [from, to] = [&exact[0], &exact[1]].map(|text| text.parse::<f64>().ok());
    let is_told = match (lhs.0, rhs.0) {
        (Scalar::Float(lhs), Scalar::Float(rhs)) => {
            from.zip(to).is_none_or(|(from, to)| error_of(to - from, rhs - lhs) <= TOLD)
        }
        _ => true,
    };
    let most = len(&exact) + if is_told { 0 } else { MORE };
    let is_short = |shown: &[String; 2]| len(shown) < most;
    let full = (fewest_digits(lhs.0, rhs.0)..=MOST_DIGITS)
        .find_map(digits)
        .filter(is_short)
        .unwrap_or(exact);
    let roughly = match (lhs.0, rhs.0) {
        (Scalar::Integer(a), Scalar::Integer(b)) if full.iter().any(|side| side.len() > LONG) => {
            let sides = [a, b].map(|side| side as f64);
            let shown = sides.map(short);
            let [of_a, of_b] = &shown;
            (of_a != of_b && shows_difference(sides, [of_a, of_b])).then_some(shown)
        }
        _ => None,
    };
    roughly.unwrap_or(full)
}

/// Two elements with this many significant digits, if those show how far apart they are.
fn with_digits(lhs: Scalar, rhs: Scalar, digits: usize) -> Option<[String; 2]> {
    let float = |value| rounded(value, digits);
    let shown = [lhs, rhs].map(|scalar| formatted(scalar, float));
    let [of_lhs, of_rhs] = &shown;
    let is_shown = of_lhs != of_rhs
        && match (lhs, rhs) {
            (Scalar::Float(lhs), Scalar::Float(rhs)) => {
                shows_difference([lhs, rhs], [of_lhs, of_rhs])
            }
            (Scalar::Complex(lhs_re, lhs_im), Scalar::Complex(rhs_re, rhs_im)) => {
                [[lhs_re, rhs_re], [lhs_im, rhs_im]]
                    .into_iter()
                    .all(|parts| shows_difference(parts, parts.map(float).each_ref()))
            }
            _ => true,
        };
    is_shown.then_some(shown)
}

/// The significant digits below which no two rounded numbers show the difference of two floats, since a unit of the last digit is
/// more than it; at least as many as a rounded number has.
fn fewest_digits(lhs: Scalar, rhs: Scalar) -> usize {
    let (Scalar::Float(lhs), Scalar::Float(rhs)) = (lhs, rhs) else { return DIGITS };
    let least = lhs.abs().min(rhs.abs());
    let most_unit = (rhs - lhs).abs() * (1.0 + 2.0 * TOLD);
    // Numbers of a thousand and more are shown as whole ones, with however few digits.
    if (1e3..1e5).contains(&least) && most_unit >= 1.0 {
        return DIGITS;
    }
    let digits = least.log10().floor() + 1.0 - most_unit.log10();
    // Zeros and infinities have no finite logarithm.
    if !digits.is_finite() {
        return DIGITS;
    }
    (DIGITS..MOST_DIGITS).find(|&n| n as f64 >= digits).unwrap_or(MOST_DIGITS)
}

/// Rounded numbers show a difference that is at most this share of the exact one away from it.
const TOLD: f64 = 0.1;

/// Whether the texts of two numbers, lhs and rhs, show how far apart these are.
fn shows_difference([lhs, rhs]: [f64; 2], texts: [&String; 2]) -> bool {
    let [from, to] = texts.map(|text| text.parse::<f64>().unwrap_or(f64::NAN));
    error_of(to - from, rhs - lhs) <= TOLD
}

/// How far a difference that is shown is from the exact one, as a share of the latter; 0 if it is not finite.
fn error_of(shown: f64, exact: f64) -> f64 {
    match (shown - exact).abs() / exact.abs() {
        error if exact.is_finite() && exact != 0.0 => error,
        _ => 0.0,
    }
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

/// The counts that are not 0, with what they count: `3 NaN, 1 infinite`.
pub(in crate::report) fn counts(counts: &[(u64, &str)]) -> String {
    let counts = counts.iter().filter(|(n, _)| *n > 0);
    counts.map(|(n, what)| format!("{} {what}", count(*n))).collect::<Vec<_>>().join(", ")
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
    fn no_digits_that_show_a_difference_are_skipped() {
        let check = |lhs: f64, rhs: f64| {
            let (lhs, rhs) = (Scalar::Float(lhs), Scalar::Float(rhs));
            let first =
                (DIGITS..=MOST_DIGITS).find(|&digits| with_digits(lhs, rhs, digits).is_some());
            let fewest = fewest_digits(lhs, rhs);
            assert!(
                first.is_none_or(|first| fewest <= first),
                "{lhs:?} {rhs:?}: {fewest} {first:?}"
            );
        };
        check(99_994.640_625, 99_914.187_5);
        check(99_992.802_160_736_61, 99_999.484_706_237_17);
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..20_000 {
            // Near powers of ten, where rounding changes the exponent.
            let power = 10f64.powf((next() * 14.0).floor() - 6.0);
            let lhs = power * if next() < 0.5 { 1.0 - next() * 1e-3 } else { 1.0 + next() * 9.0 };
            let difference = lhs * 10f64.powf(-next() * 9.0);
            check(lhs, if next() < 0.5 { lhs + difference } else { lhs - difference });
        }
    }

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

    /// A number with this many significant digits, by the format that has a fixed number of decimals.
    fn by_decimals(value: f64, digits: usize) -> String {
        let scientific = format!("{value:.*e}", digits - 1);
        let (significand, exponent) = scientific.split_once('e').unwrap();
        let trimmed = |decimal: &str| match decimal.contains('.') {
            true => decimal.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => decimal.to_owned(),
        };
        let exponent: i64 = exponent.parse().unwrap();
        if !(-3..5).contains(&exponent) {
            return format!("{}e{exponent}", trimmed(significand));
        }
        let decimals = usize::try_from(digits as i64 - 1 - exponent).unwrap_or_default();
        trimmed(&format!("{value:.decimals$}"))
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        let check = |value: f64| {
            for digits in 1..=9 {
                assert_eq!(
                    rounded(value, digits),
                    by_decimals(value, digits),
                    "{value:e} {digits}"
                );
            }
            let shortest = format!("{value:e}");
            let significand = shortest.split('e').next().unwrap();
            let digits = significand.chars().filter(char::is_ascii_digit).count();
            assert_eq!(exact(value), by_decimals(value, digits), "{value:e}");
            assert_eq!(exact(value).parse(), Ok(value));
        };
        // Near powers of ten, where rounding changes the exponent; ties, also between the shortest decimals of 16 digits.
        for power in (-12..12).chain([-308, -300, 300]) {
            for significand in [1.0, 9.5, 9.95, 9.96, 9.9996, 1.25, 2.5, 1.000_5] {
                check(significand * 10f64.powi(power));
                check(-significand * 10f64.powi(power));
            }
            check(2f64.powi(power * 2 - 1));
        }
        check(14_599_661.0 / 2f64.powi(24));
        check(16.0 + 2f64.powi(-16));
        let mut random = 3u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..10_000 {
            let value = (next() - 0.5) * 10f64.powf((next() * 16.0).floor() - 6.0);
            check(value);
            check(((value * 8.0).round() + 1.0) / 8.0 + 1e4);
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
        assert_eq!(pair(float(f64::NAN), float(1.0)), ["NaN", "1"]);
        assert_eq!(pair(float(0.0), float(-0.0)), ["0", "-0"]);
        let complex = |re, im| (Scalar::Complex(re, im), DType::Complex64);
        assert_eq!(pair(complex(1.0, -2.0), complex(1.0, 2.0)), ["1-2i", "1+2i"]);
        assert_eq!(element(Scalar::Complex(1.0, -f64::NAN), DType::Complex64), "1+NaNi");
        let integer = |value| (Scalar::Integer(value), DType::I64);
        assert_eq!(pair(integer(10_000), integer(12_500)), ["10000", "12500"]);
        assert_eq!(pair(integer(i64::MIN.into()), integer(0)), ["-9.22e18", "0"]);
    }

    #[test]
    fn the_difference_of_rounded_elements_is_nearly_that_of_the_exact_ones() {
        let mut state = 7u64;
        for _ in 0..10_000 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as f64 / f64::from(1 << 30) - 1.0
            };
            let value = next() * (next() * 9.0).exp();
            let moved = value + next() * (next() * 12.0 - 8.0).exp();
            let f32_of = |text: &str| text.parse::<f32>().unwrap();
            let [lhs, rhs] = [value, moved].map(|value| f64::from(f32_of(&value.to_string())));
            if lhs.to_bits() == rhs.to_bits() {
                continue;
            }
            let shown = pair((Scalar::Float(lhs), DType::F32), (Scalar::Float(rhs), DType::F32));
            let [a, b] = [&shown[0], &shown[1]].map(|text| text.parse::<f64>().unwrap());
            let is_exact = shown
                .iter()
                .zip([lhs, rhs])
                .all(|(text, of)| f64::from(f32_of(text)).to_bits() == of.to_bits());
            let error = ((b - a) - (rhs - lhs)).abs() / (rhs - lhs).abs();
            assert!(is_exact || error <= 0.1, "{lhs:e} {rhs:e} {shown:?}");
        }
        let pairs = [(1.009_558_4, 1.009_424_8), (0.1, 0.2), (1.0, 1.4), (100.0, 100.4)];
        let shown = pairs.map(|(lhs, rhs)| {
            pair((Scalar::Float(lhs), DType::F64), (Scalar::Float(rhs), DType::F64)).join(" ")
        });
        assert_eq!(shown, ["1.00956 1.00942", "0.1 0.2", "1 1.4", "100 100.4"]);
        // The shortest forms of narrow types say less: 1.01 and 1.1.
        let narrow =
            |dtype, value| pair((Scalar::Float(1.0), dtype), (Scalar::Float(value), dtype));
        assert_eq!(narrow(DType::BF16, 1.007_812_5), ["1", "1.008"]);
        assert_eq!(narrow(DType::F8E4M3Fn, 1.125), ["1", "1.12"]);
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

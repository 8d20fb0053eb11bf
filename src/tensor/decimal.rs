//! The shortest decimal of an element: few digits, but enough to identify the value in its type.

use super::DType;
use super::element::{ComplexNumber, Number, Visit};
use super::encoding::{Encoding, Layout};

/// Returns the `f64` that prints as the shortest decimal that reads back as `value` in the floating type `dtype`.
///
/// `value` is an element of that type, or a part of a complex element, widened exactly: for the `f32` nearest to 0.1, the result
/// is 0.1. The nearer one of two decimals of equal length is returned. Values of other types are returned unchanged.
pub fn shortest(dtype: DType, value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    match dtype.visit(FloatLayout) {
        Some(layout) if layout == Layout::F32 => fewest_digits_f32(value),
        Some(layout) if layout != Layout::F64 => fewest_digits(value, layout),
        // `Display` prints the shortest decimal of an `f64`.
        _ => value,
    }
}

/// The element of the floating type `dtype` that a decimal stands for: the inverse of [`shortest`]. Decimals out of the range of
/// the type, and those of other types, are returned unchanged.
#[expect(clippy::cast_possible_truncation, reason = "the decimal is rounded to an f32")]
pub(crate) fn nearest(dtype: DType, decimal: f64) -> f64 {
    if !decimal.is_finite() || decimal == 0.0 {
        return decimal;
    }
    match dtype.visit(FloatLayout) {
        Some(layout) if layout == Layout::F32 => f64::from(decimal as f32),
        Some(layout) if layout != Layout::F64 => layout.round(decimal).unwrap_or(decimal),
        _ => decimal,
    }
}

/// The layout of the floats of a type; `None` if it has none.
struct FloatLayout;

impl Visit for FloatLayout {
    type Out = Option<Layout>;

    fn number<T: Number>(self) -> Self::Out {
        match T::ENCODING {
            Encoding::Float(layout) => Some(layout),
            Encoding::Integer { .. } => None,
        }
    }

    fn complex<T: ComplexNumber>(self) -> Self::Out {
        self.number::<T::Part>()
    }

    fn boolean(self) -> Self::Out {
        None
    }

    fn bytes(self) -> Self::Out {
        None
    }
}

/// The shortest decimal of an `f32`, which `Display` prints.
#[expect(clippy::cast_possible_truncation, reason = "the value was an f32 before it was widened")]
fn fewest_digits_f32(value: f64) -> f64 {
    // Parsing cannot fail: Display printed the text.
    (value as f32).to_string().parse().unwrap_or(value)
}

/// The decimal with the fewest significant digits that reads back as `value`, and of several the nearest.
#[expect(clippy::cast_possible_truncation, reason = "the loss is what is tested")]
fn fewest_digits(value: f64, layout: Layout) -> f64 {
    // Some readers, such as numpy's bfloat16, round twice: first to f32.
    let reads_back = |x: f64| {
        let mut rounded = [x, f64::from(x as f32)].into_iter().map(|x| layout.round(x));
        rounded.all(|rounded| rounded.is_some_and(|rounded| rounded.total_cmp(&value).is_eq()))
    };
    for decimals in 0..17u8 {
        let rounded = format!("{value:.*e}", usize::from(decimals));
        let Some((significand, exponent)) = rounded.split_once('e') else {
            break;
        };
        let (Ok(significand), Ok(exponent)) =
            (significand.replace('.', "").parse::<i64>(), exponent.parse::<i32>())
        else {
            break;
        };
        let exponent = exponent - i32::from(decimals);
        // Below a power of two the values are twice as dense as above, so the decimal that reads back need not be the one
        // that rounding produces.
        let best = [significand, significand - 1, significand + 1]
            .into_iter()
            .filter_map(|significand| format!("{significand}e{exponent}").parse().ok())
            .filter(|&decimal: &f64| reads_back(decimal))
            .min_by(|a, b| (a - value).abs().total_cmp(&(b - value).abs()));
        if let Some(decimal) = best {
            return decimal;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::*;
    use crate::tensor::{Kind, Scalar};

    /// The value nearest to `x`, on a tie the one with the even bit pattern; `None` if `x` is out of range.
    fn nearest(values: &[f64], x: f64) -> Option<f64> {
        let mut magnitudes: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        magnitudes.sort_by(f64::total_cmp);
        if let [.., next, max] = *magnitudes
            && x.abs() > max + (max - next) / 2.0
        {
            return None;
        }
        let by_distance = |&(i, v): &(usize, &f64), &(j, w): &(usize, &f64)| {
            (x - v).abs().total_cmp(&(x - w).abs()).then((i % 2).cmp(&(j % 2)))
        };
        values
            .iter()
            .enumerate()
            .filter(|(_, v)| v.is_finite())
            .min_by(by_distance)
            .map(|(_, &v)| v)
    }

    /// Returns every value of a one-byte floating type, by bit pattern; `None` for other types.
    fn byte_values(dtype: DType) -> Option<Vec<f64>> {
        if (dtype.kind(), dtype.size()) != (Kind::Float, Some(1)) {
            return None;
        }
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        let values = dtype.scalars(&bytes).into_iter().filter_map(|value| match value {
            Scalar::Float(value) => Some(value),
            _ => None,
        });
        Some(values.collect())
    }

    #[test]
    fn a_third_has_as_few_digits_as_each_type_needs() {
        let cases = [
            (DType::F64, 1.0 / 3.0, "0.3333333333333333"),
            (DType::F32, f64::from(1.0f32 / 3.0), "0.33333334"),
            (DType::Complex64, f64::from(1.0f32 / 3.0), "0.33333334"),
            (DType::F16, f16::from_f64(1.0 / 3.0).to_f64(), "0.3333"),
            (DType::BF16, bf16::from_f64(1.0 / 3.0).to_f64(), "0.334"),
            (DType::F8E4M3Fn, 0.34375, "0.34"),
            (DType::F8E5M2, 0.3125, "0.3"),
            (DType::F4E2M1Fn, 0.5, "0.5"),
        ];
        for (dtype, value, printed) in cases {
            assert_eq!(shortest(dtype, value).to_string(), printed, "{dtype}");
        }
    }

    // `from_f64` of the crate `half` ignores the low 32 bits of a double.
    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "readers round the decimal")]
    fn every_half_and_bfloat16_reads_back() {
        for bits in 0..=u16::MAX {
            let half = f16::from_bits(bits);
            if half.is_finite() {
                let decimal = shortest(DType::F16, half.to_f64());
                assert_eq!(f16::from_f32(decimal as f32), half, "{bits:#06x} as {decimal}");
            }
            let brain = bf16::from_bits(bits);
            if brain.is_finite() {
                let decimal = shortest(DType::BF16, brain.to_f64());
                assert_eq!(bf16::from_f32(decimal as f32), brain, "{bits:#06x} as {decimal}");
            }
        }
    }

    #[test]
    fn every_small_float_reads_back() {
        for &dtype in DType::ALL {
            let values = byte_values(dtype).unwrap_or_default();
            for &value in values.iter().filter(|value| value.is_finite()) {
                let decimal = shortest(dtype, value);
                assert_eq!(nearest(&values, decimal), Some(value), "{dtype} {value} as {decimal}");
            }
        }
    }

    #[test]
    fn every_type_of_floats_has_a_decimal_with_its_own_digits() {
        for &dtype in DType::ALL {
            let has_floats = matches!(dtype.kind(), Kind::Float | Kind::Complex);
            assert_eq!(dtype.visit(FloatLayout).is_some(), has_floats, "{dtype}");
            if has_floats && ![DType::F64, DType::Complex128].contains(&dtype) {
                let third = dtype.visit(FloatLayout).and_then(|layout| layout.round(1.0 / 3.0));
                let digits = shortest(dtype, third.unwrap()).to_string().len();
                assert!(digits <= "0.33333334".len(), "{dtype}: {digits}");
            }
        }
    }

    #[test]
    fn zeros_keep_their_sign_and_specials_pass_through() {
        let cases = [
            (DType::F32, -0.0, "-0"),
            (DType::F16, f64::NAN, "NaN"),
            (DType::BF16, f64::NEG_INFINITY, "-inf"),
            (DType::F16, 65504.0, "65500"),
            (DType::F8E4M3Fn, 448.0, "450"),
            (DType::F32, f64::from(f32::MIN_POSITIVE), "1.1754944e-38"),
        ];
        for (dtype, value, printed) in cases {
            let shortest = shortest(dtype, value);
            let text = if shortest.abs() < 1e-30 && shortest != 0.0 {
                format!("{shortest:e}")
            } else {
                shortest.to_string()
            };
            assert_eq!(text, printed, "{dtype}");
        }
    }
}

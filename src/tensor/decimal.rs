//! The shortest decimal for an element: few digits, and still no other value of its type.

use half::{bf16, f16};

use super::{DType, Number, Visit};

/// The `f64` that prints as the shortest decimal which reads back to `value` in the floating type `dtype`.
///
/// `value` is an element of that type, or a part of one for complex types, widened exactly: the `f32` nearest to 0.1
/// gives 0.1. Where two decimals are equally short, the nearer one is taken. Values of other types come back as they are.
pub fn shortest(dtype: DType, value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    match dtype {
        DType::F32 | DType::Complex64 => fewest_digits_f32(value),
        DType::F16 => fewest_digits(value, |x| Some(f16::from_f64(x).to_f64())),
        DType::BF16 => fewest_digits(value, |x| Some(bf16::from_f64(x).to_f64())),
        _ => match dtype.visit(Values) {
            Some(values) => fewest_digits(value, |x| nearest(&values, x)),
            None => value,
        },
    }
}

/// As `Display` finds it.
#[expect(clippy::cast_possible_truncation, reason = "the value was an f32 before it was widened")]
fn fewest_digits_f32(value: f64) -> f64 {
    // The parse cannot fail on what Display prints.
    (value as f32).to_string().parse().unwrap_or(value)
}

/// The decimal of fewest significant digits that `round`s to `value`, and of those the nearest to it.
fn fewest_digits(value: f64, round: impl Fn(f64) -> Option<f64>) -> f64 {
    let reads_back = |x: f64| round(x).is_some_and(|rounded| rounded.total_cmp(&value).is_eq());
    for decimals in 0..17u8 {
        let rounded = format!("{value:.*e}", usize::from(decimals));
        let Some((mantissa, exponent)) = rounded.split_once('e') else {
            break;
        };
        let (Ok(mantissa), Ok(exponent)) =
            (mantissa.replace('.', "").parse::<i64>(), exponent.parse::<i32>())
        else {
            break;
        };
        let exponent = exponent - i32::from(decimals);
        // The gap to the next value is half as wide on one side of a power of two, so the decimal that reads back need
        // not be the one that rounding gives.
        let best = [mantissa, mantissa - 1, mantissa + 1]
            .into_iter()
            .filter_map(|mantissa| format!("{mantissa}e{exponent}").parse().ok())
            .filter(|&decimal: &f64| reads_back(decimal))
            .min_by(|a, b| (a - value).abs().total_cmp(&(b - value).abs()));
        if let Some(decimal) = best {
            return decimal;
        }
    }
    value
}

/// The one of `values` nearest to `x`, the one with the even pattern on a tie; `None` where `x` is out of range.
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
    values.iter().enumerate().filter(|(_, v)| v.is_finite()).min_by(by_distance).map(|(_, &v)| v)
}

/// Every value of a floating type of one byte, by pattern; `None` for other types.
struct Values;

impl Visit for Values {
    type Out = Option<Vec<f64>>;

    fn number<T: Number>(self) -> Self::Out {
        let one_byte = T::FLOAT && size_of::<T>() == 1;
        one_byte.then(|| {
            (0..=u8::MAX).map(|byte| bytemuck::pod_read_unaligned::<T>(&[byte]).to_f64()).collect()
        })
    }

    fn complex<T: super::ComplexNumber>(self) -> Self::Out {
        None
    }

    fn boolean(self) -> Self::Out {
        None
    }

    fn bytes(self) -> Self::Out {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn every_half_and_bfloat16_reads_back() {
        for bits in 0..=u16::MAX {
            let half = f16::from_bits(bits);
            if half.is_finite() {
                let decimal = shortest(DType::F16, half.to_f64());
                assert_eq!(f16::from_f64(decimal), half, "{bits:#06x} as {decimal}");
            }
            let brain = bf16::from_bits(bits);
            if brain.is_finite() {
                let decimal = shortest(DType::BF16, brain.to_f64());
                assert_eq!(bf16::from_f64(decimal), brain, "{bits:#06x} as {decimal}");
            }
        }
    }

    #[test]
    fn every_small_float_reads_back() {
        for &dtype in DType::ALL {
            let values = dtype.visit(Values).unwrap_or_default();
            for &value in values.iter().filter(|value| value.is_finite()) {
                let decimal = shortest(dtype, value);
                assert_eq!(nearest(&values, decimal), Some(value), "{dtype} {value} as {decimal}");
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
            let spelled = if shortest.abs() < 1e-30 && shortest != 0.0 {
                format!("{shortest:e}")
            } else {
                shortest.to_string()
            };
            assert_eq!(spelled, printed, "{dtype}");
        }
    }
}

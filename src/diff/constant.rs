//! Compares two constants by value, whatever their encoding. A repeated element is compared once.

use crate::compare::{self, CompareOptions, Comparison, NanPolicy};
use crate::error::Result;
use crate::graph::constant::Constant;
use crate::tensor::{DType, Kind, Shape, Tensor};

/// The number of elements below which a constant gets all statistics, including those that sum over every
/// element.
const SMALL: u64 = 65_536;

/// The result of comparing two constants.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstantDiff {
    /// Equal bits, perhaps in different encodings.
    Same,
    /// Different bits, within the tolerance.
    Close(Box<Comparison>),
    /// Outside the tolerance.
    Different(Box<Comparison>),
    /// Different dtypes, with the statistics if both are numeric.
    Dtype(Option<Box<Comparison>>),
    /// Different shapes.
    Shape,
}

/// Compares two constants by value; `lhs` is the baseline.
///
/// If a large constant repeats its last element, its stored elements and one repeated pair are compared,
/// and the repeated pair is counted as often as it occurs. The sums (`rms`, `rel_l2`, `cosine`, `mean`,
/// `std`) are `None` then.
///
/// # Errors
/// The errors of [`compare::compare`]; none is known to occur for parsed constants of equal shape.
///
/// # Examples
/// ```
/// use ckdiff::compare::CompareOptions;
/// use ckdiff::diff::constant::{ConstantDiff, compare};
/// use ckdiff::graph::constant::Constant;
///
/// // int32 [2]: `tensor_content` of 3 and 3, and one `int_val` that repeats.
/// let written_out = Constant::parse(b"\x08\x03\x12\x04\x12\x02\x08\x02\x22\x08\x03\0\0\0\x03\0\0\0")?;
/// let repeated = Constant::parse(b"\x08\x03\x12\x04\x12\x02\x08\x02\x3a\x01\x03")?;
/// assert_eq!(compare(&written_out, &repeated, &CompareOptions::default())?, ConstantDiff::Same);
/// # Ok::<(), ckdiff::Error>(())
/// ```
pub fn compare(lhs: &Constant, rhs: &Constant, options: &CompareOptions) -> Result<ConstantDiff> {
    if lhs.shape() != rhs.shape() {
        return Ok(ConstantDiff::Shape);
    }
    if !compare::comparable(lhs.dtype(), rhs.dtype()) {
        return Ok(ConstantDiff::Dtype(None));
    }
    let has_nan = matches!(lhs.dtype().kind(), Kind::Float | Kind::Complex);
    if lhs == rhs && !(has_nan && options.nan == NanPolicy::Differ) {
        return Ok(ConstantDiff::Same);
    }
    let options = CompareOptions { threads: 1, ..options.clone() };
    let comparison = Box::new(measure(lhs, rhs, &options)?);
    Ok(match *comparison {
        _ if lhs.dtype() != rhs.dtype() => ConstantDiff::Dtype(Some(comparison)),
        Comparison { mismatched: 1.., .. } => ConstantDiff::Different(comparison),
        Comparison { differing: 1.., .. } => ConstantDiff::Close(comparison),
        _ => ConstantDiff::Same,
    })
}

fn measure(lhs: &Constant, rhs: &Constant, options: &CompareOptions) -> Result<Comparison> {
    let elements = lhs.shape().elements();
    let written_out = lhs.explicit().max(rhs.explicit());
    let repeated = elements - written_out;
    if let (Some(l), Some(r)) = (lhs.byte_elements(), rhs.byte_elements()) {
        return bytes(&l, &r, repeated, options);
    }
    if repeated <= 1 || elements < SMALL {
        return compare::compare(lhs, rhs, options);
    }
    let (l, r) = (lhs.first(written_out + 1)?, rhs.first(written_out + 1)?);
    compare::compare_repeated((&l, &r), (&one(lhs)?, &one(rhs)?), repeated - 1, options)
}

/// The repeated element as a tensor of one element.
fn one(constant: &Constant) -> Result<Tensor> {
    Tensor::new(constant.dtype(), Shape::new(&[1])?, constant.last().to_vec())
}

/// Compares elements of variable length. Only their equality is passed on, so a long element that repeats is
/// not read again.
fn bytes(
    lhs: &[&[u8]],
    rhs: &[&[u8]],
    repeated: u64,
    options: &CompareOptions,
) -> Result<Comparison> {
    let differs = (0..lhs.len().max(rhs.len())).map(|i| at(lhs, i) != at(rhs, i)).map(u8::from);
    let [l, r] = equality(differs.collect())?;
    let [last_l, last_r] = equality(vec![u8::from(lhs.last() != rhs.last())])?;
    compare::compare_repeated((&l, &r), (&last_l, &last_r), repeated, options)
}

/// Element `i`; beyond the stored elements, the last one.
fn at<'a>(elements: &[&'a [u8]], i: usize) -> Option<&'a [u8]> {
    elements.get(i).or(elements.last()).copied()
}

/// Two boolean tensors that differ where `differs` is 1.
fn equality(differs: Vec<u8>) -> Result<[Tensor; 2]> {
    let shape = Shape::new(&[i64::try_from(differs.len()).unwrap_or(i64::MAX)])?;
    let equal = Tensor::new(DType::Bool, shape.clone(), vec![0; differs.len()])?;
    Ok([equal, Tensor::new(DType::Bool, shape, differs)?])
}

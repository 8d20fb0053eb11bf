//! Constant against constant, by value: the encoding does not matter, and a repeated element costs as much as one.

use crate::compare::{self, Comparison, NanPolicy, Options};
use crate::error::Result;
use crate::graph::constant::Constant;
use crate::tensor::{DType, Kind, Shape, Tensor};

/// Constants of this many elements have all their numbers, also those that take a sum over every element.
const SMALL: u64 = 65_536;

/// What came of two constants.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The same values, bit by bit; perhaps in two encodings.
    Same,
    /// Within the tolerance.
    Close(Box<Comparison>),
    /// Not within the tolerance.
    Different(Box<Comparison>),
    /// Of another type; compared all the same where both are numbers.
    Dtype(Option<Box<Comparison>>),
    /// Of another shape.
    Shape,
}

/// Compares two constants by value; `lhs` is the baseline.
///
/// Of large ones with repeated elements it takes what is written out and one repeated pair, which counts as often as it
/// is there. The sums (`rms`, `rel_l2`, `cosine`, `mean`, `std`) are `None` then.
///
/// # Errors
/// Those of [`compare::compare`], none of which two parsed constants of one shape are known to have.
///
/// # Examples
/// ```
/// use ckdiff::compare::Options;
/// use ckdiff::diff::constant::{Outcome, compare};
/// use ckdiff::graph::constant::Constant;
///
/// // int32 [2]: `tensor_content` of 3 and 3, and one `int_val` that repeats.
/// let written_out = Constant::parse(b"\x08\x03\x12\x04\x12\x02\x08\x02\x22\x08\x03\0\0\0\x03\0\0\0")?;
/// let repeated = Constant::parse(b"\x08\x03\x12\x04\x12\x02\x08\x02\x3a\x01\x03")?;
/// assert_eq!(compare(&written_out, &repeated, &Options::default())?, Outcome::Same);
/// # Ok::<(), ckdiff::Error>(())
/// ```
pub fn compare(lhs: &Constant, rhs: &Constant, options: &Options) -> Result<Outcome> {
    if lhs.shape() != rhs.shape() {
        return Ok(Outcome::Shape);
    }
    if !compare::comparable(lhs.dtype(), rhs.dtype()) {
        return Ok(Outcome::Dtype(None));
    }
    let has_nan = matches!(lhs.dtype().kind(), Kind::Float | Kind::Complex);
    if lhs == rhs && !(has_nan && options.nan == NanPolicy::Differ) {
        return Ok(Outcome::Same);
    }
    let options = Options { threads: 1, ..options.clone() };
    let comparison = Box::new(measure(lhs, rhs, &options)?);
    Ok(match *comparison {
        _ if lhs.dtype() != rhs.dtype() => Outcome::Dtype(Some(comparison)),
        Comparison { mismatched: 1.., .. } => Outcome::Different(comparison),
        Comparison { differing: 1.., .. } => Outcome::Close(comparison),
        _ => Outcome::Same,
    })
}

fn measure(lhs: &Constant, rhs: &Constant, options: &Options) -> Result<Comparison> {
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

/// The repeated element alone.
fn one(constant: &Constant) -> Result<Tensor> {
    Tensor::new(constant.dtype(), Shape::new(&[1])?, constant.last().to_vec())
}

/// Elements of any length are equal or not, and whether they are is all that goes on: nothing long is read again and
/// again where a side repeats it.
fn bytes(lhs: &[&[u8]], rhs: &[&[u8]], repeated: u64, options: &Options) -> Result<Comparison> {
    let differs = (0..lhs.len().max(rhs.len())).map(|i| at(lhs, i) != at(rhs, i)).map(u8::from);
    let [l, r] = equality(differs.collect())?;
    let [last_l, last_r] = equality(vec![u8::from(lhs.last() != rhs.last())])?;
    compare::compare_repeated((&l, &r), (&last_l, &last_r), repeated, options)
}

/// Element `i`, the last one being repeated.
fn at<'a>(elements: &[&'a [u8]], i: usize) -> Option<&'a [u8]> {
    elements.get(i).or(elements.last()).copied()
}

/// Two tensors of truth values that differ where `differs` is 1.
fn equality(differs: Vec<u8>) -> Result<[Tensor; 2]> {
    let shape = Shape::new(&[i64::try_from(differs.len()).unwrap_or(i64::MAX)])?;
    let equal = Tensor::new(DType::Bool, shape.clone(), vec![0; differs.len()])?;
    Ok([equal, Tensor::new(DType::Bool, shape, differs)?])
}

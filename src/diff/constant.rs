//! Constant against constant, by value: the encoding does not matter, and a repeated element costs as much as one.

use std::collections::BTreeMap;

use crate::compare::{self, Comparison, Histogram, NanPolicy, Options, Sides};
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
    let start = compare::compare(&l, &r, options)?;
    let pair = compare::compare(&one(lhs)?, &one(rhs)?, options)?;
    Ok(with_repeated(start, &pair, repeated - 1))
}

/// The repeated element alone.
fn one(constant: &Constant) -> Result<Tensor> {
    Tensor::new(constant.dtype(), Shape::new(&[1])?, constant.last().to_vec())
}

/// Elements of any length are equal or not, and whether they are is all that goes on: nothing long is read again and
/// again where a side repeats it.
fn bytes(lhs: &[&[u8]], rhs: &[&[u8]], repeated: u64, options: &Options) -> Result<Comparison> {
    let differs = (0..lhs.len().max(rhs.len())).map(|i| at(lhs, i) != at(rhs, i)).map(u8::from);
    let start = equality(differs.collect(), options)?;
    let pair = equality(vec![u8::from(lhs.last() != rhs.last())], options)?;
    Ok(with_repeated(start, &pair, repeated))
}

/// Element `i`, the last one being repeated.
fn at<'a>(elements: &[&'a [u8]], i: usize) -> Option<&'a [u8]> {
    elements.get(i).or(elements.last()).copied()
}

/// The comparison of elements of which it is known whether they differ.
fn equality(differs: Vec<u8>, options: &Options) -> Result<Comparison> {
    let shape = Shape::new(&[i64::try_from(differs.len()).unwrap_or(i64::MAX)])?;
    let equal = Tensor::new(DType::Bool, shape.clone(), vec![0; differs.len()])?;
    compare::compare(&equal, &Tensor::new(DType::Bool, shape, differs)?, options)
}

/// The comparison of what `start` saw and of `times` more pairs like `pair`, which it saw last.
fn with_repeated(start: Comparison, pair: &Comparison, times: u64) -> Comparison {
    let count = |start: u64, pair: u64| start + pair * times;
    let maybe = |start: Option<u64>, pair: Option<u64>| Some(count(start?, pair?));
    let sides = |start: Option<Sides<u64>>, pair: Option<Sides<u64>>| {
        let (start, pair) = (start?, pair?);
        Some(Sides { lhs: count(start.lhs, pair.lhs), rhs: count(start.rhs, pair.rhs) })
    };
    Comparison {
        elements: start.elements + times,
        differing: count(start.differing, pair.differing),
        mismatched: count(start.mismatched, pair.mismatched),
        zero_lhs: maybe(start.zero_lhs, pair.zero_lhs),
        nan: sides(start.nan, pair.nan),
        inf: sides(start.inf, pair.inf),
        nan_new: maybe(start.nan_new, pair.nan_new),
        zero_sign: maybe(start.zero_sign, pair.zero_sign),
        nan_payload: maybe(start.nan_payload, pair.nan_payload),
        further: start
            .further
            .into_iter()
            .zip(&pair.further)
            .map(|((tolerance, n), (_, pair))| (tolerance, count(n, *pair)))
            .collect(),
        histogram: start.histogram.map(|histogram| magnitudes(histogram, pair, times)),
        // Of so many elements they could only be rounded otherwise.
        rms: None,
        rel_l2: None,
        cosine: None,
        mean: None,
        std: None,
        // Where something is reached first, and how far it goes, has been seen.
        first: start.first,
        worst: start.worst,
        max_abs: start.max_abs,
        max_rel: start.max_rel,
        max_ulp: start.max_ulp,
        passes_at: start.passes_at,
    }
}

fn magnitudes(mut start: Histogram, pair: &Comparison, times: u64) -> Histogram {
    let add = |bins: &mut BTreeMap<i32, u64>, more: &BTreeMap<i32, u64>| {
        for (&bin, count) in more {
            *bins.entry(bin).or_default() += count * times;
        }
    };
    if let Some(pair) = &pair.histogram {
        add(&mut start.abs, &pair.abs);
        add(&mut start.ulp, &pair.ulp);
    }
    start
}

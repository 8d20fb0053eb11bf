//! Where the mismatches of two tensors lie, and the worst of them: what is drawn of a tensor.

use serde::Serialize;

use crate::error::Result;
use crate::serial::{self, Json, Object, Read, object};
use crate::tensor::{Scalar, Shape};

use super::CompareOptions;
use super::close::Rule;
use super::mismatch::{ElementValue, Mismatch};
use super::operands::Operands;
use super::pair::Pair;
use super::pair_walk::{PairVisitor, visit};
use super::tensor_pair::{PairKind, TensorPair};

/// The maximum number of ranges along a tensor.
const RANGES: u64 = 64;

/// The maximum number of mismatches that are listed as the worst.
const WORST: usize = 10;

/// Where the mismatches of two tensors lie, and the worst of them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MismatchMap {
    /// Ranges of positions in row-major order, at most 64, of equal length but for rounding, which cover the tensor.
    pub row_major: Vec<Stretch>,
    /// Ranges of indices of the first axis, likewise; none for a tensor with fewer than two axes.
    pub first_axis: Vec<Stretch>,
    /// The worst mismatches, at most 10: first those without a finite difference, then those with the largest `|rhs - lhs|`, in the
    /// order of their positions where these are equal.
    pub worst: Vec<Mismatch>,
}

/// The mismatches in a range.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Stretch {
    /// The first position or index.
    pub start: u64,
    /// The one behind the last.
    pub end: u64,
    /// Elements in it.
    pub elements: u64,
    /// Pairs that are not close.
    pub mismatched: u64,
    /// The largest finite `|rhs - lhs|` of these; `None` without one, and for elements that are only equal or not.
    pub max_abs: Option<f64>,
}

/// Counts where the pairs are that are not close.
///
/// Checksums are not verified; [`compare`](super::compare) does that.
///
/// # Errors
/// If a side cannot be read.
pub fn mismatch_map(pair: TensorPair<'_>, options: &CompareOptions) -> Result<MismatchMap> {
    let (lhs, rhs) = pair;
    let kind = PairKind::of(lhs.dtype(), rhs.dtype());
    let mut mapper = Mapper {
        rule: Rule::new(&options.tolerance, options.nan),
        has_differences: kind.is_some_and(|kind| kind != PairKind::Equality),
        row_major: Ranges::new(lhs.shape().elements(), 1),
        first_axis: first_axis(lhs.shape()),
        worst: Vec::new(),
    };
    visit(pair, 0, options.nan, &mut mapper)?;
    let Mapper { row_major, first_axis, worst, .. } = mapper;
    let first_axis = first_axis.map_or_else(Vec::new, |ranges| ranges.stretches);
    let worst = worst.into_iter().map(|(_, mismatch)| mismatch).collect();
    Ok(MismatchMap { row_major: row_major.stretches, first_axis, worst })
}

fn first_axis(shape: &Shape) -> Option<Ranges> {
    match shape.dims() {
        [first, rest @ ..] if !rest.is_empty() => {
            // A tensor without elements has no mismatch.
            let slice = shape.elements().checked_div(*first).filter(|slice| *slice > 0)?;
            Some(Ranges::new(*first, slice))
        }
        _ => None,
    }
}

/// Ranges along a tensor, and the one of the last pair.
struct Ranges {
    stretches: Vec<Stretch>,
    /// Elements at each index.
    slice: u64,
    at: usize,
    /// The position behind the range at `at`.
    end: u64,
}

impl Ranges {
    /// At most [`RANGES`] ranges of `len` indices, at each of which are `slice` elements.
    fn new(len: u64, slice: u64) -> Self {
        let ranges = len.min(RANGES);
        // The quotient is at most `len`.
        let border = |i: u64| {
            u64::try_from(u128::from(i) * u128::from(len) / u128::from(ranges)).unwrap_or(len)
        };
        let stretch = |i| {
            let (start, end) = (border(i), border(i + 1));
            let elements = (end - start) * slice;
            Stretch { start, end, elements, mismatched: 0, max_abs: None }
        };
        let stretches: Vec<_> = (0..ranges).map(stretch).collect();
        let end = stretches.first().map_or(0, |first| first.end * slice);
        Self { stretches, slice, at: 0, end }
    }

    /// Adds a mismatch at a position, which is not before that of the last one.
    #[inline]
    fn add(&mut self, position: u64, abs_diff: Option<f64>) {
        while position >= self.end {
            self.at += 1;
            let Some(next) = self.stretches.get(self.at) else { return };
            self.end = next.end * self.slice;
        }
        let Some(stretch) = self.stretches.get_mut(self.at) else { return };
        stretch.mismatched += 1;
        if let Some(abs_diff) = abs_diff {
            stretch.max_abs = Some(stretch.max_abs.map_or(abs_diff, |most| most.max(abs_diff)));
        }
    }
}

/// Makes the map while the pairs are visited.
struct Mapper {
    rule: Rule,
    /// Whether elements have a difference.
    has_differences: bool,
    row_major: Ranges,
    first_axis: Option<Ranges>,
    /// The worst mismatches with their differences, infinite without a finite one, sorted.
    worst: Vec<(f64, Mismatch)>,
}

impl Mapper {
    fn add(&mut self, position: u64, abs_diff: Option<f64>) {
        self.row_major.add(position, abs_diff);
        if let Some(first_axis) = &mut self.first_axis {
            first_axis.add(position, abs_diff);
        }
    }

    /// Lists a mismatch if it is among the worst; positions come in order.
    #[inline]
    fn list(&mut self, weight: f64, mismatch: impl FnOnce() -> Mismatch) {
        if self.worst.get(WORST - 1).is_some_and(|(least, _)| *least >= weight) {
            return;
        }
        let at = self.worst.partition_point(|(other, _)| *other >= weight);
        if at < WORST {
            self.worst.truncate(WORST - 1);
            self.worst.insert(at, (weight, mismatch()));
        }
    }
}

impl PairVisitor for Mapper {
    fn is_done(&self) -> bool {
        false
    }

    #[inline]
    fn number(&mut self, position: u64, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
        if self.rule.is_close(pair) {
            return;
        }
        let abs_diff = pair.abs_diff;
        let is_finite = pair.is_finite() && abs_diff.is_finite();
        self.add(position, (self.has_differences && is_finite).then_some(abs_diff));
        let weight = if is_finite { abs_diff } else { f64::INFINITY };
        self.list(weight, || Mismatch::of_scalars(position, scalars()));
    }

    fn bytes(&mut self, position: u64, [lhs, rhs]: [ElementValue; 2]) {
        self.add(position, None);
        self.list(0.0, || Mismatch { position, lhs, rhs });
    }
}

impl MismatchMap {
    /// The map in JSON, of tensors of this shape.
    pub(crate) fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        let stretch = |stretch: &Stretch| {
            object! {
                start: stretch.start,
                end: stretch.end,
                mismatched: stretch.mismatched,
                max_abs: stretch.max_abs.map(serial::Float),
            }
        };
        object! {
            row_major: self.row_major.iter().map(stretch).collect::<Vec<_>>(),
            first_axis: self.first_axis.iter().map(stretch).collect::<Vec<_>>(),
            worst: self.worst.iter().map(|worst| worst.json(operands)).collect::<Vec<_>>(),
        }
    }

    /// Reads the map of two tensors.
    ///
    /// # Errors
    /// If it is something else, or its ranges are not those of the shape.
    pub(crate) fn read(json: Json<'_>, operands: &Operands<'_>) -> Result<Self> {
        let object = Object::read(json)?;
        let row_major = Ranges::new(operands.shape.elements(), 1);
        let first_axis = first_axis(operands.shape);
        let mut worst = Vec::new();
        object.with("worst", |json| {
            json.each(|item| {
                worst.push(Mismatch::read(item, operands)?);
                Ok(())
            })
        })?;
        let first_axis = first_axis.map_or_else(Vec::new, |ranges| ranges.stretches);
        Ok(Self {
            row_major: object.with("row_major", |json| stretches(json, row_major.stretches))?,
            first_axis: object.with("first_axis", |json| stretches(json, first_axis))?,
            worst,
        })
    }
}

/// Reads the mismatches in these ranges.
fn stretches(json: Json<'_>, mut ranges: Vec<Stretch>) -> Result<Vec<Stretch>> {
    let (mut at, len) = (0, ranges.len());
    json.each(|item| {
        let object = Object::read(item)?;
        let found = (object.get("start")?, object.get("end")?, object.get::<u64>("mismatched")?);
        let Some(stretch) = ranges.get_mut(at) else {
            return Err(item.error(format!("more than {len} ranges of a tensor of this shape")));
        };
        let fits = (found.0, found.1) == (stretch.start, stretch.end);
        if !fits || found.2 > stretch.elements {
            return Err(item.error("a range that a tensor of this shape does not have"));
        }
        (stretch.mismatched, stretch.max_abs) = (found.2, object.get("max_abs")?);
        at += 1;
        Ok(())
    })?;
    match at == len {
        true => Ok(ranges),
        false => Err(json.error(format!("{at} ranges, expected {len}"))),
    }
}

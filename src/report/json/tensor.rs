//! One tensor of a diff: every key is there, and `null` where it has no value.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::compare::{Comparison, Histogram, PassesAt, Tolerance, Worst};
use crate::diff::{Facts, Role, TensorDiff};
use crate::tensor::{DType, Shape};

use super::name::{Text, exact};
use super::number::{Both, Float, Value, both};

#[derive(Serialize)]
pub(super) struct Tensor<'a> {
    name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_b64: Option<String>,
    renamed_from: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from_b64: Option<String>,
    status: &'static str,
    role: Option<&'static str>,
    lhs: Option<Form<'a>>,
    rhs: Option<Form<'a>>,
    error: Option<String>,
    #[serde(flatten)]
    numbers: Numbers,
}

impl<'a> Tensor<'a> {
    pub(super) fn new(tensor: &'a TensorDiff) -> Self {
        let from = tensor.renamed_from.as_ref();
        Self {
            name: Text(&tensor.name),
            name_b64: exact(&tensor.name),
            renamed_from: from.map(Text),
            renamed_from_b64: from.and_then(exact),
            status: tensor.status.name(),
            role: tensor.role.map(Role::name),
            lhs: tensor.lhs.as_ref().map(Form::new),
            rhs: tensor.rhs.as_ref().map(Form::new),
            error: tensor.error.as_ref().map(ToString::to_string),
            numbers: Numbers::new(tensor),
        }
    }
}

/// Type and shape.
#[derive(Serialize)]
pub(super) struct Form<'a> {
    dtype: &'static str,
    shape: &'a [u64],
}

impl<'a> Form<'a> {
    pub(super) fn new(facts: &'a Facts) -> Self {
        Self { dtype: facts.dtype.name(), shape: facts.shape.dims() }
    }
}

#[derive(Serialize, Default)]
struct Numbers {
    elements: Option<u64>,
    differing: Option<u64>,
    mismatched: Option<u64>,
    first: Option<Vec<u64>>,
    max_abs: Option<Float>,
    max_rel: Option<Float>,
    max_ulp: Option<u64>,
    worst: Option<WorstAt>,
    rms: Option<Float>,
    rel_l2: Option<Float>,
    cosine: Option<Float>,
    mean: Option<Both<Value>>,
    std: Option<Both<Float>>,
    nan: Option<Both<u64>>,
    inf: Option<Both<u64>>,
    nan_new: Option<u64>,
    zero_sign: Option<u64>,
    nan_payload: Option<u64>,
    zero_lhs: Option<u64>,
    passes_at: Option<Passes>,
    tolerances: Option<Vec<Further>>,
    histogram: Option<Counts>,
}

#[derive(Serialize)]
struct WorstAt {
    index: Vec<u64>,
    lhs: Value,
    rhs: Value,
}

#[derive(Serialize)]
struct Passes {
    rtol: Option<Float>,
    atol: Option<Float>,
}

#[derive(Serialize)]
struct Further {
    atol: Option<Float>,
    rtol: Option<Float>,
    mismatched: u64,
}

#[derive(Serialize)]
struct Counts {
    abs: Vec<Bin>,
    ulp: Vec<Bin>,
}

#[derive(Serialize)]
struct Bin {
    log2: i32,
    count: u64,
}

impl Numbers {
    fn new(tensor: &TensorDiff) -> Self {
        let (Some(comparison), Some(lhs), Some(rhs)) =
            (&tensor.comparison, &tensor.lhs, &tensor.rhs)
        else {
            return Self::default();
        };
        let c: &Comparison = comparison;
        Self {
            elements: Some(c.elements),
            differing: Some(c.differing),
            mismatched: Some(c.mismatched),
            first: c.first.map(|position| lhs.shape.unravel(position)),
            max_abs: c.max_abs.map(Float),
            max_rel: c.max_rel.map(Float),
            max_ulp: c.max_ulp,
            worst: c.worst.map(|worst| WorstAt::new(worst, &lhs.shape, lhs.dtype, rhs.dtype)),
            rms: c.rms.map(Float),
            rel_l2: c.rel_l2.map(Float),
            cosine: c.cosine.map(Float),
            mean: both(c.mean, |mean| Value(mean, DType::F64)),
            std: both(c.std, Float),
            nan: both(c.nan, |n| n),
            inf: both(c.inf, |n| n),
            nan_new: c.nan_new,
            zero_sign: c.zero_sign,
            nan_payload: c.nan_payload,
            zero_lhs: c.zero_lhs,
            passes_at: Some(Passes::new(c.passes_at)),
            tolerances: (!c.further.is_empty())
                .then(|| c.further.iter().map(Further::new).collect()),
            histogram: c.histogram.as_ref().map(Counts::new),
        }
    }
}

impl WorstAt {
    fn new(worst: Worst, shape: &Shape, lhs: DType, rhs: DType) -> Self {
        let index = shape.unravel(worst.position);
        Self { index, lhs: Value(worst.lhs, lhs), rhs: Value(worst.rhs, rhs) }
    }
}

impl Passes {
    fn new(passes: PassesAt) -> Self {
        Self { rtol: passes.rtol.map(Float), atol: passes.atol.map(Float) }
    }
}

impl Further {
    fn new((tolerance, mismatched): &(Tolerance, u64)) -> Self {
        Self {
            atol: tolerance.atol.map(Float),
            rtol: tolerance.rtol.map(Float),
            mismatched: *mismatched,
        }
    }
}

impl Counts {
    fn new(histogram: &Histogram) -> Self {
        let bins = |counts: &BTreeMap<i32, u64>| {
            counts.iter().map(|(&log2, &count)| Bin { log2, count }).collect()
        };
        Self { abs: bins(&histogram.abs), ulp: bins(&histogram.ulp) }
    }
}

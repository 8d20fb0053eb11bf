//! Numbers in JSON, which has no NaN and no infinity.

use serde::{Serialize, Serializer};

use crate::compare::Sides;
use crate::tensor::{DType, Scalar, shortest};

/// A statistic.
#[derive(Clone, Copy)]
pub(super) struct Float(pub(super) f64);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_nan() => serializer.serialize_str("NaN"),
            f64::INFINITY => serializer.serialize_str("Infinity"),
            f64::NEG_INFINITY => serializer.serialize_str("-Infinity"),
            value => serializer.serialize_f64(value),
        }
    }
}

/// An element of a tensor of this type, or with `F64` a statistic that has as many parts as one.
#[derive(Clone, Copy)]
pub(super) struct Value(pub(super) Scalar, pub(super) DType);

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let float = |value| Float(shortest(self.1, value));
        match self.0 {
            Scalar::Float(value) => float(value).serialize(serializer),
            Scalar::Integer(value) => serializer.serialize_i128(value),
            Scalar::Bool(value) => serializer.serialize_bool(value),
            Scalar::Complex(re, im) => [float(re), float(im)].serialize(serializer),
        }
    }
}

/// A value for each side.
#[derive(Serialize)]
pub(super) struct Both<T> {
    lhs: T,
    rhs: T,
}

/// Both sides of a statistic, each put into the form that `f` gives it.
pub(super) fn both<T, U>(sides: Option<Sides<T>>, f: impl Fn(T) -> U) -> Option<Both<U>> {
    sides.map(|sides| Both { lhs: f(sides.lhs), rhs: f(sides.rhs) })
}

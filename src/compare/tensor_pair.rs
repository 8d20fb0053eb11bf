//! A pair of tensors, and the statistics that their dtypes allow.

use serde::Serialize;

use super::CompareOptions;
use crate::tensor::{DType, Kind, Scalar, TensorSource};

/// Two tensors to compare; the first is the baseline.
pub type TensorPair<'a> = (&'a dyn TensorSource, &'a dyn TensorSource);

/// A pair of tensors, and how to compare it. The number of threads in the options has no effect.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    /// The pair.
    pub(crate) pair: TensorPair<'a>,
    /// Its options.
    pub(crate) options: &'a CompareOptions,
}

/// One value for each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Sides<T> {
    /// Of the baseline.
    pub lhs: T,
    /// Of the other.
    pub rhs: T,
}

impl<T> Sides<T> {
    /// Both sides, converted by `f`.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Sides<U> {
        Sides { lhs: f(self.lhs), rhs: f(self.rhs) }
    }
}

/// The kind of a pair of dtypes, which decides how elements are compared and which statistics are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairKind {
    /// Elements without a difference, which are equal or not: `bool`, `string`, `variant`, `resource`.
    Equality,
    /// Numbers without NaN: integers on both sides.
    Integers,
    /// Numbers with NaN; ulps are defined when both sides have the same real floating type.
    Floats { ulp: bool },
    /// Complex numbers on at least one side.
    Complex,
}

impl PairKind {
    /// The kind of this pair of dtypes; `None` where they have no values in common.
    pub(super) fn of(lhs: DType, rhs: DType) -> Option<Self> {
        match (lhs.kind(), rhs.kind()) {
            (Kind::Bytes, Kind::Bytes) if lhs == rhs => Some(Self::Equality),
            (Kind::Bytes, _) | (_, Kind::Bytes) => None,
            (Kind::Bool, Kind::Bool) => Some(Self::Equality),
            (Kind::Complex, _) | (_, Kind::Complex) => Some(Self::Complex),
            (Kind::Float, _) | (_, Kind::Float) => Some(Self::Floats { ulp: lhs == rhs }),
            _ => Some(Self::Integers),
        }
    }

    /// A mean of elements, given by its real and imaginary part.
    pub(super) fn mean(self, (re, im): (f64, f64)) -> Scalar {
        match self {
            Self::Complex => Scalar::Complex(re, im),
            _ => Scalar::Float(re),
        }
    }

    /// The value of a statistic that only numbers have.
    pub(super) fn of_numbers<T>(self, value: impl Into<Option<T>>) -> Option<T> {
        value.into().filter(|_| self != Self::Equality)
    }

    /// The value of a statistic that only numbers with NaN have.
    pub(super) fn of_floats<T>(self, value: T) -> Option<T> {
        matches!(self, Self::Floats { .. } | Self::Complex).then_some(value)
    }

    /// The value of a statistic that only floats of one type have.
    pub(super) fn of_ulps<T>(self, value: T) -> Option<T> {
        (self == Self::Floats { ulp: true }).then_some(value)
    }
}

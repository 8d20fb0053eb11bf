//! The options of a comparison: its tolerances, and its optional statistics.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::serial::{self, Json, Object, Read};

/// How far two elements may be apart. Without any of the three criteria, values compare by bits.
///
/// An element is close when any criterion passes; if only one of the three is given, a missing `atol` or `rtol` is 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Tolerance {
    /// Absolute: `|rhs - lhs| <= atol + rtol * |lhs|`.
    #[serde(serialize_with = "serial::optional_float")]
    pub atol: Option<f64>,
    /// Relative to lhs, the baseline.
    #[serde(serialize_with = "serial::optional_float")]
    pub rtol: Option<f64>,
    /// The maximum distance in representable values of the stored floating type (ulps).
    pub ulp: Option<u64>,
}

impl Tolerance {
    /// Equality of bits.
    pub const BITS: Self = Self { atol: None, rtol: None, ulp: None };

    /// The tolerance with these criteria.
    ///
    /// # Errors
    /// If `atol` or `rtol` is negative, infinite or NaN.
    pub fn new(atol: Option<f64>, rtol: Option<f64>, ulp: Option<u64>) -> Result<Self> {
        for (what, value) in [("atol", atol), ("rtol", rtol)] {
            if let Some(value) = value
                && !(value.is_finite() && value >= 0.0)
            {
                return Err(Error::unexpected(what, value, "a finite number that is not negative"));
            }
        }
        Ok(Self { atol, rtol, ulp })
    }

    /// Whether values compare by bits.
    pub fn is_bits(&self) -> bool {
        self.atol.is_none() && self.rtol.is_none() && self.ulp.is_none()
    }
}

impl Tolerance {
    /// The tolerance with the `atol` and `rtol` of an object in a report.
    ///
    /// # Errors
    /// If one is missing, or is none.
    pub(super) fn of_parts(object: &Object<'_>, ulp: Option<u64>) -> Result<Self> {
        let tolerance = Self::new(object.get("atol")?, object.get("rtol")?, ulp);
        tolerance.map_err(|error| object.place().refused(&error))
    }
}

impl<'r> Read<'r> for Tolerance {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Self::of_parts(&object, object.get("ulp")?)
    }
}

/// Which elements NaN is close to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NanPolicy {
    /// Under a tolerance, to any NaN; without one, to a NaN of the same bits.
    #[default]
    Equal,
    /// To no element, not even to a NaN of the same bits.
    Differ,
}

impl<'r> Read<'r> for NanPolicy {
    fn read(json: Json<'r>) -> Result<Self> {
        json.one_of(&[Self::Equal, Self::Differ], |policy| match policy {
            Self::Equal => "equal",
            Self::Differ => "differ",
        })
    }
}

/// How to compare two tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareOptions {
    /// Decides which pairs mismatch.
    pub tolerance: Tolerance,
    /// Decides whether NaN matches NaN.
    pub nan: NanPolicy,
    /// Further tolerances; mismatches under each are counted in the same pass.
    pub further: Vec<Tolerance>,
    /// Whether to count differences by magnitude.
    pub histogram: bool,
    /// Whether to count the values of each side by sign and magnitude, if both have real numbers.
    pub values: bool,
    /// The number of threads; 0 for one per core.
    pub threads: usize,
    /// Bytes read at a time from each side; at least 2,048 elements are read, and at most a unit. No result depends on it.
    pub chunk_bytes: usize,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::BITS,
            nan: NanPolicy::Equal,
            further: Vec::new(),
            histogram: false,
            values: false,
            threads: 0,
            chunk_bytes: 256 << 10,
        }
    }
}

//! What counts as close, as the user asked for it.

use crate::error::{Error, Result};

/// How far two elements may be apart. Without any of the three, values compare by bits.
///
/// An element is close when any criterion passes; with one of the three given, a missing `atol` or `rtol` is 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// Absolute: `|rhs - lhs| <= atol + rtol * |lhs|`.
    pub atol: Option<f64>,
    /// Relative to lhs, the baseline.
    pub rtol: Option<f64>,
    /// Representable values of the stored floating type between the two.
    pub ulp: Option<u64>,
}

impl Tolerance {
    /// Equality of bits.
    pub const BITS: Self = Self { atol: None, rtol: None, ulp: None };

    /// The tolerance with these parts.
    ///
    /// # Errors
    /// When `atol` or `rtol` is negative, infinite or NaN.
    pub fn new(atol: Option<f64>, rtol: Option<f64>, ulp: Option<u64>) -> Result<Self> {
        for (what, value) in [("atol", atol), ("rtol", rtol)] {
            if let Some(value) = value
                && !(value.is_finite() && value >= 0.0)
            {
                return Err(Error::unexpected(what, value, "it must be finite and not negative"));
            }
        }
        Ok(Self { atol, rtol, ulp })
    }

    /// Whether values compare by bits.
    pub fn is_bits(&self) -> bool {
        self.atol.is_none() && self.rtol.is_none() && self.ulp.is_none()
    }
}

/// What NaN is close to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NanPolicy {
    /// To any other NaN, under a tolerance; without one, to a NaN of the same bits.
    #[default]
    Equal,
    /// To nothing, not even to itself.
    Differ,
}

/// How to compare two tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Decides what is a mismatch.
    pub tolerance: Tolerance,
    /// Decides what NaN is close to.
    pub nan: NanPolicy,
    /// Further tolerances whose mismatches are counted in the same pass.
    pub further: Vec<Tolerance>,
    /// Whether to count differences by their magnitude.
    pub histogram: bool,
    /// Threads to work on; 0 for one per core.
    pub threads: usize,
    /// Bytes read at a time from each side; at least one element of the grid's 16 lanes. No result depends on it.
    pub chunk_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::BITS,
            nan: NanPolicy::Equal,
            further: Vec::new(),
            histogram: false,
            threads: 0,
            chunk_bytes: 256 << 10,
        }
    }
}

//! Numbers that Rust and the shaders share. `source.rs` declares them to the shaders, under the same names.

use super::super::histogram::{LEAST_POWER, MOST_POWER};

/// The invocations of a workgroup, which counts one tile.
pub(super) const INVOCATIONS: usize = 256;
/// The maximum number of further tolerances: one invocation adds up the pairs that mismatch under one of them.
pub(super) const MAX_FURTHER: usize = INVOCATIONS;

/// Values of `KIND`: the kind of the elements.
pub(super) const FLOAT: u32 = 0;
pub(super) const SIGNED: u32 = 1;
pub(super) const UNSIGNED: u32 = 2;
/// Elements that are only equal or not.
pub(super) const EQUALITY: u32 = 3;

/// Values of `SPECIAL`: which bit patterns of a float are not finite. The largest exponent is infinity, or NaN if the fraction is
/// not 0.
pub(super) const IEEE: u32 = 0;
/// All bits except the sign are set in NaN. There is no infinity.
pub(super) const ALL_ONES: u32 = 1;
/// Only the sign is set in NaN. There is no infinity, and one zero.
pub(super) const MINUS_ZERO: u32 = 2;
/// Every bit pattern is finite.
pub(super) const NONE: u32 = 3;

/// Values of `criteria`: what a tolerance accepts. Equal bits only.
pub(super) const BITS_ONLY: u32 = 0;
/// Also a difference within `atol` and `rtol`.
pub(super) const ATOL_RTOL: u32 = 1;
/// Also a distance within `ulp`.
pub(super) const ATOL_RTOL_ULP: u32 = 2;

/// Bits of the fraction in the bound of a relative difference, below its exponent.
pub(super) const RELATIVE_FRACTION: u32 = 17;
/// What is added to that exponent.
pub(super) const RELATIVE_BIAS: i32 = 8192;

/// Bins of `|rhs - lhs|`: one for each power of two from `LEAST_POWER` on.
pub(super) const ABS_BINS: usize = (MOST_POWER - LEAST_POWER + 1).unsigned_abs() as usize;
/// Bins of ulps, after those.
pub(super) const ULP_BINS: usize = u64::BITS as usize;

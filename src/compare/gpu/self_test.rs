//! The self-test: known answers that a kernel must give before it is used.

use crate::tensor::DType;

use super::super::accelerator::Failure;
use super::super::tile::{Batch, Counted, TILE, Tile};
use super::super::{CompareOptions, NanPolicy, Sides, Tolerance};
use super::needs::Needs;

/// More than a tile, and not a multiple of any size in the shaders.
const PAIRS: usize = TILE + 37;

/// Counts a batch with known results.
pub(super) fn run(
    dtype: DType,
    needs: Needs,
    count: impl Fn(&Batch<'_>) -> Result<Counted, Failure>,
) -> Result<(), Failure> {
    let (lhs, rhs) = pairs(dtype.size().unwrap_or(1));
    for nan in [NanPolicy::Equal, NanPolicy::Differ] {
        for tolerance in tolerances() {
            let further = if needs.further { tolerances() } else { Vec::new() };
            let options = CompareOptions {
                tolerance,
                nan,
                further,
                histogram: needs.histogram,
                ..CompareOptions::default()
            };
            let batch =
                Batch { dtype, lhs: &lhs, rhs: &rhs, options: &options, kept: Sides::default() };
            if !is_same(&count(&batch)?, &Counted::of(&batch)) {
                return Err(Failure::Wrong(format!(
                    "its counts of {dtype} are not those of the CPU"
                )));
            }
        }
    }
    Ok(())
}

fn tolerances() -> Vec<Tolerance> {
    let tolerance = |atol, rtol, ulp| Tolerance { atol, rtol, ulp };
    vec![
        Tolerance::BITS,
        tolerance(Some(1e-3), Some(1e-3), None),
        tolerance(Some(-0.0), None, Some(2)),
        tolerance(Some(f64::from_bits(3)), Some(f64::from_bits(7 << 50)), Some(1 << 40)),
        tolerance(Some(1e300), Some(1e300), None),
    ]
}

/// Pairs of random bits, of neighboring values, and of extremes.
fn pairs(size: usize) -> (Vec<u8>, Vec<u8>) {
    // A narrow element takes the high bits of a word.
    let lowest = 64 - 8 * size;
    let push = |side: &mut Vec<u8>, bits: u64| {
        side.extend(bits.to_le_bytes().get(8 - size..).unwrap_or_default());
    };
    let mut bits = Bits(0x9e37_79b9_7f4a_7c15);
    let (mut lhs, mut rhs) = (Vec::new(), Vec::new());
    for i in 0..PAIRS {
        let x = if i % 3 == 0 { bits.extreme() } else { bits.next() };
        let y = match i % 4 {
            0 => bits.extreme(),
            1 => bits.next(),
            2 => x ^ ((bits.next() % 4) << lowest),
            _ => x ^ ((bits.next() % 64) << lowest) ^ ((bits.next() % 2) << 63),
        };
        push(&mut lhs, x);
        push(&mut rhs, y);
    }
    (lhs, rhs)
}

/// Reproducible random bits: Marsaglia's xorshift.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Runs of equal bits with small changes, which include zeros, infinities, NaN, and the smallest and largest numbers.
    fn extreme(&mut self) -> u64 {
        let runs = self.run() ^ self.run();
        runs ^ (self.next() % 3)
    }

    fn run(&mut self) -> u64 {
        let zeros = u32::try_from(self.next() % 65).unwrap_or_default();
        u64::MAX.unbounded_shl(zeros)
    }
}

/// Whether two results agree. The bound of a tile may be slightly larger than the definition's.
fn is_same(ours: &Counted, theirs: &Counted) -> bool {
    let bounds = ours.tiles.iter().zip(&theirs.tiles).all(|(ours, theirs)| {
        let (bound, least) = (ours.relative_bound, theirs.relative_bound);
        let most = (least * (1.0 + 1.0 / 4096.0)).max(f64::MIN_POSITIVE);
        if least == 0.0 { bound == 0.0 } else { least <= bound && bound <= most }
    });
    let rest = |counted: &Counted| Counted {
        tiles: counted.tiles.iter().map(|t| Tile { relative_bound: 0.0, ..t.clone() }).collect(),
        ..counted.clone()
    };
    bounds && rest(ours) == rest(theirs)
}

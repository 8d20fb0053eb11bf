//! Sixteen elements at a time, in loops that the compiler turns into the widest vectors of the machine.
//!
//! `pulp` detects the machine once and runs the same code compiled for AVX-512, AVX2 or plain x86-64. Stretches of finite pairs
//! go through the lanes; a block of sixteen with any other number (NaN, infinity, or one whose square overflows) goes through
//! the definition. Each loop does little, so that all of its sums stay in registers.

use pulp::Arch;

use crate::compare::NanPolicy;
use crate::compare::tally::Tally;
use crate::tensor::Number;

use super::blocks::{Blocks, STRETCH, WideBuffer};
use super::counts::{StretchCounts, relative, settle};
use super::pairs::{self, Collect};
use super::requested::{Operands, Optional};
use super::sums::{LaneSums, squares_fit};

/// Collects statistics over real numbers of one type; `equal` says that both sides are the same bytes.
pub(super) fn numbers<T: Number>(
    lhs: &[T],
    rhs: &[T],
    equal: bool,
    collect: Collect,
    tally: &mut Tally,
) {
    if collect == Collect::Relative {
        return relative(lhs, rhs, tally);
    }
    let equal = equal && !(T::FLOAT && tally.rule.nan == NanPolicy::Differ);
    let has_optional = collect == Collect::Everything && !equal && tally.has_optional();
    let operands = has_optional.then(|| Box::new(Operands::new()));
    let mut stretches = Stretches { equal, collect, buffer: None, operands, tally };
    for (lhs, rhs) in lhs.chunks(STRETCH).zip(rhs.chunks(STRETCH)) {
        let (blocks, tail_lhs, tail_rhs) = Blocks::split(lhs, rhs);
        if !blocks.is_empty() {
            stretches.add(blocks);
        }
        pairs::numbers(tail_lhs, tail_rhs, collect, stretches.tally);
    }
}

/// What to collect over stretches, and the buffers for it.
struct Stretches<'a, T: Number> {
    equal: bool,
    collect: Collect,
    buffer: WideBuffer<T::Wide>,
    /// Present where optional statistics are requested.
    operands: Option<Box<Operands<T>>>,
    tally: &'a mut Tally,
}

impl<T: Number> Stretches<'_, T> {
    /// Adds a stretch: as a whole, or block by block where one needs the definition.
    fn add(&mut self, blocks: Blocks<'_, T>) {
        blocks.set_pivot(&mut self.tally.cell);
        if self.try_finite(blocks) {
            return;
        }
        for block in blocks.groups(1) {
            if !self.try_finite(block) {
                let (lhs, rhs) = (block.lhs.as_flattened(), block.rhs.as_flattened());
                pairs::numbers(lhs, rhs, self.collect, self.tally);
            }
        }
    }

    /// Adds blocks of finite pairs; changes nothing and returns false if a number is not finite.
    fn try_finite(&mut self, blocks: Blocks<'_, T>) -> bool {
        let Self { equal, collect, buffer, operands, tally } = self;
        let arch = Arch::new();
        let wide = blocks.widen(buffer);
        let kernel = Kernel { blocks: wide, equal: *equal, collect: *collect, tally };
        let Some((sums, mut counts)) = arch.dispatch(kernel) else { return false };
        sums.store(&mut tally.cell);
        tally.cell.finite += blocks.len();
        if *collect == Collect::Everything {
            if T::FLOAT && !*equal {
                counts.max_ulp = arch.dispatch(MaxUlp(blocks)).into();
            }
            if counts.differing > 0
                && let Some(operands) = operands
            {
                arch.dispatch(Optional { blocks, wide, operands, counts: &mut counts, tally });
            }
            let has_nonzero = sums.products.lhs.iter().any(|&x| x > 0.0);
            settle(blocks, &counts, has_nonzero, tally);
        }
        tally.advance(blocks.len());
        true
    }
}

/// The largest distance in representable values of a stretch, in its own type.
struct MaxUlp<'a, T>(Blocks<'a, T>);

impl<T: Number> pulp::NullaryFnOnce for MaxUlp<'_, T> {
    type Output = T::Ulps;

    #[inline(always)]
    fn call(self) -> T::Ulps {
        self.0.pairs().fold(T::Ulps::default(), |most, (x, y)| most.max(x.ulps(y)))
    }
}

/// The work on a stretch in the type of the computation; `None` if a number is not finite.
struct Kernel<'a, T> {
    blocks: Blocks<'a, T>,
    equal: bool,
    collect: Collect,
    tally: &'a Tally,
}

impl<T: Number> pulp::NullaryFnOnce for Kernel<'_, T> {
    type Output = Option<(LaneSums, StretchCounts)>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { blocks, equal, collect, tally } = self;
        if T::WIDE && !squares_fit(blocks) {
            return None;
        }
        let sums = LaneSums::load(&tally.cell);
        let sums =
            if equal && sums.one_sided() { sums.add_equal(blocks) } else { sums.add(blocks) };
        // A number that is not finite shows in the sums, since every finite one has a square in range.
        if !sums.products.diff.iter().chain(&sums.products.lhs).all(|x| x.is_finite()) {
            return None;
        }
        let mut counts = StretchCounts::default();
        if !equal && collect == Collect::Everything {
            counts.add_values(blocks, &tally.rule, &tally.extremes);
            counts.add_bits(blocks);
        }
        Some((sums, counts))
    }
}

//! Real numbers of one type, a cell at a time, in loops that the compiler turns into the widest vectors of the machine.
//!
//! `pulp` detects the machine once and runs the same code compiled for AVX-512, AVX2 or plain x86-64. Each loop does little, so
//! that its results stay in registers. Pairs that are not finite are counted apart, and then replaced by equal pairs of zeros. A cell
//! with squares beyond the range of `f64` goes through the definition.

use crate::compare::NanPolicy;
use crate::compare::grid::{CELL, CELL_LEN, is_plain};
use crate::compare::pair::Pair;
use crate::compare::sums::{FirstPass, Sums};
use crate::compare::tally::Tally;
use crate::tensor::{Number, Scalar};

use super::blocks::{Blocks, Buffer};
use super::counts::{CellCounts, settle};
use super::excluded::{Excluded, Originals};
use super::narrow::NarrowElements;
use super::pairs::{self, Collect};
use super::requested::{Optional, Requested};
use super::sums::{KernelPasses, first_pass};
use super::ties::RelativeTies;

/// Collects statistics over real numbers of one type. `equal` says that both sides are the same bytes; `scalars` returns the
/// values of the pair at an index.
pub(super) fn numbers<T: Number>(
    (lhs, rhs): (&[T], &[T]),
    equal: bool,
    collect: Collect,
    tally: &mut Tally,
    scalars: impl Fn(usize) -> (Scalar, Scalar),
) {
    if !tally.position.is_multiple_of(CELL) {
        return pairs::numbers((lhs, rhs), collect, tally, scalars);
    }
    let equal = equal && !(T::FLOAT && tally.rule.nan == NanPolicy::Differ);
    let mut buffers = Buffers::default();
    let starts = (0..).step_by(CELL_LEN);
    for ((lhs, rhs), start) in lhs.chunks(CELL_LEN).zip(rhs.chunks(CELL_LEN)).zip(starts) {
        let scalars = |index| scalars(start + index);
        let cell = Cell { lhs, rhs, equal, collect };
        if !cell.try_add(&mut buffers, tally, scalars) {
            pairs::numbers((lhs, rhs), collect, tally, scalars);
        }
    }
}

/// Buffers for a cell, which grow as needed.
struct Buffers<T: Number> {
    whole: Buffer<T>,
    wide: Buffer<T::Wide>,
    finite: Buffer<T>,
    wide_finite: Buffer<T::Wide>,
    kept: Kept<T>,
}

/// What is kept from cell to cell beside the buffers of its elements.
struct Kept<T: Number> {
    requested: Option<Box<Requested<T>>>,
    ties: RelativeTies,
}

impl<T: Number> Default for Buffers<T> {
    fn default() -> Self {
        Self {
            whole: Buffer::default(),
            wide: Buffer::default(),
            finite: Buffer::default(),
            wide_finite: Buffer::default(),
            kept: Kept { requested: None, ties: RelativeTies::default() },
        }
    }
}

/// A cell, or the rest of a tensor.
struct Cell<'a, T> {
    lhs: &'a [T],
    rhs: &'a [T],
    equal: bool,
    collect: Collect,
}

impl<T: Number> Cell<'_, T> {
    /// Adds the cell; changes nothing and returns false if it needs the definition.
    fn try_add(
        &self,
        buffers: &mut Buffers<T>,
        tally: &mut Tally,
        scalars: impl Fn(usize) -> (Scalar, Scalar),
    ) -> bool {
        let &Self { lhs, rhs, equal, .. } = self;
        let Buffers { whole, wide, finite, wide_finite, kept } = buffers;
        let mut blocks = Blocks::new(lhs, rhs, whole);
        let mut counts = CellCounts::default();
        if let Some(exact) = blocks.exact() {
            let first = first_pass(blocks, exact, equal);
            self.add((blocks, exact), &first, counts, kept, tally, scalars);
            return true;
        }
        let mut wide = blocks.widen(wide);
        let mut first = first_pass(blocks, wide, equal);
        if !first.is_finite() {
            counts.excluded = Excluded::count(blocks, wide, tally.rule.nan);
            if counts.excluded.pairs == 0 {
                // A square overflows.
                return false;
            }
            blocks = blocks.without_excluded(wide, finite);
            wide = blocks.widen(wide_finite);
            first = first_pass(blocks, wide, equal);
        }
        if T::WIDE && !(first.is_finite() && is_in_range(blocks, &first, equal)) {
            return false;
        }
        self.add((blocks, wide), &first, counts, kept, tally, scalars);
        true
    }

    /// Adds the cell, whose numbers are given in their type and in the type of the computation.
    fn add<W: Number>(
        &self,
        (blocks, wide): (Blocks<'_, T>, Blocks<'_, W>),
        first: &FirstPass<f64>,
        mut counts: CellCounts,
        Kept { requested, ties }: &mut Kept<T>,
        tally: &mut Tally,
        scalars: impl Fn(usize) -> (Scalar, Scalar),
    ) {
        let &Self { lhs, rhs, equal, collect } = self;
        let len = lhs.len() as u64;
        let sums = match counts.excluded.pairs {
            0 => Sums::new(len, first, &KernelPasses { wide, len: lhs.len() }),
            excluded => Sums::new(len - excluded, first, &Originals::new(lhs, rhs)),
        };
        tally.add_cell(sums);
        if collect == Collect::Everything {
            if !equal {
                counts.add_bits(blocks);
                let elements = NarrowElements::new::<T>(first.squares, ties, &tally.extremes);
                counts.add_values((blocks, wide), &elements, &tally.rule, &tally.extremes);
                if tally.has_optional() && counts.differing > 0 {
                    let requested = requested.get_or_insert_with(|| Requested::new(&tally.further));
                    Optional { blocks, wide, requested, counts: &mut counts, tally }.collect();
                }
            }
            if counts.excluded.pairs == len {
                counts.max_abs = -1.0;
            }
            let has_nonzero = first.squares.lhs > 0.0;
            let pair = |index| Some(Pair::real(*lhs.get(index)?, *rhs.get(index)?));
            settle(wide, &counts, has_nonzero, tally, pair, scalars);
        }
        tally.advance(len);
    }
}

/// Whether the largest numbers of a cell need no scale.
fn is_in_range<T: Number>(blocks: Blocks<'_, T>, first: &FirstPass<f64>, equal: bool) -> bool {
    let FirstPass { squares, diff, .. } = *first;
    let is_zero = |side: &[[T; 16]]| side.as_flattened().iter().all(|x| x.is_zero());
    (is_plain(squares.lhs) || squares.lhs == 0.0 && is_zero(blocks.lhs))
        && (is_plain(squares.rhs) || squares.rhs == 0.0 && is_zero(blocks.rhs))
        && (is_plain(diff)
            || diff == 0.0 && (equal || blocks.pairs().all(|(x, y)| y.abs_diff(x) == 0.0)))
}

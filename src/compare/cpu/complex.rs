//! Complex numbers, a cell at a time. Their sums are those of their parts; everything else follows from magnitudes.

use bytemuck::{Pod, Zeroable};
use pulp::Arch;

use crate::compare::grid::{CELL, CELL_LEN, LANES};
use crate::compare::pair::Pair;
use crate::compare::scaled::{LARGEST, SMALLEST};
use crate::compare::sums::Sums;
use crate::compare::tally::Tally;
use crate::tensor::{Bool, ComplexNumber, Element, Encoding, Number, Scalar, Visit};

use super::blocks::Blocks;
use super::computed::computed_number;
use super::counts::{CellCounts, settle};
use super::mixed::{Side, cells_of};
use super::narrow::NarrowElements;
use super::pairs::{self, Collect};
use super::requested::{Optional, Requested};
use super::sums::{KernelPasses, first_pass};

/// Collects statistics over complex numbers of one type.
pub(super) fn numbers<T: ComplexNumber>(lhs: &[T], rhs: &[T], collect: Collect, tally: &mut Tally) {
    if collect == Collect::Relative {
        return pairs::complex(lhs, rhs, collect, tally);
    }
    let mut cell = Cell::new(true, collect);
    for (lhs, rhs) in lhs.chunks(CELL_LEN).zip(rhs.chunks(CELL_LEN)) {
        cell.lhs.fill(lhs.iter().map(|x| x.parts()));
        cell.rhs.fill(rhs.iter().map(|x| x.parts()));
        let scalar = |side: &[T], at| side.get(at).map_or(Scalar::Integer(0), |x: &T| x.scalar());
        if !cell.try_add(lhs.len(), tally, |at| (scalar(lhs, at), scalar(rhs, at))) {
            pairs::complex(lhs, rhs, collect, tally);
        }
    }
}

/// Compares elements of two types by value, one of which is complex.
pub(super) fn mixed(lhs: Side<'_>, rhs: Side<'_>, tally: &mut Tally) {
    let mut cell = Cell::new(false, Collect::Everything);
    for ((lhs, rhs), len) in cells_of(lhs, rhs) {
        lhs.0.visit(Fill { from: lhs.1, to: &mut cell.lhs });
        rhs.0.visit(Fill { from: rhs.1, to: &mut cell.rhs });
        if !cell.try_add(len, tally, |at| (pairs::scalar(lhs, at), pairs::scalar(rhs, at))) {
            pairs::mixed(lhs, rhs, tally);
        }
    }
}

/// The parts of the numbers of one side; zeros fill the last block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Parts {
    re: [f64; CELL_LEN],
    im: [f64; CELL_LEN],
}

impl Parts {
    fn fill(&mut self, numbers: impl Iterator<Item = (f64, f64)>) {
        let mut to = self.re.iter_mut().zip(&mut self.im);
        for ((re, im), (to_re, to_im)) in numbers.zip(&mut to) {
            (*to_re, *to_im) = (re, im);
        }
        to.take(LANES).for_each(|(re, im)| (*re, *im) = (0.0, 0.0));
    }
}

/// Fills parts with elements of any type of numbers.
struct Fill<'a> {
    from: &'a [u8],
    to: &'a mut Parts,
}

impl Visit for Fill<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        self.to.fill(bytemuck::cast_slice::<_, T>(self.from).iter().map(|x| (x.to_f64(), 0.0)));
    }

    fn complex<T: ComplexNumber>(self) {
        self.to.fill(bytemuck::cast_slice::<_, T>(self.from).iter().map(|x| x.parts()));
    }

    fn boolean(self) {
        let value = |x: &Bool| if x.0 == 0 { 0.0 } else { 1.0 };
        self.to.fill(bytemuck::cast_slice(self.from).iter().map(|x| (value(x), 0.0)));
    }

    fn bytes(self) {
        // Elements of variable length are not compared in chunks.
    }
}

/// A cell of complex numbers.
struct Cell {
    lhs: Box<Parts>,
    rhs: Box<Parts>,
    magnitudes: Box<[Magnitude; CELL_LEN]>,
    abs_diffs: Box<[Magnitude; CELL_LEN]>,
    /// Whether numbers differ by their bits, and not by their values.
    by_bits: bool,
    collect: Collect,
    requested: Option<Box<Requested<Magnitude>>>,
}

impl Cell {
    fn new(by_bits: bool, collect: Collect) -> Self {
        Self {
            lhs: bytemuck::zeroed_box(),
            rhs: bytemuck::zeroed_box(),
            magnitudes: bytemuck::zeroed_box(),
            abs_diffs: bytemuck::zeroed_box(),
            by_bits,
            collect,
            requested: None,
        }
    }

    /// Adds the first `len` pairs; changes nothing and returns false if they need the definition.
    fn try_add(
        &mut self,
        len: usize,
        tally: &mut Tally,
        scalars: impl Fn(usize) -> (Scalar, Scalar),
    ) -> bool {
        if !tally.position.is_multiple_of(CELL) {
            return false;
        }
        let blocks = len.div_ceil(LANES);
        let measured = Arch::new().dispatch(Measure { cell: self, len: blocks * LANES });
        let Some(mut counts) = measured else { return false };
        let Self { lhs, rhs, magnitudes, abs_diffs, by_bits, collect, requested } = self;
        let component = |lhs, rhs| {
            let wide = Blocks::whole(lhs, rhs, blocks);
            let first = first_pass(wide, wide, false);
            let has_nonzero = first.squares.lhs > 0.0;
            (Sums::new(len as u64, &first, &KernelPasses { wide, len }), has_nonzero)
        };
        let (re, im) = (component(&lhs.re, &rhs.re), component(&lhs.im, &rhs.im));
        tally.add_cell(re.0.with_imaginary(im.0));
        if *collect == Collect::Everything {
            let pair = |at: usize| {
                let [x_re, x_im] = [lhs.re.get(at)?, lhs.im.get(at)?].map(|x| *x);
                let [y_re, y_im] = [rhs.re.get(at)?, rhs.im.get(at)?].map(|y| *y);
                let differs = differs((x_re, x_im), (y_re, y_im), *by_bits);
                (at < len).then(|| Pair::of_parts((x_re, x_im), (y_re, y_im), differs))
            };
            let wide = Blocks::whole(magnitudes.as_slice(), abs_diffs.as_slice(), blocks);
            counts.add_values(
                (wide, wide),
                &NarrowElements::default(),
                &tally.rule,
                &tally.extremes,
            );
            if tally.has_optional() && counts.differing > 0 {
                let requested = requested.get_or_insert_with(|| Requested::new(&tally.further));
                Optional { blocks: wide, wide, requested, counts: &mut counts, tally }.collect();
            }
            settle(wide, &counts, re.1 | im.1, tally, pair, scalars);
        }
        tally.advance(len as u64);
        true
    }
}

/// Whether two numbers differ, by their bits or by their values.
#[inline(always)]
#[expect(clippy::float_cmp, reason = "numbers of two types are compared by value")]
fn differs(lhs: (f64, f64), rhs: (f64, f64), by_bits: bool) -> bool {
    let bits = |x: f64, y: f64| x.to_bits() != y.to_bits();
    let values = |x: f64, y: f64| x != y;
    (by_bits & (bits(lhs.0, rhs.0) | bits(lhs.1, rhs.1)))
        | (values(lhs.0, rhs.0) | values(lhs.1, rhs.1))
}

/// Computes the magnitudes of a cell, and counts. `None` if a part is not finite, or so large or small that magnitudes need a scale.
struct Measure<'a> {
    cell: &'a mut Cell,
    len: usize,
}

impl pulp::NullaryFnOnce for Measure<'_> {
    type Output = Option<CellCounts>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { cell, len } = self;
        let Cell { lhs, rhs, magnitudes, abs_diffs, by_bits, .. } = cell;
        let mut counts = CellCounts::default();
        let mut out_of_range = 0u64;
        let lhs = lhs.re.iter().zip(&lhs.im);
        let rhs = rhs.re.iter().zip(&rhs.im);
        let to = magnitudes.iter_mut().zip(abs_diffs.iter_mut());
        for (((lhs, rhs), _), (magnitude, abs_diff)) in lhs.zip(rhs).zip(0..len).zip(to) {
            let (lhs, rhs) = ((*lhs.0, *lhs.1), (*rhs.0, *rhs.1));
            let diff = (rhs.0 - lhs.0, rhs.1 - lhs.1);
            for part in [lhs.0, lhs.1, rhs.0, rhs.1, diff.0, diff.1] {
                let is_plain = (part.abs() >= SMALLEST) & (part.abs() <= LARGEST);
                out_of_range += u64::from(!(is_plain | (part == 0.0)));
            }
            *magnitude = Magnitude((lhs.0 * lhs.0 + lhs.1 * lhs.1).sqrt());
            *abs_diff = Magnitude((diff.0 * diff.0 + diff.1 * diff.1).sqrt());
            let differs = differs(lhs, rhs, *by_bits);
            let (from_zero, same) = (magnitude.0 == 0.0, abs_diff.0 == 0.0);
            counts.differing += u64::from(differs);
            counts.zero_lhs += u64::from(differs & from_zero);
            counts.zero_sign += u64::from(differs & same);
            counts.from_zero += u64::from(differs & from_zero & !same);
        }
        (out_of_range == 0).then_some(counts)
    }
}

/// A magnitude, of which the kernels take differences: those of rhs are differences already, those of lhs are of its numbers.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
struct Magnitude(f64);

impl Element for Magnitude {
    fn scalar(self) -> Scalar {
        Scalar::Float(self.0)
    }

    #[inline(always)]
    fn differs(self, _lhs: Self) -> bool {
        self.0 > 0.0
    }
}

computed_number!(Magnitude {
    #[inline(always)]
    fn abs_diff(self, _lhs: Self) -> f64 {
        self.0
    }
});

//! The grid that sums are taken over, so that they do not depend on how the work is divided.
//!
//! A tensor is cut into cells of 2,048 elements in row-major order. In a cell, element `i` is added to lane `i % 16`, and the
//! lanes are added as a tree; the cells are added as a binary tree over their numbers. So a sum depends only on the elements,
//! and not on chunks, threads or vector width.
//!
//! A cell takes five sums in one pass: of both sides, of their squares, and of the squares of the differences. The other sums
//! follow from these (see [`Sums::new`]), except where a subtraction would cancel too many digits: such a cell takes a second pass. Where
//! squares could leave the range of `f64`, a cell is scaled by its largest number.

use super::Sides;
use super::pair::{Pair, Value};
use super::scaled::{LARGEST, SMALLEST, Scale, ScaledProducts, ScaledSquares};
use super::sums::{Deviation, FirstPass, Moments, SecondPass, Sums};

/// Elements in a cell.
pub(super) const CELL: u64 = CELL_LEN as u64;
/// [`CELL`], as a length in memory.
pub(super) const CELL_LEN: usize = 2048;
/// Lanes of a sum.
pub(super) const LANES: usize = 16;

/// Sums over one lane array.
pub(super) type Lanes = [f64; LANES];

impl FirstPass<Lanes> {
    /// The sums over all lanes.
    #[inline(always)]
    pub(super) fn total(&self) -> FirstPass<f64> {
        FirstPass {
            values: Sides { lhs: tree(&self.values.lhs), rhs: tree(&self.values.rhs) },
            squares: Sides { lhs: tree(&self.squares.lhs), rhs: tree(&self.squares.rhs) },
            diff: tree(&self.diff),
        }
    }
}

/// Whether a sum of squares over a cell shows that the largest number needs no scale.
pub(super) fn is_plain(squares: f64) -> bool {
    (SMALLEST * SMALLEST * CELL_LEN as f64..=LARGEST * LARGEST).contains(&squares)
}

/// The sum of all lanes.
#[inline(always)]
pub(super) fn tree(lanes: &Lanes) -> f64 {
    let mut sums = *lanes;
    let mut width = LANES / 2;
    while width > 0 {
        let (low, high) = sums.split_at_mut(width);
        for (sum, x) in low.iter_mut().zip(high) {
            *sum += *x;
        }
        width /= 2;
    }
    sums.first().copied().unwrap_or_default()
}

/// The pairs of a cell, and their sums as defined.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    is_finite: Vec<bool>,
    re: Component,
    im: Component,
}

/// One component of the pairs of a cell; zeros for pairs that are not finite.
#[derive(Debug, Clone, Default)]
struct Component {
    lhs: Vec<f64>,
    rhs: Vec<f64>,
    diff: Vec<f64>,
}

impl Cell {
    /// Adds the next pair.
    pub(super) fn push(&mut self, pair: &Pair) {
        let is_finite = pair.is_finite();
        self.is_finite.push(is_finite);
        let finite = |value: Value| if is_finite { value } else { Value::real(0.0) };
        let (lhs, rhs, diff) = (finite(pair.lhs), finite(pair.rhs), finite(pair.diff));
        self.re.push(lhs.re, rhs.re, diff.re);
        self.im.push(lhs.im, rhs.im, diff.im);
    }

    /// The sums of the pairs. The cell is empty afterwards.
    pub(super) fn take(&mut self) -> Sums {
        let sums = [&self.re, &self.im].map(|component| self.sums(component));
        self.is_finite.clear();
        self.re.clear();
        self.im.clear();
        let [re, im] = sums;
        re.with_imaginary(im)
    }

    /// The second pass over the real parts.
    pub(super) fn real(&self) -> impl SecondPass {
        ComponentOfCell { component: &self.re, is_finite: &self.is_finite }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.is_finite.is_empty()
    }

    fn sums(&self, component: &Component) -> Sums {
        let Component { lhs, rhs, diff } = component;
        let finite = self.is_finite.iter().filter(|is_finite| **is_finite).count() as u64;
        let cell = ComponentOfCell { component, is_finite: &self.is_finite };
        let scales = [lhs, rhs, diff].map(|numbers| Scale::of(numbers));
        let squares = |numbers: &[f64], scale: Scale| {
            sum(numbers.iter().map(|&x| scale.apply(x) * scale.apply(x)))
        };
        let [of_lhs, of_rhs, of_diff] = scales;
        if scales == [Scale::Plain; 3] {
            let first = FirstPass {
                values: Sides { lhs: sum(lhs.iter().copied()), rhs: sum(rhs.iter().copied()) },
                squares: Sides { lhs: squares(lhs, of_lhs), rhs: squares(rhs, of_rhs) },
                diff: squares(diff, of_diff),
            };
            return Sums::new(finite, &first, &cell);
        }
        let scaled = |numbers, scale| ScaledSquares::new(scale, squares(numbers, scale));
        let dot = sum(lhs.iter().zip(rhs).map(|(&x, &y)| of_lhs.apply(x) * of_rhs.apply(y)));
        let moments = |deviation| Moments::of_deviation(deviation, finite);
        Sums {
            finite,
            squares: Sides { lhs: scaled(lhs, of_lhs), rhs: scaled(rhs, of_rhs) },
            diff: scaled(diff, of_diff),
            dot: ScaledProducts::new(of_lhs, of_rhs, dot),
            moments: cell.deviations().map(moments),
        }
    }
}

impl Component {
    fn push(&mut self, lhs: f64, rhs: f64, diff: f64) {
        self.lhs.push(lhs);
        self.rhs.push(rhs);
        self.diff.push(diff);
    }

    fn clear(&mut self) {
        self.lhs.clear();
        self.rhs.clear();
        self.diff.clear();
    }
}

struct ComponentOfCell<'a> {
    component: &'a Component,
    is_finite: &'a [bool],
}

impl SecondPass for ComponentOfCell<'_> {
    fn dot(&self) -> f64 {
        let Component { lhs, rhs, .. } = self.component;
        sum(lhs.iter().zip(rhs).map(|(x, y)| x * y))
    }

    fn deviations(&self) -> Sides<Deviation> {
        let deviation = |numbers: &[f64]| {
            let finite = || numbers.iter().zip(self.is_finite);
            let pivot = finite().find(|(_, is_finite)| **is_finite).map_or(0.0, |(&x, _)| x);
            let from_pivot =
                || finite().map(|(&x, &is_finite)| if is_finite { x - pivot } else { 0.0 });
            Deviation { pivot, sum: sum(from_pivot()), squares: sum(from_pivot().map(|d| d * d)) }
        };
        Sides { lhs: deviation(&self.component.lhs), rhs: deviation(&self.component.rhs) }
    }
}

/// The sum of the numbers of a cell, by lanes.
fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut lanes = Lanes::default();
    for (x, lane) in numbers.zip((0..LANES).cycle()) {
        if let Some(sum) = lanes.get_mut(lane) {
            *sum += x;
        }
    }
    tree(&lanes)
}

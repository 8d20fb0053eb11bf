//! Sums that do not depend on how the work is divided.
//!
//! A tensor is cut into cells of 65,536 elements in row-major order. In a cell, element `i` is added to lane `i % 16`; the
//! lanes are added as a tree, and the cells as a binary tree over their numbers. So a sum depends only on the elements, and
//! not on chunks, threads or vector width.
//!
//! Squares are summed in three ranges, as in Blue's norm, because squares of `float64` can leave the range of `f64`.
//! Deviations are taken from the first finite pair of their cell, so that a mean far from zero costs no precision.

use super::Sides;
use super::pair::Pair;

/// Elements in a cell.
pub(super) const CELL: u64 = 65_536;
/// Lanes of a sum.
pub(super) const LANES: usize = 16;

/// Sums over one lane array.
pub(super) type Lanes = [f64; LANES];

/// The first finite pair of a cell, from which its deviations are taken.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pivot {
    pub(super) lhs: (f64, f64),
    pub(super) rhs: (f64, f64),
}

/// A value for each of the sums `Σ |rhs - lhs|²`, `Σ |lhs|²`, `Σ |rhs|²` and `Σ lhs · rhs`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Products<T> {
    pub(super) diff: T,
    pub(super) lhs: T,
    pub(super) rhs: T,
    pub(super) dot: T,
}

impl<T> Products<T> {
    fn join(self, other: Self, join: impl Fn(T, T) -> T) -> Self {
        Self {
            diff: join(self.diff, other.diff),
            lhs: join(self.lhs, other.lhs),
            rhs: join(self.rhs, other.rhs),
            dot: join(self.dot, other.dot),
        }
    }
}

/// The sums of a cell while it fills.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    /// Finite pairs so far.
    pub(super) finite: u64,
    pub(super) pivot: Option<Pivot>,
    pub(super) sums: Products<Lanes>,
    /// `Σ (x - pivot)`, by component, and `Σ |x - pivot|²`, of each side.
    pub(super) lhs_deviation: [Lanes; 3],
    pub(super) rhs_deviation: [Lanes; 3],
    /// The squares of numbers that are so large or small that their plain squares would overflow or vanish.
    outliers: Products<ScaledSquares>,
}

/// Sums of squares of large numbers, divided by 2^600, and of small numbers, multiplied by it.
#[derive(Debug, Clone, Copy, Default)]
struct ScaledSquares {
    large: f64,
    small: f64,
}

const SCALE: f64 = f64::from_bits((1023 + 600) << 52);
/// The smallest and the largest magnitude whose squares can be added, any number of them, within the range of `f64`.
pub(super) const SMALLEST: f64 = f64::from_bits((1023 - 480) << 52);
/// See [`SMALLEST`].
pub(super) const LARGEST: f64 = f64::from_bits((1023 + 480) << 52);

const SMALLEST_SQUARE: f64 = SMALLEST * SMALLEST;
const LARGEST_SQUARE: f64 = LARGEST * LARGEST;

impl ScaledSquares {
    fn add(&mut self, x: f64) {
        let x = if x > LARGEST {
            let scaled = x / SCALE;
            self.large += scaled * scaled;
            return;
        } else {
            x * SCALE
        };
        self.small += x * x;
    }

    fn join(self, later: Self) -> Self {
        Self { large: self.large + later.large, small: self.small + later.small }
    }

    /// The square root of the mean of these and of the plain squares `middle`, over `n` numbers.
    fn root(self, middle: f64, n: f64) -> Scaled {
        if self.large > 0.0 {
            Scaled { value: ((self.large + middle / SCALE / SCALE) / n).sqrt(), exponent: 1 }
        } else if middle > 0.0 || self.small == 0.0 {
            Scaled { value: ((middle + self.small / SCALE / SCALE) / n).sqrt(), exponent: 0 }
        } else {
            Scaled { value: (self.small / n).sqrt(), exponent: -1 }
        }
    }
}

/// `value` times a power of 2^600; the product may be outside the range of `f64`.
#[derive(Debug, Clone, Copy)]
struct Scaled {
    value: f64,
    exponent: i32,
}

impl Scaled {
    fn product(self) -> f64 {
        let by = if self.exponent < 0 { 1.0 / SCALE } else { SCALE };
        (0..self.exponent.abs()).fold(self.value, |value, _| value * by)
    }

    fn over(self, other: Self) -> Self {
        Self { value: self.value / other.value, exponent: self.exponent - other.exponent }
    }
}

/// Whether the square of `x` belongs in the lanes.
#[inline(always)]
pub(super) fn is_plain(x: f64) -> bool {
    x == 0.0 || (SMALLEST..=LARGEST).contains(&x)
}

impl Cell {
    /// Adds a finite pair.
    pub(super) fn add(&mut self, lane: usize, pair: &Pair) {
        let (lhs, rhs) = (pair.lhs, pair.rhs);
        let pivot =
            *self.pivot.get_or_insert(Pivot { lhs: (lhs.re, lhs.im), rhs: (rhs.re, rhs.im) });
        self.finite += 1;
        let lane = lane % LANES;
        let to = |lanes: &mut Lanes, x: f64| {
            if let Some(sum) = lanes.get_mut(lane) {
                *sum += x;
            }
        };
        if is_plain(pair.abs_diff) {
            to(&mut self.sums.diff, pair.abs_diff * pair.abs_diff);
        } else {
            self.outliers.diff.add(pair.abs_diff);
        }
        for (value, lanes, outliers) in [
            (lhs, &mut self.sums.lhs, &mut self.outliers.lhs),
            (rhs, &mut self.sums.rhs, &mut self.outliers.rhs),
        ] {
            for part in [value.re.abs(), value.im.abs()] {
                if is_plain(part) {
                    to(lanes, part * part);
                } else {
                    outliers.add(part);
                }
            }
        }
        for (x, y) in [(lhs.re, rhs.re), (lhs.im, rhs.im)] {
            let product = x * y;
            if x == 0.0 || y == 0.0 || (SMALLEST_SQUARE..=LARGEST_SQUARE).contains(&product.abs()) {
                to(&mut self.sums.dot, product);
            } else if product.abs() > LARGEST_SQUARE {
                self.outliers.dot.large += (x / SCALE) * (y / SCALE);
            } else {
                self.outliers.dot.small += (x * SCALE) * (y * SCALE);
            }
        }
        for (value, pivot, [re, im, squares]) in
            [(lhs, pivot.lhs, &mut self.lhs_deviation), (rhs, pivot.rhs, &mut self.rhs_deviation)]
        {
            let (dre, dim) = (value.re - pivot.0, value.im - pivot.1);
            to(re, dre);
            to(im, dim);
            to(squares, dre * dre + dim * dim);
        }
    }

    /// The sums of the full cell.
    fn close(&self) -> Sums {
        let n = self.finite as f64;
        let pivot = self.pivot.unwrap_or_default();
        let side = |pivot: (f64, f64), [re, im, squares]: &[Lanes; 3]| {
            let (re, im, squares) = (tree(re), tree(im), tree(squares));
            if self.finite == 0 {
                return Moments::default();
            }
            Moments {
                mean: (pivot.0 + re / n, pivot.1 + im / n),
                squares: squares - (re * re + im * im) / n,
            }
        };
        Sums {
            finite: self.finite,
            sums: Products {
                diff: tree(&self.sums.diff),
                lhs: tree(&self.sums.lhs),
                rhs: tree(&self.sums.rhs),
                dot: tree(&self.sums.dot),
            },
            lhs_moments: side(pivot.lhs, &self.lhs_deviation),
            rhs_moments: side(pivot.rhs, &self.rhs_deviation),
            outliers: self.outliers,
        }
    }
}

fn tree(lanes: &Lanes) -> f64 {
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

/// The sums over neighboring cells.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) finite: u64,
    sums: Products<f64>,
    lhs_moments: Moments,
    rhs_moments: Moments,
    outliers: Products<ScaledSquares>,
}

/// Mean and sum of squared deviations of one side.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    mean: (f64, f64),
    squares: f64,
}

impl Moments {
    fn join(self, n: f64, later: Self, m: f64) -> Self {
        if n == 0.0 {
            return later;
        }
        if m == 0.0 {
            return self;
        }
        let part = m / (n + m);
        let (re, im) = (later.mean.0 - self.mean.0, later.mean.1 - self.mean.1);
        Self {
            mean: (self.mean.0 + re * part, self.mean.1 + im * part),
            squares: self.squares + later.squares + (re * re + im * im) * (n * part),
        }
    }

    /// Mean and standard deviation. Where the squares of the deviations left the range of `f64`, the deviation is computed from
    /// the scaled mean of squares.
    fn finish(self, n: u64, outliers: ScaledSquares, squares: f64) -> Option<((f64, f64), f64)> {
        let (re, im) = self.mean;
        if n == 0 || !re.is_finite() || !im.is_finite() {
            return None;
        }
        let vanished = self.squares == 0.0 && squares == 0.0;
        let root = outliers.root(squares, n as f64);
        let deviation = if root.value == 0.0 || self.squares.is_finite() && !vanished {
            (self.squares / n as f64).max(0.0).sqrt()
        } else {
            let part = |x: f64| Scaled { value: x, exponent: 0 }.over(root).product();
            let rest = 1.0 - part(re) * part(re) - part(im) * part(im);
            Scaled { value: root.value * rest.max(0.0).sqrt(), ..root }.product()
        };
        deviation.is_finite().then_some((self.mean, deviation))
    }
}

impl Sums {
    fn join(self, later: Self) -> Self {
        let (n, m) = (self.finite as f64, later.finite as f64);
        Self {
            finite: self.finite + later.finite,
            sums: self.sums.join(later.sums, |a, b| a + b),
            lhs_moments: self.lhs_moments.join(n, later.lhs_moments, m),
            rhs_moments: self.rhs_moments.join(n, later.rhs_moments, m),
            outliers: self.outliers.join(later.outliers, ScaledSquares::join),
        }
    }

    /// Root mean square of the differences.
    pub(super) fn rms(&self) -> f64 {
        self.outliers.diff.root(self.sums.diff, self.finite as f64).product()
    }

    /// `‖rhs - lhs‖ / ‖lhs‖`: 0 when both are 0, infinite when only lhs is.
    pub(super) fn rel_l2(&self) -> f64 {
        let (diff, lhs) = (self.outliers.diff.root(self.sums.diff, 1.0), self.lhs_norm());
        match (diff.value == 0.0, lhs.value == 0.0) {
            (true, _) => 0.0,
            (false, true) => f64::INFINITY,
            (false, false) => diff.over(lhs).product(),
        }
    }

    /// `‖rhs - lhs‖`.
    pub(super) fn diff_norm(&self) -> f64 {
        self.outliers.diff.root(self.sums.diff, 1.0).product()
    }

    /// The norm of each side.
    pub(super) fn norm(&self) -> Sides<f64> {
        Sides { lhs: self.lhs_norm(), rhs: self.rhs_norm() }.map(Scaled::product)
    }

    fn lhs_norm(&self) -> Scaled {
        self.outliers.lhs.root(self.sums.lhs, 1.0)
    }

    fn rhs_norm(&self) -> Scaled {
        self.outliers.rhs.root(self.sums.rhs, 1.0)
    }

    /// Cosine of the angle between the two; `None` when one is 0.
    pub(super) fn cosine(&self) -> Option<f64> {
        let (lhs, rhs) = (self.lhs_norm(), self.rhs_norm());
        if lhs.value == 0.0 || rhs.value == 0.0 {
            return None;
        }
        let dot = self.outliers.dot;
        let parts = [(self.sums.dot, 0), (dot.large, 2), (dot.small, -2)];
        let cosines =
            parts.map(|(value, exponent)| Scaled { value, exponent }.over(lhs).over(rhs).product());
        Some(cosines.iter().sum::<f64>().clamp(-1.0, 1.0)).filter(|cosine| !cosine.is_nan())
    }

    /// Mean and standard deviation of each side; `None` where one is outside the range of `f64`.
    pub(super) fn moments(&self) -> Option<Sides<((f64, f64), f64)>> {
        let lhs = self.lhs_moments.finish(self.finite, self.outliers.lhs, self.sums.lhs)?;
        let rhs = self.rhs_moments.finish(self.finite, self.outliers.rhs, self.sums.rhs)?;
        Some(Sides { lhs, rhs })
    }
}

/// The sums of cells, joined as a binary tree. A node covers a power of two of cells, and starts at a multiple of it.
#[derive(Debug, Clone, Default)]
pub(super) struct SumTree {
    nodes: Vec<(u32, Sums)>,
}

impl SumTree {
    /// Adds the next cell.
    pub(super) fn push(&mut self, cell: &Cell) {
        self.push_node(0, cell.close());
    }

    fn push_node(&mut self, mut level: u32, mut sums: Sums) {
        while let Some(&(top, earlier)) = self.nodes.last() {
            if top != level {
                break;
            }
            self.nodes.pop();
            sums = earlier.join(sums);
            level += 1;
        }
        self.nodes.push((level, sums));
    }

    /// Adds the cells of `later`, which start at a multiple of the largest power of two that its nodes cover.
    pub(super) fn append(&mut self, later: &Self) {
        for &(level, sums) in &later.nodes {
            self.push_node(level, sums);
        }
    }

    /// The sums over all cells.
    pub(super) fn total(&self) -> Sums {
        let mut nodes = self.nodes.iter().rev();
        let Some(&(_, last)) = nodes.next() else {
            return Sums::default();
        };
        nodes.fold(last, |later, &(_, earlier)| earlier.join(later))
    }
}

//! Sums that come out the same however the work is cut.
//!
//! A tensor is cut into cells of 65,536 elements in row-major order. In a cell, element `i` is added to lane `i % 16`;
//! the lanes are added up as a tree; cells are joined as a binary tree over their numbers. So a sum depends on the
//! elements alone, not on chunks, threads or vector width.
//!
//! Squares are summed in three ranges, as in Blue's norm, since those of `float64` can leave the range of `f64`.
//! Deviations are taken from the first finite pair of their cell, so that a mean far from zero costs no precision.

use super::close::Pair;

/// Elements in a cell.
pub(crate) const CELL: u64 = 65_536;
/// Lanes of a sum.
pub(crate) const LANES: usize = 16;

/// Sums over one lane array.
pub(crate) type Lanes = [f64; LANES];

/// The first finite pair of a cell, from which its deviations are taken.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pivot {
    pub(crate) lhs: (f64, f64),
    pub(crate) rhs: (f64, f64),
}

/// The sums of a cell while it fills.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Finite pairs so far.
    pub(crate) finite: u64,
    pub(crate) pivot: Option<Pivot>,
    /// `Σ |rhs - lhs|²`, `Σ |lhs|²`, `Σ |rhs|²`, `Σ lhs · rhs`.
    pub(crate) gap: Lanes,
    pub(crate) lhs: Lanes,
    pub(crate) rhs: Lanes,
    pub(crate) dot: Lanes,
    /// `Σ (x - pivot)`, by component, and `Σ |x - pivot|²`, of each side.
    pub(crate) lhs_deviation: [Lanes; 3],
    pub(crate) rhs_deviation: [Lanes; 3],
    /// Squares beyond the range of the lanes; see [`Outliers`].
    outliers: Outliers,
}

/// Scaled squares of numbers so large or small that their plain squares would overflow or vanish.
#[derive(Debug, Clone, Copy, Default)]
struct Outliers {
    gap: Extremes,
    lhs: Extremes,
    rhs: Extremes,
    dot: Extremes,
}

/// Sums of squares of numbers divided (large) or multiplied (small) by 2^600.
#[derive(Debug, Clone, Copy, Default)]
struct Extremes {
    large: f64,
    small: f64,
}

const SCALE: f64 = f64::from_bits((1023 + 600) << 52);
/// Numbers whose squares, in any number there can be, stay exact enough in the range of `f64`.
pub(crate) const SMALLEST: f64 = f64::from_bits((1023 - 480) << 52);
/// See [`SMALLEST`].
pub(crate) const LARGEST: f64 = f64::from_bits((1023 + 480) << 52);

const SMALLEST_SQUARE: f64 = SMALLEST * SMALLEST;
const LARGEST_SQUARE: f64 = LARGEST * LARGEST;

impl Extremes {
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

/// `value` times a power of 2^600, where the product may be no `f64`.
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
pub(crate) fn is_plain(x: f64) -> bool {
    x == 0.0 || (SMALLEST..=LARGEST).contains(&x)
}

impl Default for Cell {
    fn default() -> Self {
        Self {
            finite: 0,
            pivot: None,
            gap: [0.0; LANES],
            lhs: [0.0; LANES],
            rhs: [0.0; LANES],
            dot: [0.0; LANES],
            lhs_deviation: [[0.0; LANES]; 3],
            rhs_deviation: [[0.0; LANES]; 3],
            outliers: Outliers::default(),
        }
    }
}

impl Cell {
    /// Takes in a finite pair.
    pub(crate) fn add(&mut self, lane: usize, pair: &Pair) {
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
        if is_plain(pair.gap) {
            to(&mut self.gap, pair.gap * pair.gap);
        } else {
            self.outliers.gap.add(pair.gap);
        }
        for (value, lanes, outliers) in [
            (lhs, &mut self.lhs, &mut self.outliers.lhs),
            (rhs, &mut self.rhs, &mut self.outliers.rhs),
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
                to(&mut self.dot, product);
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
            gap: tree(&self.gap),
            lhs: tree(&self.lhs),
            rhs: tree(&self.rhs),
            dot: tree(&self.dot),
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

/// The sums of some neighbouring cells.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    pub(crate) finite: u64,
    gap: f64,
    lhs: f64,
    rhs: f64,
    dot: f64,
    lhs_moments: Moments,
    rhs_moments: Moments,
    outliers: Outliers,
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

    /// Mean and standard deviation; the second from the scaled mean of squares where the squares of the deviations left the
    /// range of `f64`.
    fn finish(self, n: u64, outliers: Extremes, squares: f64) -> Option<((f64, f64), f64)> {
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
            gap: self.gap + later.gap,
            lhs: self.lhs + later.lhs,
            rhs: self.rhs + later.rhs,
            dot: self.dot + later.dot,
            lhs_moments: self.lhs_moments.join(n, later.lhs_moments, m),
            rhs_moments: self.rhs_moments.join(n, later.rhs_moments, m),
            outliers: Outliers {
                gap: self.outliers.gap.join(later.outliers.gap),
                lhs: self.outliers.lhs.join(later.outliers.lhs),
                rhs: self.outliers.rhs.join(later.outliers.rhs),
                dot: self.outliers.dot.join(later.outliers.dot),
            },
        }
    }

    /// Root mean square of the differences.
    pub(crate) fn rms(&self) -> f64 {
        self.outliers.gap.root(self.gap, self.finite as f64).product()
    }

    /// `‖rhs - lhs‖ / ‖lhs‖`: 0 when both are 0, infinite when only lhs is.
    pub(crate) fn rel_l2(&self) -> f64 {
        let (gap, lhs) = (self.outliers.gap.root(self.gap, 1.0), self.lhs_norm());
        match (gap.value == 0.0, lhs.value == 0.0) {
            (true, _) => 0.0,
            (false, true) => f64::INFINITY,
            (false, false) => gap.over(lhs).product(),
        }
    }

    fn lhs_norm(&self) -> Scaled {
        self.outliers.lhs.root(self.lhs, 1.0)
    }

    /// Cosine of the angle between the two; `None` when one is 0.
    pub(crate) fn cosine(&self) -> Option<f64> {
        let (lhs, rhs) = (self.lhs_norm(), self.outliers.rhs.root(self.rhs, 1.0));
        if lhs.value == 0.0 || rhs.value == 0.0 {
            return None;
        }
        let dot = self.outliers.dot;
        let parts = [(self.dot, 0), (dot.large, 2), (dot.small, -2)];
        let cosines =
            parts.map(|(value, exponent)| Scaled { value, exponent }.over(lhs).over(rhs).product());
        Some(cosines.iter().sum::<f64>().clamp(-1.0, 1.0)).filter(|cosine| !cosine.is_nan())
    }

    /// Mean and standard deviation of lhs; `None` where they are no `f64`.
    pub(crate) fn lhs_moments(&self) -> Option<((f64, f64), f64)> {
        self.lhs_moments.finish(self.finite, self.outliers.lhs, self.lhs)
    }

    /// Mean and standard deviation of rhs; `None` where they are no `f64`.
    pub(crate) fn rhs_moments(&self) -> Option<((f64, f64), f64)> {
        self.rhs_moments.finish(self.finite, self.outliers.rhs, self.rhs)
    }
}

/// Cells joined as a binary tree: each node covers a power of two of them, aligned.
#[derive(Debug, Clone, Default)]
pub(crate) struct SumTree {
    nodes: Vec<(u32, Sums)>,
}

impl SumTree {
    /// Takes in the next cell.
    pub(crate) fn push(&mut self, cell: &Cell) {
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

    /// Takes in the cells of `later`, which follow at a multiple of the largest power of two that it covers.
    pub(crate) fn append(&mut self, later: &Self) {
        for &(level, sums) in &later.nodes {
            self.push_node(level, sums);
        }
    }

    /// The sums over all cells.
    pub(crate) fn total(&self) -> Sums {
        let mut nodes = self.nodes.iter().rev();
        let Some(&(_, last)) = nodes.next() else {
            return Sums::default();
        };
        nodes.fold(last, |later, &(_, earlier)| earlier.join(later))
    }
}

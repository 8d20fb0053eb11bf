//! The sums over cells, and the statistics that follow from them.

use super::Sides;
use super::scaled::{Scaled, ScaledProducts, ScaledSquares};

/// How much larger the squares may be than what is left of them after a subtraction.
const MOST_CANCELLED: f64 = 256.0;

/// The sums over one cell or several neighboring ones.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Finite pairs.
    pub(super) finite: u64,
    /// `Σ |lhs|²` and `Σ |rhs|²`.
    pub(super) squares: Sides<ScaledSquares>,
    /// `Σ |rhs - lhs|²`.
    pub(super) diff: ScaledSquares,
    /// `Σ lhs · rhs`.
    pub(super) dot: ScaledProducts,
    pub(super) moments: Sides<Moments>,
}

/// The five sums of the first pass over a cell.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FirstPass<T> {
    /// `Σ lhs` and `Σ rhs`.
    pub(super) values: Sides<T>,
    /// `Σ lhs²` and `Σ rhs²`.
    pub(super) squares: Sides<T>,
    /// `Σ (rhs - lhs)²`.
    pub(super) diff: T,
}

impl FirstPass<f64> {
    /// Whether all numbers are finite; also false where a square overflows.
    #[inline(always)]
    pub(super) fn is_finite(&self) -> bool {
        self.squares.lhs.is_finite() & self.squares.rhs.is_finite() & self.diff.is_finite()
    }
}

/// `Σ (x - pivot)` and `Σ (x - pivot)²` of one side, where the pivot is its first finite number.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Deviation {
    pub(super) pivot: f64,
    pub(super) sum: f64,
    pub(super) squares: f64,
}

/// Sums that only some cells need, in a pass of their own.
pub(super) trait SecondPass {
    /// `Σ lhs · rhs`.
    fn dot(&self) -> f64;

    /// The deviations of both sides.
    fn deviations(&self) -> Sides<Deviation>;
}

/// Mean and sum of squared deviations of one side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    mean: (f64, f64),
    squares: f64,
}

impl Moments {
    /// The moments of `n` real numbers.
    pub(super) fn of_deviation(deviation: Deviation, n: u64) -> Self {
        if n == 0 {
            return Self::default();
        }
        let Deviation { pivot, sum, squares } = deviation;
        let n = n as f64;
        Self { mean: (pivot + sum / n, 0.0), squares: squares - sum * sum / n }
    }

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
    fn finish(self, n: u64, squares: ScaledSquares) -> Option<((f64, f64), f64)> {
        let (re, im) = self.mean;
        if n == 0 || !re.is_finite() || !im.is_finite() {
            return None;
        }
        let vanished = self.squares == 0.0 && squares.plain == 0.0;
        let root = squares.root(n as f64);
        let deviation = if root.value == 0.0 || self.squares.is_finite() && !vanished {
            (self.squares / n as f64).max(0.0).sqrt()
        } else {
            let part = |x: f64| Scaled::plain(x).over(root).product();
            let rest = 1.0 - part(re) * part(re) - part(im) * part(im);
            root.times(rest.max(0.0).sqrt()).product()
        };
        deviation.is_finite().then_some((self.mean, deviation))
    }
}

impl Sums {
    /// The sums of a cell of `finite` pairs of real numbers that need no scale.
    ///
    /// The dot product is half of `Σ lhs² + Σ rhs² - Σ (rhs - lhs)²`, and the squared deviations of a side are
    /// `Σ x² - (Σ x)² / n`. Where these subtract numbers that are much larger than the result, a second pass computes it.
    pub(super) fn new(finite: u64, first: &FirstPass<f64>, second: &impl SecondPass) -> Self {
        if finite == 0 {
            return Self::default();
        }
        let FirstPass { values, squares, diff } = *first;
        let both = squares.lhs + squares.rhs;
        let dot = (both - diff) / 2.0;
        let dot = if dot.abs() * MOST_CANCELLED >= both { dot } else { second.dot() };
        let n = finite as f64;
        let moments = |sum: f64, squares: f64| {
            let rest = squares - sum * sum / n;
            let moments = Moments { mean: (sum / n, 0.0), squares: rest };
            (rest * MOST_CANCELLED >= squares).then_some(moments)
        };
        let of_lhs = moments(values.lhs, squares.lhs);
        let moments = match (of_lhs, moments(values.rhs, squares.rhs)) {
            (Some(lhs), Some(rhs)) => Sides { lhs, rhs },
            (lhs, rhs) => {
                let deviations = second.deviations();
                let or = |moments: Option<Moments>, deviation| {
                    moments.unwrap_or_else(|| Moments::of_deviation(deviation, finite))
                };
                Sides { lhs: or(lhs, deviations.lhs), rhs: or(rhs, deviations.rhs) }
            }
        };
        Self {
            finite,
            squares: squares.map(ScaledSquares::plain),
            diff: ScaledSquares::plain(diff),
            dot: ScaledProducts::plain(dot),
            moments,
        }
    }

    /// The sums of complex numbers, from those of their real and of their imaginary parts.
    pub(super) fn with_imaginary(self, im: Self) -> Self {
        let moments = |re: Moments, im: Moments| Moments {
            mean: (re.mean.0, im.mean.0),
            squares: re.squares + im.squares,
        };
        Self {
            moments: Sides {
                lhs: moments(self.moments.lhs, im.moments.lhs),
                rhs: moments(self.moments.rhs, im.moments.rhs),
            },
            ..self.with_products(im)
        }
    }

    /// These sums, with the squares and products of others added.
    fn with_products(self, other: Self) -> Self {
        Self {
            squares: Sides {
                lhs: self.squares.lhs.join(other.squares.lhs),
                rhs: self.squares.rhs.join(other.squares.rhs),
            },
            diff: self.diff.join(other.diff),
            dot: self.dot.join(other.dot),
            ..self
        }
    }

    /// The sums over these cells and the following ones.
    fn join(self, later: Self) -> Self {
        let (n, m) = (self.finite as f64, later.finite as f64);
        Self {
            finite: self.finite + later.finite,
            moments: Sides {
                lhs: self.moments.lhs.join(n, later.moments.lhs, m),
                rhs: self.moments.rhs.join(n, later.moments.rhs, m),
            },
            ..self.with_products(later)
        }
    }

    /// Root mean square of the differences.
    pub(super) fn rms(&self) -> f64 {
        self.diff.root(self.finite as f64).product()
    }

    /// `‖rhs - lhs‖ / ‖lhs‖`: 0 when both are 0, infinite when only lhs is.
    pub(super) fn rel_l2(&self) -> f64 {
        let (diff, lhs) = (self.diff.root(1.0), self.squares.lhs.root(1.0));
        match (diff.value == 0.0, lhs.value == 0.0) {
            (true, _) => 0.0,
            (false, true) => f64::INFINITY,
            (false, false) => diff.over(lhs).product(),
        }
    }

    /// `‖rhs - lhs‖`.
    pub(super) fn diff_norm(&self) -> f64 {
        self.diff.root(1.0).product()
    }

    /// The norm of each side.
    pub(super) fn norm(&self) -> Sides<f64> {
        self.squares.map(|squares| squares.root(1.0).product())
    }

    /// Cosine of the angle between the two; `None` when one is 0.
    pub(super) fn cosine(&self) -> Option<f64> {
        let Sides { lhs, rhs } = self.squares.map(|squares| squares.root(1.0));
        if lhs.value == 0.0 || rhs.value == 0.0 {
            return None;
        }
        Some(self.dot.over(lhs, rhs).clamp(-1.0, 1.0)).filter(|cosine| !cosine.is_nan())
    }

    /// Mean and standard deviation of each side; `None` where one is outside the range of `f64`.
    pub(super) fn moments(&self) -> Option<Sides<((f64, f64), f64)>> {
        let lhs = self.moments.lhs.finish(self.finite, self.squares.lhs)?;
        let rhs = self.moments.rhs.finish(self.finite, self.squares.rhs)?;
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
    pub(super) fn push(&mut self, cell: Sums) {
        self.push_node(0, cell);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::grid::Cell;
    use crate::compare::pair::Pair;

    /// The sums over cells of one pair each.
    fn sums(pairs: &[(f64, f64)]) -> Sums {
        let mut tree = SumTree::default();
        for &(lhs, rhs) in pairs {
            let mut cell = Cell::default();
            cell.push(&Pair::real(lhs, rhs));
            tree.push(cell.take());
        }
        tree.total()
    }

    #[test]
    fn the_cosine_is_right_at_any_magnitude() {
        let (small, large) = (2f64.powi(-480), 2f64.powi(480));
        for pairs in [
            [(small / 2.0, large), (small, -large)],
            [(small / 2.0, small / 2.0), (small, -small)],
            [(large * 2.0, large * 2.0), (large, -large)],
            [(small / 2.0, large * 4.0), (small, -large)],
            [(3.0, 4.0), (4.0, -3.0)],
        ] {
            let scale = |x: f64| {
                if x.abs() > 1e10 {
                    x / large
                } else if x.abs() < 1e-10 {
                    x / small
                } else {
                    x
                }
            };
            let scaled = pairs.map(|(x, y)| (scale(x), scale(y)));
            let dot: f64 = scaled.iter().map(|(x, y)| x * y).sum();
            let norm = |side: fn(&(f64, f64)) -> f64| {
                scaled.iter().map(|pair| side(pair) * side(pair)).sum::<f64>().sqrt()
            };
            let expected = dot / norm(|pair| pair.0) / norm(|pair| pair.1);
            let found = sums(&pairs).cosine().unwrap();
            assert!((found - expected).abs() < 1e-15, "{pairs:?}: {found} {expected}");
        }
    }

    #[test]
    fn sides_at_right_angles_have_a_cosine_of_0() {
        let mut cell = Cell::default();
        for i in 0..2000 {
            let x = f64::from(i).sin();
            cell.push(&if i % 2 == 0 { Pair::real(x, 0.0) } else { Pair::real(0.0, x) });
        }
        assert_eq!(cell.take().cosine(), Some(0.0));
    }

    #[test]
    fn a_small_deviation_from_a_large_mean_keeps_its_digits() {
        let mut cell = Cell::default();
        for i in 0..2000 {
            let x = 1e6 + f64::from(i % 2) / 1024.0;
            cell.push(&Pair::real(x, x));
        }
        let (mean, std) = cell.take().moments().unwrap().lhs;
        assert_eq!(mean.0.to_bits(), (1e6 + 1.0f64 / 2048.0).to_bits());
        assert!((std * 2048.0 - 1.0).abs() < 1e-12, "{std}");
    }
}

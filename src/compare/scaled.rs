//! Sums of squares and products of numbers of any magnitude: what would leave the range of `f64` is scaled by a power of two.

/// 2^600.
const SCALE: f64 = f64::from_bits((1023 + 600) << 52);
/// 2^300.
const ROOT_OF_SCALE: f64 = f64::from_bits((1023 + 300) << 52);
/// The smallest and the largest magnitude whose squares can be added, any number of them, within the range of `f64`.
pub(super) const SMALLEST: f64 = f64::from_bits((1023 - 480) << 52);
/// See [`SMALLEST`].
pub(super) const LARGEST: f64 = f64::from_bits((1023 + 480) << 52);

/// How some numbers are scaled before they are squared; by the largest of them, since smaller ones add nothing that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// Multiplied by 2^600.
    Small,
    /// As they are.
    Plain,
    /// Divided by 2^600.
    Large,
}

impl Scale {
    /// The scale of finite numbers.
    pub(super) fn of(numbers: &[f64]) -> Self {
        match numbers.iter().fold(0.0f64, |most, x| most.max(x.abs())) {
            most if most > LARGEST => Self::Large,
            most if most < SMALLEST && most > 0.0 => Self::Small,
            _ => Self::Plain,
        }
    }

    /// The scaled number.
    pub(super) fn apply(self, x: f64) -> f64 {
        match self {
            Self::Small => x * SCALE,
            Self::Plain => x,
            Self::Large => x / SCALE,
        }
    }

    fn exponent(self) -> i32 {
        match self {
            Self::Small => -1,
            Self::Plain => 0,
            Self::Large => 1,
        }
    }
}

/// A sum of squares, by the scale of the numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScaledSquares {
    pub(super) plain: f64,
    large: f64,
    small: f64,
}

impl ScaledSquares {
    /// Squares that need no scale.
    pub(super) fn plain(plain: f64) -> Self {
        Self { plain, ..Self::default() }
    }

    /// The squares of numbers of one scale.
    pub(super) fn new(scale: Scale, squares: f64) -> Self {
        match scale {
            Scale::Small => Self { small: squares, ..Self::default() },
            Scale::Plain => Self::plain(squares),
            Scale::Large => Self { large: squares, ..Self::default() },
        }
    }

    pub(super) fn join(self, later: Self) -> Self {
        Self {
            plain: self.plain + later.plain,
            large: self.large + later.large,
            small: self.small + later.small,
        }
    }

    /// The square root of the mean of the squares over `n` numbers.
    pub(super) fn root(self, n: f64) -> Scaled {
        let Self { plain, large, small } = self;
        if large > 0.0 {
            Scaled { value: ((large + plain / SCALE / SCALE) / n).sqrt(), exponent: 1 }
        } else if plain > 0.0 || small == 0.0 {
            Scaled { value: ((plain + small / SCALE / SCALE) / n).sqrt(), exponent: 0 }
        } else {
            Scaled { value: (small / n).sqrt(), exponent: -1 }
        }
    }
}

/// A sum of products of two numbers, by the power of 2^600 to multiply it with: from -2 to 2.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScaledProducts([f64; 5]);

impl ScaledProducts {
    /// Products that need no scale.
    pub(super) fn plain(sum: f64) -> Self {
        Self([0.0, 0.0, sum, 0.0, 0.0])
    }

    /// Products of numbers of these scales.
    pub(super) fn new(lhs: Scale, rhs: Scale, sum: f64) -> Self {
        let exponent = lhs.exponent() + rhs.exponent();
        Self([-2, -1, 0, 1, 2].map(|at| if at == exponent { sum } else { 0.0 }))
    }

    pub(super) fn join(self, later: Self) -> Self {
        let Self(mut sums) = self;
        for (sum, later) in sums.iter_mut().zip(later.0) {
            *sum += later;
        }
        Self(sums)
    }

    /// The sum divided by two numbers.
    pub(super) fn over(self, lhs: Scaled, rhs: Scaled) -> f64 {
        let parts = self.0.into_iter().zip(-2..);
        parts.map(|(value, e)| Scaled { value, exponent: e }.over(lhs).over(rhs).product()).sum()
    }
}

/// `value` times a power of 2^600; the product may be outside the range of `f64`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scaled {
    pub(super) value: f64,
    exponent: i32,
}

impl Scaled {
    /// A number as it is.
    pub(super) fn plain(value: f64) -> Self {
        Self { value, exponent: 0 }
    }

    /// This times a number.
    pub(super) fn times(self, x: f64) -> Self {
        Self { value: self.value * x, ..self }
    }

    pub(super) fn over(self, other: Self) -> Self {
        let (lhs, rhs) = (self.normal(), other.normal());
        Self { value: lhs.value / rhs.value, exponent: lhs.exponent - rhs.exponent }
    }

    /// The same number with a value from 2^-300 to 2^300, so that a quotient of two does not leave the range of `f64`.
    fn normal(self) -> Self {
        let Self { mut value, mut exponent } = self;
        if value == 0.0 || !value.is_finite() {
            return self;
        }
        while value.abs() > ROOT_OF_SCALE {
            (value, exponent) = (value / SCALE, exponent + 1);
        }
        while value.abs() < 1.0 / ROOT_OF_SCALE {
            (value, exponent) = (value * SCALE, exponent - 1);
        }
        Self { value, exponent }
    }

    pub(super) fn product(self) -> f64 {
        let Self { value, exponent } = self.normal();
        let by = if exponent < 0 { 1.0 / SCALE } else { SCALE };
        (0..exponent.abs()).fold(value, |value, _| value * by)
    }
}

//! Tolerances exactly as large as one pair needs: the pair passes, and fails under the next smaller tolerance.

use ckdiff::compare::{CompareOptions, Device, Tolerance};
use ckdiff::tensor::{ComplexNumber, DType, Kind, Number, Visit};

use crate::support::floats::Float;
use crate::support::gpu::{check, device};
use crate::support::{Random, dtypes};

/// Pairs per batch: with three tolerances each, they use all that a GPU takes at once.
const PAIRS: usize = 85;
/// Batches per dtype.
const ROUNDS: usize = 24;

/// `|rhs - lhs|` and `|lhs|` of two elements with these bits.
struct Distance(u64, u64);

impl Visit for Distance {
    type Out = Option<(f64, f64)>;

    fn number<T: Number>(self) -> Self::Out {
        let of =
            |bits: u64| bytemuck::pod_read_unaligned::<T>(&bits.to_le_bytes()[..size_of::<T>()]);
        let (lhs, rhs) = (of(self.0), of(self.1));
        let gap = rhs.abs_diff(lhs);
        gap.is_finite().then(|| (gap, lhs.to_f64().abs()))
    }

    fn complex<T: ComplexNumber>(self) -> Self::Out {
        None
    }

    fn boolean(self) -> Self::Out {
        None
    }

    fn bytes(self) -> Self::Out {
        None
    }
}

/// Random bits of an element: any bits for floats, often runs of equal bits for integers.
fn element(dtype: DType, random: &mut Random) -> u64 {
    if let Some(float) = Float::of(dtype) {
        return float.any(random);
    }
    let run = |random: &mut Random| u64::MAX.unbounded_shl(random.below(65) as u32);
    match random.below(3) {
        0 => run(random) ^ run(random) ^ random.below(3),
        1 => random.next() >> random.below(64),
        _ => random.next(),
    }
}

/// A tolerance that the pair just passes, or nearly passes.
fn exact((gap, size): (f64, f64), random: &mut Random) -> (f64, f64) {
    let rtol = gap / size;
    match random.below(4) {
        0 => (gap, 0.0),
        1 if rtol.is_finite() => (0.0, rtol),
        _ => {
            let most = if rtol.is_finite() { rtol } else { 1.0 };
            let part = most * random.below(1 << 53) as f64 / (1_u64 << 53) as f64;
            ((gap - part * size).max(0.0), part)
        }
    }
}

/// A tolerance and its two neighbors.
fn with_neighbors((atol, rtol): (f64, f64)) -> [Tolerance; 3] {
    let tolerance = |atol: f64, rtol: f64| {
        Tolerance::new(Some(atol.clamp(0.0, f64::MAX)), Some(rtol.clamp(0.0, f64::MAX)), None)
            .unwrap()
    };
    let nudge = |by: fn(f64) -> f64| if rtol > atol { (atol, by(rtol)) } else { (by(atol), rtol) };
    let (less, more) = (nudge(f64::next_down), nudge(f64::next_up));
    [tolerance(less.0, less.1), tolerance(atol, rtol), tolerance(more.0, more.1)]
}

/// Two doubles `apart` powers of two apart, whose sum or difference is halfway between two doubles, or next to that.
fn halfway(apart: u32, pattern: u64, random: &mut Random) -> (u64, u64) {
    let fraction = (1 << 52) - 1;
    let large = [random.next() & fraction, 0, fraction][random.below(3) as usize];
    // The bits below the last bit of the larger one.
    let lost = (1_u64 << apart.min(52)) - 1;
    let middle = lost / 2 + u64::from(lost > 0);
    let rest = [middle, middle + 1, middle.wrapping_sub(1), 1][pattern as usize] & lost;
    let small = (random.next() & fraction & !lost) | rest;
    let bits = |exponent: u32, fraction: u64| u64::from(1023 + exponent) << 52 | fraction;
    (bits(100, large), bits(100 - apart, small))
}

/// Two numbers in [1, 2) whose product is halfway between two doubles, or next to that.
fn halfway_factors(rest: u64, random: &mut Random) -> (f64, f64) {
    let bits = (1_u64 << 52) - 1;
    // An odd number has an inverse modulo 2^n, so a factor exists for any low bits of the product.
    let one = 1 << 52 | random.next() & bits | 1;
    let inverse = (0..6).fold(1_u64, |inverse, _| {
        inverse.wrapping_mul(2_u64.wrapping_sub(one.wrapping_mul(inverse)))
    });
    let other = 1 << 52 | rest.wrapping_mul(inverse) & bits;
    let scaled = |significand: u64| significand as f64 * 0.5_f64.powi(52);
    (scaled(one), scaled(other))
}

/// Pairs that are compared together, each with its own tolerances.
#[derive(Default)]
struct Batch {
    lhs: Vec<u8>,
    rhs: Vec<u8>,
    further: Vec<Tolerance>,
    /// The number of pairs that were compared before.
    compared: usize,
}

impl Batch {
    /// Adds a pair, unless it is infinitely far apart; compares the batch when it is full.
    fn push(&mut self, device: &Device, dtype: DType, (x, y): (u64, u64), random: &mut Random) {
        if let Some(distance) = dtype.visit(Distance(x, y)) {
            let tolerances = with_neighbors(exact(distance, random));
            self.push_with(device, dtype, (x, y), tolerances);
        }
    }

    fn push_with(
        &mut self,
        device: &Device,
        dtype: DType,
        (x, y): (u64, u64),
        tolerances: [Tolerance; 3],
    ) {
        let size = dtype.size().unwrap();
        self.further.extend(tolerances);
        self.lhs.extend(&x.to_le_bytes()[..size]);
        self.rhs.extend(&y.to_le_bytes()[..size]);
        if self.further.len() == 3 * PAIRS {
            self.compare(device, dtype);
        }
    }

    /// Compares the pairs of the batch on the device and on the CPU; returns the number of pairs compared so far.
    fn compare(&mut self, device: &Device, dtype: DType) -> usize {
        let Self { lhs, rhs, further, compared } = std::mem::take(self);
        self.compared = compared + further.len() / 3;
        let tolerance = further.first().copied().unwrap_or_default();
        check(
            device,
            dtype,
            (&lhs, &rhs),
            &CompareOptions { tolerance, further, ..CompareOptions::default() },
        );
        self.compared
    }
}

#[test]
fn exact_tolerances_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let mut random = Random::new(21);
    for dtype in dtypes(|dtype| matches!(dtype.kind(), Kind::Float | Kind::Integer)) {
        let mut batch = Batch::default();
        for _ in 0..ROUNDS * PAIRS {
            let pair = (element(dtype, &mut random), element(dtype, &mut random));
            batch.push(&device, dtype, pair, &mut random);
        }
        // Not all pairs: some are infinitely far apart, or NaN.
        let compared = batch.compare(&device, dtype);
        assert!(compared > ROUNDS * PAIRS / 2, "{dtype}: {compared} pairs");
    }
}

#[test]
fn sums_halfway_between_two_doubles_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let mut random = Random::new(22);
    let mut batch = Batch::default();
    let sign = 1 << 63;
    for _ in 0..4 {
        for (apart, pattern) in
            (0..75).flat_map(|apart| (0..4).map(move |pattern| (apart, pattern)))
        {
            let (x, y) = halfway(apart, pattern, &mut random);
            for pair in [(x, y), (x, y ^ sign), (y, x), (y ^ sign, x)] {
                batch.push(&device, DType::F64, pair, &mut random);
            }
        }
    }
    assert_eq!(batch.compare(&device, DType::F64), 4 * 75 * 4 * 4);
}

#[test]
fn products_halfway_between_two_doubles_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let mut random = Random::new(23);
    let mut batch = Batch::default();
    for _ in 0..16 {
        for (middle, beside) in
            [51, 52].into_iter().flat_map(|m| (0..m).map(move |b| (1 << m, 1 << b)))
        {
            for rest in [middle + beside, middle - beside, middle, beside] {
                let (x, rtol) = halfway_factors(rest, &mut random);
                let bound = rtol * x;
                let gap = [bound.next_down(), bound, bound.next_up()][random.below(3) as usize];
                // Exact, since the difference has the magnitude of x, as does its distance to x.
                let y = x - gap;
                let tolerance = |atol, rtol| Tolerance::new(Some(atol), Some(rtol), None).unwrap();
                let tolerances =
                    [tolerance(0.0, rtol), tolerance(0.0, rtol.next_down()), tolerance(gap, 0.0)];
                batch.push_with(&device, DType::F64, (x.to_bits(), y.to_bits()), tolerances);
            }
        }
    }
    assert_eq!(batch.compare(&device, DType::F64), 16 * (51 + 52) * 4);
}

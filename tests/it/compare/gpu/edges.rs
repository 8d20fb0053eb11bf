//! Pairs at the edge of a tolerance, where one wrongly rounded bit changes the verdict.
//!
//! `CKDIFF_GPU_PAIRS` sets how many pairs of each floating-point type are aimed at an edge; slow adapters may need fewer.

use ckdiff::compare::{CompareOptions, Device, NanPolicy, Tolerance};
use ckdiff::tensor::DType;

use crate::support::floats::Float;
use crate::support::gpu::{check, device};
use crate::support::{Random, dtypes};

/// Pairs per batch: a tile plus up to a few elements.
const BATCH: usize = 4096;

/// The number of pairs to aim, per type.
fn pairs_to_aim() -> usize {
    std::env::var("CKDIFF_GPU_PAIRS").map_or(500_000, |pairs| pairs.parse().unwrap())
}

/// Special amounts of a tolerance: zero, the smallest and the largest numbers, all bits set, few bits set.
const AMOUNTS: [f64; 20] = [
    0.0,
    5e-324,
    1.5e-323,
    1.112_536_929_253_6e-308,
    f64::MIN_POSITIVE.next_down(),
    f64::MIN_POSITIVE,
    1e-300,
    1e-160,
    1e-45,
    8.67e-19,
    1e-7,
    1e-3,
    0.5,
    1.0_f64.next_down(),
    1.0,
    1.0_f64.next_up(),
    1.5,
    3e7,
    1e300,
    f64::MAX,
];

fn number(tolerance: Option<f64>) -> f64 {
    tolerance.unwrap_or_default()
}

/// A tolerance of any size, or one that numbers of this type are likely to reach.
fn any_tolerance(float: Float, random: &mut Random) -> Tolerance {
    let amount = |random: &mut Random| AMOUNTS[random.below(AMOUNTS.len() as u64) as usize];
    let scaled = |random: &mut Random| {
        let scale = 0.5_f64.powi(random.below(60) as i32 - 8);
        float.value(float.any(random)).abs().min(f64::MAX) * scale
    };
    // A full significand, and one with few bits, so that products fall halfway between two doubles.
    let full =
        |random: &mut Random| f64::from_bits((980 + random.below(50)) << 52 | random.next() >> 12);
    let short = |random: &mut Random| {
        (1 + random.below(1 << 31)) as f64 * 0.5_f64.powi(random.below(60) as i32)
    };
    let (atol, rtol) = match random.below(8) {
        0 => (0.0, 0.0),
        1 => (amount(random), 0.0),
        2 => (0.0, amount(random)),
        3 => (amount(random), amount(random)),
        4 => (scaled(random), short(random)),
        5 => (scaled(random), full(random)),
        6 => (0.0, full(random)),
        _ => (scaled(random), 0.0),
    };
    let atol = if atol.is_finite() { atol } else { f64::MAX };
    let ulp = random
        .one_in(4)
        .then(|| [0, 1, 2, 7, 1 << 12, 1 << 40, u64::MAX][random.below(7) as usize]);
    Tolerance::new(Some(atol), Some(rtol), ulp).unwrap()
}

/// Pairs, and how many of them are at an edge.
#[derive(Default)]
struct Batch {
    lhs: Vec<u8>,
    rhs: Vec<u8>,
    pairs: usize,
    aimed: usize,
}

impl Batch {
    fn push(&mut self, float: Float, (lhs, rhs): (u64, u64), aimed: bool) {
        float.write(&mut self.lhs, lhs);
        float.write(&mut self.rhs, rhs);
        self.pairs += 1;
        self.aimed += usize::from(aimed);
    }

    /// A pair that is exactly as far apart as the tolerance allows, or up to two representable values more or less.
    fn aim(&mut self, float: Float, tolerance: &Tolerance, random: &mut Random) {
        let lhs = float.any(random);
        let wobble = random.below(5) as i64 - 2;
        let near = |bits| float.step(bits, wobble);
        if random.one_in(16) {
            let odd = [float.any(random), float.negate(lhs), lhs, float.random(random)];
            return self.push(float, (lhs, odd[random.below(4) as usize]), false);
        }
        if let Some(ulp) = tolerance.ulp.filter(|_| random.one_in(4)) {
            let ulp = ulp.min(1 << 62).cast_signed();
            let rhs = float.step(lhs, if random.one_in(2) { ulp } else { -ulp });
            return self.push(float, (lhs, near(rhs)), true);
        }
        let x = float.value(lhs);
        let bound = number(tolerance.atol) + number(tolerance.rtol) * x.abs();
        let target = if random.one_in(2) { x + bound } else { x - bound };
        let within = target.abs() <= float.value(float.largest());
        self.push(float, (lhs, near(float.nearest(target))), within);
    }
}

/// Pairs that are aimed at one tolerance.
fn aimed(float: Float, random: &mut Random) -> (Batch, Tolerance) {
    let tolerance = any_tolerance(float, random);
    let mut batch = Batch::default();
    for _ in 0..BATCH + random.below(4) as usize {
        batch.aim(float, &tolerance, random);
    }
    (batch, tolerance)
}

/// A random number slightly above or below `x`, in the last bits of a double.
fn nudged(x: f64, random: &mut Random) -> f64 {
    f64::from_bits(x.to_bits().saturating_add_signed(random.below(7) as i64 - 3))
}

/// Two numbers on both sides of zero, one of them `atol`, and an `rtol` of nearly 1: the difference and the bound are two
/// sums of the same numbers, except for the last bits.
fn sums(float: Float, random: &mut Random) -> (Batch, Tolerance) {
    let edge = float.positive(random);
    let atol = float.value(edge);
    let rtol = 1.0 + (random.below(9) as f64 - 4.0) * 0.5_f64.powi(20 + random.below(33) as i32);
    let mut batch = Batch::default();
    for _ in 0..BATCH {
        let x = float.positive(random);
        let pair = (float.negate(x), edge);
        batch.push(float, if random.one_in(2) { pair } else { (x, float.negate(edge)) }, true);
    }
    (batch, Tolerance::new(Some(atol), Some(rtol), None).unwrap())
}

/// Two numbers with a fixed ratio, and an `rtol` of about one minus that ratio: the difference and the bound are a
/// difference and a product of equal size, except for the last bits.
fn products(float: Float, random: &mut Random) -> (Batch, Tolerance) {
    let part = (1 + random.below(1 << (float.fraction_bits() / 2))) as f64
        * 0.5_f64.powi(random.below(40) as i32);
    let rtol = nudged((1.0 - part).abs(), random);
    let mut batch = Batch::default();
    for _ in 0..BATCH {
        let short = random.below(1 << (float.fraction_bits() / 2 + 1)) as f64;
        let x = float.nearest(short * 0.5_f64.powi(random.below(30) as i32));
        batch.push(float, (x, float.nearest(float.value(x) * part)), true);
    }
    (batch, Tolerance::new(None, Some(rtol), None).unwrap())
}

/// Options for comparing a batch: all statistics every other time, and both NaN policies.
fn options(tolerance: Tolerance, turn: usize) -> CompareOptions {
    let nan = if turn.is_multiple_of(3) { NanPolicy::Differ } else { NanPolicy::Equal };
    if turn.is_multiple_of(2) {
        return CompareOptions { tolerance, nan, ..CompareOptions::default() };
    }
    let next = |x: Option<f64>| x.map(|x| x.next_up().min(f64::MAX));
    let further = vec![
        tolerance,
        Tolerance { atol: next(tolerance.atol), ..tolerance },
        Tolerance { rtol: next(tolerance.rtol), ..tolerance },
        Tolerance { ulp: Some(1), ..tolerance },
        Tolerance::BITS,
    ];
    let tolerance = if turn.is_multiple_of(5) { Tolerance::BITS } else { tolerance };
    CompareOptions { tolerance, nan, further, histogram: true, ..CompareOptions::default() }
}

/// Compares the results of the device and of the CPU for `most` pairs of a dtype.
fn check_edges(device: &Device, dtype: DType) {
    let float = Float::of(dtype).unwrap();
    let mut random = Random::new(u64::from(dtype.code().cast_unsigned()));
    let most = pairs_to_aim();
    let (mut aimed_at, mut turn) = (0, 0);
    while aimed_at < most {
        let (batch, tolerance) = match turn % 8 {
            6 => sums(float, &mut random),
            7 => products(float, &mut random),
            _ => aimed(float, &mut random),
        };
        check(device, dtype, (&batch.lhs, &batch.rhs), &options(tolerance, turn / 3));
        aimed_at += batch.aimed;
        turn += 1;
        assert!(turn < 100 + 4 * most / BATCH, "{dtype}: only {aimed_at} pairs were aimed");
    }
}

#[test]
fn float64_at_the_edge_of_a_tolerance_gives_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    check_edges(&device, DType::F64);
}

#[test]
fn float32_at_the_edge_of_a_tolerance_gives_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    check_edges(&device, DType::F32);
}

#[test]
fn floats_of_16_bits_at_the_edge_of_a_tolerance_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    check_edges(&device, DType::F16);
    check_edges(&device, DType::BF16);
}

#[test]
fn floats_of_a_byte_or_less_at_the_edge_of_a_tolerance_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    for dtype in dtypes(|dtype| Float::of(dtype).is_some() && dtype.size() == Some(1)) {
        check_edges(&device, dtype);
    }
}

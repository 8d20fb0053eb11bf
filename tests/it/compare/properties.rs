//! Properties of the compare module: all ways of comparing give the same result.

use std::collections::BTreeMap;

use ckdiff::compare::{CompareOptions, Comparison, NanPolicy, Tolerance, compare};
use ckdiff::tensor::{DType, Shape, Tensor};

use crate::support::tolerances::tolerances;
use crate::support::{Random, fixed_width};

fn tensor(dtype: DType, content: Vec<u8>) -> Tensor {
    let elements = content.len() / dtype.size().unwrap();
    Tensor::new(dtype, Shape::new(&[elements as i64]).unwrap(), content).unwrap()
}

/// The way in which the second tensor of a pair is derived from the first.
#[derive(Clone, Copy, Debug)]
enum RhsContent {
    Same,
    AFewChanged,
    AllNudged,
    Random,
}

/// A pair of tensors of random bits; floats are mostly ordinary numbers, since random bits are mostly extreme values.
fn pair(
    dtype: DType,
    elements: usize,
    content: RhsContent,
    random: &mut Random,
) -> (Tensor, Tensor) {
    let size = dtype.size().unwrap();
    let mut lhs = random.bytes(elements * size);
    if dtype == DType::F32 && !random.one_in(4) {
        let ordinary = (0..elements).map(|_| random.below(2000) as f32 / 1000.0 - 1.0);
        lhs = ordinary.flat_map(f32::to_le_bytes).collect();
    }
    if dtype == DType::F64 && !random.one_in(4) {
        let ordinary = (0..elements).map(|_| random.below(2000) as f64 / 1000.0 + 1e6);
        lhs = ordinary.flat_map(f64::to_le_bytes).collect();
    }
    let mut rhs = lhs.clone();
    match content {
        RhsContent::Same => {}
        RhsContent::AFewChanged => {
            for _ in 0..1 + elements / 1000 {
                let at = random.below(rhs.len().max(1) as u64) as usize;
                if let Some(byte) = rhs.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
        RhsContent::AllNudged => {
            for element in rhs.chunks_exact_mut(size) {
                element[0] ^= random.below(4) as u8;
            }
        }
        RhsContent::Random => rhs = random.bytes(elements * size),
    }
    (tensor(dtype, lhs), tensor(dtype, rhs))
}

fn check(lhs: &Tensor, rhs: &Tensor, options: &CompareOptions) -> Comparison {
    compare(lhs, rhs, options).unwrap()
}

/// The statistics that can be added over neighboring slices.
#[derive(Debug, Default, PartialEq)]
struct Joined {
    counts: [u64; 5],
    sides: [u64; 4],
    first: Option<u64>,
    max_abs: Option<f64>,
    max_ulp: Option<u64>,
    further: Vec<u64>,
    abs: BTreeMap<i32, u64>,
    ulp: BTreeMap<i32, u64>,
}

impl Joined {
    fn add(&mut self, start: u64, slice: &Comparison) {
        let c = slice;
        let some = [c.zero_lhs, c.zero_sign, c.nan_payload].map(Option::unwrap_or_default);
        let counts = [c.differing, c.mismatched, some[0], some[1], some[2]];
        let (nan, inf) = (c.nan.unwrap_or_default(), c.inf.unwrap_or_default());
        let further: Vec<_> = c.tolerances.iter().map(|(_, mismatched)| *mismatched).collect();
        self.further.resize(further.len(), 0);
        let add = |ours: &mut [u64], theirs: &[u64]| {
            ours.iter_mut().zip(theirs).for_each(|(ours, theirs)| *ours += theirs);
        };
        add(&mut self.counts, &counts);
        add(&mut self.sides, &[nan.lhs, nan.rhs, inf.lhs, inf.rhs]);
        add(&mut self.further, &further);
        self.first = self.first.or(c.first.map(|first| start + first));
        self.max_abs = match (self.max_abs, c.max_abs) {
            (Some(ours), Some(theirs)) => Some(ours.max(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        self.max_ulp = self.max_ulp.max(c.max_ulp);
        let histogram = c.histogram.clone().unwrap_or_default();
        for (ours, theirs) in [(&mut self.abs, histogram.abs), (&mut self.ulp, histogram.ulp)] {
            theirs.into_iter().for_each(|(bin, n)| *ours.entry(bin).or_default() += n);
        }
    }
}

#[test]
fn the_counts_of_a_tensor_are_the_sums_of_those_of_its_slices() {
    let mut random = Random::new(1);
    for dtype in fixed_width() {
        for content in
            [RhsContent::Same, RhsContent::AFewChanged, RhsContent::AllNudged, RhsContent::Random]
        {
            let (lhs, rhs) = pair(dtype, 1500, content, &mut random);
            for nan in [NanPolicy::Equal, NanPolicy::Differ] {
                let further = tolerances();
                let asked =
                    CompareOptions { nan, further, histogram: true, ..CompareOptions::default() };
                let (mut whole, mut slices) = (Joined::default(), Joined::default());
                whole.add(0, &check(&lhs, &rhs, &asked));
                // Fifteen elements are too few for SIMD lanes, so the scalar definition handles them.
                let bytes = 15 * dtype.size().unwrap();
                let contents = lhs.content().chunks(bytes).zip(rhs.content().chunks(bytes));
                for ((x, y), start) in contents.zip((0..).step_by(15)) {
                    let (x, y) = (tensor(dtype, x.to_vec()), tensor(dtype, y.to_vec()));
                    let one = CompareOptions { threads: 1, ..asked.clone() };
                    slices.add(start, &check(&x, &y, &one));
                }
                assert_eq!(whole, slices, "{dtype} {content:?} {nan:?}");
            }
        }
    }
}

/// Asserts bitwise equality; compares as text because a NaN is not equal to itself.
fn assert_same(ours: &Comparison, theirs: &Comparison, context: &str) {
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{context}");
}

#[test]
fn chunk_sizes_and_threads_do_not_change_the_result() {
    let mut random = Random::new(2);
    for dtype in [DType::F32, DType::F64, DType::BF16, DType::I64, DType::Complex64, DType::Bool] {
        let (lhs, rhs) = pair(dtype, 1_200_007, RhsContent::AllNudged, &mut random);
        let further = vec![Tolerance::new(Some(1e-3), None, Some(2)).unwrap()];
        let asked =
            CompareOptions { further, histogram: true, values: true, ..CompareOptions::default() };
        let once = check(&lhs, &rhs, &CompareOptions { threads: 1, ..asked.clone() });
        for (threads, chunk_bytes) in [(2, 1 << 18), (3, 1), (1, 4000), (2, 1 << 24)] {
            let options = CompareOptions { threads, chunk_bytes, ..asked.clone() };
            assert_same(&check(&lhs, &rhs, &options), &once, &format!("{dtype} {options:?}"));
        }
    }
}

#[test]
fn swapped_sides_swap_the_statistics_of_each_side() {
    let mut random = Random::new(3);
    for dtype in fixed_width() {
        let (lhs, rhs) = pair(dtype, 3000, RhsContent::AllNudged, &mut random);
        let there = check(&lhs, &rhs, &CompareOptions::default());
        let back = check(&rhs, &lhs, &CompareOptions::default());
        assert_eq!(there.differing, back.differing);
        assert_eq!(there.max_abs.map(f64::to_bits), back.max_abs.map(f64::to_bits), "{dtype}");
        assert_eq!(there.max_ulp, back.max_ulp, "{dtype}");
        assert_eq!(there.nan.map(|n| n.lhs), back.nan.map(|n| n.rhs), "{dtype}");
    }
}

#[test]
fn every_tensor_equals_itself() {
    let mut random = Random::new(4);
    for dtype in fixed_width() {
        let lhs = tensor(dtype, random.bytes(5000 * dtype.size().unwrap()));
        for tolerance in tolerances() {
            let comparison =
                check(&lhs, &lhs, &CompareOptions { tolerance, ..CompareOptions::default() });
            assert_eq!((comparison.differing, comparison.mismatched), (0, 0), "{dtype}");
        }
    }
}

#[test]
fn passes_at_is_the_smallest_tolerance_that_passes() {
    let mut random = Random::new(5);
    let mismatched = |lhs: &Tensor, rhs: &Tensor, atol, rtol| {
        let tolerance = Tolerance::new(Some(atol), Some(rtol), None).unwrap();
        check(lhs, rhs, &CompareOptions { tolerance, ..CompareOptions::default() }).mismatched
    };
    let mut checked = 0;
    for dtype in fixed_width() {
        for _ in 0..5 {
            let (lhs, rhs) = pair(dtype, 300, RhsContent::AllNudged, &mut random);
            let passes_at = check(&lhs, &rhs, &CompareOptions::default()).passes_at;
            if let Some(atol) = passes_at.atol {
                assert_eq!(mismatched(&lhs, &rhs, atol, 0.0), 0, "{dtype} atol {atol}");
                assert!(atol == 0.0 || mismatched(&lhs, &rhs, atol.next_down(), 0.0) > 0);
                checked += 1;
            }
            if let Some(rtol) = passes_at.rtol {
                assert_eq!(mismatched(&lhs, &rhs, 0.0, rtol), 0, "{dtype} rtol {rtol}");
                assert!(rtol == 0.0 || mismatched(&lhs, &rhs, 0.0, rtol.next_down()) > 0);
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "only {checked} tolerances were checked");
}

#[test]
fn sums_equal_plain_arithmetic() {
    let mut random = Random::new(6);
    let mut ordinary = || -> Vec<f64> {
        (0..100_003).map(|_| random.below(1 << 40) as f64 / 1e9 - 200.0).collect()
    };
    let (x, y) = (ordinary(), ordinary());
    let as_tensor =
        |v: &[f64]| tensor(DType::F64, v.iter().flat_map(|x| x.to_le_bytes()).collect());
    let comparison = check(&as_tensor(&x), &as_tensor(&y), &CompareOptions::default());
    let n = x.len() as f64;
    let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(&y).map(|(&x, &y)| f(x, y)).sum::<f64>();
    let gap = sum(&|x, y| (y - x) * (y - x));
    let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
    let close = |ours: f64, theirs: f64| {
        assert!((ours - theirs).abs() <= 1e-11 * theirs.abs(), "{ours} {theirs}")
    };
    close(comparison.rms.unwrap(), (gap / n).sqrt());
    close(comparison.rel_l2.unwrap(), (gap / xx).sqrt());
    // The two are almost orthogonal, so only the absolute error is small.
    assert!((comparison.cosine.unwrap() - xy / (xx.sqrt() * yy.sqrt())).abs() < 1e-13);
    let mean = sum(&|x, _| x) / n;
    let variance = sum(&|x, _| (x - mean) * (x - mean)) / n;
    close(comparison.std.unwrap().lhs, variance.sqrt());
}

#[test]
fn norms_of_extreme_numbers_neither_overflow_nor_vanish() {
    for scale in [1e200, 1e-200, 1e300, 1e-310, 1.0] {
        let of = |v: [f64; 2]| {
            tensor(DType::F64, v.iter().flat_map(|x| (x * scale).to_le_bytes()).collect())
        };
        let comparison = check(&of([3.0, 4.0]), &of([6.0, 8.0]), &CompareOptions::default());
        let near = |ours: Option<f64>, theirs: f64| {
            let ours = ours.unwrap();
            assert!((ours / theirs - 1.0).abs() < 1e-9, "{ours} is not {theirs} at {scale}");
        };
        near(comparison.rel_l2, 1.0);
        near(comparison.cosine, 1.0);
        near(comparison.rms, 12.5_f64.sqrt() * scale);
        near(comparison.std.map(|std| std.lhs), 0.5 * scale);
    }
}

#[test]
fn further_tolerances_count_as_if_requested_alone() {
    let mut random = Random::new(7);
    let (lhs, rhs) = pair(DType::F32, 5000, RhsContent::AllNudged, &mut random);
    let further: Vec<_> = tolerances().into_iter().filter(|t| !t.is_bits()).collect();
    let together = check(
        &lhs,
        &rhs,
        &CompareOptions { further: further.clone(), ..CompareOptions::default() },
    );
    assert_eq!(together.tolerances.len(), further.len());
    for (tolerance, mismatched) in together.tolerances {
        let alone = check(&lhs, &rhs, &CompareOptions { tolerance, ..CompareOptions::default() });
        assert_eq!(mismatched, alone.mismatched, "{tolerance:?}");
    }
}

#[test]
fn dtypes_that_differ_are_compared_by_value() {
    let ints = tensor(
        DType::I32,
        [1, -2, 3, 1 << 30].iter().flat_map(|x: &i32| x.to_le_bytes()).collect(),
    );
    let floats = tensor(
        DType::F32,
        [1.0, -2.0, 3.5, 0.0].iter().flat_map(|x: &f32| x.to_le_bytes()).collect(),
    );
    let comparison = check(&ints, &floats, &CompareOptions::default());
    assert_eq!((comparison.differing, comparison.first), (2, Some(2)));
    assert_eq!(comparison.max_abs, Some(1_073_741_824.0));
    assert_eq!(comparison.max_ulp, None);
}

#[test]
fn a_single_non_finite_pair_has_no_ulps() {
    let of = |x: f32| tensor(DType::F32, x.to_le_bytes().to_vec());
    let comparison = check(&of(1.0), &of(f32::INFINITY), &CompareOptions::default());
    assert_eq!((comparison.max_ulp, comparison.max_abs, comparison.mismatched), (None, None, 1));
}

#[test]
fn sums_of_numbers_of_all_sizes_are_right() {
    let real = |v: &[f64]| tensor(DType::F64, v.iter().flat_map(|x| x.to_le_bytes()).collect());
    let complex =
        |v: &[f64]| tensor(DType::Complex128, v.iter().flat_map(|x| x.to_le_bytes()).collect());
    // lhs, rhs, rel_l2, cosine, std of lhs
    let cases = [
        (real(&[1e130, 1.0]), real(&[1e-170, 1.0]), 1.0, 1e-130, 0.5e130),
        (real(&[1e200]), real(&[1e-200]), 1.0, 1.0, 0.0),
        (real(&[1e200, -1e200]), real(&[1e200, -1e200]), 0.0, 1.0, 1e200),
        (real(&[3e160, 4e160]), real(&[3e160, 4e160]), 0.0, 1.0, 0.5e160),
        (real(&[1e-170, 2e-170]), real(&[2e-170, 4e-170]), 1.0, 1.0, 0.5e-170),
        (complex(&[1.0, 1e-170]), complex(&[2.0, 1e-170]), 1.0, 1.0, 0.0),
        (
            complex(&[1e6, 1e-170, 1e6 + 1.0, 0.0]),
            complex(&[1e6, 0.0, 1e6 + 1.0, 0.0]),
            0.0,
            1.0,
            0.5,
        ),
    ];
    for (i, (lhs, rhs, rel_l2, cosine, std)) in cases.iter().enumerate() {
        let comparison = check(lhs, rhs, &CompareOptions::default());
        let near = |what, ours: f64, theirs: f64| {
            let close = (ours - theirs).abs() <= 1e-6 * theirs.abs()
                || ours.abs() < 1e-170 && theirs == 0.0;
            assert!(close, "case {i}: {what} is {ours}, not {theirs}");
        };
        near("rel_l2", comparison.rel_l2.unwrap(), *rel_l2);
        near("cosine", comparison.cosine.unwrap(), *cosine);
        near("std", comparison.std.unwrap().lhs, *std);
    }
}

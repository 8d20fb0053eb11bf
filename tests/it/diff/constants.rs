//! Comparisons of constants: repeated elements are counted, at almost no cost.

use std::time::{Duration, Instant};

use ckdiff::compare::{CompareOptions, Comparison, NanPolicy, Tolerance, compare};
use ckdiff::diff::constant::{self, ConstantDiff};
use ckdiff::graph::constant::Constant;
use ckdiff::tensor::{DType, TensorSource};

use crate::support::Random;
use crate::support::constants::{TYPES, expand, floats, parse, strings};
use crate::support::encoding::{self, bytes, int, packed};

#[test]
fn an_absurd_shape_costs_nothing() {
    let start = Instant::now();
    let many = 1 << 40;
    let splat = |value: f32| parse(DType::F32, &[many, 1 << 20], &bytes(5, &floats(&[value])));
    let (one, two) = (splat(1.0), splat(2.0));
    assert_eq!((one.head().len(), one.tail()), (4, (1 << 60) - 1));
    let ConstantDiff::Different(comparison) =
        constant::compare(&one, &two, &CompareOptions::default()).unwrap()
    else {
        panic!("1 is not 2");
    };
    assert_eq!(
        (comparison.elements, comparison.mismatched, comparison.first),
        (1 << 60, 1 << 60, Some(0))
    );
    assert_eq!((comparison.max_abs, comparison.rms), (Some(1.0), None));
    insta::assert_snapshot!(one.tensor(1 << 30).unwrap_err(), @"size: expected at most 1073741824 bytes, the limit of a tensor in memory, found 4611686018427387904");

    // A long repeated string, compared with many short ones and with strings of equal length.
    let long = "x".repeat(1 << 20);
    let repeated = parse(DType::String, &[1 << 19], &strings(&[&long]));
    let short = parse(DType::String, &[1 << 19], &bytes(8, b"").repeat(1 << 18));
    let other = parse(DType::String, &[1 << 19], &strings(&[&long, &long.replace('x', "y")]));
    for (rhs, differing) in [(&short, 1 << 19), (&other, (1 << 19) - 1)] {
        let outcome = constant::compare(&repeated, rhs, &CompareOptions::default()).unwrap();
        let ConstantDiff::Different(comparison) = outcome else { panic!("{outcome:?}") };
        assert_eq!((comparison.elements, comparison.differing), (1 << 19, differing));
    }
    // A million dimensions.
    let dims = bytes(2, &encoding::shape(&vec![1; 1_000_000]));
    assert!(Constant::parse(&[int(1, 1), dims].concat()).is_err());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// A constant of random explicit elements, many of them equal, whose last element repeats.
fn random(dtype: DType, elements: u64, random: &mut Random) -> Constant {
    let explicit = random.below(elements.min(40) + 1);
    let size = dtype.size();
    let one = |random: &mut Random| match (random.below(4), size) {
        (0, Some(size)) => vec![0; size],
        (1, Some(size)) => random.bytes(size),
        (2, Some(size)) => [vec![1; size - 1], vec![0x3f]].concat(),
        (_, Some(size)) => [vec![0; size - 1], vec![0x80]].concat(),
        (n, None) => vec![b'a'; n as usize],
    };
    let values: Vec<_> = (0..explicit).map(|_| one(random)).collect();
    let list = match (dtype.size(), dtype) {
        (None, _) => values.iter().flat_map(|value| bytes(8, value)).collect(),
        (_, DType::F32) => bytes(5, &values.concat()),
        (_, DType::F64) => bytes(6, &values.concat()),
        (_, DType::Complex64) => bytes(9, &values.concat()),
        (_, DType::F8E5M2) => bytes(18, &values.concat()),
        (_, dtype) => {
            let number = if dtype == DType::F16 {
                13
            } else if dtype == DType::Bool {
                11
            } else {
                7
            };
            let number_of =
                |value: &Vec<u8>| value.iter().rev().fold(0, |n, byte| n << 8 | i64::from(*byte));
            bytes(number, &packed(&values.iter().map(number_of).collect::<Vec<_>>()))
        }
    };
    parse(dtype, &[elements as i64], &list)
}

fn options(random: &mut Random) -> CompareOptions {
    let tolerance = |atol, rtol, ulp| Tolerance::new(atol, rtol, ulp).unwrap();
    let tolerances = [
        Tolerance::BITS,
        tolerance(Some(0.0), None, None),
        tolerance(Some(0.6), Some(0.1), None),
        tolerance(None, None, Some(1 << 20)),
    ];
    CompareOptions {
        tolerance: tolerances[random.below(4) as usize],
        nan: if random.one_in(3) { NanPolicy::Differ } else { NanPolicy::Equal },
        further: tolerances[..random.below(4) as usize].to_vec(),
        histogram: random.one_in(2),
        values: random.one_in(2),
        ..CompareOptions::default()
    }
}

fn comparison(outcome: ConstantDiff) -> Option<Comparison> {
    match outcome {
        ConstantDiff::Close(comparison) | ConstantDiff::Different(comparison) => Some(*comparison),
        ConstantDiff::Dtype(comparison) => comparison.map(|comparison| *comparison),
        ConstantDiff::Same | ConstantDiff::Shape => None,
    }
}

/// Compares two constants, and checks the result against that of their expanded tensors.
fn check(lhs: &Constant, rhs: &Constant, options: &CompareOptions, has_sums: bool) {
    let mut expected = compare(&expand(lhs), &expand(rhs), options).unwrap();
    if !has_sums {
        (expected.rms, expected.rel_l2, expected.diff_norm) = (None, None, None);
        (expected.norm, expected.mean, expected.std) = (None, None, None);
        expected.cosine = None;
    }
    let context = format!("{lhs:?}\n{rhs:?}\n{options:?}");
    let outcome = constant::compare(lhs, rhs, options).unwrap();
    let kind = match (&outcome, expected.mismatched, expected.differing) {
        (ConstantDiff::Dtype(Some(_)), ..) => lhs.dtype() != rhs.dtype(),
        (ConstantDiff::Different(_), 1.., _)
        | (ConstantDiff::Close(_), 0, 1..)
        | (ConstantDiff::Same, 0, 0) => lhs.dtype() == rhs.dtype(),
        _ => false,
    };
    assert!(kind, "{outcome:?}\n{expected:?}\n{context}");
    if let Some(ours) = comparison(outcome) {
        assert_eq!(format!("{ours:?}"), format!("{expected:?}"), "{context}");
    }
}

#[test]
fn repeated_elements_count_like_stored_ones() {
    let mut source = Random::new(7);
    let mut dtypes = 0;
    for &lhs in TYPES {
        for &rhs in TYPES.iter().filter(|rhs| ckdiff::compare::comparable(lhs, **rhs)) {
            dtypes += 1;
            // Small constants have sums; strings have none but repeat as well.
            let rounds = if lhs == rhs { 40 } else { 4 };
            for elements in (0..rounds).map(|n| [0, 1, 2, 40, 1000][n % 5]) {
                let (lhs, rhs) =
                    (random(lhs, elements, &mut source), random(rhs, elements, &mut source));
                check(&lhs, &rhs, &options(&mut source), true);
            }
            // Large constants have sums only if neither side repeats an element.
            for _ in 0..rounds / 10 {
                let elements = 65_536 + source.below(1000);
                let (lhs, rhs) =
                    (random(lhs, elements, &mut source), random(rhs, elements, &mut source));
                check(&lhs, &rhs, &options(&mut source), false);
            }
        }
    }
    assert!(dtypes >= 30, "{dtypes} pairs of dtypes");
}

#[test]
fn a_large_constant_without_repetition_has_sums() {
    let elements = 70_001;
    let mut content: Vec<u8> = (0..elements).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let lhs = parse(DType::F32, &[elements], &bytes(4, &content));
    content[7] ^= 1;
    let rhs = parse(DType::F32, &[elements], &bytes(4, &content));
    check(&lhs, &rhs, &CompareOptions::default(), true);
}

#[test]
fn other_dtypes_and_shapes_are_reported() {
    let outcome = |lhs: &Constant, rhs: &Constant| {
        constant::compare(lhs, rhs, &CompareOptions::default()).unwrap()
    };
    let float = parse(DType::F32, &[2], &bytes(5, &floats(&[1.0])));
    let int = parse(DType::I32, &[2], &bytes(7, b"\x01"));
    let string = parse(DType::String, &[2], &[]);
    let column = parse(DType::F32, &[2, 1], &bytes(5, &floats(&[1.0])));
    assert_eq!(outcome(&float, &column), ConstantDiff::Shape);
    assert_eq!(outcome(&int, &column), ConstantDiff::Shape);
    assert_eq!(outcome(&float, &string), ConstantDiff::Dtype(None));
    let ConstantDiff::Dtype(Some(comparison)) = outcome(&float, &int) else {
        panic!("both are numbers")
    };
    assert_eq!((comparison.elements, comparison.differing), (2, 0));
}

/// Constants are read in chunks of any size that fits the elements, and compared with other sources.
#[test]
fn a_constant_is_a_tensor_source() {
    for &dtype in TYPES {
        let constant = random(dtype, 1000, &mut Random::new(9));
        let whole = expand(&constant);
        assert_eq!(constant.stored_bytes(), whole.content().len() as u64);
        for chunk in [1, 3, 7, 100_000].map(|n| n * dtype.size().unwrap_or(1)) {
            let (mut stream, mut read) = (constant.stream().unwrap(), Vec::<u8>::new());
            let mut out = vec![0; chunk];
            while let n @ 1.. = stream.read(&mut out).unwrap() {
                read.extend(&out[..n]);
            }
            assert_eq!(read, whole.content(), "{dtype} {chunk}");
        }
        let same = compare(&constant, &whole, &CompareOptions::default()).unwrap();
        assert_eq!((same.elements, same.differing), (1000, 0), "{dtype}");
    }
}

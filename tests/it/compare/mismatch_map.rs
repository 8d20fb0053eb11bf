//! Where mismatches lie, against the list of all of them.

use ckdiff::compare::{CompareOptions, ElementValue, Mismatch, Stretch, Tolerance};
use ckdiff::compare::{mismatch_map, mismatches};
use ckdiff::tensor::{DType, Scalar, Shape, Tensor};

use crate::support::{Random, fixed_width};

/// Two tensors of this shape of which some elements differ.
fn pair(dtype: DType, shape: &[i64], random: &mut Random) -> [Tensor; 2] {
    let shape = Shape::new(shape).unwrap();
    let size = dtype.size().unwrap();
    let lhs = random.bytes(shape.elements() as usize * size);
    let mut rhs = lhs.clone();
    for element in rhs.chunks_exact_mut(size) {
        if random.one_in(3) {
            element[size - 1] ^= 1 << random.below(3);
        }
    }
    [lhs, rhs].map(|content| Tensor::new(dtype, shape.clone(), content).unwrap())
}

/// The finite difference of a mismatch of numbers.
fn abs_diff(mismatch: &Mismatch) -> Option<f64> {
    let (ElementValue::Scalar(lhs), ElementValue::Scalar(rhs)) = (&mismatch.lhs, &mismatch.rhs)
    else {
        return None;
    };
    let abs_diff = match (lhs, rhs) {
        (Scalar::Float(x), Scalar::Float(y)) => (y - x).abs(),
        (Scalar::Integer(x), Scalar::Integer(y)) => x.abs_diff(*y) as f64,
        _ => return None,
    };
    abs_diff.is_finite().then_some(abs_diff)
}

/// Checks ranges whose indices stand for `slice` elements each.
fn check_ranges(ranges: &[Stretch], len: u64, slice: u64, all: &[Mismatch]) {
    assert_eq!(ranges.len() as u64, len.min(64));
    let mut next = 0;
    for range in ranges {
        assert_eq!(range.start, next);
        assert!(range.end > range.start);
        next = range.end;
        assert_eq!(range.elements, (range.end - range.start) * slice);
        let (least, most) = (len / ranges.len() as u64, len.div_ceil(ranges.len() as u64));
        assert!((least..=most).contains(&(range.end - range.start)), "{range:?}");
        let inside = (range.start..range.end).start * slice..range.end * slice;
        let inside: Vec<_> = all.iter().filter(|one| inside.contains(&one.position)).collect();
        assert_eq!(range.mismatched, inside.len() as u64);
        let max_abs = inside.iter().filter_map(|one| abs_diff(one)).reduce(f64::max);
        assert_eq!(range.max_abs, max_abs);
    }
    assert_eq!(next, len);
}

#[test]
fn the_map_counts_the_mismatches_of_every_range() {
    let mut random = Random::new(29);
    let shapes: [&[i64]; 8] = [&[], &[1], &[63], &[64], &[1000], &[3, 7], &[100, 17, 3], &[200, 1]];
    for dtype in fixed_width().into_iter().filter(|dtype| abs_diff_is_defined(*dtype)) {
        for shape in shapes {
            let [lhs, rhs] = pair(dtype, shape, &mut random);
            let options = CompareOptions {
                tolerance: Tolerance::new(Some(0.25), None, None).unwrap(),
                ..CompareOptions::default()
            };
            for options in [CompareOptions::default(), options] {
                let all = mismatches((&lhs, &rhs), &options, 0, usize::MAX).unwrap();
                let map = mismatch_map((&lhs, &rhs), &options).unwrap();
                let elements = Shape::new(shape).unwrap().elements();
                check_ranges(&map.row_major, elements, 1, &all);
                match shape {
                    [first, _, ..] => {
                        let first = *first as u64;
                        check_ranges(&map.first_axis, first, elements / first, &all);
                    }
                    _ => assert!(map.first_axis.is_empty()),
                }
                let mut worst = all;
                let weight = |one: &Mismatch| abs_diff(one).unwrap_or(f64::INFINITY);
                worst.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
                worst.truncate(10);
                // NaN in a value is not equal to itself.
                assert_eq!(format!("{:?}", map.worst), format!("{worst:?}"), "{dtype:?} {shape:?}");
            }
        }
    }
}

/// Whether the difference of two values, as they are printed, is that of the elements.
fn abs_diff_is_defined(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64 | DType::I8 | DType::I32 | DType::U16)
}

#[test]
fn tensors_without_a_difference_of_elements_have_a_map_too() {
    let shape = Shape::new(&[4, 2]).unwrap();
    let bools = |bytes: [u8; 8]| Tensor::new(DType::Bool, shape.clone(), bytes.into()).unwrap();
    let (lhs, rhs) = (bools([0; 8]), bools([0, 0, 1, 1, 0, 0, 0, 1]));
    let map = mismatch_map((&lhs, &rhs), &CompareOptions::default()).unwrap();
    let counts: Vec<_> =
        map.first_axis.iter().map(|range| (range.mismatched, range.max_abs)).collect();
    assert_eq!(counts, [(0, None), (2, None), (0, None), (1, None)]);
    let positions: Vec<_> = map.worst.iter().map(|worst| worst.position).collect();
    assert_eq!(positions, [2, 3, 7]);
}

#[test]
fn a_tensor_without_elements_has_an_empty_map() {
    for shape in [&[0_i64] as &[_], &[0, 3], &[3, 0]] {
        let empty = Tensor::new(DType::F32, Shape::new(shape).unwrap(), Vec::new()).unwrap();
        let map = mismatch_map((&empty, &empty), &CompareOptions::default()).unwrap();
        assert!(map.row_major.is_empty() && map.first_axis.is_empty() && map.worst.is_empty());
    }
}

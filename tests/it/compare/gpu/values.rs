//! All values of narrow types, and special values of wide types.

use ckdiff::compare::{CompareOptions, Device, NanPolicy, Tolerance};
use ckdiff::tensor::{DType, Kind};

use crate::support::dtypes;
use crate::support::floats::Float;
use crate::support::gpu::{check, device, tolerance, view};

/// Options for every way of counting.
fn check_all(device: &Device, dtype: DType, (lhs, rhs): (&[u8], &[u8]), tolerances: &[Tolerance]) {
    // Integers have no NaN, so the NaN policy does not matter.
    let policies = [NanPolicy::Equal, NanPolicy::Differ];
    let float = Float::of(dtype).is_some();
    for nan in policies.into_iter().take(if float { 2 } else { 1 }) {
        for &tolerance in tolerances {
            check(
                device,
                dtype,
                (lhs, rhs),
                &CompareOptions { tolerance, nan, ..CompareOptions::default() },
            );
        }
        let further = tolerances.to_vec();
        check(
            device,
            dtype,
            (lhs, rhs),
            &CompareOptions { nan, further, histogram: true, ..CompareOptions::default() },
        );
    }
}

fn ulp(ulp: u64) -> Tolerance {
    Tolerance::new(None, None, Some(ulp)).unwrap()
}

#[test]
fn all_values_of_16_bits_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let lhs: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let tolerances =
        [Tolerance::BITS, tolerance(1e-3, 1e-3), tolerance(0.0, 0.0078125), ulp(1), ulp(5000)];
    for dtype in dtypes(|dtype| dtype.size() == Some(2)) {
        // One, the sign bit, the sign bit and one, infinity, primes.
        for shift in [1, 0x8000, 0x8001, 0x7c00, 0x7f80, 3, 101, 7919] {
            let shifted = (0..=u16::MAX).map(|bits| bits.wrapping_add(shift));
            let rhs: Vec<u8> = shifted.flat_map(u16::to_le_bytes).collect();
            check_all(&device, dtype, (&lhs, &rhs), &tolerances);
        }
    }
}

#[test]
fn all_pairs_of_bytes_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    // Narrower types appear completely in the other bytes.
    let all = || (0..=u16::MAX).map(u16::to_le_bytes);
    let lhs: Vec<u8> = all().map(|[low, _]| low).collect();
    let rhs: Vec<u8> = all().map(|[_, high]| high).collect();
    let tolerances = [
        Tolerance::BITS,
        tolerance(0.0, 0.0),
        tolerance(0.5, 0.0),
        tolerance(0.0, 0.125),
        tolerance(1.0, 1.5),
        tolerance(f64::MAX, 0.0),
        ulp(0),
        ulp(1),
        ulp(77),
    ];
    for dtype in dtypes(|dtype| dtype.size() == Some(1)) {
        check_all(&device, dtype, (&lhs, &rhs), &tolerances);
    }
}

/// All pairs of the values, as elements of a type.
fn cross(values: &[u64], size: usize) -> (Vec<u8>, Vec<u8>) {
    let bytes = |bits: &u64| bits.to_le_bytes()[..size].to_vec();
    let lhs = values.iter().flat_map(|x| bytes(x).repeat(values.len())).collect();
    let rhs: Vec<u8> = values.iter().flat_map(bytes).collect();
    (lhs, rhs.repeat(values.len()))
}

#[test]
fn extreme_integers_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    // Powers of two and their neighbors, from both ends; numbers halfway between two doubles, which are rounded to even, and
    // their neighbors.
    let mut values: Vec<u64> = (0..64).map(|bit| 1 << bit).collect();
    for bit in 53..64 {
        for last in [1, 3] {
            let middle = (1_u64 << bit) + (last << (bit - 53));
            values.extend([middle, middle + 1]);
        }
    }
    values.extend([0, 3, 5]);
    values.extend(values.clone().iter().map(|&value| value.wrapping_sub(1)));
    values.extend(values.clone().iter().map(|&value| value.wrapping_neg()));
    let two_to = |exponent| 2_f64.powi(exponent);
    let tolerances = [
        Tolerance::BITS,
        tolerance(0.0, 0.0),
        tolerance(1.0, 0.0),
        tolerance(two_to(53), 0.0),
        tolerance(two_to(63), 0.0),
        tolerance(two_to(64), 0.0),
        tolerance(two_to(64).next_down(), 0.0),
        tolerance(0.0, 0.5),
        tolerance(0.0, 1.0),
        tolerance(0.0, 1.0_f64.next_down()),
        tolerance(1.0, two_to(-53)),
        tolerance(1025.0, 1.0 / 3.0),
        ulp(1),
    ];
    for dtype in dtypes(|dtype| dtype.kind() == Kind::Integer) {
        let size = dtype.size().unwrap();
        let mut values: Vec<_> =
            values.iter().map(|value| value & (u64::MAX >> (64 - 8 * size))).collect();
        values.sort_unstable();
        values.dedup();
        let (lhs, rhs) = cross(&values, size);
        check_all(&device, dtype, (&lhs, &rhs), &tolerances);
    }
}

#[test]
fn every_class_of_float_gives_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let tolerances = [
        Tolerance::BITS,
        tolerance(0.0, 0.0),
        tolerance(5e-324, 5e-324),
        tolerance(1e-3, 0.5),
        tolerance(f64::MAX, f64::MAX),
        ulp(0),
        ulp(3),
        ulp(u64::MAX),
    ];
    for float in Float::all() {
        let dtype = float.dtype();
        let least = 1 << float.fraction_bits();
        let most = float.largest();
        // Zero and subnormals, the smallest normals, one, the largest numbers; then infinity, if the type has it, and NaNs: with
        // the smallest payload (signalling), with only the quiet bit, with all bits.
        let mut values =
            vec![0, 1, 2, 3, least / 2, least - 1, least, least + 1, float.nearest(1.0)];
        values.extend([most - 1, most, most + 1, most + 2, most + 1 + least / 2, most + least]);
        values.extend(values.clone().iter().map(|&bits| float.negate(bits)));
        let (lhs, rhs) = cross(&values, dtype.size().unwrap());
        check_all(&device, dtype, (&lhs, &rhs), &tolerances);
    }
}

/// A large tensor always has a pair that no tolerance passes, or a zero lhs, so statistics that depend on their absence
/// need tensors of few elements.
#[test]
fn one_pair_and_two_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    for float in Float::all() {
        let (one, most) = (float.nearest(1.0), float.largest());
        let values = [0, float.negate(0), 1, one, float.negate(one), most, most + 1, most + 2];
        let bytes = |bits: &[u64]| {
            let mut bytes = Vec::new();
            bits.iter().for_each(|&bits| float.write(&mut bytes, bits));
            bytes
        };
        for (x, y) in values.iter().flat_map(|x| values.iter().map(move |y| (*x, *y))) {
            for beside in [None, Some(0), Some(one), Some(most + 2)] {
                let side =
                    |bits| bytes(&[Some(bits), beside].into_iter().flatten().collect::<Vec<_>>());
                for nan in [NanPolicy::Equal, NanPolicy::Differ] {
                    let options = CompareOptions {
                        tolerance: tolerance(0.0, 0.5),
                        nan,
                        ..CompareOptions::default()
                    };
                    check(&device, float.dtype(), (&side(x), &side(y)), &options);
                }
            }
        }
    }
}

#[test]
fn a_tolerance_of_minus_zero_is_a_tolerance_of_zero() {
    let Some(device) = device() else { return };
    let (lhs, rhs) = ([1.0_f32, 2.0, -0.0, 4.0], [1.0_f32, 2.5, 0.0, 4.000_000_5]);
    let bytes = bytemuck::cast_slice::<f32, u8>;
    for tolerance in [tolerance(-0.0, 0.0), tolerance(0.0, -0.0), tolerance(-0.0, -0.0)] {
        let further = vec![tolerance];
        let options = CompareOptions { tolerance, further, ..CompareOptions::default() };
        check(&device, DType::F32, (bytes(&lhs), bytes(&rhs)), &options);
        let (lhs, rhs) = (view(DType::F32, bytes(&lhs)), view(DType::F32, bytes(&rhs)));
        assert_eq!(device.compare(&lhs, &rhs, &options).unwrap().mismatched, 2);
    }
}

#[test]
fn invalid_tolerances_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let (lhs, rhs) = ([1.0_f32, 0.0, 3.0], [1.5_f32, 1.0, 3.0]);
    let bytes = bytemuck::cast_slice::<f32, u8>;
    for part in [f64::NAN, -1.0, f64::INFINITY, f64::NEG_INFINITY] {
        for tolerance in [
            Tolerance { atol: Some(part), ..Tolerance::BITS },
            Tolerance { rtol: Some(part), ..Tolerance::BITS },
        ] {
            let options =
                CompareOptions { tolerance, further: vec![tolerance], ..CompareOptions::default() };
            check(&device, DType::F32, (bytes(&lhs), bytes(&rhs)), &options);
        }
    }
}

//! Tensors of all lengths, chunk sizes and thread counts: the boundaries of words, tiles, cells and units.

use ckdiff::compare::{CompareOptions, Device, TILE, Tolerance};
use ckdiff::tensor::DType;

use crate::support::Random;
use crate::support::gpu::{check, device, new_device, text, tolerance, view};

/// A dtype of each width.
const WIDTHS: [DType; 4] = [DType::I8, DType::F16, DType::F32, DType::F64];
const CELL: usize = 65_536;
const UNIT: usize = 16 * CELL;

fn everything() -> CompareOptions {
    let further = vec![tolerance(0.0, 0.25), tolerance(1e-3, 0.0)];
    CompareOptions {
        tolerance: tolerance(0.0, 1e-3),
        further,
        histogram: true,
        values: true,
        ..CompareOptions::default()
    }
}

/// A tensor of ones.
fn ones(dtype: DType, elements: usize) -> Vec<u8> {
    let one: &[u8] = match dtype {
        DType::I8 => &1_i8.to_le_bytes(),
        DType::F16 => &0x3c00_u16.to_le_bytes(),
        DType::F32 => &1_f32.to_le_bytes(),
        _ => &1_f64.to_le_bytes(),
    };
    one.repeat(elements)
}

#[test]
fn tensors_of_all_lengths_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let mut random = Random::new(31);
    let small =
        [0, 1, 2, 3, 5, 7, 15, 16, 17, 255, 256, 257, TILE - 1, TILE, TILE + 1, 2 * TILE + 5];
    let large = [CELL - 1, CELL, CELL + 1, UNIT - 1, UNIT, UNIT + 1];
    for dtype in WIDTHS {
        let size = dtype.size().unwrap();
        for elements in small.into_iter().chain(large) {
            let (lhs, rhs) = (random.bytes(elements * size), random.bytes(elements * size));
            check(&device, dtype, (&lhs, &rhs), &CompareOptions::default());
            if elements < UNIT {
                check(&device, dtype, (&lhs, &rhs), &everything());
            }
        }
    }
}

#[test]
fn threads_and_chunks_do_not_change_the_result() {
    let Some(device) = device() else { return };
    let mut random = Random::new(32);
    for dtype in WIDTHS {
        let units = if dtype == DType::F32 { 2 } else { 1 };
        let bytes = (units * UNIT + 3) * dtype.size().unwrap();
        let lhs = random.bytes(bytes);
        let mut rhs = lhs.clone();
        // First only equal pairs, then a few differing ones, then mostly differing ones.
        for (i, byte) in rhs.iter_mut().enumerate().skip(CELL + 4321) {
            *byte ^= if i < bytes / 2 { u8::from(i % 9973 == 0) } else { i as u8 & 3 };
        }
        for (threads, chunk_bytes) in [(1, 256 << 10), (3, 4000), (8, 1 << 24)] {
            let options = CompareOptions { threads, chunk_bytes, ..CompareOptions::default() };
            check(&device, dtype, (&lhs, &rhs), &options);
        }
    }
}

#[test]
fn the_first_and_the_worst_pair_are_found_wherever_they_are() {
    let Some(device) = device() else { return };
    let elements = 3 * TILE + 77;
    let places = [0, 1, 31, 32, 255, 256, 257, 2047, 2048, TILE - 2, TILE - 1];
    let in_tiles =
        [0, 1, 2].map(|tile| places.map(|place| tile * TILE + place)).into_iter().flatten();
    for dtype in WIDTHS {
        let lhs = ones(dtype, elements);
        let size = dtype.size().unwrap();
        for place in in_tiles.clone().chain([3 * TILE, elements - 2, elements - 1]) {
            // A second, equal difference in this tile, in the next, or at the end: the first one wins a tie.
            for tie in [place, place + 1, place + 256, place + TILE, elements - 1] {
                let mut rhs = lhs.clone();
                for at in [place, tie.min(elements - 1)] {
                    rhs[at * size..(at + 1) * size].fill(0);
                }
                let (lhs, rhs) = (view(dtype, &lhs), view(dtype, &rhs));
                let found = device.compare(&lhs, &rhs, &CompareOptions::default()).unwrap();
                let worst = found.worst.unwrap();
                assert_eq!(
                    (found.first, worst.position),
                    (Some(place as u64), place as u64),
                    "{dtype} {tie}"
                );
                assert_eq!(found.max_abs, Some(1.0), "{dtype} {place}");
            }
        }
    }
}

#[test]
fn the_largest_of_many_is_found_wherever_it_is() {
    let Some(device) = device() else { return };
    let mut random = Random::new(33);
    for _ in 0..40 {
        // The largest difference and the largest ulp distance are at different places, each with many ties.
        let steps = 1 + random.below(6);
        let number = |random: &mut Random| {
            (random.below(steps) as f64 - 2.0) * 2_f64.powi(random.below(3) as i32)
        };
        let mut side =
            || (0..5000).flat_map(|_| number(&mut random).to_le_bytes()).collect::<Vec<u8>>();
        let (lhs, rhs) = (side(), side());
        check(&device, DType::F64, (&lhs, &rhs), &everything());
    }
}

/// The CPU recomputes a quotient only if the GPU reports that it may be the largest so far.
#[test]
fn the_largest_of_nearly_equal_quotients_is_found() {
    let Some(device) = device() else { return };
    let mut random = Random::new(36);
    for round in 0..100 {
        let quotient =
            0.5_f64.powi(random.below(40) as i32) * (1.0 + random.below(1 << 20) as f64 / 1e6);
        let mut lhs = vec![1.0_f64; 6 * TILE];
        let mut rhs = lhs.clone();
        for (tile, nudge) in (0..6).zip([0, 1, 2, 1, 3, 4]) {
            let at = tile * TILE + random.below(TILE as u64) as usize;
            // In the first rounds the quotients differ in the last bits of a double, then by more.
            let more = 1.0 + f64::from(nudge) * 0.5_f64.powi(50 - round / 3);
            lhs[at] = 1.0 + random.below(1 << 50) as f64 / (1_u64 << 50) as f64;
            rhs[at] = lhs[at] - lhs[at] * (quotient * more).min(0.9);
        }
        let bytes = bytemuck::cast_slice::<f64, u8>;
        check(&device, DType::F64, (bytes(&lhs), bytes(&rhs)), &CompareOptions::default());
    }
}

#[test]
fn an_infinite_difference_is_the_largest() {
    let Some(device) = device() else { return };
    let mut lhs = vec![1.0_f64; 3 * TILE];
    let mut rhs = lhs.clone();
    rhs[5] = 2.0;
    (lhs[2 * TILE], rhs[2 * TILE]) = (f64::MAX, -f64::MAX);
    let bytes = bytemuck::cast_slice::<f64, u8>;
    check(&device, DType::F64, (bytes(&lhs), bytes(&rhs)), &everything());
    let (lhs, rhs) = (view(DType::F64, bytes(&lhs)), view(DType::F64, bytes(&rhs)));
    let found = device.compare(&lhs, &rhs, &CompareOptions::default()).unwrap();
    assert_eq!((found.max_abs, found.max_rel), (Some(f64::INFINITY), Some(f64::INFINITY)));
}

/// The work of a new device after a comparison.
fn done(device: &Device, dtype: DType, pair: (&[u8], &[u8])) -> String {
    check(device, dtype, pair, &CompareOptions::default());
    device.work().to_string()
}

#[test]
fn equal_tensors_are_not_sent_to_the_gpu() {
    let Some(device) = new_device() else { return };
    let mut random = Random::new(34);
    for dtype in WIDTHS {
        let lhs = random.bytes((UNIT + 5) * dtype.size().unwrap());
        assert_eq!(done(&device, dtype, (&lhs, &lhs)), "cpu");
    }
    assert_eq!(done(&device, DType::F32, (&[], &[])), "cpu");
    assert_eq!(device.work().tensors, WIDTHS.len() + 1);
}

#[test]
fn equal_chunks_before_the_first_difference_are_not_sent_to_the_gpu() {
    let Some(device) = new_device() else { return };
    let mut random = Random::new(35);
    for dtype in [DType::I8, DType::F32] {
        let size = dtype.size().unwrap();
        let elements = UNIT + 3;
        let lhs = random.bytes(elements * size);
        // The last element of a unit, of the first cell, of the tensor; then the first element of the next unit.
        for last in [UNIT - 1, CELL - 1, elements - 1, UNIT] {
            let mut rhs = lhs.clone();
            rhs[(last + 1) * size - 1] ^= 1;
            for chunk_bytes in [1 << 14, 256 << 10] {
                let options = CompareOptions {
                    chunk_bytes,
                    tolerance: Tolerance::BITS,
                    ..CompareOptions::default()
                };
                check(&device, dtype, (&lhs, &rhs), &options);
            }
        }
    }
    let (_, accelerated) = device.work().accelerator.unwrap();
    assert_eq!(accelerated, device.work().tensors);
}

#[test]
fn a_comparison_of_nans_alone_has_no_maxima() {
    let Some(device) = device() else { return };
    let lhs = f32::NAN.to_le_bytes().repeat(TILE + 3);
    let rhs = (-f32::NAN).to_le_bytes().repeat(TILE + 3);
    check(&device, DType::F32, (&lhs, &rhs), &everything());
    let (lhs, rhs) = (view(DType::F32, &lhs), view(DType::F32, &rhs));
    let found = device.compare(&lhs, &rhs, &CompareOptions::default()).unwrap();
    assert_eq!(
        (found.max_abs, found.max_ulp, found.first),
        (None, None, Some(0)),
        "{}",
        text(&found)
    );
}

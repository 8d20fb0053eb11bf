//! A baseline in GPU memory gives the same numbers as one that is transferred each time.

use ckdiff::compare::{Baseline, CompareOptions, compare};
use ckdiff::tensor::{DType, TensorView};

use crate::support::Random;
use crate::support::gpu::{device, text, tolerance, view};

/// One unit plus an odd number of elements.
const ELEMENTS: usize = 16 * 65_536 + 1001;

/// A baseline, and tensors that differ from it: at the end, everywhere, nowhere, in the middle.
fn tensors(dtype: DType, random: &mut Random) -> (Vec<u8>, Vec<Vec<u8>>) {
    let size = dtype.size().unwrap();
    let lhs = random.bytes(ELEMENTS * size);
    let mut everywhere = lhs.clone();
    for element in everywhere.chunks_exact_mut(size) {
        element[0] ^= random.below(4) as u8;
    }
    let mut at_the_end = lhs.clone();
    *at_the_end.last_mut().unwrap() ^= 1;
    let mut in_the_middle = lhs.clone();
    in_the_middle[ELEMENTS * size / 2] ^= 1;
    let others = vec![at_the_end, everywhere.clone(), lhs.clone(), in_the_middle, everywhere];
    (lhs, others)
}

fn options(threads: usize) -> CompareOptions {
    let tolerance = tolerance(1e-3, 1e-6);
    CompareOptions { tolerance, threads, ..CompareOptions::default() }
}

fn on_cpu(lhs: &TensorView<'_>, rhs: &TensorView<'_>) -> String {
    text(&compare(lhs, rhs, &options(0)).unwrap())
}

fn kept(baseline: &Baseline<'_>, rhs: &TensorView<'_>, threads: usize) -> String {
    text(&baseline.compare(rhs, &options(threads)).unwrap())
}

#[test]
fn a_kept_baseline_gives_the_same_numbers_as_one_that_is_sent_each_time() {
    let Some(device) = device() else { return };
    let mut random = Random::new(41);
    for dtype in [DType::I8, DType::F32] {
        let (lhs, others) = tensors(dtype, &mut random);
        let lhs = view(dtype, &lhs);
        for threads in [1, 7] {
            let baseline = Baseline::new(&lhs, &device);
            for (i, rhs) in others.iter().enumerate() {
                let rhs = view(dtype, rhs);
                assert_eq!(
                    kept(&baseline, &rhs, threads),
                    on_cpu(&lhs, &rhs),
                    "{dtype} {threads} {i}"
                );
            }
        }
    }
    assert_eq!(device.work().failure, None);
}

#[test]
fn two_baselines_used_in_turn_do_not_mix() {
    let Some(device) = device() else { return };
    let mut random = Random::new(42);
    let (one, others) = tensors(DType::F32, &mut random);
    let (two, more) = tensors(DType::F32, &mut random);
    let (one, two) = (view(DType::F32, &one), view(DType::F32, &two));
    let first = Baseline::new(&one, &device);
    let second = Baseline::new(&two, &device);
    for (i, (x, y)) in others.iter().zip(&more).enumerate() {
        let (x, y) = (view(DType::F32, x), view(DType::F32, y));
        assert_eq!(kept(&first, &x, 2), on_cpu(&one, &x), "{i}");
        assert_eq!(kept(&second, &y, 2), on_cpu(&two, &y), "{i}");
        assert_eq!(kept(&first, &y, 2), on_cpu(&one, &y), "{i}");
    }
    // Another baseline does not read the buffers of a dropped one.
    drop(first);
    let y = view(DType::F32, &more[1]);
    assert_eq!(kept(&second, &y, 2), on_cpu(&two, &y));
    let third = Baseline::new(&one, &device);
    assert_eq!(kept(&third, &y, 2), on_cpu(&one, &y));
}

#[test]
fn many_threads_share_a_baseline() {
    let Some(device) = device() else { return };
    let mut random = Random::new(43);
    let (lhs, others) = tensors(DType::F32, &mut random);
    let lhs = view(DType::F32, &lhs);
    let baseline = Baseline::new(&lhs, &device);
    std::thread::scope(|scope| {
        for rhs in &others {
            scope.spawn(|| {
                let rhs = view(DType::F32, rhs);
                assert_eq!(kept(&baseline, &rhs, 3), on_cpu(&lhs, &rhs));
            });
        }
    });
    assert_eq!(device.work().failure, None);
}

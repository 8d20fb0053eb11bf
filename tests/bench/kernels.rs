//! Measures the kernels on tensors in memory, on one thread, by dtype: equal tensors, then a pair that differs in every
//! element, with different statistics requested.
//!
//! `cargo run --profile dist --example kernels [-- DTYPE…]`

#![expect(
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "a bench prints, and may fail"
)]

use std::time::Instant;

use ckdiff::compare::{CompareOptions, Tolerance, compare};
use ckdiff::tensor::{DType, Shape, Tensor};

const ELEMENTS: usize = 1 << 22;

fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let plain = CompareOptions { threads: 1, ..CompareOptions::default() };
    let asked = [
        ("by bits", plain.clone()),
        ("tolerance", CompareOptions { tolerance: tolerance(1e-5), ..plain.clone() }),
        ("16 more", CompareOptions { further: (0..16).map(sweep).collect(), ..plain.clone() }),
        ("histogram", CompareOptions { histogram: true, ..plain.clone() }),
        ("values", CompareOptions { values: true, ..plain.clone() }),
    ];
    let titles: String = asked.iter().map(|(title, _)| format!(" {title:>10}")).collect();
    println!("{:<10} {:>10}{titles}   GB/s of both sides", "", "equal");
    for dtype in
        [DType::F32, DType::BF16, DType::F16, DType::F64, DType::I8, DType::I32, DType::I64]
    {
        if !only.is_empty() && !only.iter().any(|name| name == dtype.name()) {
            continue;
        }
        let (a, b) = (tensor(dtype, 1.0), tensor(dtype, 1.001));
        let equal = rate(&a, &a, &plain);
        let rates: String =
            asked.iter().map(|(_, options)| format!(" {:>10.2}", rate(&a, &b, options))).collect();
        println!("{:<10} {equal:>10.2}{rates}", dtype.name());
    }
}

fn tolerance(rtol: f64) -> Tolerance {
    Tolerance::new(Some(1e-8), Some(rtol), None).expect("the tolerance is finite")
}

/// Tolerances around 0.001, the relative difference of the two tensors; each is half the previous one.
fn sweep(step: i32) -> Tolerance {
    tolerance(0.01 * 0.5f64.powi(step))
}

/// The best of seven runs.
fn rate(lhs: &Tensor, rhs: &Tensor, options: &CompareOptions) -> f64 {
    let run = || {
        let start = Instant::now();
        let comparison = compare(lhs, rhs, options).expect("tensors in memory are readable");
        assert_eq!(comparison.elements, ELEMENTS as u64);
        start.elapsed().as_secs_f64()
    };
    let best = (0..7).map(|_| run()).fold(f64::INFINITY, f64::min);
    2.0 * lhs.content().len() as f64 / best / 1e9
}

/// Numbers between -1 and 1, times `factor`.
fn tensor(dtype: DType, factor: f64) -> Tensor {
    let mut state = 1u64;
    let numbers = (0..ELEMENTS).map(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * factor
    });
    let content: Vec<u8> = match dtype {
        DType::F32 => numbers.flat_map(|x| (x as f32).to_le_bytes()).collect(),
        DType::BF16 => numbers.flat_map(|x| half::bf16::from_f64(x).to_le_bytes()).collect(),
        DType::F16 => numbers.flat_map(|x| half::f16::from_f64(x).to_le_bytes()).collect(),
        DType::F64 => numbers.flat_map(f64::to_le_bytes).collect(),
        DType::I8 => numbers.flat_map(|x| ((x * 100.0) as i8).to_le_bytes()).collect(),
        DType::I32 => numbers.flat_map(|x| ((x * 1e9) as i32).to_le_bytes()).collect(),
        _ => numbers.flat_map(|x| ((x * 1e18) as i64).to_le_bytes()).collect(),
    };
    let shape = Shape::new(&[ELEMENTS as i64]).expect("the shape is small");
    Tensor::new(dtype, shape, content).expect("the content has the size")
}

//! Measures the throughput of a GPU for each comparison, and its start-up time.
//!
//! `cargo run --profile dist --example gpu [-- NAME [MIB]]`: NAME picks the adapter (default: the first GPU), MIB is the
//! size of a side.
//!
//! | column | measures |
//! | --- | --- |
//! | resident | the kernels: both sides are on the device |
//! | baseline | lhs is on the device, rhs is read from memory; includes the CPU's sums |
//! | streamed | both sides are read from memory; includes the CPU's sums |
//! | fed | the CPU's share of that: an accelerator that accepts every batch and counts nothing |
//! | cpu | the CPU alone |

#![expect(clippy::print_stdout, reason = "a bench prints, and may fail")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use ckdiff::compare::{Accelerator, Baseline, Batch, Counted, Counting, Device, Failure};
use ckdiff::compare::{CompareOptions, Histogram, Sides, TILE, Tile, Tolerance};
use ckdiff::tensor::{DType, TensorSource, TensorView};

/// Bytes of a side per batch when both sides are on the device.
const BATCH: usize = 16 << 20;
/// Batches in flight at once.
const UNDER_WAY: usize = 8;
const RUNS: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let device = Device::gpu(args.first().map(String::as_str));
    let mib = args.get(1).map_or(1024, |n| n.parse().expect("MIB is a number"));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    match &device {
        Ok(device) => println!("{:?}, {:.2} s to start", device, start(device)),
        Err(error) => println!("{error}"),
    }
    println!("{mib} MiB a side, CPU with {threads} threads; GB/s of both sides, best of {RUNS}");
    let columns =
        ["resident", "baseline", "streamed", "fed", "cpu"].map(|name| format!("{name:>9}"));
    println!("{:<9} {:<14} {}", "", "", columns.join(" "));
    let (lhs, rhs) = sides(mib << 18);
    let narrow = |side: &[f32]| side.iter().map(|&x| half::bf16::from_f32(x)).collect::<Vec<_>>();
    let (lhs_narrow, rhs_narrow) = (narrow(&lhs), narrow(&rhs));
    for (lhs, rhs) in [
        (TensorView::flat(&lhs), TensorView::flat(&rhs)),
        (TensorView::flat(&lhs_narrow), TensorView::flat(&rhs_narrow)),
    ] {
        for (what, options) in work() {
            let bytes = 2.0 * lhs.content().len() as f64;
            let on = |device: &Device| {
                rate(bytes, || {
                    drop(device.compare(&lhs, &rhs, &options).expect("memory is readable"))
                })
            };
            let with_gpu = device.as_ref().ok().map(|device| {
                let baseline = Baseline::new(&lhs, device);
                [
                    rate(bytes, || resident(device, &lhs, &rhs, &options)),
                    rate(bytes, || {
                        drop(baseline.compare(&rhs, &options).expect("memory is readable"))
                    }),
                    on(device),
                ]
            });
            let with_gpu = with_gpu.map_or([const { None }; 3], |rates| rates.map(Some));
            let without = [on(&Device::with(Arc::new(Feeder))), on(&Device::cpu())].map(Some);
            let columns: Vec<_> = with_gpu
                .into_iter()
                .chain(without)
                .map(|rate| format!("{:>9}", rate.map_or("-".into(), |rate| format!("{rate:.2}"))))
                .collect();
            println!("{:<9} {what:<14} {}", lhs.dtype().name(), columns.join(" "));
        }
    }
}

/// An accelerator that counts nothing: measures how fast the CPU feeds a GPU.
#[derive(Debug)]
struct Feeder;

/// A result without differences.
struct Fed(Counted);

impl Accelerator for Feeder {
    fn name(&self) -> &str {
        "feeder"
    }

    fn accepts(&self, _: DType, _: &CompareOptions) -> bool {
        true
    }

    fn most_bytes(&self) -> usize {
        usize::MAX
    }

    fn begin(&self, batch: &Batch<'_>) -> Result<Box<dyn Counting>, Failure> {
        thread_local! {
            static STAGING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        STAGING.with_borrow_mut(|staging| {
            for side in [batch.lhs, batch.rhs] {
                staging.clear();
                staging.extend_from_slice(side);
                black_box(&staging);
            }
        });
        let nothing = Counted {
            tiles: vec![Tile::default(); batch.elements().div_ceil(TILE)],
            further: vec![0; batch.options.further.len()],
            histogram: batch.options.histogram.then(Histogram::default),
        };
        Ok(Box::new(Fed(nothing)))
    }
}

impl Counting for Fed {
    fn finish(self: Box<Self>) -> Result<Counted, Failure> {
        Ok(self.0)
    }
}

/// Seconds until the first batch is counted.
fn start(device: &Device) -> f64 {
    let start = Instant::now();
    let again = Device::gpu(device.accelerator().map(|it| it.name()))
        .expect("the adapter was opened before");
    let (lhs, rhs) = ([1.0f32], [2.0f32]);
    let options = CompareOptions::default();
    again
        .compare(&TensorView::flat(&lhs), &TensorView::flat(&rhs), &options)
        .expect("memory is readable");
    start.elapsed().as_secs_f64()
}

/// The comparisons to measure.
fn work() -> Vec<(&'static str, CompareOptions)> {
    let tolerance =
        |atol, rtol| Tolerance::new(Some(atol), Some(rtol), None).expect("the tolerance is finite");
    let plain = CompareOptions { tolerance: tolerance(1e-8, 1e-5), ..CompareOptions::default() };
    let further = (0..16).map(|i| tolerance(0.0, 0.5f64.powi(i))).collect();
    vec![
        ("compare", plain.clone()),
        ("16 tolerances", CompareOptions { further, ..plain.clone() }),
        ("histogram", CompareOptions { histogram: true, ..plain }),
    ]
}

/// Counts all batches with both sides on the device: only counts are transferred.
fn resident(device: &Device, lhs: &TensorView<'_>, rhs: &TensorView<'_>, options: &CompareOptions) {
    let accelerator = device.accelerator().expect("the accelerator is open");
    let batches = lhs.content().chunks(BATCH).zip(rhs.content().chunks(BATCH)).zip(0..);
    let width = u64::from(lhs.dtype() == DType::F32);
    let mut under_way = VecDeque::new();
    for ((lhs_bytes, rhs_bytes), number) in batches {
        let kept = |side| Some((u64::MAX - 2 * width - side, number));
        let kept = Sides { lhs: kept(0), rhs: kept(1) };
        let batch = Batch { dtype: lhs.dtype(), lhs: lhs_bytes, rhs: rhs_bytes, options, kept };
        under_way.push_back(accelerator.begin(&batch).expect("the batch starts"));
        if under_way.len() > UNDER_WAY {
            under_way.pop_front().map(|counting| counting.finish().expect("the batch is counted"));
        }
    }
    for counting in under_way {
        counting.finish().expect("the batch is counted");
    }
}

/// The best rate of several runs, after one warm-up run.
fn rate(bytes: f64, run: impl Fn()) -> f64 {
    run();
    let seconds = (0..RUNS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    bytes / seconds.fold(f64::INFINITY, f64::min) / 1e9
}

/// Two tensors of numbers between -1 and 1 that differ slightly.
fn sides(elements: usize) -> (Vec<f32>, Vec<f32>) {
    let mut state = 1u32;
    let lhs: Vec<f32> = (0..elements)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1u32 << 23) as f32 - 1.0
        })
        .collect();
    let rhs = lhs.iter().map(|x| x * 1.001).collect();
    (lhs, rhs)
}

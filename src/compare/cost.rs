//! When a GPU is the faster way: the one place with the numbers.
//!
//! The CPU reads, verifies and sums up every byte whichever way is taken. What a GPU can save is the counting; what it costs
//! is a copy into memory that it can read. So it pays where much is counted: many tolerances, histograms.

use crate::threads;

use super::Options;
use super::engine::Pair;

// Seconds for a gigabyte of both sides; BENCHMARKS.md tells how they were measured.

/// One CPU core: read, verify, sum up, count.
const CPU_COMPARE: f64 = 0.17;
/// One CPU core, of that: count.
const CPU_COUNT: f64 = 0.04;
/// One CPU core: a further tolerance.
const CPU_TOLERANCE: f64 = 0.02;
/// One CPU core: the histograms.
const CPU_HISTOGRAM: f64 = 0.2;
/// One CPU core: the copy into memory that a GPU can read.
const COPY: f64 = 0.06;
/// The way to a GPU and its work there, whatever the cores: PCIe 4 with 16 lanes. An estimate.
const GPU: f64 = 0.05;

/// Seconds to load the driver, open the device, build the kernels and test them.
const START: f64 = 0.6;

/// Of the time on the CPU, what must at least be saved: estimates are rough.
const GAIN: f64 = 0.25;

/// The work at hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Workload {
    /// Bytes of both sides that a GPU would take.
    pub(super) bytes: u64,
    further: usize,
    histogram: bool,
    threads: usize,
}

impl Workload {
    pub(super) fn new(pairs: &[Pair<'_>], options: &Options) -> Self {
        let one_piece = |(lhs, rhs): &&Pair<'_>| {
            lhs.dtype() == rhs.dtype() && lhs.extent().is_some() && rhs.extent().is_some()
        };
        let bytes = pairs.iter().filter(one_piece).map(|(lhs, _)| lhs.stored_bytes());
        Self {
            bytes: bytes.fold(0, u64::saturating_add).saturating_mul(2),
            further: options.further.len(),
            histogram: options.histogram,
            threads: threads::count(options.threads),
        }
    }

    /// Whether a GPU would be the faster way.
    pub(super) fn pays(&self) -> bool {
        let gigabytes = self.bytes as f64 / 1e9;
        let extra =
            self.further as f64 * CPU_TOLERANCE + if self.histogram { CPU_HISTOGRAM } else { 0.0 };
        let threads = self.threads as f64;
        let cpu = gigabytes * (CPU_COMPARE + extra) / threads;
        let gpu = START + gigabytes * ((CPU_COMPARE - CPU_COUNT + COPY) / threads).max(GPU);
        gpu < cpu * (1.0 - GAIN)
    }
}

//! When a GPU is the faster way: the one place with the numbers.
//!
//! The CPU reads, verifies and sums up every byte whichever way is taken. What a GPU can save is the counting; what it costs
//! is a copy into memory that it can read. So it pays where much is counted: many tolerances, histograms. A GPU has not been
//! measured yet: what is said of it is an estimate, and a quarter of the time must be gained before one is used.

use crate::threads;

use super::Options;
use super::accelerator::is_for_gpu;
use super::engine::Pair;

// Seconds for a gigabyte of both sides, of float32; `tests/bench/gpu.rs` measures them, BENCHMARKS.md tells where.

/// One CPU core: read, verify, sum up, count.
const CPU_COMPARE: f64 = 0.78;
/// One CPU core: a further tolerance.
const CPU_TOLERANCE: f64 = 0.038;
/// One CPU core: the histograms.
const CPU_HISTOGRAM: f64 = 0.38;
/// One CPU core, for a GPU: read, verify, sum up, and copy to where the GPU can read it.
const FEED: f64 = 1.37;
/// A GPU behind PCIe 4 with 16 lanes, whatever the cores: the way there, and its work. An estimate.
const GPU: f64 = 0.05;

/// Seconds to load the driver, open the device, build the kernels and test them.
const START: f64 = 0.6;

/// Of the time on the CPU, what must at least be saved: estimates are rough.
const GAIN: f64 = 0.25;

/// Bytes of a side below which a tensor is the CPU's: the way there and back takes as long as a megabyte.
pub(super) const SMALL: u64 = 1 << 20;

/// The work at hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Workload {
    /// Bytes of both sides that a GPU would take.
    bytes: u64,
    further: usize,
    histogram: bool,
    threads: usize,
}

impl Workload {
    pub(super) fn new(pairs: &[Pair<'_>], options: &Options) -> Self {
        let suits = |(lhs, rhs): &&Pair<'_>| {
            lhs.dtype() == rhs.dtype()
                && is_for_gpu(lhs.dtype())
                && lhs.stored_bytes() >= SMALL
                && lhs.extent().is_some()
                && rhs.extent().is_some()
        };
        let bytes = pairs.iter().filter(suits).map(|(lhs, _)| lhs.stored_bytes());
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
        let gpu = START + gigabytes * (FEED / threads).max(GPU);
        gpu < cpu * (1.0 - GAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pays(gigabytes: u64, further: usize, histogram: bool, threads: usize) -> bool {
        Workload { bytes: gigabytes * 1_000_000_000, further, histogram, threads }.pays()
    }

    #[test]
    fn a_gpu_pays_where_much_is_counted() {
        assert!(pays(20, 32, true, 2));
        assert!(pays(40, 64, false, 16));
    }

    #[test]
    fn no_gpu_is_started_for_a_plain_or_small_comparison() {
        assert!(!pays(1_000, 0, false, 1));
        assert!(!pays(1_000, 0, false, 64));
        assert!(!pays(1, 16, true, 16));
        assert!(!pays(1_000, 0, true, 2));
        assert!(!pays(0, 256, true, 1));
    }
}

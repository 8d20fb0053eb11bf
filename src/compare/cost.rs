//! The cost model: when a GPU is faster than the CPU alone.
//!
//! With or without a GPU, the CPU reads, verifies and sums every byte. A GPU saves the counting, and costs a copy into memory
//! that it can read. So it pays where much is counted by few cores: many tolerances. It is used only if it saves at least a
//! quarter of the time, since only one GPU was measured.

use crate::threads;

use super::accelerator::is_for_gpu;
use super::tensor_pair::{Task, TensorPair};

// Seconds for a gigabyte of both sides, of float32. `tests/bench/gpu.rs` measured them with an H200, on two and on 16 of its machine's
// cores; see BENCHMARKS.md.

/// One CPU core: read, verify, sum, count.
const CPU_COMPARE: f64 = 0.21;
/// One CPU core: a further tolerance.
const CPU_TOLERANCE: f64 = 0.007;
/// One CPU core: the histograms.
const CPU_HISTOGRAM: f64 = 0.20;
/// One CPU core, with or without a GPU: the values of each side.
const VALUES: f64 = 0.16;
/// One CPU core, with a GPU: read, verify, sum, and copy to memory that the GPU can read.
const FEED: f64 = 0.39;
/// The GPU, for any number of cores: transfer.
const GPU_TRANSFER: f64 = 0.055;
/// The GPU: count.
const GPU_COMPARE: f64 = 0.0041;
/// The GPU: a further tolerance.
const GPU_TOLERANCE: f64 = 0.0013;

/// Seconds to load the driver, open the device, build the kernels and test them.
const START: f64 = 0.3;

/// The share of the CPU's time that must be saved at least.
const GAIN: f64 = 0.25;

/// Tensors with fewer bytes on a side are compared on the CPU: the round trip takes as long as a megabyte.
pub(super) const SMALL: u64 = 1 << 20;

/// The amount of work in a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Workload {
    /// Bytes of both sides that a GPU would compare.
    bytes: u64,
    further: usize,
    histogram: bool,
    values: bool,
    threads: usize,
}

impl Workload {
    /// The work on all pairs. If any pair has an option, all are taken to have it.
    pub(super) fn new(tasks: &[Task<'_>], threads: usize) -> Self {
        let suits = |(lhs, rhs): &TensorPair<'_>| {
            lhs.dtype() == rhs.dtype()
                && is_for_gpu(lhs.dtype())
                && lhs.stored_bytes() >= SMALL
                && lhs.extent().is_some()
                && rhs.extent().is_some()
        };
        let pairs = tasks.iter().map(|task| task.pair).filter(suits);
        let bytes = pairs.map(|(lhs, _)| lhs.stored_bytes());
        Self {
            bytes: bytes.fold(0, u64::saturating_add).saturating_mul(2),
            further: tasks.iter().map(|task| task.options.further.len()).max().unwrap_or_default(),
            histogram: tasks.iter().any(|task| task.options.histogram),
            values: tasks.iter().any(|task| task.options.values),
            threads: threads::count(threads),
        }
    }

    /// Whether a GPU would be faster.
    pub(super) fn pays(&self) -> bool {
        let gigabytes = self.bytes as f64 / 1e9;
        let further = self.further as f64;
        let extra = further * CPU_TOLERANCE + if self.histogram { CPU_HISTOGRAM } else { 0.0 };
        let threads = self.threads as f64;
        let values = if self.values { VALUES } else { 0.0 };
        let cpu = gigabytes * (CPU_COMPARE + extra + values) / threads;
        let stages =
            [(FEED + values) / threads, GPU_TRANSFER, GPU_COMPARE + further * GPU_TOLERANCE];
        let gpu = START + gigabytes * stages.into_iter().fold(0.0, f64::max);
        gpu < cpu * (1.0 - GAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pays(gigabytes: u64, further: usize, histogram: bool, threads: usize) -> bool {
        Workload {
            bytes: gigabytes * 1_000_000_000,
            further,
            histogram,
            values: histogram,
            threads,
        }
        .pays()
    }

    #[test]
    fn a_gpu_pays_where_much_is_counted() {
        assert!(pays(20, 32, true, 2));
        assert!(pays(40, 64, false, 2));
        assert!(pays(40, 256, false, 2));
    }

    #[test]
    fn no_gpu_is_started_for_a_plain_or_small_comparison() {
        assert!(!pays(1_000, 0, false, 1));
        assert!(!pays(1_000, 0, false, 64));
        assert!(!pays(1, 16, true, 16));
        assert!(!pays(40, 64, false, 16), "16 cores count faster than they could feed a GPU");
        assert!(!pays(40, 256, false, 16), "and faster than it counts");
        assert!(!pays(1_000, 0, true, 2));
        assert!(!pays(0, 256, true, 1));
    }
}

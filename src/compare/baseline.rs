//! A tensor that many others are compared with.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Result;
use crate::tensor::TensorSource;

use super::{CompareOptions, Comparison, Device, engine};

/// A tensor that many others are compared with. A GPU keeps it in its own memory, so that only the others are transferred.
///
/// ```
/// use ckdiff::compare::{Baseline, Device, CompareOptions, Tolerance};
/// use ckdiff::tensor::TensorView;
///
/// let weights = [0.5f32, 1.0, 2.0];
/// let baseline = TensorView::flat(&weights);
/// let tolerance = Tolerance::new(None, Some(1e-3), None)?;
/// let baseline = Baseline::new(&baseline, &Device::auto());
/// for candidate in [[0.5f32, 1.0, 2.0001], [0.5, 1.0, 2.1]] {
///     let options = CompareOptions { tolerance, ..CompareOptions::default() };
///     let comparison = baseline.compare(&TensorView::flat(&candidate), &options)?;
///     println!("{} of {} differ", comparison.mismatched, comparison.elements);
/// }
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Baseline<'a> {
    source: &'a dyn TensorSource,
    device: Device,
    number: u64,
}

impl<'a> Baseline<'a> {
    /// Makes this tensor the baseline of comparisons on this device.
    pub fn new(source: &'a dyn TensorSource, device: &Device) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { source, device: device.clone(), number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Compares another tensor with the baseline.
    ///
    /// # Errors
    /// As [`compare`](super::compare).
    pub fn compare(&self, rhs: &dyn TensorSource, options: &CompareOptions) -> Result<Comparison> {
        engine::one((self.source, rhs), Some(self.number), options, &self.device)
    }
}

impl Drop for Baseline<'_> {
    fn drop(&mut self) {
        self.device.forget(self.number);
    }
}

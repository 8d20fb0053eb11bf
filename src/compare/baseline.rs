//! One tensor that many others are compared with.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{ErrorKind, Result};
use crate::progress::Silent;
use crate::tensor::TensorSource;

use super::{Comparison, Options, engine};

/// A tensor that many others are compared with: a GPU keeps it in its own memory, so that only the others travel.
///
/// ```
/// use ckdiff::compare::{Baseline, Device, Options, Tolerance};
/// use ckdiff::tensor::TensorView;
///
/// let weights = [0.5f32, 1.0, 2.0];
/// let baseline = TensorView::flat(&weights);
/// let options = Options {
///     tolerance: Tolerance::new(None, Some(1e-3), None)?,
///     device: Device::auto(), // or Device::gpu(None)?
///     ..Options::default()
/// };
/// let baseline = Baseline::new(&baseline, options);
/// for candidate in [[0.5f32, 1.0, 2.0001], [0.5, 1.0, 2.1]] {
///     let comparison = baseline.compare(&TensorView::flat(&candidate))?;
///     println!("{} of {} differ", comparison.mismatched, comparison.elements);
/// }
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Baseline<'a> {
    source: &'a dyn TensorSource,
    options: Options,
    number: u64,
}

impl<'a> Baseline<'a> {
    /// This tensor as the baseline of what follows.
    pub fn new(source: &'a dyn TensorSource, options: Options) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { source, options, number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Compares another tensor with it.
    ///
    /// # Errors
    /// As [`compare`](super::compare).
    pub fn compare(&self, rhs: &dyn TensorSource) -> Result<Comparison> {
        let results = engine::run(&[(self.source, rhs)], Some(self.number), &self.options, &Silent);
        let nothing = || Err(ErrorKind::Usage("nothing to compare".into()).into());
        results.into_iter().next().unwrap_or_else(nothing)
    }
}

impl Drop for Baseline<'_> {
    fn drop(&mut self) {
        self.options.device.forget(self.number);
    }
}

//! Where to compare: on the CPU, or with an accelerator beside it.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::tensor::TensorSource;

use super::accelerator::{Accelerator, Failure};
use super::cost::{self, Workload};
use super::{Comparison, Options, engine};

/// Where to compare: no result depends on it.
///
/// ```
/// use ckdiff::compare::{Device, Options, Tolerance};
/// use ckdiff::tensor::TensorView;
///
/// let device = Device::auto(); // or Device::cpu(), Device::gpu(None)?, Device::gpu(Some("name"))?
/// let (lhs, rhs) = ([0.5f32, 1.0, 2.0], [0.5f32, 1.0, 2.1]);
/// let tolerance = Tolerance::new(None, Some(1e-3), None)?;
/// let options = Options { tolerance, ..Options::default() };
/// let comparison = device.compare(&TensorView::flat(&lhs), &TensorView::flat(&rhs), &options)?;
/// assert_eq!(comparison.first, Some(2));
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    opened: Arc<Opened>,
    record: Arc<Record>,
}

struct Opened {
    choice: Choice,
    /// Why the accelerator is no longer used.
    failure: OnceLock<Failure>,
}

/// Tensors that were compared, and those that an accelerator counted.
#[derive(Default)]
struct Record {
    tensors: AtomicUsize,
    accelerated: AtomicUsize,
}

enum Choice {
    Cpu,
    /// A GPU where it is the faster way; looked for when there is work for it.
    Auto(OnceLock<Option<Arc<dyn Accelerator>>>),
    Accelerator(Arc<dyn Accelerator>),
}

/// Which device did what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Work {
    /// Tensors compared.
    pub tensors: usize,
    /// What worked beside the CPU, and how many of these tensors, or parts of them, it counted.
    pub accelerator: Option<(String, usize)>,
    /// Why it did no more.
    pub failure: Option<Failure>,
}

impl Device {
    fn new(choice: Choice) -> Self {
        let opened = Arc::new(Opened { choice, failure: OnceLock::new() });
        Self { opened, record: Arc::default() }
    }

    /// The CPU alone.
    pub fn cpu() -> Self {
        Self::new(Choice::Cpu)
    }

    /// A GPU where it is the faster way for the work at hand, else the CPU. No GPU is looked for before that.
    pub fn auto() -> Self {
        Self::new(Choice::Auto(OnceLock::new()))
    }

    /// The GPU of this name or place, else the first whose name contains it, in capitals or not; without a name the first that
    /// is a GPU and no software.
    ///
    /// # Errors
    /// When there is none, it cannot be opened, or this is built without GPU support.
    pub fn gpu(name: Option<&str>) -> Result<Self> {
        super::open_gpu(name).map(Self::with)
    }

    /// An accelerator of your own.
    pub fn with(accelerator: Arc<dyn Accelerator>) -> Self {
        Self::new(Choice::Accelerator(accelerator))
    }

    /// Compares two tensors of one shape, element by element.
    ///
    /// # Errors
    /// As [`compare`](super::compare).
    pub fn compare(
        &self,
        lhs: &dyn TensorSource,
        rhs: &dyn TensorSource,
        options: &Options,
    ) -> Result<Comparison> {
        engine::one((lhs, rhs), None, options, self)
    }

    /// Holds all that it counts beside the CPU against known answers. (Each kernel is tested before its first use anyway.)
    ///
    /// # Errors
    /// When an answer is wrong, or there is none.
    pub fn test(&self) -> std::result::Result<(), Failure> {
        self.accelerator().map_or(Ok(()), |accelerator| accelerator.test())
    }

    /// The same device with a record of its own.
    #[must_use]
    pub fn with_own_record(&self) -> Self {
        Self { opened: Arc::clone(&self.opened), record: Arc::default() }
    }

    /// What was done so far, by this device and its clones.
    pub fn work(&self) -> Work {
        let accelerated = self.record.accelerated.load(Ordering::Relaxed);
        let accelerator = self.accelerator().filter(|_| accelerated > 0);
        Work {
            tensors: self.record.tensors.load(Ordering::Relaxed),
            accelerator: accelerator.map(|it| (it.name().to_owned(), accelerated)),
            failure: self.opened.failure.get().cloned(),
        }
    }

    /// What works beside the CPU, if it is open.
    pub fn accelerator(&self) -> Option<&Arc<dyn Accelerator>> {
        match &self.opened.choice {
            Choice::Cpu => None,
            Choice::Auto(opened) => opened.get()?.as_ref(),
            Choice::Accelerator(accelerator) => Some(accelerator),
        }
    }

    /// What to use beside the CPU for this work, if anything.
    pub(super) fn accelerator_for(&self, workload: &Workload) -> Option<&Arc<dyn Accelerator>> {
        if self.is_failed() {
            return None;
        }
        match &self.opened.choice {
            Choice::Auto(_) if !workload.pays() => None,
            // Without a GPU the CPU does it, and nobody need be told.
            Choice::Auto(opened) => opened.get_or_init(|| super::open_gpu(None).ok()).as_ref(),
            Choice::Cpu | Choice::Accelerator(_) => self.accelerator(),
        }
    }

    /// Bytes of a side below which a tensor is the CPU's: where a GPU is asked for by name it gets all that it takes.
    pub(super) fn least_bytes(&self) -> u64 {
        if matches!(self.opened.choice, Choice::Auto(_)) { cost::SMALL } else { 0 }
    }

    /// Gives back what is held of a baseline.
    pub(super) fn forget(&self, kept: u64) {
        if let Some(accelerator) = self.accelerator() {
            accelerator.forget(kept);
        }
    }

    /// Notes that the accelerator is of no more use.
    pub(super) fn fail(&self, failure: Failure) {
        // Of many failures the first is told.
        let _ = self.opened.failure.set(failure);
    }

    pub(super) fn is_failed(&self) -> bool {
        self.opened.failure.get().is_some()
    }

    /// Notes that a tensor was compared.
    pub(super) fn record(&self, accelerated: bool) {
        self.record.tensors.fetch_add(1, Ordering::Relaxed);
        self.record.accelerated.fetch_add(usize::from(accelerated), Ordering::Relaxed);
    }
}

impl Default for Device {
    fn default() -> Self {
        Self::cpu()
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.opened.choice {
            Choice::Cpu => f.write_str("Device(cpu)"),
            Choice::Auto(_) => f.write_str("Device(auto)"),
            Choice::Accelerator(accelerator) => write!(f, "Device({})", accelerator.name()),
        }
    }
}

/// `cpu`, or what worked beside it and how many tensors each compared; as reports have it.
impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tensors = |n: usize| format!("{n} tensor{}", if n == 1 { "" } else { "s" });
        match &self.accelerator {
            None => f.write_str("cpu")?,
            Some((name, n)) if *n == self.tensors => write!(f, "gpu:{name}")?,
            Some((name, n)) => {
                let rest = self.tensors - n;
                write!(f, "gpu:{name} for {}, cpu for {}", tensors(*n), tensors(rest))?;
            }
        }
        match &self.failure {
            Some(failure) => write!(f, ", since {failure}"),
            None => Ok(()),
        }
    }
}

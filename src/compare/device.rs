//! The device of a comparison: the CPU alone, or the CPU and an accelerator.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::Result;

use super::accelerator::{Accelerator, Failure};
use super::cost::{self, Workload};

/// The device of a comparison. No result depends on it.
///
/// ```
/// use ckdiff::compare::{Device, CompareOptions, Tolerance};
/// use ckdiff::tensor::TensorView;
///
/// let device = Device::auto(); // or Device::cpu(), Device::gpu(None)?, Device::gpu(Some("name"))?
/// let (lhs, rhs) = ([0.5f32, 1.0, 2.0], [0.5f32, 1.0, 2.1]);
/// let tolerance = Tolerance::new(None, Some(1e-3), None)?;
/// let options = CompareOptions { tolerance, ..CompareOptions::default() };
/// let comparison = device.compare(&TensorView::flat(&lhs), &TensorView::flat(&rhs), &options)?;
/// assert_eq!(comparison.first, Some(2));
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    opened: Arc<Opened>,
    record: Arc<DeviceUsage>,
}

struct Opened {
    choice: Choice,
    /// Why the accelerator is not used any more.
    failure: OnceLock<Failure>,
}

/// The number of tensors that were compared, and of those that an accelerator counted.
#[derive(Default)]
struct DeviceUsage {
    tensors: AtomicUsize,
    accelerated: AtomicUsize,
}

enum Choice {
    Cpu,
    /// A GPU where it is faster. It is opened when there is work for it.
    Auto(OnceLock<Option<Arc<dyn Accelerator>>>),
    Accelerator(Arc<dyn Accelerator>),
}

/// Which device compared how many tensors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Work {
    /// Tensors compared.
    pub tensors: usize,
    /// The name of the accelerator, and how many of these tensors it counted in whole or in part.
    pub accelerator: Option<(String, usize)>,
    /// Why the accelerator was given up.
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

    /// A GPU where it is faster for the work, else the CPU. No GPU is opened before that is known.
    pub fn auto() -> Self {
        Self::new(Choice::Auto(OnceLock::new()))
    }

    /// The GPU with this name or bus address, else the first whose name contains it, ignoring case; without a name, the first
    /// adapter that is a GPU and not software.
    ///
    /// # Errors
    /// If there is none, it cannot be opened, or this is a build without GPU support.
    pub fn gpu(name: Option<&str>) -> Result<Self> {
        super::open_gpu(name).map(Self::with)
    }

    /// A custom accelerator.
    pub fn with(accelerator: Arc<dyn Accelerator>) -> Self {
        Self::new(Choice::Accelerator(accelerator))
    }

    /// Compares everything that the accelerator counts with known answers. (Each kernel is tested before its first use anyway.)
    ///
    /// # Errors
    /// If an answer is wrong or missing.
    pub fn test(&self) -> std::result::Result<(), Failure> {
        self.accelerator().map_or(Ok(()), |accelerator| accelerator.test())
    }

    /// The same device, with a new record of work.
    #[must_use]
    pub fn with_own_record(&self) -> Self {
        Self { opened: Arc::clone(&self.opened), record: Arc::default() }
    }

    /// The work of this device and its clones so far.
    pub fn work(&self) -> Work {
        let accelerated = self.record.accelerated.load(Ordering::Relaxed);
        let accelerator = self.accelerator().filter(|_| accelerated > 0);
        Work {
            tensors: self.record.tensors.load(Ordering::Relaxed),
            accelerator: accelerator.map(|it| (it.name().to_owned(), accelerated)),
            failure: self.opened.failure.get().cloned(),
        }
    }

    /// The accelerator, if it is open.
    pub fn accelerator(&self) -> Option<&Arc<dyn Accelerator>> {
        match &self.opened.choice {
            Choice::Cpu => None,
            Choice::Auto(opened) => opened.get()?.as_ref(),
            Choice::Accelerator(accelerator) => Some(accelerator),
        }
    }

    /// The accelerator to use for this work.
    pub(super) fn accelerator_for(&self, workload: &Workload) -> Option<&Arc<dyn Accelerator>> {
        if self.is_failed() {
            return None;
        }
        match &self.opened.choice {
            Choice::Auto(_) if !workload.pays() => None,
            // Without a GPU the CPU does the work; that is not an error.
            Choice::Auto(opened) => opened.get_or_init(|| super::open_gpu(None).ok()).as_ref(),
            Choice::Cpu | Choice::Accelerator(_) => self.accelerator(),
        }
    }

    /// The fewest bytes of a side for which a tensor goes to the accelerator. One that was selected by name gets every tensor
    /// that it accepts.
    pub(super) fn least_bytes(&self) -> u64 {
        if matches!(self.opened.choice, Choice::Auto(_)) { cost::SMALL } else { 0 }
    }

    /// Releases the bytes of a baseline.
    pub(super) fn forget(&self, kept: u64) {
        if let Some(accelerator) = self.accelerator() {
            accelerator.forget(kept);
        }
    }

    /// Gives up the accelerator.
    pub(super) fn fail(&self, failure: Failure) {
        // Only the first of several failures is reported.
        let _ = self.opened.failure.set(failure);
    }

    pub(super) fn is_failed(&self) -> bool {
        self.opened.failure.get().is_some()
    }

    /// Records a comparison.
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

crate::serial::serialize_as_text!(Work);

/// As in reports: `cpu`, or the accelerator and how many tensors each compared.
impl Work {
    /// The devices as a report names them; `None` if the text is none of these. The counts of tensors stay a part of the name.
    pub(crate) fn of_report(text: &str) -> Option<Self> {
        if let Some(name) = text.strip_prefix("gpu:") {
            return Some(Self { accelerator: Some((name.to_owned(), 0)), ..Self::default() });
        }
        let failure = match text.strip_prefix("cpu")? {
            "" => None,
            rest => Some(Failure::Saved(rest.strip_prefix(", since ")?.to_owned())),
        };
        Some(Self { failure, ..Self::default() })
    }
}

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

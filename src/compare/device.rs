//! Where to compare: on the CPU, or with an accelerator beside it.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::Result;

use super::accelerator::{Accelerator, Failure};
use super::cost::Workload;

/// Where to compare. A clone is the same device, and shares its record of what was done.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    choice: Choice,
    /// Why the accelerator is no longer used.
    failure: OnceLock<Failure>,
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
        Self(Arc::new(Inner {
            choice,
            failure: OnceLock::new(),
            tensors: AtomicUsize::new(0),
            accelerated: AtomicUsize::new(0),
        }))
    }

    /// The CPU alone.
    pub fn cpu() -> Self {
        Self::new(Choice::Cpu)
    }

    /// A GPU where it is the faster way for the work at hand, else the CPU. No GPU is looked for before that.
    pub fn auto() -> Self {
        Self::new(Choice::Auto(OnceLock::new()))
    }

    /// The first GPU whose name contains `name`, in capitals or not; without a name the first that is no software.
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

    /// What was done so far.
    pub fn work(&self) -> Work {
        let Inner { tensors, accelerated, failure, .. } = &*self.0;
        let accelerated = accelerated.load(Ordering::Relaxed);
        let accelerator = self.opened().filter(|_| accelerated > 0);
        Work {
            tensors: tensors.load(Ordering::Relaxed),
            accelerator: accelerator.map(|it| (it.name().to_owned(), accelerated)),
            failure: failure.get().cloned(),
        }
    }

    fn opened(&self) -> Option<&Arc<dyn Accelerator>> {
        match &self.0.choice {
            Choice::Cpu => None,
            Choice::Auto(opened) => opened.get()?.as_ref(),
            Choice::Accelerator(accelerator) => Some(accelerator),
        }
    }

    /// What to use beside the CPU for this work, if anything.
    pub(super) fn accelerator(&self, workload: &Workload) -> Option<&Arc<dyn Accelerator>> {
        if self.0.failure.get().is_some() {
            return None;
        }
        match &self.0.choice {
            Choice::Auto(_) if !workload.pays() => None,
            // Without a GPU the CPU does it, and nobody need be told.
            Choice::Auto(opened) => opened.get_or_init(|| super::open_gpu(None).ok()).as_ref(),
            Choice::Cpu | Choice::Accelerator(_) => self.opened(),
        }
    }

    /// Gives back what is held of a baseline.
    pub(super) fn forget(&self, kept: u64) {
        if let Some(accelerator) = self.opened() {
            accelerator.forget(kept);
        }
    }

    /// Notes that the accelerator is of no more use.
    pub(super) fn fail(&self, failure: Failure) {
        // Of many failures the first is told.
        let _ = self.0.failure.set(failure);
    }

    pub(super) fn is_failed(&self) -> bool {
        self.0.failure.get().is_some()
    }

    /// Notes that a tensor was compared.
    pub(super) fn record(&self, accelerated: bool) {
        self.0.tensors.fetch_add(1, Ordering::Relaxed);
        self.0.accelerated.fetch_add(usize::from(accelerated), Ordering::Relaxed);
    }
}

impl Default for Device {
    fn default() -> Self {
        Self::cpu()
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.choice {
            Choice::Cpu => f.write_str("Device(cpu)"),
            Choice::Auto(_) => f.write_str("Device(auto)"),
            Choice::Accelerator(accelerator) => write!(f, "Device({})", accelerator.name()),
        }
    }
}

/// `cpu`, or what worked beside it and how much each did; as reports have it.
impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tensors = |n: usize| format!("{n} tensor{}", if n == 1 { "" } else { "s" });
        match &self.accelerator {
            None => f.write_str("cpu"),
            Some((name, n)) if *n == self.tensors => write!(f, "gpu:{name}"),
            Some((name, n)) => {
                write!(f, "gpu:{name} for {}, cpu for {}", tensors(*n), tensors(self.tensors - n))
            }
        }
    }
}

//! Counting on a GPU by wgpu compute shaders: the one room that knows wgpu.
//!
//! ```text
//! adapters ─► Gpu ─► kernels of a dtype (tested before use) ─► slot: staging ─► storage ─► shaders ─► results ─► Counted
//! ```
//! The shaders under `shaders/` have no floating type, so what they count is the same on every adapter. Vulkan (Metal,
//! Direct3D 12) is looked for at run time; without it there are no adapters, and that is all.

mod adapters;
mod context;
mod kernels;
mod self_test;
mod slot;
mod words;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) use adapters::{list, open};

use crate::tensor::{DType, Kind};

use super::accelerator::{Accelerator, Chunk, Counting, Failure};
use super::{Adapter, Options};
use context::Context;
use kernels::{Kernels, Needs};
use slot::{Input, Slots};

/// A GPU that is open.
pub(super) struct Gpu {
    adapter: Adapter,
    context: Arc<Context>,
    kernels: Mutex<BTreeMap<(DType, Needs), Arc<Kernels>>>,
    slots: Arc<Slots>,
    /// What is kept of baselines: by number and byte.
    kept: Mutex<BTreeMap<(u64, u64), wgpu::Buffer>>,
}

impl Gpu {
    fn new(adapter: Adapter, context: Context) -> Self {
        Self {
            adapter,
            context: Arc::new(context),
            kernels: Mutex::default(),
            slots: Arc::default(),
            kept: Mutex::default(),
        }
    }

    /// The kernels for a dtype, built and tested where they are new.
    fn kernels(&self, dtype: DType, needs: Needs) -> Result<Arc<Kernels>, Failure> {
        let mut all = lock(&self.kernels);
        if let Some(kernels) = all.get(&(dtype, needs)) {
            return Ok(Arc::clone(kernels));
        }
        let kernels = Arc::new(Kernels::new(&self.context, dtype, needs)?);
        self_test::run(dtype, needs, |chunk| self.submit(&kernels, chunk)?.finish())?;
        all.insert((dtype, needs), Arc::clone(&kernels));
        Ok(kernels)
    }

    fn submit(&self, kernels: &Kernels, chunk: &Chunk<'_>) -> Result<Box<dyn Counting>, Failure> {
        let slot = self.slots.take(&self.context, chunk.rhs.len())?;
        let lhs = match chunk.kept {
            Some(key) => self.keep(key, chunk.lhs.len())?,
            None => Input::Staged,
        };
        slot.submit(kernels, lhs, chunk, Arc::clone(&self.slots))
    }

    /// Where the lhs of this key is kept, or is to be.
    fn keep(&self, key: (u64, u64), bytes: usize) -> Result<Input, Failure> {
        let mut kept = lock(&self.kept);
        if let Some(buffer) = kept.get(&key) {
            return Ok(Input::Kept(buffer.clone()));
        }
        // Without room for it, it travels each time.
        let Ok(buffer) = self.context.storage(bytes) else { return Ok(Input::Staged) };
        kept.insert(key, buffer.clone());
        Ok(Input::ToKeep(buffer))
    }
}

impl Accelerator for Gpu {
    fn name(&self) -> &str {
        &self.adapter.name
    }

    fn takes(&self, dtype: DType, options: &Options) -> bool {
        options.further.len() <= kernels::MOST_FURTHER
            && matches!(dtype.kind(), Kind::Float | Kind::Integer | Kind::Bool)
    }

    fn most_bytes(&self) -> usize {
        usize::try_from(self.adapter.most_bytes).unwrap_or(usize::MAX)
    }

    fn begin(&self, chunk: &Chunk<'_>) -> Result<Box<dyn Counting>, Failure> {
        let kernels = self.kernels(chunk.dtype, Needs::of(chunk.options))?;
        self.submit(&kernels, chunk)
    }

    fn forget(&self, number: u64) {
        lock(&self.kept).retain(|&(tensor, _), _| tensor != number);
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gpu").field(&self.adapter).finish()
    }
}

/// Locks it, also after a panic elsewhere: nothing here is half done at any time.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

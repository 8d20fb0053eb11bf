//! An open GPU, its kernels and buffers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use super::buffers::{BufferPool, Input, lock};
use super::constants::MAX_FURTHER;
use super::context::Context;
use super::kernels::Kernels;
use super::needs::Needs;
use super::self_test;
use crate::compare::accelerator::{Accelerator, Counting, Failure, is_for_gpu};
use crate::compare::tile::Batch;
use crate::compare::{Adapter, CompareOptions, Tolerance};
use crate::tensor::DType;

/// The fewest bytes of a buffer, so that small batches share buffers.
const MIN_BYTES: usize = 64 << 10;

/// An open GPU.
pub(super) struct Gpu {
    adapter: Adapter,
    context: Arc<Context>,
    kernels: Mutex<BTreeMap<(DType, Needs), Arc<Kernels>>>,
    pool: Arc<BufferPool>,
    /// Buffers of tensors that are kept on the device, by number and first byte.
    kept: Mutex<BTreeMap<(u64, u64), wgpu::Buffer>>,
}

impl Gpu {
    pub(super) fn new(adapter: Adapter, context: Context) -> Self {
        Self {
            adapter,
            context: Arc::new(context),
            kernels: Mutex::default(),
            pool: Arc::default(),
            kept: Mutex::default(),
        }
    }

    /// The kernels for a dtype, built and tested on first use.
    fn kernels(&self, dtype: DType, needs: Needs) -> Result<Arc<Kernels>, Failure> {
        let mut all = lock(&self.kernels);
        // The device may have been lost while this thread waited for the lock.
        self.context.check()?;
        if let Some(kernels) = all.get(&(dtype, needs)) {
            return Ok(Arc::clone(kernels));
        }
        let kernels = Arc::new(Kernels::new(&self.context, dtype, needs)?);
        self_test::run(dtype, needs, |batch| self.submit(&kernels, batch)?.finish())
            .map_err(|failure| self.context.fail(failure))?;
        all.insert((dtype, needs), Arc::clone(&kernels));
        Ok(kernels)
    }

    fn submit(&self, kernels: &Kernels, batch: &Batch<'_>) -> Result<Box<dyn Counting>, Failure> {
        // Sizes are rounded, so that buffers are reused.
        let bytes = batch.rhs.len().next_power_of_two().max(MIN_BYTES).min(self.most_bytes());
        let buffers = match self.pool.take(&self.context, bytes) {
            Err(Failure::Memory(_)) => {
                // The buffers that are kept are released first.
                lock(&self.kept).clear();
                self.pool.take(&self.context, bytes)?
            }
            buffers => buffers?,
        };
        let sides = [(batch.kept.lhs, batch.lhs), (batch.kept.rhs, batch.rhs)];
        let inputs = sides.map(|(key, bytes)| self.input(key, bytes.len()));
        let arriving = inputs.clone();
        let counting = buffers.submit(kernels, inputs, batch, Arc::clone(&self.pool))?;
        // Batches submitted from now on find the buffer on the device.
        for ((key, _), input) in sides.into_iter().zip(arriving) {
            if let (Some(key), Input::ToKeep(buffer)) = (key, input) {
                lock(&self.kept).insert(key, buffer);
            }
        }
        Ok(counting)
    }

    /// The place of the elements of a side.
    fn input(&self, key: Option<(u64, u64)>, bytes: usize) -> Input {
        let Some(key) = key else { return Input::Staged };
        if let Some(buffer) = lock(&self.kept).get(&key) {
            return Input::Kept(buffer.clone());
        }
        // Without memory to keep it, it is transferred each time.
        self.context.storage(bytes).map_or(Input::Staged, Input::ToKeep)
    }
}

impl Accelerator for Gpu {
    fn name(&self) -> &str {
        &self.adapter.name
    }

    fn accepts(&self, dtype: DType, options: &CompareOptions) -> bool {
        let mut tolerances = std::iter::once(&options.tolerance).chain(&options.further);
        is_for_gpu(dtype)
            && options.further.len() <= MAX_FURTHER
            && tolerances.all(|it| Tolerance::new(it.atol, it.rtol, it.ulp).is_ok())
    }

    fn most_bytes(&self) -> usize {
        usize::try_from(self.adapter.most_bytes).unwrap_or(usize::MAX)
    }

    fn begin(&self, batch: &Batch<'_>) -> Result<Box<dyn Counting>, Failure> {
        let bytes = batch.elements() * batch.dtype.size().unwrap_or_default();
        if bytes == 0
            || bytes > self.most_bytes()
            || [batch.lhs.len(), batch.rhs.len()] != [bytes; 2]
        {
            let sides = [batch.lhs.len(), batch.rhs.len()];
            return Err(Failure::Refused(format!("a batch of {sides:?} bytes")));
        }
        let kernels = self.kernels(batch.dtype, Needs::of(batch.options))?;
        self.submit(&kernels, batch)
    }

    fn test(&self) -> Result<(), Failure> {
        let needs = Needs { further: true, histogram: true };
        let mut dtypes = DType::ALL.iter().filter(|dtype| is_for_gpu(**dtype));
        dtypes.try_for_each(|&dtype| self.kernels(dtype, needs).map(drop))
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

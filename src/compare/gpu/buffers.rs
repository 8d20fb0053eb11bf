//! Buffers for a batch on the device, the transfer of the batch and of its results.
//!
//! Staging memory stays mapped between batches: the CPU writes into it while the device works on others.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::{Pod, Zeroable};
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, Buffer, BufferUsages, CommandEncoder,
    ComputePassDescriptor, MapMode, SubmissionIndex,
};

use super::super::accelerator::{Counting, Failure};
use super::super::close::Rule;
use super::super::tile::{Batch, Counted};
use super::super::{CompareOptions, NanPolicy};
use super::constants::{ATOL_RTOL, ATOL_RTOL_ULP, BITS_ONLY, MAX_FURTHER};
use super::context::{Context, Mapped};
use super::kernels::Kernels;
use super::words::Layout;

/// The free buffers.
#[derive(Default)]
pub(super) struct BufferPool(Mutex<Vec<BatchBuffers>>);

impl BufferPool {
    /// Buffers with room for `bytes` of each side.
    pub(super) fn take(
        &self,
        context: &Arc<Context>,
        bytes: usize,
    ) -> Result<BatchBuffers, Failure> {
        let mut free = lock(&self.0);
        let fits = free.iter().enumerate().filter(|(_, buffers)| buffers.bytes >= bytes);
        if let Some((at, _)) = fits.min_by_key(|(_, buffers)| buffers.bytes) {
            return Ok(free.swap_remove(at));
        }
        // Larger buffers replace smaller ones, so there are never more than were in use at once.
        drop(free.pop());
        drop(free);
        BatchBuffers::new(context, bytes)
    }

    fn put(&self, buffers: BatchBuffers) {
        lock(&self.0).push(buffers);
    }
}

/// The place of the elements of a side.
#[derive(Clone)]
pub(super) enum Input {
    /// They are transferred with this batch.
    Staged,
    /// They are transferred with this batch, and kept on the device.
    ToKeep(Buffer),
    /// They are on the device.
    Kept(Buffer),
}

/// Buffers for a batch.
pub(super) struct BatchBuffers {
    context: Arc<Context>,
    /// Bytes of each side.
    bytes: usize,
    staging: [Buffer; 2],
    storage: [Buffer; 2],
    job: Buffer,
    rules: Buffer,
    results: Buffer,
    readback: Buffer,
}

/// `Job` of `shaders/pair.wgsl`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Job {
    elements: u32,
    nan_differs: u32,
    further: u32,
    further_at: u32,
    bins_at: u32,
    proofs_at: u32,
    serial: u32,
    unused: u32,
}

/// `Rule` of `shaders/pair.wgsl`; its words of 64 bits are the shader's pairs of 32, low before high.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RuleWords {
    atol: u64,
    rtol: u64,
    ulp: u64,
    criteria: u32,
    unused: u32,
}

impl RuleWords {
    fn new(rule: &Rule) -> Self {
        let (atol, rtol) = rule.absolute.unwrap_or_default();
        let criteria = match (rule.absolute, rule.ulp) {
            (None, _) => BITS_ONLY,
            (Some(_), None) => ATOL_RTOL,
            (Some(_), Some(_)) => ATOL_RTOL_ULP,
        };
        let ulp = rule.ulp.unwrap_or_default();
        Self { atol: atol.to_bits(), rtol: rtol.to_bits(), ulp, criteria, unused: 0 }
    }

    fn all(options: &CompareOptions) -> Vec<Self> {
        let tolerances = std::iter::once(&options.tolerance).chain(&options.further);
        tolerances.map(|tolerance| Self::new(&Rule::new(tolerance, options.nan))).collect()
    }
}

impl BatchBuffers {
    fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Failure> {
        let staging = || context.buffer(bytes, BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC);
        let results = 4 * Layout::largest(bytes).words();
        let rules = (1 + MAX_FURTHER) * size_of::<RuleWords>();
        Ok(Self {
            context: Arc::clone(context),
            bytes,
            staging: [staging()?, staging()?],
            storage: [context.storage(bytes)?, context.storage(bytes)?],
            job: context
                .buffer(size_of::<Job>(), BufferUsages::UNIFORM | BufferUsages::COPY_DST)?,
            rules: context.buffer(rules, BufferUsages::STORAGE | BufferUsages::COPY_DST)?,
            results: context.buffer(
                results,
                BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            )?,
            readback: context.buffer(results, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?,
        })
    }

    /// Submits a batch. The buffers return to `pool` when its results have been read.
    pub(super) fn submit(
        self,
        kernels: &Kernels,
        inputs: [Input; 2],
        batch: &Batch<'_>,
        pool: Arc<BufferPool>,
    ) -> Result<Box<dyn Counting>, Failure> {
        let layout = Layout::new(batch.elements(), batch.options);
        let serial = self.context.serial();
        self.write_job(layout, batch.options, serial);
        let context = Arc::clone(&self.context);
        let (sender, mapped) = channel();
        let (index, waits) = context.scoped(|| -> Result<_, Failure> {
            let mut encoder = context.device.create_command_encoder(&Default::default());
            let mut staged = Vec::new();
            let mut elements = Vec::new();
            let rooms = self.staging.iter().zip(&self.storage);
            for ((input, bytes), (staging, storage)) in
                inputs.into_iter().zip([batch.lhs, batch.rhs]).zip(rooms)
            {
                let (buffer, is_on_device) = match input {
                    Input::Staged => (storage.clone(), false),
                    Input::ToKeep(buffer) => (buffer, false),
                    Input::Kept(buffer) => (buffer, true),
                };
                if !is_on_device {
                    upload(&mut encoder, bytes, staging, &buffer)?;
                    staged.push(staging);
                }
                elements.push(buffer);
            }
            self.count(&mut encoder, kernels, &elements, layout);
            let index = context.queue.submit([encoder.finish()]);
            for buffer in &staged {
                map(buffer, MapMode::Write, buffer.size(), sender.clone());
            }
            map(&self.readback, MapMode::Read, 4 * layout.words() as u64, sender);
            Ok((index, staged.len() + 1))
        })??;
        Ok(Box::new(Submitted { buffers: self, layout, serial, index, mapped, waits, pool }))
    }

    fn write_job(&self, layout: Layout, options: &CompareOptions, serial: u32) {
        let job = Job {
            elements: word(layout.elements),
            nan_differs: u32::from(options.nan == NanPolicy::Differ),
            further: word(options.further.len()),
            further_at: word(layout.further_at()),
            bins_at: word(layout.bins_at()),
            proofs_at: word(layout.proofs_at()),
            serial,
            unused: 0,
        };
        let queue = &self.context.queue;
        queue.write_buffer(&self.job, 0, bytemuck::bytes_of(&job));
        queue.write_buffer(&self.rules, 0, bytemuck::cast_slice(&RuleWords::all(options)));
    }

    /// Runs the kernels, one workgroup for each tile, and copies the results back.
    fn count(
        &self,
        encoder: &mut CommandEncoder,
        kernels: &Kernels,
        elements: &[Buffer],
        layout: Layout,
    ) {
        let buffers = elements.iter().chain([&self.job, &self.rules, &self.results]);
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let group = self.context.device.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &kernels.layout,
            entries: &entries,
        });
        let bytes = 4 * layout.words() as u64;
        encoder.clear_buffer(&self.results, 0, Some(bytes));
        for pipeline in &kernels.pipelines {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(word(layout.tiles()), 1, 1);
        }
        encoder.copy_buffer_to_buffer(&self.results, 0, &self.readback, 0, bytes);
    }
}

/// A number of elements or words of a batch.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a batch is below the limits of the device, which are of 32 bits"
)]
fn word(n: usize) -> u32 {
    n as u32
}

/// Writes `bytes` to `staging`, to be copied to `storage`.
fn upload(
    encoder: &mut CommandEncoder,
    bytes: &[u8],
    staging: &Buffer,
    storage: &Buffer,
) -> Result<(), Failure> {
    let whole = bytes.len().next_multiple_of(4) as u64;
    let mut view =
        staging.get_mapped_range_mut(..whole).map_err(|error| Failure::Map(error.to_string()))?;
    view.slice(..bytes.len()).copy_from_slice(bytes);
    drop(view);
    staging.unmap();
    encoder.copy_buffer_to_buffer(staging, 0, storage, 0, whole);
    Ok(())
}

fn map(buffer: &Buffer, mode: MapMode, bytes: u64, done: Sender<Mapped>) {
    buffer.map_async(mode, ..bytes, move |result| {
        // If the receiver is gone, nobody waits for the result.
        let _ = done.send(result);
    });
}

/// A batch that was submitted.
struct Submitted {
    buffers: BatchBuffers,
    layout: Layout,
    serial: u32,
    index: SubmissionIndex,
    mapped: Receiver<Mapped>,
    /// Buffers that will be mapped.
    waits: usize,
    pool: Arc<BufferPool>,
}

impl Counting for Submitted {
    fn finish(self: Box<Self>) -> Result<Counted, Failure> {
        let Self { buffers, layout, serial, index, mapped, waits, pool } = *self;
        let context = &buffers.context;
        context.wait(index)?;
        for _ in 0..waits {
            context.mapped(&mapped)?;
        }
        let counted = {
            let range = ..4 * layout.words() as u64;
            let view = buffers.readback.get_mapped_range(range);
            let view = view.map_err(|error| Failure::Map(error.to_string()))?;
            layout.read(&bytemuck::pod_collect_to_vec(&view), serial)
        };
        buffers.readback.unmap();
        pool.put(buffers);
        counted.ok_or_else(|| Failure::Wrong("it did not count every tile".into()))
    }
}

/// Locks a mutex, even a poisoned one: no update of a list of buffers can be interrupted halfway.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! An open device and its queue, and what has gone wrong with them.

use std::sync::{Arc, OnceLock};

use wgpu::{BufferDescriptor, BufferUsages, DeviceDescriptor, ErrorFilter};

use super::super::Failure;

/// A device, its queue, and what has gone wrong with them.
pub(super) struct Context {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    failure: Arc<OnceLock<Failure>>,
}

impl Context {
    /// Opens the device of an adapter with all that it allows.
    pub(super) fn open(adapter: &wgpu::Adapter) -> Result<Self, Failure> {
        let descriptor =
            DeviceDescriptor { required_limits: adapter.limits(), ..DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| Failure::Refused(error.to_string()))?;
        let failure = Arc::new(OnceLock::new());
        // The first failure is the cause of those after it. Without a handler wgpu panics.
        let seen = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error| {
            let _ = seen.set(failure_of(error));
        }));
        let seen = Arc::clone(&failure);
        device.set_device_lost_callback(move |_, why| {
            let _ = seen.set(Failure::Lost(why));
        });
        Ok(Self { device, queue, failure })
    }

    /// # Errors
    /// What has gone wrong so far.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.failure.get().map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// Does `work`, and tells what went wrong in it.
    pub(super) fn scoped<T>(&self, work: impl FnOnce() -> T) -> Result<T, Failure> {
        self.check()?;
        let filters = [ErrorFilter::Internal, ErrorFilter::OutOfMemory, ErrorFilter::Validation];
        let mut scopes: Vec<_> =
            filters.into_iter().map(|filter| self.device.push_error_scope(filter)).collect();
        let done = work();
        let mut failure = None;
        while let Some(scope) = scopes.pop() {
            failure = pollster::block_on(scope.pop()).map(failure_of).or(failure);
        }
        failure.map_or(Ok(done), Err)
    }

    /// A buffer of at least `bytes`.
    pub(super) fn buffer(
        &self,
        bytes: usize,
        usage: BufferUsages,
    ) -> Result<wgpu::Buffer, Failure> {
        let descriptor = BufferDescriptor {
            label: None,
            size: bytes.next_multiple_of(4) as u64,
            usage,
            // What is written by the CPU begins where it can be written.
            mapped_at_creation: usage.contains(BufferUsages::MAP_WRITE),
        };
        self.scoped(|| self.device.create_buffer(&descriptor))
    }

    /// A buffer for elements.
    pub(super) fn storage(&self, bytes: usize) -> Result<wgpu::Buffer, Failure> {
        self.buffer(bytes, BufferUsages::STORAGE | BufferUsages::COPY_DST)
    }
}

fn failure_of(error: wgpu::Error) -> Failure {
    match error {
        wgpu::Error::OutOfMemory { source } => Failure::Memory(source.to_string()),
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Failure::Refused(description)
        }
    }
}

//! An open device, its queue and its first failure.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use wgpu::{
    BufferAsyncError, BufferDescriptor, BufferUsages, DeviceDescriptor, ErrorFilter, PollError,
    PollType, SubmissionIndex,
};

use super::super::accelerator::Failure;

/// An open device, its queue and its first failure.
pub(super) struct Context {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    failure: Arc<OnceLock<Failure>>,
    /// The longest time that a batch may take.
    watchdog: Duration,
    serial: AtomicU32,
}

impl Context {
    /// Opens the device of an adapter with all that it allows.
    pub(super) fn open(adapter: &wgpu::Adapter, watchdog: Duration) -> Result<Self, Failure> {
        let descriptor =
            DeviceDescriptor { required_limits: adapter.limits(), ..DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| Failure::Refused(one_line(&error.to_string())))?;
        let failure = Arc::new(OnceLock::new());
        // The first failure is the cause of the later ones. Without a handler wgpu panics.
        let seen = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error| {
            let _ = seen.set(failure_of(error));
        }));
        let seen = Arc::clone(&failure);
        device.set_device_lost_callback(move |_, why| {
            let _ = seen.set(Failure::Lost(one_line(&why)));
        });
        Ok(Self { device, queue, failure, watchdog, serial: AtomicU32::new(1) })
    }

    /// # Errors
    /// The first failure, if there was one.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.failure.get().map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// A number that no recent batch had. It is odd, so that its product with a number of tiles is not 0.
    pub(super) fn serial(&self) -> u32 {
        self.serial.fetch_add(2, Ordering::Relaxed)
    }

    /// Records a failure of the device, and returns the first failure.
    pub(super) fn fail(&self, failure: Failure) -> Failure {
        self.failure.get_or_init(|| failure).clone()
    }

    /// Waits until a submission is done.
    ///
    /// # Errors
    /// If the device is lost, or does not answer in time.
    pub(super) fn wait(self: &Arc<Self>, index: SubmissionIndex) -> Result<(), Failure> {
        self.check()?;
        let wait = PollType::Wait { submission_index: Some(index), timeout: Some(self.watchdog) };
        // If the driver reports during the wait that the device is lost, wgpu panics.
        let waited = catch_unwind(AssertUnwindSafe(|| self.device.poll(wait)));
        let failure = match waited {
            Ok(Ok(_)) => return self.check(),
            Ok(Err(PollError::Timeout)) => {
                // Closing the device would wait for it.
                mem::forget(Arc::clone(self));
                Failure::Timeout(self.watchdog)
            }
            Ok(Err(error)) => Failure::Lost(one_line(&error.to_string())),
            Err(_) => Failure::Lost("its driver gave up".into()),
        };
        Err(self.fail(failure))
    }

    /// Waits for a buffer that is mapped when a submission is done.
    ///
    /// # Errors
    /// If it cannot be mapped.
    pub(super) fn mapped(&self, done: &Receiver<Mapped>) -> Result<(), Failure> {
        // The callback may run on another thread.
        let result = done.recv_timeout(self.watchdog);
        self.check()?;
        let failure = match result {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => Failure::Map(one_line(&error.to_string())),
            Err(_) => Failure::Timeout(self.watchdog),
        };
        Err(self.fail(failure))
    }

    /// Runs `work`, and returns its result or the error of the device.
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
            // A buffer that the CPU writes is mapped from the start.
            mapped_at_creation: usage.contains(BufferUsages::MAP_WRITE),
        };
        self.scoped(|| self.device.create_buffer(&descriptor))
    }

    /// A buffer for elements.
    pub(super) fn storage(&self, bytes: usize) -> Result<wgpu::Buffer, Failure> {
        self.buffer(bytes, BufferUsages::STORAGE | BufferUsages::COPY_DST)
    }
}

/// The result of mapping a buffer.
pub(super) type Mapped = Result<(), BufferAsyncError>;

/// The message on one line.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn failure_of(error: wgpu::Error) -> Failure {
    match error {
        wgpu::Error::OutOfMemory { source } => Failure::Memory(one_line(&source.to_string())),
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Failure::Refused(one_line(&description))
        }
    }
}

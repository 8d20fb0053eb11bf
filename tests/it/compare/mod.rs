//! Comparing elements, on the CPU and on the GPU.

mod accelerator;
pub mod gpu;
mod laws;
mod oracle;

//! Counting on a GPU with wgpu compute shaders. This is the only module that uses wgpu.
//!
//! ```text
//! adapters ─► Gpu ─► kernels of a dtype (tested before use) ─► buffers: staging ─► storage ─► shaders ─► results ─► Counted
//! ```
//! The shaders in `shaders/` use no floating type, so their results are the same on every adapter. Vulkan (Metal, Direct3D 12)
//! is loaded at run time; without it there are no adapters, which is not an error.

mod adapters;
mod buffers;
mod constants;
mod context;
mod device;
mod kernels;
mod needs;
mod self_test;
mod source;
mod words;

pub(super) use adapters::{list, open};

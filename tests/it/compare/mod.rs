//! Comparisons of elements, on the CPU and on the GPU.

mod accelerator;
mod gpu;
mod oracle;
mod properties;
mod values;

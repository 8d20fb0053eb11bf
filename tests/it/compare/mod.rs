//! Comparisons of elements, on the CPU and on the GPU.

mod accelerator;
mod gpu;
mod mismatch_map;
mod oracle;
mod properties;
mod sections;
mod values;

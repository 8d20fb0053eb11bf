//! The GPU against the CPU. Without an adapter these tests print a note and pass, unless `CKDIFF_REQUIRE_GPU` is set.

mod baseline;
pub mod device;
mod edges;
mod exact;
mod faults;
mod sizes;
mod values;

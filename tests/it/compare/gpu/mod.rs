//! The GPU compared with the CPU. Without an adapter these tests print a note and pass, unless `CKDIFF_REQUIRE_GPU` is set.

mod baseline;
mod edges;
mod exact;
mod faults;
mod reports;
mod sizes;
mod values;

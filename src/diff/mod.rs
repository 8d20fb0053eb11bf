//! Artifact against artifact: which tensors meet, and what came of it.

mod outcome;

pub use outcome::{Counts, Damage, Diff, Facts, Rename, Side, SideOf, Status, TensorDiff, Verdict};

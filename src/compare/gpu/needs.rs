//! Which kernels a batch needs.

use super::super::CompareOptions;

/// The number of kernels.
pub(super) const KERNELS: usize = 3;

/// Which kernels are needed in addition to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Needs {
    pub(super) further: bool,
    pub(super) histogram: bool,
}

impl Needs {
    pub(super) fn of(options: &CompareOptions) -> Self {
        Self { further: !options.further.is_empty(), histogram: options.histogram }
    }

    /// Whether each kernel is needed, in the order in which they run: `compare`, `tolerances`, `histogram`.
    pub(super) fn kernels(self) -> [bool; KERNELS] {
        [true, self.further, self.histogram]
    }
}

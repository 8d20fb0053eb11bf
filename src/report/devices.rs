//! What there is to compare on.

use crate::compare::Adapter;

/// The CPU and the adapters of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Devices {
    /// Threads that the CPU offers.
    pub threads: usize,
    /// GPUs, the best first, then software.
    pub adapters: Vec<Listed>,
}

/// An adapter, and whether it can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The adapter.
    pub adapter: Adapter,
    /// When it was held against known answers: why it failed, if it did.
    pub tested: Option<Option<String>>,
}

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
    /// What came of holding it against known answers.
    pub tested: Tested,
}

/// What came of holding an adapter against known answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tested {
    /// Nobody asked.
    No,
    /// It counts as the CPU does.
    Passed,
    /// It does not, or cannot be opened.
    Failed(String),
}

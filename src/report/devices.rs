//! The devices of a machine.

use serde::{Serialize, Serializer};

use crate::compare::Adapter;
use crate::serial::object;

/// The CPU and the adapters of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Devices {
    /// The number of threads of the CPU.
    pub threads: usize,
    /// GPUs, the best first, then software.
    pub adapters: Vec<ListedAdapter>,
}

/// An adapter, and whether its results are correct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedAdapter {
    /// The adapter.
    pub adapter: Adapter,
    /// The result of its test.
    pub tested: Tested,
}

/// The result of testing an adapter against known answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tested {
    /// It was not tested.
    No,
    /// Its results are those of the CPU.
    Passed,
    /// Its results differ from those of the CPU, or it cannot be opened.
    Failed(String),
}

impl Serialize for ListedAdapter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (passed, failure) = match &self.tested {
            Tested::No => (None, None),
            Tested::Passed => (Some(true), None),
            Tested::Failed(why) => (Some(false), Some(&**why)),
        };
        let report = object! {
            device: format!("gpu:{}", self.adapter.name),
            #[serde(flatten)]
            adapter: &self.adapter,
            passed: passed,
            failure: failure,
        };
        report.serialize(serializer)
    }
}

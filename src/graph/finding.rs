//! Findings in a graph.

use std::fmt;

use serde::Serialize;

/// A finding in a graph: something that TensorFlow refuses, or that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The path in the `GraphDef`: `node["dense/MatMul"].attr["T"]`.
    pub path: String,
    /// What was found, and what is allowed.
    pub problem: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

/// The result of checking a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// The first findings, in the order of the graph.
    pub findings: Vec<Finding>,
    /// The number of further findings.
    pub more: u64,
}

impl Checked {
    /// The number of all findings.
    pub fn total(&self) -> u64 {
        self.findings.len() as u64 + self.more
    }
}

/// Collects findings. Those beyond the limit are counted, and their texts are not made.
#[derive(Debug)]
pub(super) struct Findings {
    limit: usize,
    checked: Checked,
}

impl Findings {
    /// A collection that keeps `limit` findings.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, checked: Checked::default() }
    }

    /// Adds a finding.
    pub(super) fn add(&mut self, path: impl FnOnce() -> String, problem: impl FnOnce() -> String) {
        if self.checked.findings.len() < self.limit {
            self.checked.findings.push(Finding { path: path(), problem: problem() });
        } else {
            self.checked.more += 1;
        }
    }

    /// The result.
    pub(super) fn finish(self) -> Checked {
        self.checked
    }
}

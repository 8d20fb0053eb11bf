//! What is wrong in a graph, and where.

use std::fmt;

use serde::Serialize;

/// Something in a graph that TensorFlow does not take, or that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where, from the `GraphDef` on: `node["dense/MatMul"].attr["T"]`.
    pub path: String,
    /// What was found and what is allowed.
    pub problem: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

/// What came of checking a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// The first findings, in the order of the graph.
    pub findings: Vec<Finding>,
    /// How many more there are.
    pub more: u64,
}

/// Findings while they are collected: those beyond the limit are counted, and never put into words.
#[derive(Debug)]
pub(super) struct Findings {
    limit: usize,
    checked: Checked,
}

impl Findings {
    /// No findings yet, and room for `limit` of them.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, checked: Checked::default() }
    }

    /// Adds one.
    pub(super) fn add(&mut self, path: impl FnOnce() -> String, problem: impl FnOnce() -> String) {
        if self.checked.findings.len() < self.limit {
            self.checked.findings.push(Finding { path: path(), problem: problem() });
        } else {
            self.checked.more += 1;
        }
    }

    /// All that was found.
    pub(super) fn finish(self) -> Checked {
        self.checked
    }
}

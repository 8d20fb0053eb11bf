//! A test case, and its outcome.

use std::collections::BTreeSet;

/// A test case. No two have the same class and name.
#[derive(Debug)]
pub(super) struct Case {
    /// The subject of the case: `weights`, `optimizer`, `counters`, `tensors`, `graph`, `files` or `series`.
    pub(super) class: &'static str,
    pub(super) name: String,
    pub(super) outcome: Outcome,
}

#[derive(Debug)]
pub(super) enum Outcome {
    Passed,
    /// It differs, or breaks a rule.
    Failed(Reason),
    /// It cannot be read, or a rule cannot be decided.
    Error(Reason),
    /// A rule cannot be decided, and another one is broken anyway.
    Skipped(Reason),
}

/// Why a case does not pass.
#[derive(Debug)]
pub(super) struct Reason {
    /// The kind of the failure: a status, or the key of a rule.
    pub(super) kind: &'static str,
    /// The reason in one line.
    pub(super) line: String,
    /// Further lines.
    pub(super) details: Vec<String>,
}

impl Reason {
    pub(super) fn new(kind: &'static str, line: String) -> Self {
        Self { kind, line, details: Vec::new() }
    }
}

/// The names of the cases of a suite.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeSet<(&'static str, String)>);

impl Names {
    /// A case; a number is appended to a name that another case has.
    pub(super) fn case(&mut self, class: &'static str, name: String, outcome: Outcome) -> Case {
        let numbered = |n: u64| if n == 1 { name.clone() } else { format!("{name} ({n})") };
        let unique = (1..).map(numbered).find(|name| self.0.insert((class, name.clone())));
        Case { class, name: unique.unwrap_or(name), outcome }
    }
}

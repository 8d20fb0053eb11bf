//! A comparison as test cases: each tensor, and each rule or change of a graph, passes or fails.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::case::{Case, Names, Outcome, Reason};
use crate::diff::{Diff, Status, TensorDiff, Verdict};
use crate::report::Judged;
use crate::report::human::{self, change, difference, error, limit, printable, reason, role};
use crate::report::problems::{counting_changes, undecided_reason};
use crate::rules::{Check, CheckSubject};
use crate::summary::has_new_non_finite;
use crate::tensor::Name;

/// The cases of a comparison.
pub(super) struct Comparison<'a> {
    diff: &'a Diff,
    judged: Option<&'a Judged<'a>>,
    names: Names,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(diff: &'a Diff, judged: Option<&'a Judged<'a>>) -> Self {
        Self { diff, judged, names: Names::default() }
    }

    /// Calls `f` with each case: first the tensors by name, then graphs, then damaged files.
    pub(super) fn try_for_each(
        mut self,
        f: &mut dyn FnMut(Case) -> io::Result<()>,
    ) -> io::Result<()> {
        let checks = self.judged.map(Checks::new);
        for tensor in &self.diff.tensors {
            let outcome = match &checks {
                Some(checks) => checks.tensor(tensor),
                None => by_status(tensor),
            };
            let class = tensor.role.map_or("tensors", role);
            f(self.names.case(class, tensor.shown_name(), outcome))?;
        }
        let graph = match &checks {
            Some(checks) => checks.graph(self.diff),
            None => changes(self.diff),
        };
        for (name, outcome) in graph {
            f(self.names.case("graph", name, outcome))?;
        }
        for damage in &self.diff.damage {
            let file = damage.error.file().map(|file| printable(&file.display().to_string()));
            let name = format!("{}: {}", damage.side.name(), file.unwrap_or_default());
            let outcome = Outcome::Error(Reason::new("unreadable", error(&damage.error)));
            f(self.names.case("files", name, outcome))?;
        }
        Ok(())
    }
}

/// The outcome of a tensor without rules.
fn by_status(tensor: &TensorDiff) -> Outcome {
    let kind = match tensor.status {
        Status::Identical | Status::Uncompared | Status::Close => return Outcome::Passed,
        Status::Error => return unreadable(tensor),
        Status::Different if has_new_non_finite(tensor) => "non_finite",
        Status::Different => "values",
        status => status.name(),
    };
    let line = format!("{}: {}", human::name(tensor), difference(tensor));
    Outcome::Failed(Reason::new(kind, line))
}

fn unreadable(tensor: &TensorDiff) -> Outcome {
    let line = format!("{}: {}", human::name(tensor), difference(tensor));
    Outcome::Error(Reason::new("unreadable", line))
}

/// A case for each change of a graph that counts; one that passes if there is none.
fn changes(diff: &Diff) -> Vec<(String, Outcome)> {
    let mut cases: Vec<_> = counting_changes(diff)
        .map(|found| {
            let [path, text] = change(found);
            let reason = Reason::new("graph", format!("{path}: {text}"));
            (printable(&found.change.path.to_string()), Outcome::Failed(reason))
        })
        .collect();
    if cases.is_empty() && diff.coverage.has_graph() {
        cases.push(("no change".into(), Outcome::Passed));
    }
    cases
}

/// The checks of rules that do not hold, by what they are about.
struct Checks<'a> {
    judged: &'a Judged<'a>,
    tensors: BTreeMap<&'a Name, Found<'a>>,
    /// By the key of the rule.
    graph: BTreeMap<&'static str, Found<'a>>,
}

/// The checks of one subject.
#[derive(Debug, Default)]
struct Found<'a> {
    failures: Vec<&'a Check>,
    undecided: Vec<&'a Check>,
}

impl<'a> Checks<'a> {
    fn new(judged: &'a Judged<'a>) -> Self {
        let mut checks = Self { judged, tensors: BTreeMap::new(), graph: BTreeMap::new() };
        for check in &judged.judgement.failures {
            checks.of(check).failures.push(check);
        }
        for check in &judged.judgement.undecided {
            checks.of(check).undecided.push(check);
        }
        checks
    }

    fn of(&mut self, check: &'a Check) -> &mut Found<'a> {
        match &check.subject {
            CheckSubject::Tensor(name, _) => self.tensors.entry(name).or_default(),
            _ => self.graph.entry(check.gate).or_default(),
        }
    }

    fn tensor(&self, tensor: &TensorDiff) -> Outcome {
        if tensor.status == Status::Error {
            return unreadable(tensor);
        }
        match self.tensors.get(&tensor.name) {
            None => Outcome::Passed,
            Some(found) => self.outcome(found, Some(difference(tensor))),
        }
    }

    /// A case for each rule of graphs.
    fn graph(&self, diff: &Diff) -> Vec<(String, Outcome)> {
        let stated = self.judged.rules.graph_keys().filter(|_| diff.coverage.has_graph());
        let keys: BTreeSet<_> = stated.chain(self.graph.keys().copied()).collect();
        let case = |key: &'static str| {
            let outcome = self.graph.get(key).map(|found| self.outcome(found, None));
            (format!("[graph] {key}"), outcome.unwrap_or(Outcome::Passed))
        };
        keys.into_iter().map(case).collect()
    }

    /// The outcome of a subject with these checks.
    fn outcome(&self, found: &Found<'_>, facts: Option<String>) -> Outcome {
        let failures = found.failures.iter().map(|&check| (reason(check), check));
        let undecided = found.undecided.iter().map(|&check| (undecided_reason(check), check));
        let mut all = failures.chain(undecided);
        let Some((line, first)) = all.next() else { return Outcome::Passed };
        let rule = |check: &Check| {
            let (limit, rule) = (limit(check), printable(&check.rule.to_string()));
            format!("rule {rule}: {}, allowed {limit}", check.gate)
        };
        let mut details = vec![rule(first)];
        for (line, check) in all {
            details.extend([line, rule(check)]);
        }
        details.extend(facts);
        let reason = Reason { kind: first.gate, line, details };
        match (found.failures.is_empty(), self.judged.judgement.verdict()) {
            (false, _) => Outcome::Failed(reason),
            (true, Verdict::Trouble) => Outcome::Error(reason),
            (true, _) => Outcome::Skipped(reason),
        }
    }
}

//! What a saved report cannot decide, because it was made without what the rules need.

use std::collections::BTreeSet;

use super::gate::Gate;
use super::judgement::{Check, CheckSubject, Found, Judgement, Limit, Severity};
use super::rule::RuleOrigin;
use super::rule_list::Rules;
use crate::diff::{Diff, NameFilter, TensorDiff};
use crate::tensor::Name;

/// What must be compared again to decide the rest of a judgement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Again {
    /// The tensors, by name.
    pub tensors: Vec<Name>,
    /// Whether the graphs must be compared again: the tolerance of the report hides changes of values in them.
    pub graph: bool,
    /// Whether a report with histograms of values would decide some of the checks.
    pub values: bool,
}

impl Again {
    /// Whether everything was decided.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty() && !self.graph
    }
}

impl Judgement {
    /// What must be compared again; empty if everything was decided.
    pub fn again(&self) -> Again {
        let mut tensors = BTreeSet::new();
        let mut again = Again::default();
        for check in &self.undecided {
            match &check.subject {
                CheckSubject::Tensor(name, _) => drop(tensors.insert(name.clone())),
                CheckSubject::Change(_) | CheckSubject::Op(_) => again.graph = true,
            }
            let mut gates = Gate::ALL.iter();
            again.values |= gates.any(|gate| gate.needs_values() && gate.key() == check.gate);
        }
        Again { tensors: tensors.into_iter().collect(), ..again }
    }
}

/// The renames of rules that a comparison was made without, and what they would have changed.
pub(super) struct MissingRenames {
    filter: NameFilter,
    /// The new names of tensors of lhs.
    targets: BTreeSet<Name>,
    rule: RuleOrigin,
}

impl MissingRenames {
    pub(super) fn of(rules: &Rules, diff: &Diff) -> Self {
        let given: BTreeSet<&str> = diff.options.names.rename_rules().collect();
        let missing = rules.renames.iter().filter(|rename| !given.contains(&*rename.rule));
        let missing: Vec<_> = missing.cloned().collect();
        // Reading the rules has checked the renames.
        let filter = NameFilter::default().with_renames(&missing).unwrap_or_default();
        let renamed = diff.tensors.iter().filter_map(|tensor| filter.rename(lhs_name(tensor)?));
        let targets = renamed.collect();
        let rule = RuleOrigin { source: rules.source.as_str().into(), line: None, name: None };
        Self { filter, targets, rule }
    }

    /// A check that cannot be decided, if the tensor would be paired with another one.
    pub(super) fn undecided(&self, tensor: &TensorDiff) -> Option<Check> {
        let to = lhs_name(tensor).and_then(|name| self.filter.rename(name));
        let is_affected =
            self.targets.contains(&tensor.name) || to.is_some_and(|to| to != tensor.name);
        is_affected.then(|| Check {
            subject: CheckSubject::Tensor(tensor.name.clone(), tensor.shown_name().into()),
            gate: "rename",
            rule: self.rule.clone(),
            limit: Limit::Word("renamed"),
            found: Found::Unknown,
            sides: None,
            severity: Severity::Structure,
        })
    }
}

/// The name in lhs, if it has the tensor.
fn lhs_name(tensor: &TensorDiff) -> Option<&Name> {
    let has_lhs = tensor.lhs.is_some() || tensor.rhs.is_none();
    tensor.renamed_from.as_ref().or(Some(&tensor.name).filter(|_| has_lhs))
}

/// A check that cannot be decided, if the tolerance of a comparison without rules may hide changes of graphs.
pub(super) fn unseen_changes(diff: &Diff) -> Option<Check> {
    let is_hidden = diff.options.rules.is_none()
        && diff.coverage.has_graph()
        && !diff.options.compare.tolerance.is_bits();
    is_hidden.then(|| Check {
        subject: CheckSubject::Change("**".into()),
        gate: "expect",
        rule: RuleOrigin::without_rule(),
        limit: Limit::Word("unchanged"),
        found: Found::Unknown,
        sides: None,
        severity: Severity::Graph,
    })
}

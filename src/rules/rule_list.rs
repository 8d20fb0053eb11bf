//! The rules that apply to a comparison, and which of them match a tensor.

use sha2::{Digest, Sha256};

use super::graph::GraphRules;
use super::policy::Policy;
use super::rule::{Rule, RuleOrigin};
use super::selector::{NameIndex, Subject};
use crate::compare::CompareOptions;
use crate::diff::{GraphGlob, StatedRename, TensorDiff, TensorRules};
use crate::tensor::Name;

/// The rules of a file, of a built-in profile, or both.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// In the order in which they apply.
    pub(super) rules: Vec<Rule>,
    /// The globs of all of them.
    pub(super) names: NameIndex,
    pub(super) graph: GraphRules,
    pub(super) renames: Vec<StatedRename>,
    /// The name of the file or built-in profile.
    pub(super) source: String,
    /// The profile of the file that was chosen.
    pub(super) profile: Option<String>,
}

impl Rules {
    /// The name of the file or of the built-in profile.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The profile of the file that was chosen.
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// The renames, for [`NameFilter::with_renames`](crate::diff::NameFilter::with_renames).
    pub fn renames(&self) -> &[StatedRename] {
        &self.renames
    }

    /// The keys of the rules for graphs that are in force: `expect`, `signatures`, and what the rules add.
    pub fn graph_keys(&self) -> impl Iterator<Item = &'static str> {
        self.graph.keys()
    }

    /// A digest of everything that the rules say, which distinguishes them from others.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for Rule { origin, selector, patterns, excluded, settings } in &self.rules {
            hash.update(format!("{origin:?}{selector:?}{patterns:?}{excluded:?}{settings:?}"));
        }
        hash.update(format!("{:?}{:?}", self.graph, self.renames));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The settings for a tensor; marks the rules that match it.
    pub(super) fn policy_of(&self, tensor: &TensorDiff, matched: &mut [bool]) -> Policy<'_> {
        let names: Vec<&Name> = tensor.names().collect();
        let subject = Subject::of(tensor, &names);
        let mut policy = Policy::default();
        for at in self.matching(&subject) {
            if let Some(rule) = self.rules.get(at) {
                policy.add(at, &rule.settings);
            }
            if let Some(matched) = matched.get_mut(at) {
                *matched = true;
            }
        }
        policy
    }

    /// The rules that match a tensor, in their order.
    pub(super) fn matching(&self, subject: &Subject<'_>) -> Vec<usize> {
        let candidates = self.names.candidates(subject.names).into_iter();
        let matches = |(at, by_glob): &(usize, bool)| {
            self.rules.get(*at).is_some_and(|rule| rule.selector.accepts(subject, *by_glob))
        };
        candidates.filter(matches).map(|(at, _)| at).collect()
    }

    /// Where a rule comes from.
    pub(super) fn origin(&self, rule: usize) -> RuleOrigin {
        self.rules.get(rule).map_or_else(RuleOrigin::without_rule, |rule| rule.origin.clone())
    }
}

/// The tolerances of the rules replace all others.
impl TensorRules for Rules {
    fn options(&self, tensor: &TensorDiff, of_all: &CompareOptions) -> CompareOptions {
        match tensor.lhs.as_ref().zip(tensor.rhs.as_ref()) {
            Some((lhs, rhs)) => self.policy_of(tensor, &mut []).options(lhs, rhs, of_all),
            None => of_all.clone(),
        }
    }

    fn graph_globs(&self) -> &[GraphGlob] {
        self.graph.globs()
    }
}

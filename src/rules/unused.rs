//! Rules that match no tensor, which are usually typos.

use super::judgement::UnusedRule;
use super::rule::Rule;
use crate::diff::{Diff, closest_name};
use crate::tensor::Name;

/// The rules with patterns of names that match none of the tensors of a comparison.
pub(super) fn find(rules: &[Rule], matched: &[bool], diff: &Diff) -> Vec<UnusedRule> {
    // Rules without patterns, as those for a role, are often meant for other models too.
    let unused =
        rules.iter().zip(matched).filter(|(rule, matched)| !**matched && rule.selector.has_names);
    let names: Vec<&Name> = diff.tensors.iter().flat_map(|tensor| tensor.names()).collect();
    let describe = |(rule, _): (&Rule, &bool)| {
        let pattern = rule.patterns.first();
        UnusedRule { rule: rule.origin.clone(), pattern: pattern.cloned(), suggestion: None }
    };
    // Each search looks at every name.
    const SUGGESTED: usize = 10;
    let mut found: Vec<_> = unused.map(describe).collect();
    for unused in found.iter_mut().take(SUGGESTED) {
        let pattern = unused.pattern.as_deref();
        unused.suggestion = pattern.and_then(|of| closest_name(of, names.iter().copied()));
    }
    found
}

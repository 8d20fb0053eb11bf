//! Suggested renames as rules: one for all tensors whose prefix changed in the same way.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::{Diff, Rename};

/// The maximum number of bytes of the two names of a rule.
const MAX_LEN: usize = 1000;

/// A rule that renames tensors of lhs, and the number of tensors that it pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameRule {
    /// `FROM=TO`, as [`NameFilter`](crate::diff::NameFilter) takes it.
    pub rule: String,
    /// The number of tensors that it renames.
    pub tensors: usize,
}

/// Rules that rename exactly the tensors that seem renamed.
///
/// A name that is not UTF-8, contains control characters, is very long, or contains `=` in its new form (where the filter
/// splits a rule) gets no rule.
pub fn rename_rules(diff: &Diff) -> Vec<RenameRule> {
    let mut groups = BTreeMap::<(&str, &str), Vec<(&str, &str)>>::new();
    for (from, to) in diff.renames.iter().filter_map(typable) {
        groups.entry(prefixes(from, to)).or_default().push((from, to));
    }
    let names: BTreeSet<&[u8]> = diff
        .tensors
        .iter()
        .filter(|tensor| tensor.lhs.is_some() || tensor.error.is_some())
        .map(|tensor| tensor.renamed_from.as_ref().unwrap_or(&tensor.name).as_bytes())
        .collect();
    let mut rules = Vec::new();
    // Whether a scope has these tensors and no others. One more is enough to know.
    let is_whole = |scope: &str, tensors: usize| {
        let below = names.range(scope.as_bytes()..).take(tensors + 1);
        below.take_while(|name| name.starts_with(scope.as_bytes())).count() == tensors
    };
    for ((from, to), pairs) in groups {
        if pairs.len() > 1 && is_whole(&scope(from), pairs.len()) {
            rules.push(RenameRule { rule: general(from, to), tensors: pairs.len() });
        } else {
            let single = |(from, to)| RenameRule { rule: exact(from, to), tensors: 1 };
            rules.extend(pairs.into_iter().map(single));
        }
    }
    rules
}

fn typable(rename: &Rename) -> Option<(&str, &str)> {
    let (from, to) = (rename.from.as_str()?, rename.to.as_str()?);
    let plain = rename.from.printable() == from && rename.to.printable() == to;
    (plain && !to.contains('=') && from.len() + to.len() <= MAX_LEN).then_some((from, to))
}

/// The parts of two names before the path components that they share at the end.
fn prefixes<'a>(from: &'a str, to: &'a str) -> (&'a str, &'a str) {
    let (mut a, mut b) = (from, to);
    loop {
        let (a_scope, a_last) = a.rsplit_once('/').unwrap_or(("", a));
        let (b_scope, b_last) = b.rsplit_once('/').unwrap_or(("", b));
        if a_last != b_last || a.is_empty() || b.is_empty() {
            return (a, b);
        }
        (a, b) = (a_scope, b_scope);
    }
}

fn scope(prefix: &str) -> String {
    if prefix.is_empty() { String::new() } else { format!("{prefix}/") }
}

fn general(from: &str, to: &str) -> String {
    format!("^{}(.*)={}$1", regex::escape(&scope(from)), literal(&scope(to)))
}

fn exact(from: &str, to: &str) -> String {
    format!("^{}$={}", regex::escape(from), literal(to))
}

/// `text` as a replacement of a regular expression, in which `$` is escaped.
fn literal(text: &str) -> String {
    text.replace('$', "$$")
}

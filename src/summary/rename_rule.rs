//! Suggested renames as `--rename` options: one rule for all tensors whose prefix changed in the same way.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::{Diff, Rename};

use super::terminal_text::shell_quoted;

/// The maximum number of bytes of the two names of an option.
const MAX_LEN: usize = 1000;

/// A `--rename` option, and the number of tensors that it pairs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Suggestion {
    /// `FROM=TO`, as one word of a shell.
    pub(super) option: String,
    /// The number of tensors that it renames.
    pub(super) tensors: usize,
}

/// Options that rename exactly the tensors that seem renamed.
///
/// A name that is not UTF-8, contains control characters, is very long, or contains `=` in its new form (where the command
/// splits a rule) gets no option.
pub(super) fn suggestions(diff: &Diff) -> Vec<Suggestion> {
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
    let mut suggestions = Vec::new();
    for ((from, to), pairs) in groups {
        let start = scope(from);
        let below = names
            .range(start.as_bytes()..)
            .take_while(|name| name.starts_with(start.as_bytes()))
            .count();
        if pairs.len() > 1 && below == pairs.len() {
            suggestions.push(Suggestion { option: general(from, to), tensors: pairs.len() });
        } else {
            let single = |(from, to)| Suggestion { option: exact(from, to), tensors: 1 };
            suggestions.extend(pairs.into_iter().map(single));
        }
    }
    suggestions
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
    shell_quoted(&format!("^{}(.*)={}$1", regex::escape(&scope(from)), literal(&scope(to))))
}

fn exact(from: &str, to: &str) -> String {
    shell_quoted(&format!("^{}$={}", regex::escape(from), literal(to)))
}

/// `text` as a replacement of a regular expression, in which `$` is escaped.
fn literal(text: &str) -> String {
    text.replace('$', "$$")
}

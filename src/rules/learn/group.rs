//! Joins the limits of many tensors into few rules by the patterns of their names.

use std::collections::{BTreeMap, BTreeSet};

use super::limits::{Learned, Limits, TensorLimits};
use super::observation::GATES;
use crate::diff::{escaped_glob, name_glob};
use crate::graph::object_graph::VALUE_SUFFIX;
use crate::tensor::Name;

/// Limits within this factor of each other are joined; the rule has the larger one.
const ALIKE: f64 = 2.0;

/// A rule for some tensors.
#[derive(Debug, Clone)]
pub(super) struct LearnedRule {
    /// Globs for their names.
    pub(super) patterns: Vec<String>,
    /// The tensors.
    pub(super) members: Vec<Name>,
    pub(super) expect: Learned,
    pub(super) limits: Limits,
    /// The gates that an earlier rule for the same names limits, and this one does not.
    pub(super) off: Vec<usize>,
}

impl LearnedRule {
    /// Whether the rule sets anything.
    pub(super) fn says_anything(&self) -> bool {
        self.expect != Learned::Either
            || self.limits.iter().any(Option::is_some)
            || !self.off.is_empty()
    }
}

/// The rules for some tensors. A rule that matches all names with one ending comes before the rules for exceptions from it.
pub(super) fn group(tensors: &BTreeMap<Name, TensorLimits>) -> Vec<LearnedRule> {
    let mut by_ending = BTreeMap::<String, Vec<Unit>>::new();
    for (name, limits) in tensors {
        let units = by_ending.entry(ending(name)).or_default();
        let pattern = without_numbers(name);
        let fits = |unit: &&mut Unit| unit.pattern == pattern && unit.is_like(limits);
        match units.iter_mut().find(fits) {
            Some(unit) => unit.add(name, limits),
            None => units.push(Unit::new(pattern, name, limits)),
        }
    }
    let of_others = |ending: &str, units: &[Unit]| {
        let Ok(glob) = name_glob(ending) else { return true };
        let matcher = glob.compile_matcher();
        let own: BTreeSet<&Name> = units.iter().flat_map(|unit| &unit.names).collect();
        tensors.keys().any(|name| !own.contains(name) && matcher.is_match(name.to_string()))
    };
    let rules = by_ending.into_iter().flat_map(|(ending, units)| {
        // A rule for an ending must not match names that another rule is for.
        let general = (!of_others(&ending, &units)).then_some(ending);
        rules(general.as_deref(), units)
    });
    rules.collect()
}

/// Tensors whose names differ in numbers only, with limits that are alike.
#[derive(Debug, Clone)]
struct Unit {
    pattern: String,
    names: Vec<Name>,
    expect: Learned,
    least: Limits,
    most: Limits,
}

impl Unit {
    fn new(pattern: String, name: &Name, of: &TensorLimits) -> Self {
        let names = vec![name.clone()];
        Self { pattern, names, expect: of.expect, least: of.limits, most: of.limits }
    }

    fn is_like(&self, of: &TensorLimits) -> bool {
        self.expect == of.expect && are_alike(&self.least, &self.most, &of.limits, &of.limits)
    }

    fn add(&mut self, name: &Name, of: &TensorLimits) {
        self.names.push(name.clone());
        widen(&mut self.least, &mut self.most, &of.limits, &of.limits);
    }
}

fn are_alike(least: &Limits, most: &Limits, other_least: &Limits, other_most: &Limits) -> bool {
    let bounds = least.iter().zip(most).zip(other_least.iter().zip(other_most));
    bounds.into_iter().all(|((a, b), (c, d))| match (a, b, c, d) {
        (None, None, None, None) => true,
        (Some(a), Some(b), Some(c), Some(d)) => b.max(*d) <= ALIKE * a.min(*c),
        _ => false,
    })
}

fn widen(least: &mut Limits, most: &mut Limits, other_least: &Limits, other_most: &Limits) {
    for (ours, other) in least.iter_mut().zip(other_least) {
        *ours = ours.zip(*other).map(|(a, b)| a.min(b));
    }
    for (ours, other) in most.iter_mut().zip(other_most) {
        *ours = ours.zip(*other).map(|(a, b)| a.max(b));
    }
}

/// The rules for names with one ending: one for as many as are alike, then the exceptions. Without a glob for the ending, all are
/// named one by one.
fn rules(ending: Option<&str>, units: Vec<Unit>) -> Vec<LearnedRule> {
    let mut clusters = Vec::<Vec<Unit>>::new();
    let mut bounds = Vec::<(Learned, Limits, Limits)>::new();
    for unit in units {
        let fits = |(expect, least, most): &(Learned, Limits, Limits)| {
            *expect == unit.expect && are_alike(least, most, &unit.least, &unit.most)
        };
        match bounds.iter().position(fits) {
            Some(at) => {
                if let (Some(cluster), Some((_, least, most))) =
                    (clusters.get_mut(at), bounds.get_mut(at))
                {
                    widen(least, most, &unit.least, &unit.most);
                    cluster.push(unit);
                }
            }
            None => {
                bounds.push((unit.expect, unit.least, unit.most));
                clusters.push(vec![unit]);
            }
        }
    }
    let size = |cluster: &[Unit]| cluster.iter().map(|unit| unit.names.len()).sum::<usize>();
    let mut found: Vec<_> = clusters.into_iter().zip(bounds).collect();
    found.sort_by_key(|(cluster, _)| std::cmp::Reverse(size(cluster)));
    let mut rules = Vec::<LearnedRule>::new();
    for (cluster, (expect, _, limits)) in found {
        let first = rules.first();
        let general = ending.filter(|_| first.is_none() && size(&cluster) > 1);
        let patterns = match general {
            Some(ending) => vec![ending.to_owned()],
            None => patterns(&cluster),
        };
        let has_general =
            first.zip(ending).is_some_and(|(first, ending)| first.patterns == [ending.to_owned()]);
        let off = match first.filter(|_| has_general) {
            Some(general) => (0..GATES.len())
                .filter(|at| general.limits.get(*at).is_some_and(Option::is_some))
                .filter(|at| limits.get(*at).is_some_and(Option::is_none))
                .collect(),
            None => Vec::new(),
        };
        let members = cluster.into_iter().flat_map(|unit| unit.names).collect();
        rules.push(LearnedRule { patterns, members, expect, limits, off });
    }
    rules
}

/// The globs of exceptions: one by one, since a pattern without numbers may match others too.
fn patterns(cluster: &[Unit]) -> Vec<String> {
    cluster
        .iter()
        .flat_map(|unit| &unit.names)
        .map(|name| escaped_glob(&name.to_string()))
        .collect()
}

/// A glob for all names with the last part of this one.
fn ending(name: &Name) -> String {
    let text = name.to_string();
    let (start, suffix) = match text.strip_suffix(VALUE_SUFFIX) {
        Some(start) => (start, VALUE_SUFFIX),
        None => (text.as_str(), ""),
    };
    match (start.rsplit_once('/'), start.rsplit_once('.')) {
        (Some((_, last)), _) => format!("**/{}{}", escaped_glob(last), escaped_glob(suffix)),
        (None, Some((_, last))) => format!("*.{}", escaped_glob(last)),
        (None, None) => format!("**/{}", escaped_glob(&text)),
    }
}

/// The name with a mark in place of each number, such as that of a layer.
fn without_numbers(name: &Name) -> String {
    let mut pattern = String::new();
    for c in name.to_string().chars() {
        match c.is_ascii_digit() {
            true if pattern.ends_with('\0') => {}
            true => pattern.push('\0'),
            false => pattern.push(c),
        }
    }
    pattern
}

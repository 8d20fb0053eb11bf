//! Rules learned from good runs: how far each tensor may move is what it does between trainings that are known to be good.
//!
//! Every pair of runs gives, for each tensor, a distance per gate. The limit is the largest one, times a margin. Gates that would
//! accept a wrong tensor are useless and left out; where two runs have no element in common, only norms and distributions are
//! left. `docs/learning.md` has the measurements behind the numbers.

mod group;
mod limits;
mod observation;
mod text;

use std::collections::BTreeMap;

pub use observation::Observed;

use crate::diff::TensorRole;
use crate::error::{Error, Result};
use crate::tensor::Name;

use group::{LearnedRule, group};
use limits::{Learned, TensorLimits};
use observation::{GATES, ObservedTensor};

/// The fewest runs to learn from.
pub const MIN_RUNS: usize = 3;

/// How the runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// Each with the baseline that all started from.
    Baseline,
    /// Each with the others.
    EachOther,
    /// Each with the one before.
    Previous,
}

/// What to learn from.
#[derive(Debug, Clone)]
pub struct GoodRuns {
    /// The names of the runs.
    pub names: Vec<String>,
    /// The name of the baseline.
    pub baseline: Option<String>,
    /// How they are compared.
    pub against: Against,
    /// The pairs: the number of the run that is lhs, `None` for the baseline; the number of the run that is rhs; what was observed.
    pub pairs: Vec<(Option<usize>, usize, Observed)>,
}

/// Rules that were learned.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LearnedRules {
    /// The text of the rules file.
    pub text: String,
    /// The number of rules in it, without the default.
    pub rules: usize,
    /// For each run, what it breaks of the rules that are learned from the others: names of tensors and gates.
    pub left_out: Vec<Vec<(Name, &'static str)>>,
}

/// Learns rules from good runs. A limit is `margin` times the largest distance that a pair of them had.
///
/// # Errors
/// If there are fewer than [`MIN_RUNS`] runs, the pairs do not have the same tensors, or the margin is less than 1 or not finite.
pub fn learn(runs: &GoodRuns, margin: f64) -> Result<LearnedRules> {
    if runs.names.len() < MIN_RUNS {
        let found = format!("{}", runs.names.len());
        return Err(Error::unexpected(
            "number of good runs",
            found,
            format!("at least {MIN_RUNS}"),
        ));
    }
    if !(margin.is_finite() && margin >= 1.0) {
        return Err(Error::unexpected("margin", margin, "a finite number of at least 1"));
    }
    let all: Vec<&Observed> = runs.pairs.iter().map(|(.., observed)| observed).collect();
    let limits = limits_of(&all, margin)?;
    let mut rules = group(&limits);
    rules.retain(LearnedRule::says_anything);
    let left_out: Vec<_> =
        (0..runs.names.len()).map(|run| leave_out(runs, run, margin)).collect::<Result<_>>()?;
    let text = text::write(runs, margin, &limits, &rules, &left_out);
    Ok(LearnedRules { text, rules: rules.len(), left_out })
}

/// The limits of each weight.
fn limits_of(pairs: &[&Observed], margin: f64) -> Result<BTreeMap<Name, TensorLimits>> {
    let mut by_name = BTreeMap::<&Name, Vec<&ObservedTensor>>::new();
    for pair in pairs {
        let is_weight =
            |tensor: &&ObservedTensor| tensor.role.is_none_or(|role| role == TensorRole::Weight);
        for tensor in pair.tensors.iter().filter(is_weight) {
            by_name.entry(&tensor.name).or_default().push(tensor);
        }
    }
    if let Some((name, _)) = by_name.iter().find(|(_, observed)| observed.len() != pairs.len()) {
        let why = "not every pair of runs has it: the runs are of different models";
        return Err(Error::usage(why).of_tensor(name));
    }
    let limits = |(name, observed): (&Name, Vec<&ObservedTensor>)| {
        (name.clone(), TensorLimits::new(&observed, margin))
    };
    Ok(by_name.into_iter().map(limits).collect())
}

/// What a run breaks of the rules that are learned from the others. It is compared with the baseline, the run before it, or the first
/// of the others.
fn leave_out(runs: &GoodRuns, run: usize, margin: f64) -> Result<Vec<(Name, &'static str)>> {
    let without =
        |(lhs, rhs, _): &&(Option<usize>, usize, Observed)| *lhs != Some(run) && *rhs != run;
    let others: Vec<&Observed> = runs.pairs.iter().filter(without).map(|(.., of)| of).collect();
    let with = runs.pairs.iter().find(|(lhs, rhs, _)| *rhs == run || *lhs == Some(run));
    let Some((.., judged)) = with.filter(|_| !others.is_empty()) else { return Ok(Vec::new()) };
    let rules = group(&limits_of(&others, margin)?);
    let mut by_name = BTreeMap::<&Name, &LearnedRule>::new();
    for rule in &rules {
        by_name.extend(rule.members.iter().map(|name| (name, rule)));
    }
    let broken = judged.tensors.iter().filter_map(|tensor| {
        let rule = by_name.get(&tensor.name)?;
        Some((tensor.name.clone(), broken(rule, tensor)?))
    });
    Ok(broken.collect())
}

/// The first gate that a tensor breaks.
fn broken(rule: &LearnedRule, tensor: &ObservedTensor) -> Option<&'static str> {
    match (rule.expect, tensor.has_changed) {
        (Learned::Unchanged, true) | (Learned::Changed, false) => return Some("expect"),
        _ => {}
    }
    let beyond = GATES.iter().zip(rule.limits).zip(tensor.distances);
    let beyond = beyond
        .into_iter()
        .find(|((_, limit), found)| limit.zip(*found).is_some_and(|(limit, found)| found > limit));
    beyond.map(|((gate, _), _)| gate.key())
}

//! A series as test cases: a case for each checkpoint.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use super::case::{Case, Names, Outcome, Reason};
use super::{Suite, shown};
use crate::report::human::series::labels;
use crate::report::human::{error, plural, printable};
use crate::series::{NonFiniteFrom, Property, Search, Series, Step, Tensor};

/// The suite of a series.
pub(super) fn suite(series: &Series) -> Suite<'_> {
    of_steps(&series.steps, move |f| try_for_each(series, f))
}

/// The suite of a search in a series.
pub(super) fn suite_of_search(search: &Search) -> Suite<'_> {
    of_steps(&search.steps, move |f| {
        let mut names = Names::default();
        for (at, step) in search.steps.iter().enumerate() {
            f(names.case("series", shown(&step.path), searched(search, step, at)))?;
        }
        Ok(())
    })
}

/// A suite that is named after the first and the last checkpoint.
fn of_steps<'a>(
    steps: &[Step],
    cases: impl Fn(&mut dyn FnMut(Case) -> io::Result<()>) -> io::Result<()> + 'a,
) -> Suite<'a> {
    let path = |step: Option<&Step>| step.map(|step| shown(&step.path)).unwrap_or_default();
    let (first, last) = (path(steps.first()), path(steps.last()));
    Suite { name: format!("{first} … {last}"), file: last, cases: Box::new(cases) }
}

/// The outcome of a checkpoint in a search, which compares few of them.
fn searched(search: &Search, step: &Step, at: usize) -> Outcome {
    let (is_found, is_after) =
        search.found.map_or((false, false), |found| (at == found, at > found));
    if step.errors.is_empty() && is_found {
        let mut reasons = search.because.iter().map(|reason| printable(reason));
        let (kind, what) = match search.property {
            Property::NonFinite => ("non_finite", "the first with new NaN or infinity: "),
            Property::Broken => ("rule", "the first that breaks a rule: "),
        };
        let line = what.to_owned() + &reasons.next().unwrap_or_default();
        return Outcome::Failed(Reason { kind, line, details: reasons.collect() });
    }
    let skipped = |why: &str| Outcome::Skipped(Reason::new("search", why.to_owned()));
    match outcome(step, &[]) {
        Outcome::Error(reason) => Outcome::Error(reason),
        _ if is_after => skipped("after the checkpoint that was found"),
        _ if step.drift.is_none() && step.path != search.baseline => {
            skipped("not compared: the search did not need it")
        }
        outcome => outcome,
    }
}

fn try_for_each(series: &Series, f: &mut dyn FnMut(Case) -> io::Result<()>) -> io::Result<()> {
    let mut names = Names::default();
    let mut non_finite = BTreeMap::<usize, Vec<&NonFiniteFrom>>::new();
    for found in &series.non_finite {
        non_finite.entry(found.at).or_default().push(found);
    }
    let mut known = BTreeSet::new();
    for (at, step) in series.steps.iter().enumerate() {
        let new = non_finite.get(&at).map(Vec::as_slice).unwrap_or_default();
        let outcome = match outcome(step, new) {
            Outcome::Passed => still_non_finite(step, &known),
            outcome => outcome,
        };
        f(names.case("series", shown(&step.path), outcome))?;
        known.extend(new.iter().map(|found| &found.tensor));
    }
    Ok(())
}

/// The outcome of a checkpoint in which nothing new is wrong: tensors may still have NaN or infinities of an earlier one, `known`.
fn still_non_finite(step: &Step, known: &BTreeSet<&Arc<Tensor>>) -> Outcome {
    let tensors = step.drift.iter().flat_map(|drift| &drift.tensors);
    let bad = tensors.filter(|of| known.contains(&of.tensor)).filter_map(|of| {
        let found = of.non_finite.filter(|found| found.nan.rhs > 0 || found.inf > 0)?;
        let counts = labels::non_finite(found.nan.rhs, found.inf);
        Some(format!("{}: {counts}", labels::name(&of.tensor)))
    });
    let details: Vec<_> = bad.collect();
    match details.len() as u64 {
        0 => Outcome::Passed,
        n => {
            let tensors = plural(n, "tensor");
            let line = format!("NaN or infinity of earlier checkpoints, in {tensors}");
            Outcome::Failed(Reason { kind: "non_finite", line, details })
        }
    }
}

/// The outcome of a checkpoint: its errors, else the tensors in which NaN or infinities begin, and the rule that is broken.
fn outcome(step: &Step, new: &[&NonFiniteFrom]) -> Outcome {
    let mut errors = step.errors.iter().map(error);
    if let Some(line) = errors.next() {
        return Outcome::Error(Reason { kind: "unreadable", line, details: errors.collect() });
    }
    let broken = step.drift.as_ref().and_then(|drift| drift.broken.as_deref()).map(printable);
    let new = new.iter().map(|found| {
        let counts = labels::non_finite(found.nan, found.inf);
        format!("{}: {counts}, which are new", labels::name(&found.tensor))
    });
    let kind = if broken.is_some() { "rule" } else { "non_finite" };
    let mut lines = broken.into_iter().chain(new);
    match lines.next() {
        Some(line) => Outcome::Failed(Reason { kind, line, details: lines.collect() }),
        None => Outcome::Passed,
    }
}

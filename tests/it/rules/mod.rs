//! Rules: what a file may say, what follows from it for each tensor and change, and rules that are learned.

mod command;
mod gates;
mod graphs;
mod judge;
mod judge_hostile;
mod judge_random;
mod laws;
mod learning;
mod parse;
mod precedence;
mod saved;
mod size;

use std::path::Path;
use std::sync::Arc;

use ckdiff::artifact::Artifact;
use ckdiff::diff::{Diff, DiffOptions, TensorRules, diff};
use ckdiff::progress::Silent;
use ckdiff::rules::{Judgement, Rules};
use ckdiff::tensor::Tensor;

use crate::support::written::checkpoint;

/// The rules of a text.
fn rules(text: &str) -> Arc<Rules> {
    let parsed = Rules::parse(text, Path::new("ckdiff.toml"), None);
    Arc::new(parsed.unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// Two artifacts compared as rules need it.
fn compared(lhs: &Path, rhs: &Path, rules: Option<&Arc<Rules>>) -> Diff {
    let rules = rules.map(|rules| Arc::clone(rules) as Arc<dyn TensorRules>);
    let (lhs, rhs) = Artifact::open_both(lhs, rhs, 1);
    let options = DiffOptions { rules, ..DiffOptions::default() };
    diff(&lhs.unwrap(), &rhs.unwrap(), &options, &Silent).unwrap()
}

/// A name, and the tensor of each side that has it.
type Pair<'t> = (&'t str, Option<Tensor>, Option<Tensor>);

/// Compares tensors of one name each, and judges them.
fn judged(text: &str, tensors: &[Pair<'_>]) -> Judgement {
    let dir = tempfile::tempdir().unwrap();
    let side = |name: &str, of: fn(&Pair<'_>) -> Option<Tensor>| {
        let own = tensors.iter().filter_map(|tensor| Some((tensor.0.to_owned(), of(tensor)?)));
        checkpoint(dir.path(), name, &own.collect::<Vec<_>>())
    };
    let lhs = side("lhs", |(_, lhs, _)| lhs.clone());
    let rhs = side("rhs", |(.., rhs)| rhs.clone());
    let rules = rules(text);
    rules.judge(&compared(&lhs, &rhs, Some(&rules)))
}

/// What fails, as `name: gate`, in the order of the judgement.
fn failures(judgement: &Judgement) -> Vec<String> {
    let line = |check: &ckdiff::rules::Check| format!("{}: {}", check.subject.shown(), check.gate);
    judgement.failures.iter().map(line).collect()
}

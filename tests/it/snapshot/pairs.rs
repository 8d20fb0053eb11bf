//! A check tells of two models what a comparison of them tells, in no more changes.

use std::fs;
use std::path::Path;

use ckdiff::artifact::Artifact;
use ckdiff::diff::{DiffOptions, Only, Verdict, Weight, diff};
use ckdiff::progress::Silent;
use ckdiff::snapshot;

/// What a snapshot does not guard, and why.
const SAME: &[(&str, &str)] = &[
    ("keras_loss", "only the Keras metadata differs"),
    ("module_attribute_renamed", "only the object graph differs"),
    ("module_child_added", "only the object graph differs"),
    ("op_changed", "only the op definitions differ"),
];

fn semantic(diff: &ckdiff::diff::Diff) -> u64 {
    let changes = diff.changes.iter().filter(|change| change.weight == Weight::Semantic);
    let tensors = diff.tensors.iter().filter(|tensor| tensor.is_changed());
    (changes.count() + tensors.count()) as u64
}

#[test]
fn a_check_tells_no_more_than_a_comparison() {
    let mut wrong = Vec::new();
    let mut told = [0, 0];
    let mut names: Vec<_> =
        fs::read_dir("tests/data/pairs").unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for pair in names {
        let name = pair.file_name().unwrap().to_str().unwrap().to_owned();
        let [lhs, rhs] = ["lhs", "rhs"].map(|side| open(&pair, side));
        let options = DiffOptions::default();
        let whole = diff(&lhs, &rhs, &options, &Silent).unwrap();
        let saved = snapshot::parse(snapshot::text(&lhs).unwrap()).unwrap();
        let check = match snapshot::check(&saved, "saved".as_ref(), &rhs, &options) {
            Ok(check) => check,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let graph =
            diff(&lhs, &rhs, &DiffOptions { only: Only::Graph, ..options }, &Silent).unwrap();
        let (most, found) = (semantic(&graph), semantic(&check));
        let facts = whole
            .tensors
            .iter()
            .filter(|tensor| tensor.is_changed() && tensor.comparison.is_none());
        let most = most + facts.count() as u64;
        told[0] += most;
        told[1] += found;
        if found > most && name != SHIFTED {
            wrong
                .push(format!("{name}: {found} told, {most} by a comparison: {:?}", check.changes));
        }
        let is_listed = SAME.iter().any(|(same, _)| *same == name);
        if (check.verdict() == Verdict::Same) != (graph.verdict() == Verdict::Same || is_listed) {
            wrong.push(format!(
                "{name}: {:?}, {:?} by a comparison: {:?}",
                check.verdict(),
                graph.verdict(),
                graph
                    .changes
                    .iter()
                    .filter(|c| c.weight == Weight::Semantic)
                    .take(3)
                    .collect::<Vec<_>>()
            ));
        }
    }
    assert!(wrong.is_empty(), "{told:?}\n{}", wrong.join("\n"));
}

/// Nodes are matched in the order of their definition where their numbers shifted; a snapshot has no order.
const SHIFTED: &str = "numbers_shifted";

fn open(pair: &Path, side: &str) -> Artifact<'static> {
    let path = ["", ".meta", ".pb", ".pbtxt"].map(|end| pair.join(format!("{side}{end}")));
    let path = path.iter().find(|path| path.exists()).unwrap();
    Artifact::open(path).and_then(Artifact::with_meta_graph).unwrap()
}

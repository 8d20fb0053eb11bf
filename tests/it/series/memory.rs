//! What is held in memory changes no result.

use std::path::Path;

use ckdiff::artifact::Artifact;
use ckdiff::diff::{DiffOptions, Only, diff};
use ckdiff::progress::Silent;
use ckdiff::series::{Against, SeriesOptions};

use super::{compared, found};

#[test]
fn a_series_has_the_numbers_of_its_comparisons() {
    for dir in ["training/steps", "training/diverging", "v1", "slices", "snappy"] {
        let dir = Path::new("tests/data").join(dir);
        let checkpoints = found(&[dir]);
        for against in [Against::First, Against::Previous] {
            let options = SeriesOptions { against: against.clone(), ..SeriesOptions::default() };
            let series = compared(&checkpoints, &options);
            for at in 1..series.steps.len() {
                let lhs = if against == Against::First { 0 } else { at - 1 };
                let open = |at: usize| Artifact::open(&series.steps[at].path).unwrap();
                let options = DiffOptions { only: Only::Tensors, ..DiffOptions::default() };
                let pair = diff(&open(lhs), &open(at), &options, &Silent).unwrap();
                let drift = series.steps[at].drift.as_ref().unwrap();
                assert_eq!(pair.tensors.len(), drift.tensors.len());
                for (one, kept) in pair.tensors.iter().zip(&drift.tensors) {
                    assert_eq!(one.name, kept.tensor.name);
                    let comparison = one.comparison.as_deref();
                    let moved = comparison.and_then(|of| Some((of.rel_l2?, of.diff_norm?)));
                    let bits = |(a, b): (f64, f64)| (a.to_bits(), b.to_bits());
                    assert_eq!(kept.moved.map(|of| bits((of.rel_l2, of.diff))), moved.map(bits));
                }
            }
        }
    }
}

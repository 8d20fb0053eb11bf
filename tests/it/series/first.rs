//! The search for the first checkpoint with a property.

use std::fs;

use ckdiff::diff::Diff;
use ckdiff::progress::Silent;
use ckdiff::series::{Against, Judge, Property, Search, SeriesOptions, Verdict, compare, first};

use super::{found, series, write};
use crate::support::directory::copy;

fn search(directory: &std::path::Path, property: Property, judge: Option<Judge<'_>>) -> Search {
    let checkpoints = found(&[directory.into()]);
    let options = SeriesOptions::default();
    first(&checkpoints, property, &options, judge, &mut None, &Silent).unwrap()
}

/// The number of checkpoints that a search compared.
fn read(search: &Search) -> usize {
    search.steps.iter().filter(|step| step.drift.is_some()).count()
}

#[test]
fn the_search_finds_what_the_whole_series_shows_and_reads_few() {
    const COUNT: usize = 33;
    for first_nan in [0, 1, 2, 15, 16, 31, 32, COUNT] {
        let dir = tempfile::tempdir().unwrap();
        for at in 0..COUNT {
            let second = if at >= first_nan { f32::NAN } else { at as f32 };
            write(dir.path(), &format!("m-{at}"), at as i64, &[1.0, second]);
        }
        let search = search(dir.path(), Property::NonFinite, None);
        let whole = series(dir.path());
        assert_eq!(search.found, whole.non_finite.first().map(|of| of.at), "NaN from {first_nan}");
        assert_eq!(search.found, Some(first_nan).filter(|at| *at < COUNT));
        assert_eq!(search.verdict(), whole.verdict());
        assert!(read(&search) <= 6, "{} read for {first_nan}", read(&search));
    }
}

#[test]
fn a_rule_is_found_where_the_whole_series_breaks_it() {
    let too_far = |limit: f64| {
        move |diff: &Diff| {
            let moved = diff.tensors.iter().filter_map(|of| of.comparison.as_ref()?.rel_l2);
            let furthest = moved.filter(|moved| moved.is_finite()).fold(0.0, f64::max);
            (furthest > limit).then(|| format!("{furthest:.3}")).into()
        }
    };
    let steps = std::path::Path::new("tests/data/training/steps");
    for limit in [0.0, 1.2, 5.0, 9.0, 1e9] {
        let rule = too_far(limit);
        let judge = Judge { identity: "furthest", rules: None, judge: &rule };
        let search = search(steps, Property::Broken, Some(judge));
        let checkpoints = found(&[steps.into()]);
        let options = SeriesOptions::default();
        let whole = compare(&checkpoints, &options, Some(judge), &mut None, &Silent).unwrap();
        let broken = whole.first_broken();
        assert_eq!(search.found, broken.map(|(at, _)| at), "{limit}");
        assert_eq!(search.because.first().map(String::as_str), broken.map(|(_, why)| why));
        assert_eq!(search.verdict(), whole.verdict());
    }
}

#[test]
fn checkpoints_that_cannot_be_read_are_passed_over() {
    let dir = copy("training/diverging");
    for step in [100, 600, 900, 1100] {
        fs::write(dir.path().join(format!("model.ckpt-{step}.index")), b"damaged").unwrap();
    }
    let search = search(dir.path(), Property::NonFinite, None);
    assert_eq!(search.found.and_then(|at| search.steps[at].step), Some(1000));
    assert_eq!(search.verdict(), Verdict::Trouble);
    assert!(search.baseline.ends_with("model.ckpt-200"));
}

#[test]
fn a_search_needs_one_baseline() {
    let checkpoints = found(&["tests/data/training/steps".into()]);
    let options = SeriesOptions { against: Against::Previous, ..SeriesOptions::default() };
    let search = first(&checkpoints, Property::NonFinite, &options, None, &mut None, &Silent);
    assert!(search.unwrap_err().to_string().contains("not each with the one before"));
}

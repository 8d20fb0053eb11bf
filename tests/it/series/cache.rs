//! The file with finished comparisons.

use std::fs;
use std::path::Path;

use ckdiff::diff::{Diff, NameFilter};
use ckdiff::progress::Silent;
use ckdiff::series::{Against, Cache, Judge, Judged, Series, SeriesOptions, compare};

use super::found;
use crate::support::directory::copy;

/// A judge that counts how many comparisons were made.
struct Counted {
    made: std::cell::Cell<usize>,
}

/// The series of a directory with a cache, and how many comparisons were made for it.
fn run(dir: &Path, cache: &Path, options: &SeriesOptions, rules: &str) -> (Series, usize) {
    let counted = Counted { made: 0.into() };
    let count = |_: &Diff| {
        counted.made.set(counted.made.get() + 1);
        Judged::default()
    };
    let judge = Judge { identity: rules, rules: None, judge: &count };
    let mut cache = Some(Cache::open(cache).unwrap());
    let series = compare(&found(&[dir.into()]), options, Some(judge), &mut cache, &Silent).unwrap();
    (series, counted.made.get())
}

fn drifts(series: &Series) -> Vec<String> {
    series.steps.iter().map(|step| format!("{:?}", step.drift)).collect()
}

#[test]
fn a_finished_comparison_is_not_made_again() {
    let dir = copy("training/diverging");
    let temp = tempfile::tempdir().unwrap();
    let cache = temp.path().join("cache.json");
    let options = SeriesOptions::default();
    let (first, made) = run(dir.path(), &cache, &options, "");
    assert_eq!(made, 10);
    let (second, made) = run(dir.path(), &cache, &options, "");
    assert_eq!(made, 0);
    assert_eq!(drifts(&first), drifts(&second));
    assert_eq!(first.non_finite, second.non_finite);
    // Other rules, filters and baselines are other comparisons.
    assert_eq!(run(dir.path(), &cache, &options, "other").1, 10);
    let names = NameFilter::new(&["conv*/**".into()], &[], &[]).unwrap();
    let filtered = SeriesOptions { names, ..SeriesOptions::default() };
    assert_eq!(run(dir.path(), &cache, &filtered, "").1, 10);
    let chained = SeriesOptions { against: Against::Previous, ..SeriesOptions::default() };
    // The first pair is the same.
    assert_eq!(run(dir.path(), &cache, &chained, "").1, 9);
    // A checkpoint that was written again is compared again, and no other.
    let index = dir.path().join("model.ckpt-500.index");
    let bytes = fs::read(&index).unwrap();
    fs::write(&index, bytes).unwrap();
    assert_eq!(run(dir.path(), &cache, &options, "").1, 1);
}

#[test]
fn a_directory_that_was_moved_is_not_compared_again() {
    let dir = copy("training/steps");
    let cache = dir.path().join("cache.json");
    let options = SeriesOptions::default();
    assert_eq!(run(dir.path(), &cache, &options, "").1, 9);
    let other = tempfile::tempdir().unwrap();
    let moved = other.path().join("moved");
    fs::rename(dir.path(), &moved).unwrap();
    assert_eq!(run(&moved, &moved.join("cache.json"), &options, "").1, 0);
}

#[test]
fn comparisons_with_errors_are_made_again() {
    let dir = copy("training/steps");
    fs::remove_file(dir.path().join("model.ckpt-500.data-00000-of-00001")).unwrap();
    let temp = tempfile::tempdir().unwrap();
    let cache = temp.path().join("cache.json");
    let options = SeriesOptions::default();
    assert_eq!(run(dir.path(), &cache, &options, "").1, 9);
    let (series, made) = run(dir.path(), &cache, &options, "");
    assert_eq!(made, 1);
    assert!(series.errors().count() > 0);
}

#[test]
fn a_damaged_or_foreign_file_is_an_error_and_stays() {
    let dir = copy("training/steps");
    let temp = tempfile::tempdir().unwrap();
    let cache = temp.path().join("cache.json");
    run(dir.path(), &cache, &SeriesOptions::default(), "");
    let good = fs::read(&cache).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(&cache, bytes).unwrap();
        let error = Cache::open(&cache).unwrap_err().to_string();
        assert_eq!(fs::read(&cache).unwrap(), bytes);
        error
    };
    for at in (0..good.len()).step_by(good.len() / 200) {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        refused(&bytes);
    }
    refused(&good[..good.len() / 2]);
    refused(b"");
    let deep = "[".repeat(1_000_000);
    refused(deep.as_bytes());
    let error = refused(br#"{"schema":"ckdiff/1","sha256":"","pairs":{}}"#);
    assert!(
        error.contains("is not a cache of a series; remove it, or name another one"),
        "{error}"
    );
}

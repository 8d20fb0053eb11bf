//! Reports that are saved and read again, and whether two judgements agree.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ckdiff::artifact::Artifact;
use ckdiff::diff::{Diff, DiffOptions, NameFilter, Verdict, diff};
use ckdiff::progress::Silent;
use ckdiff::report::json::read_diff;
use ckdiff::report::{Format, Judged, Report, ReportOptions, Subject, write};
use ckdiff::rules::{Check, Found, Judgement, Rules};

/// The JSON report of a comparison.
pub fn saved(diff: &Diff) -> Vec<u8> {
    written(&Report::Diff(diff, None), Format::JSON)
}

/// A report in a format.
pub fn written(report: &Report<'_>, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    write(report, format, &ReportOptions::default(), &mut out).unwrap();
    out
}

/// Writes every report of a judged comparison.
pub fn write_all(diff: &Diff, rules: &Rules, judgement: &Judgement) {
    let judged = Judged { diff, rules, judgement };
    for format in Format::of(Subject::Comparison) {
        written(&Report::Diff(diff, None), format);
        written(&Report::Judged(&judged, None), format);
    }
}

/// The comparison that is saved and read again.
#[track_caller]
pub fn again(diff: &Diff) -> Diff {
    read_diff(&saved(diff)).unwrap()
}

pub fn rules(text: &str) -> Arc<Rules> {
    Arc::new(Rules::parse(text, Path::new("ckdiff.toml"), None).unwrap())
}

/// The options of a comparison by rules.
pub fn with_rules(options: &DiffOptions, rules: &Arc<Rules>) -> DiffOptions {
    DiffOptions {
        names: NameFilter::default().with_renames(rules.renames()).unwrap(),
        rules: Some(rules.clone()),
        ..options.clone()
    }
}

/// The comparison of two paths; `None` if it is not possible.
pub fn compared(lhs: &Path, rhs: &Path, options: &DiffOptions) -> Option<Diff> {
    let (lhs, rhs) = Artifact::open_both(lhs, rhs, 1);
    diff(&lhs.ok()?, &rhs.ok()?, options, &Silent).ok()
}

/// Pairs of fixtures: each file or directory with the one after it in its directory, and each damaged one with a sound one.
pub fn pairs() -> Vec<(PathBuf, PathBuf)> {
    let mut pairs = Vec::new();
    walk(Path::new("tests/data"), &mut pairs);
    assert!(pairs.len() > 100, "{}", pairs.len());
    pairs
}

fn walk(directory: &Path, pairs: &mut Vec<(PathBuf, PathBuf)>) {
    const EXTENSIONS: [&str; 6] = ["index", "meta", "pb", "pbtxt", "safetensors", "v1"];
    let mut all: Vec<_> = fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    let is_model = |path: &PathBuf| path.join("saved_model.pb").exists();
    let is_candidate = |path: &&PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        is_model(path) || extension.is_none_or(|of| EXTENSIONS.contains(&of)) && path.is_file()
    };
    let candidates: Vec<&PathBuf> = all.iter().filter(is_candidate).collect();
    for both in candidates.windows(2) {
        pairs.push((both[0].clone(), both[1].clone()));
    }
    let sound = directory.join("good.index");
    if sound.exists() {
        pairs.extend(candidates.iter().map(|path| (sound.clone(), path.to_path_buf())));
    }
    all.iter().filter(|path| path.is_dir()).for_each(|path| walk(path, pairs));
}

/// Asserts that the judgement of a saved report says nothing else than that of the artifacts, as far as it says anything.
#[track_caller]
pub fn assert_agrees(saved: &Judgement, live: &Judgement, what: &str) {
    let find = |checks: &[Check], check: &Check| {
        let is_same = |other: &&Check| (&other.subject, other.gate) == (&check.subject, check.gate);
        checks.iter().find(is_same).cloned()
    };
    let is_renamed = saved.undecided.iter().any(|open| open.gate == "rename");
    assert!(saved.errors == live.errors || is_renamed, "{what}");
    // With the artifacts, everything can be decided, except rules for graphs where there are none.
    assert!(live.undecided.iter().all(|check| check.gate == "graph"), "{what}");
    for check in &saved.failures {
        let found = find(&live.failures, check);
        assert!(found.is_some(), "{what}: only the report fails {check:?}");
        if let (Found::Number(a), Found::Number(b)) = (&check.found, &found.unwrap().found) {
            assert_eq!(a.to_bits(), b.to_bits(), "{what}: {check:?}");
        }
    }
    for check in &live.failures {
        let is_open = saved.undecided.iter().any(|open| {
            open.subject == check.subject || open.subject.shown() == "**" || open.gate == "rename"
        });
        let found = find(&saved.failures, check);
        assert!(found.is_some() || is_open, "{what}: the report passes {check:?}");
    }
    match saved.verdict() {
        Verdict::Trouble => assert!(saved.errors > 0 || !saved.again().is_empty(), "{what}"),
        verdict => assert_eq!(verdict, live.verdict(), "{what}"),
    }
}

//! Pairs of graphs and models that real TensorFlow exported, each with the changes to expect.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ckdiff::artifact::Artifact;
use ckdiff::diff::{self, Change, Detail, Diff, Only, Verdict, Weight, diff};
use ckdiff::progress::Silent;
use serde_json::Value;

use crate::support::oracle;

/// Pairs of which we tell more changes than the oracle has, and why.
const TOLD_OTHERWISE: &[(&str, &str)] = &[
    ("bad_variable_def", "an item that is no VariableDef has no name to be compared under"),
    ("bad_variable_def_both", "an item that is no VariableDef has no name to be compared under"),
    ("collection_kind", "one member of a oneof goes, another comes"),
];

pub(crate) fn side(name: &str, side: &str) -> PathBuf {
    let folder = PathBuf::from("tests/data/pairs").join(name);
    let named = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == side);
    let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.find(named).unwrap()
}

fn compare(name: &str, options: &str) -> Diff {
    let open = |of| Artifact::open(side(name, of)).unwrap();
    diff(&open("lhs"), &open("rhs"), &parsed(options), &Silent).unwrap()
}

fn exit(diff: &Diff) -> u64 {
    match diff.verdict() {
        Verdict::Same => 0,
        Verdict::Different => 1,
        Verdict::Trouble => 2,
    }
}

/// The options of `--rtol 1e-3` and its like.
fn parsed(text: &str) -> diff::Options {
    let mut options = diff::Options::default();
    let words: Vec<_> = text.split_whitespace().collect();
    for pair in words.chunks(2) {
        let tolerance = &mut options.compare.tolerance;
        match *pair {
            ["--atol", value] => tolerance.atol = value.parse().ok(),
            ["--rtol", value] => tolerance.rtol = value.parse().ok(),
            ["--ulp", value] => tolerance.ulp = value.parse().ok(),
            ["--only", "graph"] => options.only = Only::Graph,
            ["--only", "tensors"] => options.only = Only::Tensors,
            _ => panic!("{text}"),
        }
    }
    options
}

/// Whether a change is one that the oracle expects.
fn is_expected(change: &Change, expected: &Value) -> bool {
    let path = change.path.to_string();
    let text = |key: &str| expected[key].as_str();
    let kinds: Vec<&str> = match &expected["kind"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    let names = match &change.detail {
        Detail::Nodes(nodes) => nodes.names.iter().map(String::as_str).collect(),
        _ => BTreeSet::new(),
    };
    let nodes_fit = match &expected["nodes"] {
        Value::Array(nodes) => {
            nodes.iter().filter_map(Value::as_str).collect::<BTreeSet<_>>() == names
        }
        Value::Number(count) => count.as_u64() == Some(names.len() as u64),
        _ => true,
    };
    let boundary_fits = expected["boundary"].as_array().is_none_or(|boundary| {
        let Detail::Nodes(nodes) = &change.detail else { return false };
        let told: BTreeSet<_> = nodes.boundary.iter().map(|at| at.path.to_string()).collect();
        boundary.iter().all(|path| told.contains(path.as_str().unwrap()))
    });
    kinds.contains(&change.kind.name())
        && text("path").is_none_or(|wanted| wanted == path)
        && text("path_begins").is_none_or(|start| path.starts_with(start))
        && text("path_ends").is_none_or(|end| path.ends_with(end))
        && (text("path").is_some()
            || text("lhs").is_none_or(|lhs| change.lhs.as_deref() == Some(lhs)))
        && (text("path").is_some()
            || text("rhs").is_none_or(|rhs| change.rhs.as_deref() == Some(rhs)))
        && nodes_fit
        && boundary_fits
}

/// Whether the change is about nodes at whose border the expected one is.
fn has_at_its_border(change: &Change, expected: &Value) -> bool {
    let Detail::Nodes(nodes) = &change.detail else { return false };
    let is_it = |path: String| expected["path"].as_str() == Some(&path);
    expected["kind"].as_str() == Some(change.kind.name())
        && nodes.boundary.iter().any(|at| is_it(at.path.to_string()))
}

fn of_weight(diff: &Diff, weight: Weight) -> Vec<&Change> {
    diff.changes.iter().filter(|change| change.weight == weight).collect()
}

#[test]
fn every_pair_has_the_changes_that_were_made() {
    let mut wrong = Vec::new();
    let oracle = oracle("pairs.json");
    for (name, expected) in oracle.as_object().unwrap() {
        let found = compare(name, "");
        if Some(exit(&found)) != expected["exit"].as_u64() {
            wrong.push(format!("{name}: exit {}", exit(&found)));
        }
        if TOLD_OTHERWISE.iter().any(|(known, _)| known == name) {
            continue;
        }
        let told = of_weight(&found, Weight::Semantic);
        let wanted = expected["semantic"].as_array().unwrap();
        let is_open = expected.get("open").is_some();
        for change in wanted.iter().filter(|change| !is_open && change["optional"] != true) {
            let is_told =
                |told: &&Change| is_expected(told, change) || has_at_its_border(told, change);
            if !told.iter().any(is_told) {
                wrong.push(format!("{name}: not told: {change}"));
            }
        }
        let most = wanted.len();
        if !is_open && told.len() > most {
            wrong.push(format!("{name}: {} semantic changes, {most} made", told.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tolerances_hold_for_constants() {
    for (name, expected) in oracle("pairs.json").as_object().unwrap() {
        for (options, wanted) in expected["exit_with"].as_object().into_iter().flatten() {
            let found = compare(name, options);
            assert_eq!(Some(exit(&found)), wanted.as_u64(), "{name} {options}");
        }
    }
}

#[test]
fn a_model_equals_itself() {
    for (name, _) in oracle("pairs.json").as_object().unwrap() {
        for of in ["lhs", "rhs"] {
            let open = || Artifact::open(side(name, of)).unwrap();
            let found = diff(&open(), &open(), &diff::Options::default(), &Silent).unwrap();
            assert_eq!(found.changes, [], "{name} {of}");
        }
    }
}

#[test]
fn the_other_way_round_the_same_is_told() {
    for (name, _) in oracle("pairs.json").as_object().unwrap() {
        let open = |of| Artifact::open(side(name, of)).unwrap();
        let options = diff::Options { only: Only::Graph, ..diff::Options::default() };
        let there = diff(&open("lhs"), &open("rhs"), &options, &Silent).unwrap();
        let back = diff(&open("rhs"), &open("lhs"), &options, &Silent).unwrap();
        let sides = |diff: &Diff, is_back: bool| {
            let side = |change: &Change| match is_back {
                false => (change.lhs.clone(), change.rhs.clone()),
                true => (change.rhs.clone(), change.lhs.clone()),
            };
            let mut sides: Vec<_> = diff.changes.iter().map(side).collect();
            sides.sort();
            sides
        };
        assert_eq!(sides(&there, false), sides(&back, true), "{name}");
    }
}

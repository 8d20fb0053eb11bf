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

/// Pairs of which we tell less than the oracle of what does not matter, and why.
const COSMETIC_OTHERWISE: &[(&str, &str)] = &[
    ("loop_sets", "a set has no order, so none is told"),
    ("op_docs", "a text that comes is modified, as it was empty before"),
];

/// Pairs in which we find less than the oracle, and why.
const FOUND_OTHERWISE: &[(&str, &str)] = &[
    ("bad_duplicate_both", "graphs that are the same are not looked into: `verify` does that"),
    ("bad_function_twice", "TensorFlow takes a function again, if it is the same"),
    ("bad_variable_def_same", "what is the same is not looked into: `verify` does that"),
];

fn is_known(list: &[(&str, &str)], name: &str) -> bool {
    list.iter().any(|(known, _)| *known == name)
}

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
        if is_known(TOLD_OTHERWISE, name) {
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
fn what_does_not_matter_is_told_as_such() {
    let mut wrong = Vec::new();
    for (name, expected) in oracle("pairs.json").as_object().unwrap() {
        let found = compare(name, "");
        let told = of_weight(&found, Weight::Cosmetic);
        let wanted = expected["cosmetic"].as_array().unwrap();
        let missed = wanted.iter().filter(|change| {
            change["optional"] != true && !told.iter().any(|told| is_expected(told, change))
        });
        let missed: Vec<_> = missed.map(Value::to_string).collect();
        if missed.is_empty() == is_known(COSMETIC_OTHERWISE, name) {
            wrong.push(format!("{name}: not told: {missed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What we say of a side of which the oracle says this.
fn problem(about: &str) -> &str {
    match about {
        "content" => "cannot be read: bytes of tensor_content is 45",
        "duplicate node name active" => "node[\"active\"]: the name is taken by an earlier node",
        about => about,
    }
}

#[test]
fn what_is_wrong_with_a_side_is_found() {
    let mut wrong = Vec::new();
    for (name, expected) in oracle("pairs.json").as_object().unwrap() {
        let found = compare(name, "").findings;
        let is_told = |wanted: &&Value| {
            let about = problem(wanted["about"].as_str().unwrap());
            found.iter().any(|told| {
                // Where no side is told, it may be either.
                told.side.is_none_or(|side| wanted["side"] == side.name())
                    && format!("{}: {}", told.path, told.problem).contains(about)
            })
        };
        let wanted = expected["findings"].as_array().into_iter().flatten();
        let missed: Vec<_> = wanted.filter(|finding| !is_told(finding)).collect();
        if missed.is_empty() == is_known(FOUND_OTHERWISE, name) {
            wrong.push(format!("{name}: not found: {missed:?}, but {found:?}"));
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

//! Pairs of graphs and models exported by TensorFlow, each with the expected changes.

use std::collections::BTreeSet;

use ckdiff::artifact::Artifact;
use ckdiff::diff::{self, Change, Detail, Diff, Only, Verdict, Weight, diff};
use ckdiff::progress::Silent;
use serde_json::Value;

use crate::support::cases;
use crate::support::graph::pairs::{names, side};

/// Pairs with more reported changes than the oracle expects, and why.
const TOLD_OTHERWISE: &[(&str, &str)] = &[
    ("bad_variable_def", "an item that is no VariableDef has no name to be compared under"),
    ("bad_variable_def_both", "an item that is no VariableDef has no name to be compared under"),
    ("collection_kind", "one member of a oneof goes, another comes"),
];

/// Pairs whose semantic changes the oracle does not define, with the number that ckdiff reports.
const OPEN: &[(&str, usize)] = &[
    ("saver_version", 3),
    ("saver_sharded", 18),
    ("saver_variables", 1),
    ("saver_key", 1),
    ("saver_key_reorders", 1),
    ("saver_slices", 13),
    ("rename_scope_reorders", 1),
    ("scopes_exchanged", 5),
    ("numbers_shifted", 3),
    ("optimizer", 2),
    ("all_cosmetic", 0),
    ("bad_input_spelling", 11),
    ("module_attribute_added", 2),
    ("module_child_added", 1),
    ("module_attribute_renamed", 1),
];

/// Pairs with fewer cosmetic changes than the oracle expects, and why.
const COSMETIC_OTHERWISE: &[(&str, &str)] = &[
    ("loop_sets", "a set has no order, so none is reported"),
    ("op_docs", "a text that comes is modified, as it was empty before"),
];

/// Pairs with fewer findings than the oracle expects, and why.
const FOUND_OTHERWISE: &[(&str, &str)] = &[
    ("bad_duplicate_both", "graphs that are the same are not looked into: `verify` does that"),
    ("bad_function_twice", "TensorFlow takes a function again, if it is the same"),
    ("bad_variable_def_same", "what is the same is not looked into: `verify` does that"),
];

fn is_known(list: &[(&str, &str)], name: &str) -> bool {
    list.iter().any(|(known, _)| *known == name)
}

/// The pairs with the expectations of the oracle; asserts that the lists above name existing pairs.
fn pairs() -> Vec<(String, Value)> {
    let pairs = cases("pairs.json", 176);
    for (name, _) in [TOLD_OTHERWISE, COSMETIC_OTHERWISE, FOUND_OTHERWISE].concat() {
        assert!(pairs.iter().any(|(pair, _)| pair == name), "there is no pair {name}");
    }
    for (name, _) in OPEN {
        assert!(pairs.iter().any(|(pair, _)| pair == name), "there is no pair {name}");
    }
    pairs
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

/// Parses options such as `--rtol 1e-3`.
fn parsed(text: &str) -> diff::DiffOptions {
    let mut options = diff::DiffOptions::default();
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
        let reported: BTreeSet<_> = nodes.boundary.iter().map(|at| at.path.to_string()).collect();
        boundary.iter().all(|path| reported.contains(path.as_str().unwrap()))
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

/// Whether the expected change is a boundary change of `change`.
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
    let mut changes = 0;
    for (name, expected) in &pairs() {
        let found = compare(name, "");
        if Some(exit(&found)) != expected["exit"].as_u64() {
            wrong.push(format!("{name}: exit {}", exit(&found)));
        }
        if is_known(TOLD_OTHERWISE, name) {
            continue;
        }
        let reported = of_weight(&found, Weight::Semantic);
        let wanted = expected["semantic"].as_array().unwrap();
        if expected.get("open").is_some() {
            let ours = OPEN.iter().find(|(open, _)| open == name).map(|(_, count)| *count);
            if ours != Some(reported.len()) {
                wrong.push(format!("{name}: {} semantic changes, not {ours:?}", reported.len()));
            }
            continue;
        }
        // A reported change matches at most one expected change.
        let mut left = reported.clone();
        for change in wanted.iter().filter(|change| change["optional"] != true) {
            changes += 1;
            match left.iter().position(|reported| is_expected(reported, change)) {
                Some(at) => drop(left.remove(at)),
                None if reported.iter().any(|reported| has_at_its_border(reported, change)) => {}
                None => wrong.push(format!("{name}: not reported: {change}")),
            }
        }
        let most = wanted.len();
        if reported.len() > most {
            wrong.push(format!("{name}: {} semantic changes, {most} made", reported.len()));
        }
    }
    assert!(changes >= 150, "{changes} changes are expected");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn insignificant_changes_are_cosmetic() {
    let mut wrong = Vec::new();
    let mut changes = 0;
    for (name, expected) in &pairs() {
        let found = compare(name, "");
        let reported = of_weight(&found, Weight::Cosmetic);
        let wanted = expected["cosmetic"].as_array().unwrap();
        let missed = wanted.iter().filter(|change| {
            change["optional"] != true
                && !reported.iter().any(|reported| is_expected(reported, change))
        });
        let missed: Vec<_> = missed.map(Value::to_string).collect();
        changes += wanted.iter().filter(|change| change["optional"] != true).count();
        if missed.is_empty() == is_known(COSMETIC_OTHERWISE, name) {
            wrong.push(format!("{name}: not reported: {missed:?}"));
        }
    }
    assert!(changes >= 108, "{changes} changes are expected");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The wording of ckdiff for a finding of the oracle.
fn problem(about: &str) -> &str {
    match about {
        "content" => "cannot be read: bytes of tensor_content: expected 48",
        "duplicate node name active" => "node[\"active\"]: the name is taken by an earlier node",
        about => about,
    }
}

#[test]
fn faults_of_one_side_are_found() {
    let mut wrong = Vec::new();
    let mut findings = 0;
    for (name, expected) in &pairs() {
        let found = compare(name, "").findings;
        let is_told = |wanted: &&Value| {
            let about = problem(wanted["about"].as_str().unwrap());
            found.iter().any(|reported| {
                // A finding without a side matches either side.
                reported.side.is_none_or(|side| wanted["side"] == side.name())
                    && format!("{}: {}", reported.path, reported.problem).contains(about)
            })
        };
        // Most pairs have no findings.
        let wanted = expected["findings"].as_array().into_iter().flatten();
        findings += wanted.clone().count();
        let missed: Vec<_> = wanted.filter(|finding| !is_told(finding)).collect();
        if missed.is_empty() == is_known(FOUND_OTHERWISE, name) {
            wrong.push(format!("{name}: not found: {missed:?}, but {found:?}"));
        }
    }
    assert!(findings >= 15, "{findings} findings are expected");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tolerances_apply_to_constants() {
    let mut compared = 0;
    for (name, expected) in &pairs() {
        for (options, wanted) in expected["exit_with"].as_object().into_iter().flatten() {
            let found = compare(name, options);
            assert_eq!(exit(&found), wanted.as_u64().unwrap(), "{name} {options}");
            compared += 1;
        }
    }
    assert!(compared >= 17, "{compared}");
}

#[test]
fn a_model_equals_itself() {
    for name in names() {
        for of in ["lhs", "rhs"] {
            let open = || Artifact::open(side(&name, of)).unwrap();
            let found = diff(&open(), &open(), &diff::DiffOptions::default(), &Silent).unwrap();
            assert_eq!(found.changes, [], "{name} {of}");
        }
    }
}

#[test]
fn swapped_sides_report_the_same_changes() {
    let mut changes = 0;
    for name in names() {
        let open = |of| Artifact::open(side(&name, of)).unwrap();
        let options = diff::DiffOptions { only: Only::Graph, ..diff::DiffOptions::default() };
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
        changes += there.changes.len();
    }
    assert!(changes > 300, "{changes}");
}

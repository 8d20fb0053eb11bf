//! JUnit XML: what CI shows of a comparison.

use std::collections::BTreeSet;

use crate::report::hostile::{HOSTILE, hostile_pair};
use crate::support::command::{Run, ckdiff};
use crate::support::named_snapshot;

/// A start tag and its attributes.
fn attributes<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

/// The class, the name and the outcome of each case; checks the counts and that each name is used once.
fn cases(xml: &str) -> Vec<(String, String, &'static str)> {
    let mut cases = Vec::new();
    for case in xml.split("<testcase ").skip(1) {
        let tag = format!(" {}", case.split('>').next().unwrap());
        let [class, name] =
            ["classname", "name"].map(|key| attributes(&tag, key).unwrap().to_owned());
        let outcomes = ["failure", "error", "skipped"];
        let found = outcomes.into_iter().find(|name| case.contains(&format!("<{name} ")));
        cases.push((class, name, found.unwrap_or("passed")));
    }
    let suite = xml.split("<testsuite ").nth(1).unwrap().split('>').next().unwrap();
    let suite = format!(" {suite}");
    let count = |outcome: &str| cases.iter().filter(|(_, _, found)| *found == outcome).count();
    let stated = |name: &str| attributes(&suite, name).unwrap().parse::<usize>().unwrap();
    assert_eq!(stated("tests"), cases.len());
    for (name, outcome) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
        assert_eq!(stated(name), count(outcome), "{name}");
    }
    let names: BTreeSet<_> = cases.iter().map(|(class, name, _)| (class, name)).collect();
    assert_eq!(names.len(), cases.len(), "a reader drops the second case of a name");
    cases
}

fn junit(args: &[&str]) -> Run {
    ckdiff(&[&["--format", "junit"], args].concat())
}

#[test]
fn a_comparison_is_a_suite_with_a_case_for_each_tensor() {
    let run = junit(&["--only", "tensors", "retrain/baseline.ckpt", "retrain/retrained.ckpt"]);
    assert_eq!(run.code, 1);
    named_snapshot("report", "retrain_junit", run.text());
    let counters = ("ckdiff.counters".into(), "global_step".into(), "failure");
    assert!(cases(run.text()).contains(&counters));
}

#[test]
fn rules_are_cases_of_their_own() {
    let pair = ["training/seeds/1", "training/faulty/warm/frozen"];
    let run = junit(&[&["--rules", "same-start"][..], &pair].concat());
    assert_eq!(run.code, 1);
    let found = cases(run.text());
    let failed: Vec<_> = found.iter().filter(|(_, _, outcome)| *outcome == "failure").collect();
    let names: Vec<_> = failed.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!(names, ["conv2/bias", "conv2/kernel"]);
    let graph = ("ckdiff.graph".into(), "[graph] expect".into(), "passed");
    assert!(found.contains(&graph), "{found:?}");
    let rule = "rule same-start:15 (weights are trained): expect, allowed changed";
    assert!(run.text().contains(rule), "{}", run.text());
}

/// The exit code is 0 if and only if every case passes, and 2 if and only if there is an error.
#[test]
fn the_cases_agree_with_the_exit_code() {
    let pairs: &[&[&str]] = &[
        &["demo/model.ckpt", "demo/model.ckpt"],
        &["demo/v1format.ckpt", "demo/model.ckpt"],
        &["retrain/baseline.ckpt", "retrain/retrained.ckpt"],
        &["--rtol", "1", "retrain/baseline.ckpt", "retrain/retrained.ckpt"],
        &["hostile/good", "hostile/bit_data"],
        &["--rules", "same-start", "hostile/good", "hostile/bit_data"],
        &["--rules", "same-start", "training/seeds/1", "training/warm/5"],
        &["--rules", "exact", "training/seeds/1", "training/warm/5"],
        &["--rules", "fresh", "training/seeds/1", "training/seeds/2"],
        &["graphs/control_flow_v1.meta", "graphs/control_flow_v2.meta"],
    ];
    let mut codes = BTreeSet::new();
    for args in pairs {
        let run = junit(args);
        if run.stdout.is_empty() {
            panic!("{args:?}: {}", run.stderr);
        }
        let found = cases(run.text());
        let has = |outcome: &str| found.iter().any(|(_, _, found)| *found == outcome);
        let expected = match (has("error"), has("failure")) {
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        };
        assert_eq!(run.code, expected, "{args:?}: {}", run.text());
        codes.insert(run.code);
    }
    assert_eq!(codes.len(), 3);
}

/// The number of cases with each outcome: passed, failure, error, skipped.
fn outcomes(args: &[&str]) -> (i32, [usize; 4]) {
    let run = ckdiff(&[args, &["--format", "junit"]].concat());
    let found: Vec<_> = run
        .text()
        .split("<testsuite ")
        .skip(1)
        .flat_map(|suite| cases(&format!("<testsuite {suite}")))
        .collect();
    let count = |wanted: &str| found.iter().filter(|(_, _, outcome)| *outcome == wanted).count();
    (run.code, ["passed", "failure", "error", "skipped"].map(count))
}

#[test]
fn verifications_and_series_have_cases_too() {
    let verified = outcomes(&["verify", "demo/model.ckpt", "hostile/bit_data", "demo/gone"]);
    assert_eq!(verified, (2, [2, 0, 2, 0]));
    assert_eq!(outcomes(&["series", "training/steps"]), (0, [10, 0, 0, 0]));
    // NaN begin in the last but one, and are in the last one, too.
    assert_eq!(outcomes(&["series", "training/diverging"]), (1, [9, 2, 0, 0]));
    let first = outcomes(&["series", "--first", "nan", "training/diverging"]);
    assert_eq!(first, (1, [4, 1, 0, 6]));
    assert_eq!(outcomes(&["verify", "fit/default_saver"]), (1, [1, 1, 0, 0]));
    let markdown = ckdiff(&["series", "--format", "markdown", "training/steps"]);
    assert!(markdown.text().starts_with("<!-- ckdiff -->\n### ✅ "), "{}", markdown.text());
    let markdown = ckdiff(&["series", "--format", "markdown", "training/diverging"]);
    let heading = markdown.text().lines().nth(1).unwrap();
    assert!(heading.starts_with("### ❌ 11 checkpoints from step 100"), "{heading}");
    assert!(heading.contains("NEW NaN in 10 tensors"), "{heading}");
    let github = ckdiff(&["series", "--format", "github", "training/steps"]);
    assert_eq!(github.code, 2, "{}", github.stderr);
}

#[test]
fn hostile_names_are_text() {
    let dir = tempfile::tempdir().unwrap();
    let [lhs, rhs] = hostile_pair(dir.path());
    let run = junit(&[&lhs, &rhs]);
    let xml = run.text();
    let is_forbidden = |c: char| c.is_control() && c != '\n' || c == '\u{ffff}';
    assert!(!xml.contains(is_forbidden) && !xml.contains("]]>") && !xml.contains("<script"));
    assert_eq!(cases(xml).len(), HOSTILE.len() + 1);
    assert!(xml.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(xml.contains(&format!("name=\"{}\"", "n".repeat(10_000))), "names are not cut");
}

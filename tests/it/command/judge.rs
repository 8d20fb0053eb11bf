//! `ckdiff judge`: what it prints, its exit codes, and what it refuses.

use std::fs;

use serde_json::Value;

use crate::support::command::{Run, assert_valid, ckdiff, ckdiff_of};

const PAIR: [&str; 2] = ["retrain/baseline.ckpt", "retrain/retrained.ckpt"];

fn report(options: &[&str]) -> Vec<u8> {
    ckdiff(&[PAIR.as_slice(), &["--format", "json", "--no-config"], options].concat()).stdout
}

/// Judges a report on standard input by rules with this text.
fn judge(report: &[u8], rules: &str, options: &[&str]) -> Run {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ckdiff.toml");
    fs::write(&path, rules).unwrap();
    let config = path.to_str().unwrap();
    let mut run =
        ckdiff_of(&[["judge", "-", "--config", config].as_slice(), options].concat(), report);
    let text = String::from_utf8(run.stdout).unwrap().replace(config, "ckdiff.toml");
    run.stdout = text.into_bytes();
    run.stderr = run.stderr.replace(config, "ckdiff.toml");
    run
}

const ANYTHING: &str = "[default]\nexpect = 'any'\nnan = 'allowed'\nadded = 'allowed'\nremoved = 'allowed'\n\
    new_shape = 'allowed'\nnew_dtype = 'allowed'\n";

#[test]
fn the_exit_code_is_that_of_the_rules() {
    let report = report(&[]);
    let passed = judge(&report, ANYTHING, &[]);
    assert_eq!(passed.code, 0, "{}", passed.text());
    assert!(
        passed
            .text()
            .starts_with("Passed: 20 of 23 tensors changed, within the rules of ckdiff.toml.")
    );
    let failed = judge(&report, &format!("{ANYTHING}rel_l2 = 0.4"), &[]);
    assert_eq!(failed.code, 1);
    assert!(
        failed
            .text()
            .contains("model/attention/kernel  rel_l2  46.6%  at most 40%  ckdiff.toml:1\n"),
        "{}",
        failed.text()
    );
    let quiet = judge(&report, "", &["-q"]);
    assert_eq!((quiet.code, quiet.text()), (1, ""));
}

#[test]
fn what_must_be_read_again_is_named_with_the_command() {
    let rules = &format!("{ANYTHING}[[rule]]\nmatch = '**/kernel'\nks = 0.99");
    let undecided = judge(&report(&["--exclude", "x*", "--nan", "differ"]), rules, &[]);
    assert_eq!(undecided.code, 2, "{}", undecided.text());
    let expected = "\n
A report made with --histogram tells what the rules ask about the distribution of values.
2 tensors must be read again: model/attention/kernel, model/encoder/dense/kernel
  ckdiff 'retrain/baseline.ckpt' 'retrain/retrained.ckpt' --only 'tensors' --include 'model/attention/kernel' \
--include 'model/encoder/dense/kernel' --exclude 'x*' --nan 'differ' --config 'ckdiff.toml'\n";
    assert!(undecided.text().ends_with(expected.trim_start_matches('\n')), "{}", undecided.text());
    assert!(
        undecided
            .text()
            .starts_with("Undecided: the report cannot decide 2 checks of ckdiff.toml.")
    );
    assert_eq!(judge(&report(&["--histogram"]), rules, &[]).code, 0);

    let many = judge(&report(&[]), &format!("{ANYTHING}ks = 1"), &[]);
    let names = "12 tensors must be read again: global_step, ";
    assert!(
        many.text().contains(names) && many.text().contains(", … and 4 more\n"),
        "{}",
        many.text()
    );
    let renamed = judge(&report(&[]), "[[rename]]\nfrom = 'dense_1'\nto = 'classifier'", &[]);
    let is_row = |line: &str| {
        line.split_whitespace().take(4).eq(["model/dense_1/bias", "rename", "unknown", "renamed"])
    };
    assert!(renamed.text().lines().any(is_row), "{}", renamed.text());
    // What is broken anyway decides.
    assert_eq!(renamed.code, 1);
}

#[test]
fn programs_read_the_same() {
    let run = judge(
        &report(&[]),
        &format!("{ANYTHING}ks = 1\nrel_l2 = 0.4"),
        &["--format", "json", "--show-passed"],
    );
    let json: Value = run.json();
    assert_valid(&json);
    let length = |key: &str| json["rules"][key].as_array().unwrap().len();
    assert_eq!((length("failures"), length("undecided")), (1, 12));
    assert!(length("passed") > 12);
    assert_eq!(json["options"]["config"], json["rules"]["source"]);
    assert_eq!(json["rules"]["undecided"][0]["found"], Value::Null);
    // The report of a judgement can be judged again.
    let again = judge(&run.stdout, ANYTHING, &[]);
    assert_eq!(again.code, 0, "{}{}", again.text(), again.stderr);
}

#[test]
fn what_is_no_report_is_refused() {
    let refused = |run: Run, expected: &str| {
        assert_eq!(run.code, 2, "{}", run.text());
        assert!(run.stderr.starts_with(&format!("ckdiff: error: {expected}")), "{}", run.stderr);
    };
    let report = report(&[]);
    let no_rules = ckdiff_of(&["judge", "-", "--no-config"], &report);
    refused(
        no_rules,
        "there are no rules to judge by: there is no ckdiff.toml here or above; --config names a file",
    );
    refused(judge(b"{", "", &[]), "standard input:1:1: the text ends inside an object");
    refused(judge(b"", "", &[]), "standard input:1:1: expected a value, found the end");
    refused(judge(b"\xff", "", &[]), "standard input: byte 0: report is not UTF-8");
    let listing = ckdiff(&["show", PAIR[0], "--format", "json"]).stdout;
    refused(
        judge(&listing, "", &[]),
        "standard input:1:1: expected the JSON report of a comparison, whose schema is ckdiff/1, found one of the schema ckdiff-show/1",
    );
    refused(ckdiff(&["judge", "no_such.json", "--rules", "exact"]), "no_such.json: cannot open");
    let unused = judge(&report, "[[rule]]\nmatch = 'x'\natol = 1", &["--deny-unused"]);
    refused(unused, "ckdiff.toml:2: the rule \"x\" matches no tensor");
}

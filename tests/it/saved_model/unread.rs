//! Files in the directory of a SavedModel that are not compared: reports name them.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::command::{assert_valid, ckdiff, ckdiff_of};
use crate::support::directory::copy;

const MODEL: &str = "saved_models/module";

/// Adds files to a SavedModel that ckdiff does not read.
fn add_files(dir: &Path) {
    fs::create_dir(dir.join("debug")).unwrap();
    for name in ["notes.txt", "debug/saved_model_debug_info.pb", "variables/extra", ".DS_Store"] {
        fs::write(dir.join(name), name).unwrap();
    }
}

#[test]
fn files_that_are_not_read_are_named_in_every_report_and_are_no_difference() {
    let dir = copy(MODEL);
    add_files(dir.path());
    let path = dir.path().to_str().unwrap();
    let report = ckdiff(&[MODEL, path, "--format=json"]);
    assert_eq!(report.code, 0);
    assert_valid(&report.json());
    let names = ["debug/", "notes.txt", "variables/extra"];
    assert_eq!(report.json()["rhs"]["not_compared"], json!({"count": 3, "names": names}));
    assert_eq!(report.json()["lhs"].get("not_compared"), None);
    let one = "  not compared: rhs debug/, notes.txt, variables/extra\n";
    let both = "  not compared: debug/, notes.txt, variables/extra\n";
    for (run, line) in [
        (ckdiff(&[MODEL, path]), one),
        (ckdiff(&[path, path]), both),
        (ckdiff_of(&["judge", "-", "--rules", "exact"], &report.stdout), one),
    ] {
        assert!(run.text().contains(line), "{}\n{}", run.text(), run.stderr);
    }
    assert!(!ckdiff(&[MODEL, path, "--only=tensors"]).text().contains("not compared"));
    assert!(!ckdiff(&[MODEL, MODEL]).text().contains("not compared"));
}

#[test]
fn of_many_files_the_first_are_named_and_the_others_counted() {
    let dir = copy(MODEL);
    for number in 0..20 {
        fs::write(dir.path().join(format!("{number:02}\u{1b}")), "").unwrap();
    }
    let path = dir.path().to_str().unwrap();
    let run = ckdiff(&[MODEL, path]);
    let line = run.text().lines().find(|line| line.contains("not compared")).unwrap();
    assert!(line.ends_with(" and 12 more") && !line.contains('\u{1b}'), "{line}");
}

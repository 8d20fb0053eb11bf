//! `ckdiff series`.

use std::fs;

use crate::support::command::{assert_valid, ckdiff};
use crate::support::directory::{copy, run};
use crate::support::named_snapshot;

#[test]
fn the_exit_code_says_whether_the_series_is_sound_broken_or_unreadable() {
    let dir = copy("training/steps");
    let (code, said) = run(dir.path(), "series DIR -q");
    assert_eq!((code, &*said), (0, ""));
    assert_eq!(ckdiff(&["series", "training/diverging", "-q"]).code, 1);
    fs::write(dir.path().join("model.ckpt-300.index"), b"damaged").unwrap();
    let (code, said) = run(dir.path(), "series DIR");
    assert_eq!(code, 2);
    named_snapshot("command", "series_with_a_damaged_checkpoint", &said);
    assert_eq!(run(dir.path(), "series DIR -q").0, 2);
}

#[test]
fn a_glob_is_the_directory() {
    let dir = copy("training/diverging");
    let names = crate::support::directory::names(dir.path());
    let paths: Vec<String> = names.iter().rev().map(|name| format!("DIR/{name}")).collect();
    let whole = run(dir.path(), "series DIR");
    assert_eq!(run(dir.path(), &format!("series {}", paths.join(" "))), whole);
}

#[test]
fn json_reports_follow_their_schemas() {
    let dir = copy("training/steps");
    fs::write(dir.path().join("model.ckpt-300.index"), b"damaged").unwrap();
    let path = dir.path().to_str().unwrap();
    for args in [
        &["series", "training/diverging"] as &[&str],
        &["series", "training/steps", "--against", "previous", "--exclude", "conv*/**"],
        &["series", "training/steps", "--against", "training/diverging/model.ckpt-100"],
        &["series", "training/diverging", "--first", "nan"],
        &["series", "training/steps", "--first", "nan"],
        &["series", path],
        &["series", path, "training/seeds/1", "tf2/checkpoint", "graphs/frozen.pb"],
    ] {
        let run = ckdiff(&[args, &["--format", "json"]].concat());
        assert_valid(&run.json());
    }
}

#[test]
fn rows_are_limited_on_request_and_what_matters_stays() {
    let run = ckdiff(&["series", "training/diverging", "-n", "4"]);
    named_snapshot("command", "series_of_four_rows", run.text());
}

#[test]
fn patterns_that_match_nothing_are_said_once() {
    let run = ckdiff(&["series", "training/steps", "--exclude", "conv9/*"]);
    assert_eq!(run.stderr.matches("matches nothing").count(), 1, "{}", run.stderr);
    let denied = ckdiff(&["series", "training/steps", "--exclude", "conv9/*", "--deny-unused"]);
    assert_eq!((denied.code, denied.text()), (2, ""));
    let none = ckdiff(&["series", "training/steps", "--include", "conv9/*"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("the filters leave no tensor"), "{}", none.stderr);
}

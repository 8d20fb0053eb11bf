//! Annotations of GitHub Actions, read as its runner reads them, and the summary of a step.

use std::fs;
use std::path::Path;

use crate::report::hostile::hostile_pair;
use crate::support::command::{Run, ckdiff, command, finish};
use crate::support::named_snapshot;

/// A workflow command.
#[derive(Debug)]
struct Annotation {
    level: String,
    properties: Vec<(String, String)>,
    message: String,
}

/// Reads the commands as `ActionCommand.TryParseV2` of the runner does; every line must be one.
fn parsed(text: &str) -> Vec<Annotation> {
    let unescape = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n");
    let command = |line: &str| {
        let line = line.strip_prefix("::").unwrap_or_else(|| panic!("{line:?} is no command"));
        let (info, data) = line.split_once("::").unwrap();
        let (level, properties) = info.split_once(' ').unwrap();
        let properties = properties.split(',').map(|property| {
            let (key, value) = property.split_once('=').unwrap();
            let value = unescape(value).replace("%3A", ":").replace("%2C", ",");
            (key.to_owned(), value.replace("%25", "%"))
        });
        Annotation {
            level: level.to_owned(),
            properties: properties.collect(),
            message: unescape(data).replace("%25", "%"),
        }
    };
    text.lines().map(command).collect()
}

fn github(args: &[&str]) -> Run {
    ckdiff(&[&["--format", "github"], args].concat())
}

fn count(annotations: &[Annotation], level: &str) -> usize {
    annotations.iter().filter(|annotation| annotation.level == level).count()
}

#[test]
fn the_worst_failures_are_errors_and_the_rest_is_counted() {
    let run = github(&["--only", "tensors", "retrain/baseline.ckpt", "retrain/retrained.ckpt"]);
    assert_eq!(run.code, 1);
    let found = parsed(run.text());
    assert_eq!((count(&found, "notice"), count(&found, "error")), (1, 10));
    assert!(found[0].message.starts_with("Different: NEW NaN in "), "{found:?}");
    assert!(found[0].message.contains("10.1%"), "{found:?}");
    assert_eq!(found.last().unwrap().message, "… and 9 more differences");
    named_snapshot("report", "retrain_github", run.text());
    let same = github(&["demo/model.ckpt", "demo/model.ckpt"]);
    assert_eq!((same.code, count(&parsed(same.text()), "error")), (0, 0));
}

#[test]
fn a_broken_rule_is_shown_where_the_file_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("a,b:c.toml");
    fs::write(&rules, "schema = 1\n\n[default]\nexpect = \"any\"\nrel_l2 = 0.01\n").unwrap();
    let config = rules.to_str().unwrap();
    let run = github(&["--config", config, "training/seeds/1", "training/warm/5"]);
    assert_eq!(run.code, 1);
    let found = parsed(run.text());
    let error = found.iter().find(|annotation| annotation.level == "error").unwrap();
    let expected = [("file", config), ("line", "3"), ("title", "ckdiff")];
    let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(error.properties, expected, "{error:?}");
}

#[test]
fn hostile_names_are_in_messages() {
    let dir = tempfile::tempdir().unwrap();
    let [lhs, rhs] = hostile_pair(dir.path());
    let run = github(&[&lhs, &rhs]);
    let found = parsed(run.text());
    assert_eq!((count(&found, "notice"), count(&found, "error"), found.len()), (1, 10, 11));
    for annotation in &found {
        assert!(annotation.message.len() < 2_000, "{annotation:?}");
        assert!(!annotation.message.contains(char::is_control), "{annotation:?}");
        assert_eq!(annotation.properties[0].1, rhs);
    }
}

/// Compares with `GITHUB_STEP_SUMMARY` set to `summary`.
fn with_summary(summary: &Path, args: &[&str]) -> Run {
    let mut command = command(args);
    command.env("GITHUB_STEP_SUMMARY", summary);
    finish(command)
}

const PAIR: [&str; 2] = ["retrain/baseline.ckpt", "retrain/retrained.ckpt"];

#[test]
fn the_summary_of_a_step_is_appended_to() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("summary.md");
    fs::write(&path, "what another program says").unwrap();
    let run = with_summary(&path, &[&["-q", "--output", "github=-"][..], &PAIR].concat());
    assert_eq!((run.code, &*run.stderr), (1, ""));
    assert!(parsed(run.text()).len() > 10);
    let summary = fs::read_to_string(&path).unwrap();
    assert!(summary.starts_with("what another program says\n<!-- ckdiff -->\n### ❌ Different: "));
    let other = with_summary(&path, &[&["--format", "markdown"][..], &PAIR].concat());
    assert_eq!(other.code, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), summary, "only github writes a summary");
    let quiet = with_summary(&path, &[&["--format", "github", "-q"][..], &PAIR].concat());
    assert_eq!((quiet.code, quiet.text()), (1, ""));
    assert_eq!(fs::read_to_string(&path).unwrap(), summary);
}

#[test]
fn a_summary_that_cannot_be_written_is_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let full = dir.path().join("full.md");
    fs::write(&full, vec![b'x'; 999_500]).unwrap();
    let missing = dir.path().join("missing").join("summary.md");
    for (path, why) in [
        (dir.path(), "Is a directory"),
        (&missing, "No such file"),
        (&full, "it has 999500 bytes, of which GitHub shows 1000000"),
        (Path::new("/dev/full"), "No space left"),
    ] {
        let run = with_summary(path, &[&["--format", "github"][..], &PAIR].concat());
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stderr.starts_with("ckdiff: warning: GITHUB_STEP_SUMMARY: "), "{}", run.stderr);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
    assert_eq!(fs::metadata(&full).unwrap().len(), 999_500);
}

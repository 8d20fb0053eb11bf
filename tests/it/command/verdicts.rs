//! One verdict: the first words of a report, its JSON, the exit code, the text view and the git driver agree on every pair.

use std::path::{Path, PathBuf};

use crate::support::command::ckdiff;
use crate::support::graph::pairs::every_pair;

/// Pairs of checkpoints and SavedModels besides those in `pairs/`, `edits/` and `layer_lists/`.
const PAIRS: &[[&str; 2]] = &[
    ["tf2/ckpt-1", "tf2/ckpt-2"],
    ["retrain/baseline.ckpt", "retrain/retrained.ckpt"],
    ["by_name/names.ckpt", "by_name/objects.ckpt"],
    ["roles/keras/before-1", "roles/keras/after-2"],
    ["roles/keras/after-2", "roles/keras/exported"],
    ["roles/tracked/before", "roles/tracked/after"],
    ["layer_lists/named", "layer_lists/exchanged"],
];

/// What the first line of a report says.
fn headline(report: &str) -> &str {
    let first = report.lines().find(|line| line.contains(':')).unwrap_or(report);
    first.split(':').next().unwrap_or_default()
}

fn check(lhs: &str, rhs: &str, json: &Path) {
    let run = ckdiff(&[lhs, rhs, "--no-config", "--output", &format!("json={}", json.display())]);
    let (verdict, word) = match run.code {
        0 => ("same", "Same"),
        1 => ("different", "Different"),
        _ => ("trouble", "Error"),
    };
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(report["verdict"], verdict, "{lhs}");
    assert_eq!(headline(run.text()), word, "{lhs}: {}", run.text());
    let unified = ckdiff(&[lhs, rhs, "--no-config", "-u"]);
    assert_eq!((unified.code, headline(unified.text())), (run.code, word), "{lhs}");
    let is_file = |path: &str| Path::new("tests/data").join(path).is_file();
    if is_file(lhs) && is_file(rhs) {
        let args = ["git-driver", "--exit-code", lhs, lhs, "1", "100644", rhs, "2", "100644"];
        let driver = ckdiff(&args);
        assert_eq!(driver.code == 0, run.code == 0, "{lhs}: {}", driver.text());
        let said = driver.text().lines().find(|line| line.starts_with(word));
        // Of files that are the same, git is told nothing.
        let is_silent = run.code == 0 && driver.text().is_empty();
        assert!(said.is_some() || is_silent, "{lhs}: {}", driver.text());
    }
}

#[test]
fn every_report_has_the_same_verdict() {
    let of_pair = |(_, sides): (String, [PathBuf; 2])| {
        sides.map(|side| side.strip_prefix("tests/data").unwrap().display().to_string())
    };
    let mut pairs: Vec<[String; 2]> = every_pair().into_iter().map(of_pair).collect();
    pairs.extend(PAIRS.iter().map(|pair| pair.map(str::to_owned)));
    let directory = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for (number, pairs) in pairs.chunks(pairs.len().div_ceil(4)).enumerate() {
            let json = directory.path().join(format!("{number}.json"));
            scope.spawn(move || pairs.iter().for_each(|[lhs, rhs]| check(lhs, rhs, &json)));
        }
    });
}

//! Markdown: a comment on a pull request.

use ckdiff::artifact::Artifact;
use ckdiff::diff::{Diff, DiffOptions, diff};
use ckdiff::progress::Silent;
use ckdiff::report::{Format, Report, ReportOptions, write};

use crate::report::hostile::hostile_pair;
use crate::support::command::ckdiff;
use crate::support::named_snapshot;
use crate::support::written::{checkpoint, floats};

fn markdown(diff: &Diff, max_bytes: usize) -> String {
    let options = ReportOptions { max_bytes, max_rows: usize::MAX, ..ReportOptions::default() };
    let mut out = Vec::new();
    write(&Report::Diff(diff, None), Format::MARKDOWN, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn compared(lhs: &str, rhs: &str) -> Diff {
    let [lhs, rhs] = [lhs, rhs].map(|path| Artifact::open(path).unwrap());
    diff(&lhs, &rhs, &DiffOptions::default(), &Silent).unwrap()
}

/// A comparison in which each of so many tensors differs.
fn large(tensors: usize) -> Diff {
    let dir = tempfile::tempdir().unwrap();
    let of = |name, value: f32| {
        let tensor = |i: usize| (format!("model/layer_{i}/kernel"), floats(&[value]));
        checkpoint(dir.path(), name, &(0..tensors).map(tensor).collect::<Vec<_>>())
    };
    let [lhs, rhs] = [of("lhs", 1.0), of("rhs", 2.0)];
    compared(lhs.to_str().unwrap(), rhs.to_str().unwrap())
}

/// The cells of a row: what is between the bars that no backslash escapes.
fn cells(row: &str) -> usize {
    row.replace("\\|", "").matches('|').count() - 1
}

/// Checks that each table has its rows in one piece, each with as many cells as the header, and that each `<details>` is closed.
fn assert_well_formed(page: &str) {
    let mut columns = None;
    for line in page.lines() {
        match (line.starts_with('|'), columns) {
            (true, None) => columns = Some(cells(line)),
            (true, Some(columns)) => assert_eq!(cells(line), columns, "{line}"),
            (false, _) => columns = None,
        }
    }
    assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
}

#[test]
fn the_page_tells_the_verdict_and_the_worst_first_and_folds_the_rest() {
    let args = ["--format", "markdown", "retrain/baseline.ckpt", "retrain/retrained.ckpt"];
    let run = ckdiff(&[&args[..], &["--only", "tensors"]].concat());
    assert_eq!(run.code, 1);
    assert!(run.text().starts_with("<!-- ckdiff -->\n### ❌ Different: NEW NaN"));
    assert_well_formed(run.text());
    named_snapshot("report", "retrain_markdown", run.text());
}

#[test]
fn broken_rules_are_told_with_the_rule() {
    let pair = ["training/seeds/1", "training/faulty/warm/frozen"];
    let args = [&["--format", "markdown", "--rules", "same-start"][..], &pair].concat();
    let run = ckdiff(&args);
    assert_eq!(run.code, 1);
    let first = "- conv2/bias is unchanged, expected changed (rule `same-start:15 (weights are trained)`)\n";
    assert!(run.text().contains(first), "{}", run.text());
    let row = "| `conv2/kernel` | expect | unchanged | changed | `same-start:15 (weights are trained)` |\n";
    assert!(run.text().contains(row), "{}", run.text());
    let same = ckdiff(&["--format", "markdown", "demo/model.ckpt", "demo/model.ckpt"]);
    let start = "<!-- ckdiff -->\n### ✅ Same: ";
    assert!(same.text().starts_with(start) && !same.text().contains("<details>"));
}

#[test]
fn a_page_is_cut_by_rows_with_their_number() {
    let diff = large(3_000);
    for limit in [1_500, 5_000, 60_000, 1_000_000] {
        let page = markdown(&diff, limit);
        assert!(page.len() <= limit, "{} of {limit} bytes", page.len());
        assert_well_formed(&page);
        let rows = page.lines().filter(|line| line.starts_with("| `model/")).count();
        let note = page.lines().find(|line| line.contains("left out"));
        match limit {
            1_000_000 => assert_eq!((rows, note), (3_000, None)),
            _ => {
                let hidden = 3_000 - rows;
                let count = hidden.to_string();
                let count = count.split_at(count.len() - count.len().min(3));
                let count = [count.0, count.1].into_iter().filter(|part| !part.is_empty());
                let count = count.collect::<Vec<_>>().join(",");
                let start = format!("**{count} rows left out**");
                assert!(note.unwrap().starts_with(&start), "{start}: {note:?}");
            }
        }
    }
}

#[test]
fn hostile_names_neither_break_the_page_nor_mean_anything() {
    let dir = tempfile::tempdir().unwrap();
    let [lhs, rhs] = hostile_pair(dir.path());
    let page = markdown(&compared(&lhs, &rhs), 60_000);
    assert_well_formed(&page);
    // What forges render as code is neither a link nor a mention.
    let code = regex::Regex::new("`[^`\n]*`|<code>[^<\n]*</code>").unwrap();
    let rest = code.replace_all(&page, "");
    for foreign in ["script", "\x1b", "\r", "@", "](", "https", "<b>", "error", "~~", "\\"] {
        assert!(!rest.contains(foreign), "{foreign:?} in {rest}");
    }
    assert!(code.replace_all(&page, "``").matches("``").count() > 50);
    assert!(page.contains("<code>&#60;script&#62;alert(1)&#60;/script&#62;</code>"), "{page}");
    assert!(page.contains("… 10,000 bytes …"), "a name is shown without its middle");
}

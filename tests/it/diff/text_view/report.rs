//! Reports with `--unified`, and its context.

use crate::support::command::ckdiff;
use crate::support::named_snapshot;

/// Pairs whose reports have snapshots, with their options.
const PAIRS: &[(&str, &str, &[&str])] = &[
    ("rename_and_edit", ".meta", &["-u"]),
    ("swapped_matmul", ".meta", &["-u"]),
    ("dropout_inserted", ".meta", &["-u", "-n", "2"]),
    ("function_counter_and_body", ".meta", &["--unified=1"]),
    ("collection_node_replaced", ".meta", &["-u=0"]),
    ("bad_duplicate_differs", ".meta", &["-u"]),
    ("variable_trainable", ".meta", &["-u"]),
    ("all_cosmetic", ".meta", &["-u=1", "--strict", "-n", "4"]),
    ("builder_signature", "", &["-u"]),
    ("module_attribute_renamed", "", &["-u"]),
];

#[test]
fn reports_with_text_equal_their_snapshots() {
    for (name, extension, options) in PAIRS {
        let sides = ["lhs", "rhs"].map(|side| format!("pairs/{name}/{side}{extension}"));
        let mut args: Vec<&str> = options.to_vec();
        args.extend(sides.iter().map(String::as_str));
        let run = ckdiff(&args);
        assert_eq!(run.stderr, "", "{name}");
        named_snapshot("text_view", name, run.text());
    }
}

const LHS: &str = "pairs/rename_edit_device/lhs.meta";
const RHS: &str = "pairs/rename_edit_device/rhs.meta";

#[test]
fn text_is_shown_only_when_requested() {
    let is_text = |args: &[&str]| {
        let run = ckdiff(args);
        assert_eq!(run.code, 1, "{args:?}");
        run.text().contains("\n  + device: \"/device:GPU:0\"\n")
    };
    assert!(is_text(&["-u", LHS, RHS]));
    assert!(is_text(&[LHS, RHS, "--unified=2"]));
    assert!(is_text(&["diff", "--unified", LHS, RHS]));
    assert!(!is_text(&[LHS, RHS]));
    assert!(!is_text(&[LHS, RHS, "-u", "--ignore", "**.device"]));
}

#[test]
fn the_context_is_a_number_of_lines() {
    for wrong in ["--unified=x", "--unified=-1", "-u=1.5"] {
        let run = ckdiff(&[wrong, LHS, RHS]);
        assert_eq!(run.code, 2, "{wrong}");
        assert!(run.stderr.contains("--unified"), "{}", run.stderr);
    }
    let len = |context: &str| ckdiff(&[context, LHS, RHS]).text().lines().count();
    assert!(len("-u=0") < len("-u=1") && len("-u=1") < len("-u"));
    assert_eq!(ckdiff(&["-u", LHS, RHS]).text(), ckdiff(&["-u=3", LHS, RHS]).text());
    // More lines than the text has.
    assert_eq!(ckdiff(&["-u=18446744073709551615", LHS, RHS]).code, 1);
}

#[test]
fn the_json_report_is_the_same_with_text() {
    let plain = ckdiff(&["--format", "json", LHS, RHS]);
    assert_eq!(ckdiff(&["--format", "json", "-u", LHS, RHS]).stdout, plain.stdout);
}

#[test]
fn the_first_parts_are_shown_and_the_others_counted() {
    let run = ckdiff(&["-u", "--no-group", "-n", "3", LHS, RHS]);
    let text = run.text();
    assert!(text.contains("\n… and 8 more changed parts: -n 11 lists all\n"), "{text}");
    assert_eq!(text.matches("\n  - name: ").count(), 2, "{text}");
    assert!(
        !ckdiff(&["-u", "--no-group", "-n", "11", LHS, RHS]).text().contains("more changed part")
    );
}

#[test]
fn lines_are_coloured_when_colours_are_requested() {
    let run = ckdiff(&["-u", "--no-group", "--color", "always", LHS, RHS]);
    assert!(run.text().contains("\u{1b}[31m  - name: \"dense/MatMul\"\u{1b}[0m\n"));
    assert!(run.text().contains("\u{1b}[32m  + name: \"layer/MatMul\"\u{1b}[0m\n"));
    assert!(!ckdiff(&["-u", "--color", "never", LHS, RHS]).text().contains('\u{1b}'));
}

#[test]
fn checkpoints_have_no_text() {
    let sides = ["retrain/baseline.ckpt", "retrain/retrained.ckpt"];
    let plain = ckdiff(&sides);
    let with_text = ckdiff(&["-u", sides[0], sides[1]]);
    assert_eq!(with_text.text(), plain.text());
}

#[test]
fn the_git_driver_shows_text_too() {
    let zeros = "0".repeat(40);
    let old = [LHS, "1111111111111111111111111111111111111111", "100644"];
    let new = [RHS, &zeros, "100644"];
    let args: Vec<&str> =
        ["git-driver", "-u", "graph.meta"].into_iter().chain(old).chain(new).collect();
    let run = ckdiff(&args);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert!(run.text().contains("\n  + device: \"/device:GPU:0\"\n"), "{}", run.text());
}

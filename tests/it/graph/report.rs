//! Human reports of instructive pairs.

use crate::support::command::ckdiff;
use crate::support::named_snapshot;

/// Pairs with a snapshot of their report, and the options for it.
const PAIRS: &[(&str, &str, &[&str])] = &[
    ("block_inserted", ".meta", &[]),
    ("block_replaced", ".meta", &[]),
    ("rename_scope_reorders", ".meta", &[]),
    ("rename_edit_device", ".meta", &[]),
    ("optimizer", ".meta", &["-n", "4"]),
    ("constant_a_little", ".meta", &["--rtol", "1e-4"]),
    ("function_counter_and_body", ".meta", &[]),
    ("saver_key_reorders", ".meta", &[]),
    ("signature_dtype", ".meta", &[]),
    ("all_cosmetic", ".meta", &[]),
    ("all_cosmetic_strict", ".meta", &["--strict"]),
    ("bad_cycle", ".meta", &[]),
    ("module_attribute_added", "", &[]),
    ("module_attribute_renamed", "", &[]),
    ("module_retrained", "", &[]),
];

#[test]
fn reports_of_graphs_equal_their_snapshots() {
    for (name, extension, options) in PAIRS {
        let pair = name.trim_end_matches("_strict");
        let sides = ["lhs", "rhs"].map(|side| format!("pairs/{pair}/{side}{extension}"));
        let mut args: Vec<&str> = sides.iter().map(String::as_str).collect();
        args.extend(*options);
        let run = ckdiff(&args);
        assert_eq!(run.stderr, "", "{name}");
        let widest = run.text().lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 100, "{name}: {widest} columns");
        named_snapshot("graph", name, run.text());
    }
}

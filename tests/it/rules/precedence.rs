//! Which rule decides.

use ckdiff::tensor::{DType, Tensor};

use super::{failures, judged, rules};
use crate::support::written::{floats, vector};

fn moved(by: f32) -> (Option<Tensor>, Option<Tensor>) {
    (Some(floats(&[3.0, 4.0])), Some(floats(&[3.0 * by, 4.0 * by])))
}

/// What fails of `a`, `b` and `layer/kernel`, which moved by a tenth each.
fn of_three(text: &str) -> Vec<String> {
    let (lhs, rhs) = moved(1.1);
    let tensor = |name| (name, lhs.clone(), rhs.clone());
    failures(&judged(text, &[tensor("a"), tensor("b"), tensor("layer/kernel")]))
}

#[test]
fn tensors_without_a_rule_must_be_identical() {
    assert_eq!(of_three(""), ["a: identical", "b: identical", "layer/kernel: identical"]);
    let only = "[default]\nnan = \"forbidden\"";
    assert_eq!(of_three(only).len(), 3, "a rule on NaN says nothing of the values");
    assert_eq!(of_three("[default]\nexpect = \"any\""), [""; 0]);
}

#[test]
fn the_last_rule_that_matches_and_has_the_key_wins() {
    let general = "[default]\nrel_l2 = 0.2\n";
    assert_eq!(of_three(general), [""; 0]);
    let strict = format!("{general}[[rule]]\nmatch = \"a\"\nrel_l2 = 0.01\n");
    assert_eq!(of_three(&strict), ["a: rel_l2"]);
    // A later rule without the key changes nothing, one with it does.
    assert_eq!(of_three(&format!("{strict}[[rule]]\nmatch = \"*\"\nmax_abs = 9")), ["a: rel_l2"]);
    assert_eq!(of_three(&format!("{strict}[[rule]]\nmatch = \"*\"\nrel_l2 = 0.3")), [""; 0]);
    // The default comes first, wherever it stands.
    let below = "rule = [{ match = \"a\", rel_l2 = 0.01 }]\n[default]\nrel_l2 = 0.2";
    assert_eq!(of_three(below), ["a: rel_l2"]);
}

#[test]
fn off_removes_a_setting() {
    let text = "[default]\nrel_l2 = 0.01\nmax_abs = 9\n[[rule]]\nmatch = \"b\"\nrel_l2 = \"off\"";
    assert_eq!(of_three(text), ["a: rel_l2", "layer/kernel: rel_l2"]);
    let all = "[default]\nrel_l2 = 0.01\n[[rule]]\nmatch = \"b\"\nrel_l2 = \"off\"";
    let found = of_three(all);
    assert!(
        found.contains(&"b: identical".to_owned()),
        "nothing is left that judges it: {found:?}"
    );
}

#[test]
fn conditions_must_all_hold() {
    let failing = |condition: &str| {
        let text = format!("[default]\nexpect = \"any\"\n[[rule]]\n{condition}\nrel_l2 = 0.01");
        of_three(&text).iter().map(|line| line.replace(": rel_l2", "")).collect::<Vec<_>>()
    };
    for (condition, expected) in [
        ("match = \"*\"", &["a", "b"][..]),
        ("match = \"**\"", &["a", "b", "layer/kernel"]),
        ("match = [\"a\", \"layer/*\"]", &["a", "layer/kernel"]),
        ("match = \"**\"\nexcept = \"b\"", &["a", "layer/kernel"]),
        ("except = [\"a\", \"b\"]", &["layer/kernel"]),
        ("regex = \"^l.*k\"", &["layer/kernel"]),
        ("match = \"a\"\nregex = \"^b\"", &["a", "b"]),
        ("role = \"weights\"", &["a", "b", "layer/kernel"]),
        ("role = [\"optimizer\", \"counters\"]", &[]),
        ("dtype = \"float64\"", &[]),
        ("dtype = [\"float64\", \"float32\"]\nmatch = \"a\"", &["a"]),
        ("min_elements = 2", &["a", "b", "layer/kernel"]),
        ("min_elements = 3", &[]),
        ("max_elements = 1", &[]),
        ("min_rank = 2", &[]),
    ] {
        assert_eq!(failing(condition), expected, "{condition}");
    }
}

#[test]
fn names_with_any_bytes_match_as_they_are_printed() {
    let (lhs, rhs) = moved(1.1);
    let text = "[default]\nexpect = \"any\"\n[[rule]]\nmatch = \"a[[]b\"\nexpect = \"unchanged\"";
    assert_eq!(failures(&judged(text, &[("a[b", lhs, rhs)])), ["a[b: expect"]);
}

#[test]
fn a_file_that_extends_a_profile_comes_after_it() {
    let (lhs, rhs) = moved(1.5);
    let kernel = |text: &str| failures(&judged(text, &[("kernel", lhs.clone(), rhs.clone())]));
    assert_eq!(kernel("extends = \"exact\""), ["kernel: expect"]);
    let free = "extends = \"exact\"\n[[rule]]\nmatch = \"kernel\"\nexpect = \"any\"";
    assert_eq!(kernel(free), [""; 0]);
    // The default of the file comes after the rules of the profile.
    let default = "extends = \"same-start\"\n[default]\nexpect = \"unchanged\"";
    assert_eq!(kernel(default), ["kernel: expect"]);
    let default = "extends = \"exact\"\n[default]\nexpect = \"any\"";
    assert_eq!(kernel(default), [""; 0]);
}

#[test]
fn tolerances_depend_on_the_dtype() {
    let bf16 = |bits: u16| vector(DType::BF16, bits.to_le_bytes().to_vec());
    let near = [
        ("float32", Some(floats(&[1.0])), Some(floats(&[1.0 + 1e-5]))),
        ("bfloat16", Some(bf16(0x3f80)), Some(bf16(0x3f81))),
    ];
    let failing = |text: &str| failures(&judged(text, &near)).len();
    assert_eq!(failing("[default]\nrtol = \"dtype\""), 0);
    assert_eq!(failing("[default]\nrtol = 1e-5"), 2, "bfloat16 and the rounding of float32");
    assert_eq!(failing("[default]\nrtol = { bfloat16 = 0.01, float32 = 1e-4 }"), 0);
    assert_eq!(failing("[default]\nrtol = { bfloat16 = 0.01 }"), 1);
    assert_eq!(failing("[default]\nulp = { bfloat16 = 1, float32 = 100 }"), 0);
    assert_eq!(failing("[default]\nulp = { bfloat16 = 1, float32 = 10 }"), 1);
    assert_eq!(failing("[default]\nrtol = \"dtype\"\natol = 0"), 1, "atol of the file wins");
}

#[test]
fn explanations_follow_the_rules() {
    let rules = rules(
        "extends = \"same-start\"\n[[rule]]\nname = \"head\"\nmatch = \"head/**\"\nrel_l2 = 0.5\ncosine = \"off\"",
    );
    let explained = rules.explain_name(&"head/kernel".into());
    let matched: Vec<_> = explained.matched.iter().map(|rule| rule.rule.to_string()).collect();
    let expected = [
        "same-start:5",
        "same-start:9 (tables and masks stay)",
        "same-start:15 (weights are trained)",
        "same-start:23 (matrices stay near)",
        "ckdiff.toml:3 (head)",
    ];
    assert_eq!(matched, expected);
    assert!(explained.matched[1].is_conditional && !explained.matched[4].is_conditional);
    let holds: Vec<_> = explained
        .settings
        .iter()
        .map(|(key, value, rule)| format!("{key} = {value} {rule}"))
        .collect();
    assert!(holds.contains(&"rel_l2 = 0.5 ckdiff.toml:3 (head)".to_owned()), "{holds:?}");
    assert!(!holds.iter().any(|line| line.starts_with("cosine")), "{holds:?}");
}

//! Large files and many rules: bounded time and memory.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use ckdiff::rules::Rules;
use ckdiff::tensor::Name;

#[test]
fn many_rules_for_many_tensors_are_matched_at_once() {
    let count = 20_000;
    let mut text = String::new();
    for i in 0..count {
        let _ = write!(text, "[[rule]]\nmatch = \"layer_{i}/kernel\"\nrel_l2 = 0.1\n");
    }
    let start = Instant::now();
    let rules = Rules::parse(&text, Path::new("r.toml"), None).unwrap();
    for i in (0..count).step_by(10) {
        let name = Name::from(&format!("layer_{i}/kernel"));
        assert_eq!(rules.explain_name(&name).matched.len(), 1);
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn globs_that_need_an_automaton_may_be_many_too() {
    let mut text = String::new();
    for i in 0..5_000 {
        let _ = write!(text, "[[rule]]\nmatch = \"layer_{i}/*/ker?el\"\nrel_l2 = 0.1\n");
    }
    let rules = Rules::parse(&text, Path::new("r.toml"), None).unwrap();
    for i in (0..5_000).step_by(100) {
        let name = Name::from(&format!("layer_{i}/dense/kernel"));
        assert_eq!(rules.explain_name(&name).matched.len(), 1);
    }
}

#[test]
fn files_and_rules_that_would_take_too_long_are_refused() {
    let long = format!("# {}", "x".repeat(9 << 20));
    let error = Rules::parse(&long, Path::new("r.toml"), None).unwrap_err().to_string();
    assert!(error.contains("rules file"), "{error}");
    let many = "[[rule]]\nrole = \"weights\"\nrel_l2 = 1\n".repeat(1001);
    let error = Rules::parse(&many, Path::new("r.toml"), None).unwrap_err().to_string();
    assert!(error.contains("more than 1000 rules without `match`"), "{error}");
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(Rules::parse(&deep, Path::new("r.toml"), None).is_err());
    let regex = "[[rule]]\nregex = \"(a{1000}){1000}\"";
    let error = Rules::parse(regex, Path::new("r.toml"), None).unwrap_err().to_string();
    assert!(error.contains("2:9"), "{error}");
    let renames = "[[rename]]\nfrom = \"a\"\nto = \"b\"\n".repeat(1001);
    assert!(Rules::parse(&renames, Path::new("r.toml"), None).is_err());
}

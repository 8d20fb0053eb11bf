//! What a rules file may say; every mistake has its line and column.

use std::path::Path;

use ckdiff::rules::{Profile, Rules};

/// The error of a text, without the name of the file.
fn error(text: &str) -> String {
    let error = Rules::parse(text, Path::new("r.toml"), None).unwrap_err();
    error.to_string().replace("r.toml:", "")
}

#[test]
fn every_mistake_has_its_line_and_column() {
    for (text, expected) in [
        ("[default", "1:9: "),
        ("shema = 1", "1:1: a rules file has no key \"shema\"; did you mean schema?"),
        ("schema = 2", "1:10: expected schema = 1, the only version, found 2"),
        (
            "extends = \"same\"",
            "1:11: there is no built-in profile \"same\"; did you mean same-start?",
        ),
        ("[default]\nrel_12 = 0.1", "2:1: [default] has no key \"rel_12\"; did you mean rel_l2?"),
        ("[default]\nmatch = \"a\"", "2:1: [default] has no key \"match\""),
        ("[[rule]]\nmach = \"a\"", "2:1: [[rule]] has no key \"mach\"; did you mean match?"),
        ("rule = 3", "1:8: expected a list of tables, each under [[rule]], found 3"),
        ("[[rule]]\nmatch = 3", "2:9: expected a string or a list of strings, found 3"),
        ("[[rule]]\nmatch = [\"a\", 3]", "2:15: expected a string, found 3"),
        ("[[rule]]\nmatch = [\"a\", \"b[\"]", "2:15: malformed glob: "),
        ("[[rule]]\nregex = \"(\"", "2:9: malformed regular expression: unclosed group"),
        ("[[rule]]\nrole = \"weight\"", "2:8: there is no role \"weight\"; the roles are "),
        (
            "[[rule]]\ndtype = \"float23\"",
            "2:9: there is no dtype \"float23\"; did you mean float16?",
        ),
        ("[[rule]]\nmin_elements = -1", "2:16: expected an integer that is not negative, found -1"),
        (
            "[[rule]]\nmin_elements = 9\nmax_elements = 8",
            "3:1: max_elements is smaller than min_elements, 9",
        ),
        (
            "[default]\nrel_l2 = -0.1",
            "2:10: expected a number that is finite and not negative, found -0.1",
        ),
        (
            "[default]\nrel_l2 = nan",
            "2:10: expected a number that is finite and not negative, found nan",
        ),
        (
            "[default]\natol = inf",
            "2:8: expected a number that is finite and not negative, found inf",
        ),
        ("[default]\natol = \"dtype\"", "2:8: expected a number or \"off\", found \"dtype\""),
        (
            "[default]\nrtol = \"type\"",
            "2:8: expected a number, \"dtype\" or \"off\", found \"type\"",
        ),
        ("[default]\nks = [0.2, 0.1]", "2:6: the least value, 0.2, is larger than the most, 0.1"),
        (
            "[default]\nks = [0.2]",
            "2:6: expected a number, or a list of the least and the most, found [0.2]",
        ),
        ("[default]\nulp = 1.5", "2:7: expected an integer that is not negative, found 1.5"),
        (
            "[default]\nulp = { float = 1 }",
            "2:9: there is no dtype \"float\"; did you mean float16?",
        ),
        (
            "[default]\nmax_mismatched = 2",
            "2:18: expected a share of the elements, from 0 to 1, found 2",
        ),
        (
            "[default]\nrel_l2 = \"a%\"",
            "2:10: expected a number that is finite and not negative, found \"a%\"",
        ),
        (
            "[default]\nexpect = \"same\"",
            "2:10: expected \"unchanged\", \"changed\", \"any\" or \"ignored\", found \"same\"",
        ),
        ("[default]\nadded = true", "2:9: expected \"allowed\" or \"forbidden\", found true"),
        (
            "[default]\nnan = \"no\"",
            "2:7: expected \"forbidden\", \"not_new\" or \"allowed\", found \"no\"",
        ),
        (
            "[[rule]]\nexpect = \"unchanged\"\nrel_l2 = 0.1",
            "3:1: contradicts expect = \"unchanged\" of the same rule",
        ),
        (
            "[[rule]]\nexpect = \"ignored\"\nnan = \"forbidden\"",
            "3:1: contradicts expect = \"ignored\" of the same rule",
        ),
        ("[[rename]]\nfrom = \"a\"", "1:1: [[rename]] lacks the key to"),
        (
            "[[rename]]\nfrom = \"(\"\nto = \"b\"",
            "2:8: malformed regular expression: unclosed group",
        ),
        ("[[rename]]\nfrom = \"a\"\nto = \"b=c\"", "3:6: a new name cannot have a ="),
        ("[graph]\nexpects = 1", "2:1: [graph] has no key \"expects\"; did you mean expect?"),
        (
            "[graph]\nexpect = \"same\"",
            "2:10: expected \"unchanged\" or \"ignored\", found \"same\"",
        ),
        ("[graph]\nunchanged = \"a{\"", "2:13: malformed glob: "),
        ("[default]\ncosine = 1.5", "2:10: expected a number from -1 to 1, found 1.5"),
        ("[[rule]]\nmatch = []", "2:9: expected at least one glob, found []"),
        (
            "[graph]\nallow_ops = [\"Add\", \"Mul\"]\ndeny_ops = [\"Mul\"]",
            "3:1: allow_ops has \"Mul\", too",
        ),
        ("[profile.a]\ndefalt = 1", "2:1: a profile has no key \"defalt\"; did you mean default?"),
        (
            "[profile.a.default]\nks = 1e400",
            "2:6: expected a number that is finite and not negative, found 1e400",
        ),
        ("profile = 1", "1:11: expected a table, found 1"),
    ] {
        let found = error(text);
        assert!(found.starts_with(expected), "{text:?}\n{found}\n{expected}");
    }
}

#[test]
fn a_profile_is_found_by_name_and_all_are_checked() {
    let text =
        "[profile.nightly.default]\nnan = \"allowed\"\n[profile.weekly.default]\nnan = \"allowed\"";
    let parse = |profile| Rules::parse(text, Path::new("r.toml"), Some(profile));
    assert_eq!(parse("weekly").unwrap().profile(), Some("weekly"));
    let error = parse("nightli").unwrap_err().to_string();
    assert_eq!(error, "r.toml: there is no [profile.nightli]; did you mean nightly?");
}

#[test]
fn built_in_profiles_are_rules_files() {
    for profile in Profile::ALL {
        let parsed = Rules::parse(profile.text(), Path::new("p.toml"), None).unwrap();
        assert!(parsed.renames().is_empty());
        assert_eq!(Rules::built_in(profile).source(), profile.name());
    }
}

/// The keys that the parser knows are those that editors complete.
#[test]
fn the_schema_for_editors_has_every_key() {
    let schema = include_str!("../../../src/rules/ckdiff-toml-1.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let keys = |pointer: &str| -> Vec<String> {
        schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect()
    };
    let valid = |key: &str| match key {
        "expect" => "\"any\"",
        "nan" | "inf" => "\"not_new\"",
        "new_shape" | "new_dtype" | "added" | "removed" => "\"allowed\"",
        "name" | "match" | "except" | "regex" => "\"a\"",
        "role" => "\"weights\"",
        "dtype" => "\"float32\"",
        _ => "1",
    };
    let settings = keys("/$defs/settings/properties");
    assert!(settings.len() > 25, "{settings:?}");
    for key in &settings {
        let text = format!("[default]\n{key} = {}", valid(key));
        assert!(Rules::parse(&text, Path::new("r"), None).is_ok(), "{text}");
    }
    for key in keys("/$defs/rules/items/properties") {
        let text = format!("[[rule]]\n{key} = {}", valid(&key));
        assert!(Rules::parse(&text, Path::new("r"), None).is_ok(), "{text}");
    }
    for key in keys("/$defs/graph/properties") {
        let value =
            if ["expect", "signatures"].contains(&&*key) { "\"ignored\"" } else { "[\"a\"]" };
        let text = format!("[graph]\n{key} = {value}");
        assert!(Rules::parse(&text, Path::new("r"), None).is_ok(), "{text}");
    }
    // The other way around: each key that a message names is in the schema.
    let error = Rules::parse("[default]\nzzz = 1", Path::new("r"), None).unwrap_err().to_string();
    assert!(error.contains("[default] has no key"), "{error}");
    let docs = std::fs::read_to_string("docs/rules.md").unwrap();
    for key in settings.iter().chain(&keys("/$defs/graph/properties")) {
        assert!(docs.contains(&format!("`{key}`")), "docs/rules.md does not explain {key}");
    }
}

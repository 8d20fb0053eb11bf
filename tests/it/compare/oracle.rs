//! The adversarial pairs of `tests/data/compare`, checked against an independent implementation in numpy.

use std::fmt::Write as _;

use ckdiff::artifact::Artifact;
use ckdiff::compare::{CompareOptions, Comparison, NanPolicy, Sides, Tolerance};
use ckdiff::diff::{self, Diff, TensorDiff, diff};
use ckdiff::progress::Silent;
use serde_json::Value;

use crate::support::{fact, oracle};

fn compared(options: CompareOptions) -> Diff {
    let open = |side: &str| Artifact::open(format!("tests/data/compare/{side}.ckpt")).unwrap();
    let options = diff::DiffOptions { compare: options, ..diff::DiffOptions::default() };
    diff(&open("lhs"), &open("rhs"), &options, &Silent).unwrap()
}

/// A float as text that is unique for every `f64`.
fn number(value: Option<f64>) -> String {
    value.map_or("null".into(), |value| format!("{value:e}"))
}

fn theirs(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::String(text) => match text.as_str() {
            "Infinity" => "inf".into(),
            "-Infinity" => "-inf".into(),
            _ => text.clone(),
        },
        Value::Number(n) => format!("{:e}", n.as_f64().unwrap()),
        other => other.to_string(),
    }
}

fn sides(value: Option<Sides<u64>>) -> Value {
    value.map_or(Value::Null, |n| serde_json::json!({"lhs": n.lhs, "rhs": n.rhs}))
}

fn index(tensor: &TensorDiff, position: Option<u64>) -> Value {
    let shape = &tensor.lhs.as_ref().unwrap().shape;
    position.map_or(Value::Null, |position| shape.unravel(position).into())
}

/// The statistics in which ckdiff and numpy disagree, a line each.
fn disagreements(tensor: &TensorDiff, ours: &Comparison, expected: &Value) -> String {
    let mut lines = String::new();
    let mut check = |what: &str, ours: String, theirs: String| {
        if ours != theirs {
            writeln!(lines, "{}: {what} is {ours}, numpy says {theirs}", tensor.name).unwrap();
        }
    };
    for (what, ours) in [("elements", ours.elements), ("differing", ours.differing)] {
        check(what, ours.to_string(), fact(expected, what).to_string());
    }
    for (what, ours) in [("max_abs", ours.max_abs), ("max_rel", ours.max_rel)] {
        check(what, number(ours), theirs(fact(expected, what)));
    }
    let counts = [
        ("max_ulp", ours.max_ulp),
        ("zero_lhs", ours.zero_lhs),
        ("nan_new", ours.nan_new),
        ("zero_sign", ours.zero_sign),
        ("nan_payload", ours.nan_payload),
    ];
    for (what, ours) in counts {
        check(what, serde_json::json!(ours).to_string(), fact(expected, what).to_string());
    }
    for (what, ours) in [("nan", ours.nan), ("inf", ours.inf)] {
        check(what, sides(ours).to_string(), fact(expected, what).to_string());
    }
    let worst = index(tensor, ours.worst.map(|worst| worst.position));
    check("worst", worst.to_string(), fact(expected, "worst").to_string());
    let passes_at = fact(expected, "passes_at");
    for (what, ours) in [("rtol", ours.passes_at.rtol), ("atol", ours.passes_at.atol)] {
        // Strings and booleans have no tolerance, so numpy reports none.
        let theirs =
            if passes_at.is_null() { "null".into() } else { theirs(fact(passes_at, what)) };
        check(&format!("{what} that passes"), number(ours), theirs);
    }
    lines
}

fn options(given: &Value) -> CompareOptions {
    for (option, value) in given.as_object().unwrap() {
        let is_known = ["atol", "rtol", "ulp"].contains(&&**option) && value.is_number()
            || (option, value.as_str()) == (&"nan".to_owned(), Some("differ"));
        assert!(is_known, "{option}: {value}");
    }
    let number = |key: &str| given.get(key).and_then(Value::as_f64);
    let ulp = given.get("ulp").map(|ulp| ulp.as_u64().unwrap());
    let nan = if given.get("nan").is_some() { NanPolicy::Differ } else { NanPolicy::Equal };
    let tolerance = Tolerance::new(number("atol"), number("rtol"), ulp).unwrap();
    CompareOptions { tolerance, nan, ..CompareOptions::default() }
}

#[test]
fn numpy_agrees_on_every_statistic() {
    let oracle = oracle("compare.json");
    let diff = compared(CompareOptions::default());
    let tensors = oracle["tensors"].as_object().unwrap();
    assert!(tensors.len() >= 103, "{}", tensors.len());
    assert_eq!(diff.tensors.len(), tensors.len());
    let mut lines = String::new();
    for tensor in &diff.tensors {
        let expected = fact(&oracle["tensors"], &tensor.name.to_string());
        let ours = tensor.comparison.as_ref().unwrap();
        lines.push_str(&disagreements(tensor, ours, expected));
    }
    assert!(lines.is_empty(), "{lines}");
}

#[test]
fn numpy_agrees_on_every_verdict() {
    let oracle = oracle("compare.json");
    let tensors = oracle["tensors"].as_object().unwrap();
    let cases = tensors.values().next().unwrap()["cases"].as_array().unwrap();
    assert!(cases.len() >= 9);
    let mut lines = String::new();
    for (i, case) in cases.iter().enumerate() {
        let diff = compared(options(fact(case, "options")));
        assert_eq!(diff.tensors.len(), tensors.len());
        for tensor in &diff.tensors {
            let expected = &tensors[&tensor.name.to_string()]["cases"][i];
            assert_eq!(expected["options"], case["options"], "the cases are in the same order");
            let ours = tensor.comparison.as_ref().unwrap();
            let first = index(tensor, ours.first);
            if expected["mismatched"] != ours.mismatched || *fact(expected, "first") != first {
                let (name, options) = (&tensor.name, &case["options"]);
                let (ours, theirs) = (ours.mismatched, &expected["mismatched"]);
                writeln!(
                    lines,
                    "{name} {options}: {ours} from {first}, numpy: {theirs} from {}",
                    expected["first"]
                )
                .unwrap();
            }
        }
    }
    assert!(lines.is_empty(), "{lines}");
}

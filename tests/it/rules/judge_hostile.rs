//! Reports from anywhere: whatever they say, reading and judging them ends in a result or an error.

use std::path::Path;

use ckdiff::compare::{CompareOptions, Tolerance};
use ckdiff::diff::{DiffOptions, ListedTensors, NameFilter};
use ckdiff::report::json::read_diff;
use ckdiff::rules::{Profile, Rules};
use serde_json::{Value, json};

use super::saved::{compared, rules, saved, write_all};
use crate::support::Random;

/// A report with something in each of its lists.
fn report() -> String {
    let mut listed = ListedTensors::default();
    listed.add("**", 2).unwrap();
    let tolerance = Tolerance::new(Some(1e-4), None, Some(2)).unwrap();
    let include = [
        "**/attention/*",
        "**/moving_variance",
        "**/ema/*",
        "**/temperature",
        "**/dense_1/bias",
        "**/classifier/bias",
    ];
    let options = DiffOptions {
        compare: CompareOptions {
            tolerance,
            histogram: true,
            values: true,
            further: vec![Tolerance::new(Some(0.1), None, None).unwrap()],
            threads: 1,
            ..CompareOptions::default()
        },
        listed,
        mismatch_map: true,
        names: NameFilter::new(&include.map(String::from), &[], &["q=r".into()]).unwrap(),
        ..DiffOptions::default()
    };
    let data = Path::new("tests/data");
    let of = |lhs: &str, rhs: &str, options| {
        let diff = compared(&data.join(lhs), &data.join(rhs), options).unwrap();
        serde_json::from_slice::<Value>(&saved(&diff)).unwrap()
    };
    let mut report = of("retrain/baseline.ckpt", "retrain/retrained.ckpt", &options);
    let graph = of("graphs/training.meta", "graphs/scoped.meta", &DiffOptions::default());
    let mut changes = graph["changes"].as_array().unwrap().clone();
    changes.sort_by_key(|change| change.to_string().len());
    changes.dedup_by_key(|change| (change["kind"].clone(), change.as_object().unwrap().len()));
    report["changes"] = changes.into();
    report["ops"] = graph["ops"].clone();
    report["findings"] = json!([{"side": "lhs", "path": "a.b", "problem": "is wrong"}]);
    report["damage"] = json!([{"side": "rhs", "error": "b.index: broken"}]);
    report.to_string()
}

/// Reads and judges a report, if it can be read.
fn judge(text: &[u8]) -> bool {
    let Ok(diff) = read_diff(text) else { return false };
    for rules in [
        rules(
            "default = { atol = 1e-3, ks = 0.1, diff_p90 = 0.1, abs_p50 = 1, rel_l2 = 1, mean = 1 }",
        ),
        Rules::built_in(Profile::Exact).into(),
    ] {
        write_all(&diff, &rules, &rules.judge_with_passed(&diff));
    }
    true
}

#[test]
fn a_cut_report_is_an_error() {
    let text = report();
    assert!(judge(text.as_bytes()));
    for len in (0..text.len()).step_by(7) {
        assert!(!judge(&text.as_bytes()[..len]), "{len}");
    }
}

/// The pointers to all values.
fn pointers(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                pointers(
                    value,
                    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")),
                    found,
                );
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                pointers(value, format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
    found.push(at);
}

#[test]
fn a_report_with_any_other_value_is_a_result_or_an_error() {
    let report: Value = serde_json::from_str(&report()).unwrap();
    let mut all = Vec::new();
    pointers(&report, String::new(), &mut all);
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(1.5e308),
        json!("NaN"),
        json!("x"),
        json!([]),
        json!([1, 2]),
        json!({}),
        json!({"lhs": 1, "rhs": 2}),
    ];
    let (mut read, mut refused) = (0, 0);
    for pointer in &all {
        for other in &others {
            let mut changed = report.clone();
            *changed.pointer_mut(pointer).unwrap() = other.clone();
            match judge(changed.to_string().as_bytes()) {
                true => read += 1,
                false => refused += 1,
            }
        }
    }
    assert!(read > 100 && refused > read, "{read} read, {refused} refused");
}

#[test]
fn a_report_without_a_key_names_it() {
    let report: Value = serde_json::from_str(&report()).unwrap();
    let mut all = Vec::new();
    pointers(&report["tensors"][0], String::new(), &mut all);
    for pointer in all.iter().filter(|pointer| pointer.matches('/').count() == 1) {
        let key = &pointer[1..];
        let mut changed = report.clone();
        changed["tensors"][0].as_object_mut().unwrap().remove(key);
        let error = read_diff(changed.to_string().as_bytes()).unwrap_err().to_string();
        let expected = format!("tensors[0]: the key {key:?} is missing");
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn random_damage_is_a_result_or_an_error() {
    let text = report().into_bytes();
    let mut random = Random::new(7);
    let pieces: [&[u8]; 12] =
        [b"0", b"9", b"-", b"\"", b"[", b"]", b"{", b"}", b",", b"null", b"e9", b"\xff"];
    for _ in 0..3_000 {
        let mut changed = text.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(changed.len() as u64) as usize;
            let end = (at + random.below(4) as usize).min(changed.len());
            let piece = pieces[random.below(pieces.len() as u64) as usize];
            changed.splice(at..end, piece.iter().copied());
        }
        judge(&changed);
    }
}

#[test]
fn errors_name_the_place() {
    let report: Value = serde_json::from_str(&report()).unwrap();
    for (pointer, value, expected) in [
        (
            "/tensors/1/max_abs",
            json!("x"),
            r#"tensors[1].max_abs: expected a number or null, found "x""#,
        ),
        (
            "/tensors/0/lhs/shape/0",
            json!(-4),
            "tensors[0].lhs.shape[0]: expected an integer that is not negative, found -4",
        ),
        (
            "/tensors/0/lhs/shape",
            json!([u64::MAX / 2, 3]),
            "tensors[0].lhs.shape: expected a shape of at most 2^63 - 1 elements, found [9223372036854775807,3]",
        ),
        (
            "/tensors/0/first",
            json!([99, 0]),
            "tensors[0].first: expected the index of an element of the shape [32, 32] or null, found [99,0]",
        ),
        (
            "/tensors/0/elements",
            json!(7),
            "tensors[0]: elements is not the number of elements of the shape",
        ),
        (
            "/tensors/0/differing",
            json!(7_000_000),
            "tensors[0]: a count is larger than the number of elements",
        ),
        ("/tensors/0/worst/lhs", json!([1]), "tensors[0].worst.lhs: expected a number, found [1]"),
        (
            "/tensors/0/status",
            json!("equal"),
            r#"tensors[0].status: expected "identical" or "uncompared" or "close" or "different" or "added" or "removed" or "dtype" or "shape" or "error", found "equal""#,
        ),
        (
            "/tensors/0/status",
            json!("added"),
            r#"tensors[0]: the status "added" contradicts lhs, rhs or error"#,
        ),
        (
            "/changes/0/path",
            json!("a..b"),
            r#"changes[0].path: expected the path of a field, found "a..b""#,
        ),
        ("/options/rename", json!([1]), "options.rename[0]: expected a string, found 1"),
        (
            "/summary/left_out/include",
            json!(u64::MAX),
            "summary.left_out.include: expected an integer of at most 2^53, found 18446744073709551615",
        ),
        (
            "/ops",
            json!({"MatMul": "x"}),
            r#"ops.MatMul: expected an integer that is not negative, found "x""#,
        ),
        (
            "/schema",
            json!("ckdiff-show/1"),
            "expected the JSON report of a comparison, whose schema is ckdiff/1, found one of the schema ckdiff-show/1",
        ),
        (
            "/schema",
            json!("other"),
            "expected the JSON report of a comparison, found JSON without the schema ckdiff/1",
        ),
    ] {
        let mut changed = report.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        let error = read_diff(changed.to_string().as_bytes()).unwrap_err();
        assert!(error.location().is_some());
        let text = error.to_string();
        let (_, text) = text.split_once(": ").unwrap();
        assert_eq!(text, expected);
    }
}

#[test]
fn depth_and_unknown_keys_do_no_harm() {
    let text = report();
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert!(judge(text.replacen('{', &format!("{{\"new\":{deep},"), 1).as_bytes()));
    for deep in [
        deep.clone(),
        format!("{{\"schema\":{deep}}}"),
        format!("{{\"schema\":\"ckdiff/1\",\"tensors\":{deep}}}"),
    ] {
        assert!(!judge(deep.as_bytes()));
    }
    let path = "a.".repeat(500_000);
    let mut changed: Value = serde_json::from_str(&text).unwrap();
    changed["changes"][0]["path"] = format!("{path}a").into();
    assert!(!judge(changed.to_string().as_bytes()));
}

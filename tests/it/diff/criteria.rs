//! Limits for tensors as a whole, and tolerances of some tensors.

use std::path::Path;

use serde_json::Value;

use crate::support::command::{assert_valid, ckdiff};
use crate::support::written::{checkpoint, floats};

/// Two checkpoints: `moved` moved by a tenth, `noisy` in one of 1,000 elements, `broken` has a NaN.
fn pair(dir: &Path) -> [String; 2] {
    let noisy = |last: f32| {
        let mut values = vec![1.0; 1000];
        values[999] = last;
        floats(&values)
    };
    let side = |name, factor: f32, last, broken| {
        let tensors = [
            ("moved".to_owned(), floats(&[3.0 * factor, 4.0 * factor])),
            ("noisy".to_owned(), noisy(last)),
            ("broken".to_owned(), floats(&[1.0, broken])),
        ];
        checkpoint(dir, name, &tensors).to_str().unwrap().to_owned()
    };
    [side("lhs", 1.0, 1.0, 1.0), side("rhs", 1.1, 2.0, f32::NAN)]
}

/// The status of each tensor.
fn statuses(pair: &[String; 2], options: &[&str]) -> Vec<(String, String)> {
    let args = [&[&*pair[0], &*pair[1], "--format=json"], options].concat();
    let json = ckdiff(&args).json();
    assert_valid(&json);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let tensors = json["tensors"].as_array().unwrap();
    tensors.iter().map(|tensor| (text(&tensor["name"]), text(&tensor["status"]))).collect()
}

/// The tensors that are close.
fn close(pair: &[String; 2], options: &[&str]) -> Vec<String> {
    let all = statuses(pair, options).into_iter();
    all.filter(|(_, status)| status == "close").map(|(name, _)| name).collect()
}

#[test]
fn a_tensor_is_close_if_every_given_criterion_holds() {
    let dir = tempfile::tempdir().unwrap();
    let pair = pair(dir.path());
    let cases: [(&[&str], &[&str]); 10] = [
        (&[], &[]),
        (&["--max-rel-l2=0.11"], &["moved", "noisy"]),
        (&["--max-rel-l2=11%"], &["moved", "noisy"]),
        (&["--max-rel-l2=5%"], &["noisy"]),
        (&["--max-changed=0.1%"], &["noisy"]),
        (&["--max-changed=0.09%"], &[]),
        (&["--max-rel-l2=11%", "--max-changed=1%"], &["noisy"]),
        // With a tolerance, elements are judged, too.
        (&["--max-rel-l2=11%", "--rtol=0.2"], &["moved"]),
        (&["--max-rel-l2=11%", "--rtol=0.2", "--max-changed=1%"], &["moved", "noisy"]),
        // A NaN is no small movement.
        (&["--max-rel-l2=100"], &["moved", "noisy"]),
    ];
    for (options, expected) in cases {
        assert_eq!(close(&pair, options), expected, "{options:?}");
    }
}

#[test]
fn the_last_tolerance_that_matches_a_name_counts() {
    let dir = tempfile::tempdir().unwrap();
    let pair = pair(dir.path());
    let cases: [(&[&str], &[&str]); 6] = [
        (&["--rtol=mo*=0.2"], &["moved"]),
        (&["--rtol=0.2", "--rtol=moved=0.01"], &[]),
        (&["--rtol=moved=0.01", "--rtol=0.2"], &[]),
        (&["--rtol=*=0.01", "--rtol=moved=0.2"], &["moved"]),
        (&["--atol=noisy=1"], &["noisy"]),
        (&["--atol=noisy=1", "--rtol=moved=0.2"], &["moved", "noisy"]),
    ];
    for (options, expected) in cases {
        assert_eq!(close(&pair, options), expected, "{options:?}");
    }
    let twice = ckdiff(&[&*pair[0], &*pair[1], "--rtol=0.1", "--rtol=0.2"]);
    assert_eq!(twice.code, 2);
    assert!(twice.stderr.contains("--rtol: given twice for all tensors"), "{}", twice.stderr);
}

#[test]
fn reports_name_the_criteria() {
    let dir = tempfile::tempdir().unwrap();
    let [lhs, rhs] = pair(dir.path());
    let options = ["--rtol=noisy=0.5", "--max-rel-l2=1%", "--max-changed=50%"];
    let args = [&[&*lhs, &*rhs], &options[..]].concat();
    let text = ckdiff(&args);
    let said = "\n  tolerance: --rtol noisy=0.5 --max-rel-l2 0.01 --max-changed 50%\n";
    assert!(text.text().contains(said), "{}", text.text());
    let json = ckdiff(&[&args[..], &["--format=json"]].concat()).json();
    let given = &json["options"];
    assert_eq!(
        given["bounds"][0],
        serde_json::json!({"bound": "rtol", "names": "noisy", "value": 0.5})
    );
    assert_eq!(given["max_rel_l2"], 0.01);
    assert_eq!(given["max_changed"], 0.5);
}

#[test]
fn suggested_tolerances_hold_together_with_what_was_given() {
    let dir = tempfile::tempdir().unwrap();
    let side = |name, factor: f32| {
        let tensors = [("a".to_owned(), floats(&[1.0, factor])), ("b".to_owned(), floats(&[2.0]))];
        checkpoint(dir.path(), name, &tensors).to_str().unwrap().to_owned()
    };
    let pair = [side("lhs", 1.0), side("rhs", 1.5)];
    let run = |options: &[&str]| ckdiff(&[&[&*pair[0], &*pair[1]], options].concat());
    let said = |options: &[&str]| {
        let text = run(options).text().to_owned();
        text.lines().find(|line| line.contains("would")).map(str::to_owned)
    };
    // Both criteria were given, so both must be met.
    let both = said(&["--rtol=1e-6", "--max-rel-l2=1e-6"]).unwrap();
    let both = both.strip_prefix("It would pass with ").unwrap().trim_end_matches('.');
    let (limit, tolerances) = both.split_once(", and with ").unwrap();
    for tolerance in tolerances.split(" or with ") {
        let options: Vec<&str> = limit.split(' ').chain(tolerance.split(' ')).collect();
        assert_eq!(run(&options).code, 0, "{options:?}");
    }
    // A tolerance for some tensors stays in force.
    assert_eq!(said(&["--rtol=a=1e-6", "--rtol=1e-6"]), None);
}

#[test]
fn limits_do_not_judge_checksums() {
    let pair = ["compare/lhs.ckpt.index", "compare/rhs.ckpt.index"]
        .map(|path| format!("tests/data/{path}"));
    let dir = tempfile::tempdir().unwrap();
    let copies = ["lhs.index", "rhs.index"].map(|name| dir.path().join(name));
    for (from, to) in pair.iter().zip(&copies) {
        std::fs::copy(from, to).unwrap();
    }
    let paths = copies.each_ref().map(|path| path.to_str().unwrap());
    assert_eq!(ckdiff(&paths).code, 1);
    // The values could be as close as that.
    let limited = ckdiff(&[&paths[..], &["--max-rel-l2=1000"]].concat());
    assert_eq!(limited.code, 2, "{}", limited.text());
}

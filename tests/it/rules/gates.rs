//! Every setting, where it just holds and where it just fails.

use ckdiff::diff::Verdict;
use ckdiff::rules::{Check, Found};
use ckdiff::tensor::{DType, Tensor};

use super::saved::again;
use super::{compared, failures, judged, rules};
use crate::support::written::{checkpoint, floats, strings, vector};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

/// What fails of one tensor under the settings for every tensor.
fn failing(settings: &str, lhs: &Tensor, rhs: &Tensor) -> Vec<String> {
    let text = format!("[default]\nexpect = \"any\"\n{settings}");
    let found = failures(&judged(&text, &[("t", Some(lhs.clone()), Some(rhs.clone()))]));
    found.iter().map(|line| line.replace("t: ", "")).collect()
}

#[test]
fn each_gate_holds_up_to_its_limit() {
    let lhs = floats(&[3.0, 4.0, 0.0, 0.0]);
    let rhs = floats(&[3.0, 4.0, 0.0, 5.0]);
    for (holds, fails) in [
        ("rel_l2 = 1.0", "rel_l2 = 0.99"),
        ("rel_l2 = [1.0, 2.0]", "rel_l2 = [1.01, 2.0]"),
        ("rms = 2.5", "rms = 2.49"),
        ("max_abs = 5", "max_abs = 4.9"),
        ("max_rel = 0", "max_rel = [0.1, 1]"),
        ("cosine = 0.70", "cosine = 0.71"),
        ("changed = \"25%\"", "changed = \"24%\""),
        ("norm = 0.42", "norm = 0.41"),
        ("norm = [1.4, 1.5]", "norm = [1.42, 1.5]"),
        ("std = 0.05", "std = 0.04"),
        ("mean = 0.8", "mean = 0.6"),
        ("zeros = 0.25", "zeros = 0.24"),
        ("ks = 0.25", "ks = 0.24"),
        ("ks = \"auto\"", "ks = 0.2"),
        ("atol = 5", "atol = 4.9"),
        ("atol = 4\nmax_mismatched = 0.25", "atol = 4\nmax_mismatched = 0.24"),
        ("diff_p50 = 0", "diff_p90 = 4.9"),
        ("diff_p90 = 5", "diff_p99 = 4.9"),
    ] {
        assert_eq!(failing(holds, &lhs, &rhs), [""; 0], "{holds}");
        let gate = fails.split(' ').next().unwrap();
        let gate = if gate == "atol" { "max_mismatched" } else { gate };
        assert_eq!(failing(fails, &lhs, &rhs), [gate], "{fails}");
    }
}

#[test]
fn quantiles_of_magnitudes_are_judged_by_their_ratio() {
    let lhs: Vec<f32> = (1..=1000).map(|i| i as f32).collect();
    let rhs: Vec<f32> = lhs.iter().map(|x| -x * 1.5).collect();
    let (lhs, rhs) = (floats(&lhs), floats(&rhs));
    for gate in ["abs_p50", "abs_p90", "abs_p99"] {
        assert_eq!(failing(&format!("{gate} = 0.6"), &lhs, &rhs), [""; 0], "{gate}");
        assert_eq!(failing(&format!("{gate} = 0.3"), &lhs, &rhs), [gate]);
    }
}

#[test]
fn nan_and_infinities_are_refused_where_lhs_has_none() {
    let (number, nan, inf) = (floats(&[1.0]), floats(&[NAN]), floats(&[INF]));
    assert_eq!(failing("", &number, &nan), ["nan"]);
    assert_eq!(failing("", &number, &inf), ["inf"]);
    assert_eq!(failing("", &nan, &nan), [""; 0]);
    assert_eq!(failing("nan = \"forbidden\"", &nan, &nan), ["nan"]);
    assert_eq!(failing("inf = \"forbidden\"", &inf, &inf), ["inf"]);
    assert_eq!(failing("nan = \"allowed\"", &number, &nan), [""; 0]);
    assert_eq!(failing("inf = \"allowed\"", &number, &inf), [""; 0]);
    // A limit on movement, which is over finite elements, does not hide them.
    assert_eq!(failing("rel_l2 = 0.1", &floats(&[1.0, 2.0]), &floats(&[1.0, NAN])), ["nan"]);
}

#[test]
fn nan_and_infinities_of_tensors_without_a_counterpart_are_judged_by_number() {
    const ALLOWED: &str =
        "added = 'allowed'\nremoved = 'allowed'\nnew_shape = 'allowed'\nnew_dtype = 'allowed'";
    let judge = |settings: &str, lhs: Option<&Tensor>, rhs: &Tensor| {
        let dir = tempfile::tempdir().unwrap();
        let side = |name: &str, tensor: Option<&Tensor>| {
            let both = tensor.map(|tensor| ("t".to_owned(), tensor.clone()));
            let both: Vec<_> = both.into_iter().chain([("u".to_owned(), floats(&[1.0]))]).collect();
            checkpoint(dir.path(), name, &both)
        };
        let (lhs, rhs) = (side("lhs", lhs), side("rhs", Some(rhs)));
        let rules = rules(&format!("[default]\n{ALLOWED}\n{settings}"));
        let live = compared(&lhs, &rhs, Some(&rules));
        let judgement = rules.judge_with_passed(&live);
        let read = rules.judge_with_passed(&again(&live));
        assert_eq!(format!("{judgement:?}"), format!("{read:?}"), "{settings}");
        // A report made without rules has the counts as well; without them, the checks are undecided.
        let mut plain = compared(&lhs, &rhs, None);
        assert_eq!(
            format!("{judgement:?}"),
            format!("{:?}", rules.judge_with_passed(&again(&plain))),
            "{settings}"
        );
        plain.tensors.iter_mut().for_each(|tensor| tensor.non_finite = None);
        let unknown = rules.judge(&again(&plain));
        assert!(unknown.failures.is_empty() && judgement.undecided.is_empty(), "{settings}");
        let undecided = unknown.undecided.iter().map(|check| check.gate).collect::<Vec<_>>();
        let found = |check: &Check| match &check.found {
            Found::Text(text) => text.to_string(),
            other => format!("{other:?}"),
        };
        (judgement.failures.iter().map(found).collect::<Vec<_>>(), undecided)
    };
    let halves = |bits: &[u16]| {
        vector(DType::F16, bits.iter().flat_map(|bits| bits.to_le_bytes()).collect())
    };
    let parts: Vec<u8> = [[NAN, INF], [INF, 0.0], [0.0, -INF], [1.0, 2.0]]
        .concat()
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let complex = vector(DType::Complex64, parts);
    let (forbidden, allowed) = ("nan = 'forbidden'\ninf = 'forbidden'", "nan = 'allowed'");
    let some = floats(&[NAN, 1.0, NAN, INF]);
    let (both, none) = (["inf", "nan"].as_slice(), [].as_slice());
    type Case<'a> = (&'a str, Option<Tensor>, Tensor, &'a [&'a str], &'a [&'a str]);
    let cases: [Case<'_>; 11] = [
        ("", None, some.clone(), &["1 new infinite element", "2 new NaN"], both),
        (forbidden, None, some.clone(), &["1 infinite element", "2 NaN"], both),
        (allowed, None, some.clone(), &["1 new infinite element"], &["inf"]),
        ("[[rule]]\nmatch = '**'\nexpect = 'ignored'", None, some.clone(), &[], none),
        ("", None, floats(&[]), &[], both),
        ("", None, complex, &["2 new infinite elements", "1 new NaN"], both),
        ("", None, strings(&["NaN"]), &[], none),
        ("", Some(floats(&[NAN, INF])), some.clone(), &["1 new NaN"], both),
        (forbidden, Some(floats(&[NAN, INF])), floats(&[NAN]), &["1 NaN"], both),
        ("", Some(strings(&["NaN"])), halves(&[0x7c00]), &["1 new infinite element"], both),
        (
            "",
            Some(strings(&["a", "b"])),
            halves(&[0x7e00, 0xfc00, 0x7bff]),
            &["1 new infinite element", "1 new NaN"],
            both,
        ),
    ];
    for (settings, lhs, rhs, failing, undecided) in cases {
        let found = judge(settings, lhs.as_ref(), &rhs);
        let expected =
            (failing.iter().map(|text| (*text).to_owned()).collect(), undecided.to_vec());
        assert_eq!(found, expected, "{settings:?} {lhs:?} {rhs:?}");
    }
    let text = "[default]\nnan = 'forbidden'";
    let refused = judged(text, &[("t", None, Some(some))]);
    assert_eq!(failures(&refused), ["t: added"], "one reason is enough");
}

#[test]
fn a_tensor_can_be_expected_to_change_or_not() {
    let (one, two) = (floats(&[1.0]), floats(&[2.0]));
    let expect = |word: &str, rhs: &Tensor| {
        let text = format!("[default]\nexpect = \"{word}\"");
        failures(&judged(&text, &[("t", Some(one.clone()), Some(rhs.clone()))]))
    };
    assert_eq!(expect("unchanged", &one), [""; 0]);
    assert_eq!(expect("unchanged", &two), ["t: expect"]);
    assert_eq!(expect("changed", &one), ["t: expect"]);
    assert_eq!(expect("changed", &two), [""; 0]);
    assert_eq!(expect("ignored", &floats(&[NAN])), [""; 0]);
    assert_eq!(expect("unchanged", &floats(&[1.0, 1.0])), ["t: new_shape"]);
}

#[test]
fn other_names_shapes_and_dtypes_are_refused_unless_allowed() {
    let one = || Some(floats(&[1.0]));
    let tensors = [
        ("added", None, one()),
        ("removed", one(), None),
        ("shape", one(), Some(floats(&[1.0, 2.0]))),
        ("dtype", one(), Some(vector(DType::F64, 1f64.to_le_bytes().to_vec()))),
        ("same", one(), one()),
    ];
    let expected = ["added: added", "dtype: new_dtype", "removed: removed", "shape: new_shape"];
    assert_eq!(failures(&judged("", &tensors)), expected);
    let allowed = "[default]\nadded = \"allowed\"\nremoved = \"allowed\"\nnew_shape = \"allowed\"\nnew_dtype = \"allowed\"";
    assert_eq!(judged(allowed, &tensors).verdict(), Verdict::Same);
    let ignored = "[default]\nexpect = \"ignored\"";
    assert_eq!(judged(ignored, &tensors).verdict(), Verdict::Same);
}

#[test]
fn values_without_the_statistic_of_a_gate_must_be_identical() {
    let words = |word: &str| Some(strings(&["a", word]));
    let text = "[default]\nrel_l2 = 0.5";
    assert_eq!(failures(&judged(text, &[("w", words("b"), words("c"))])), ["w: identical"]);
    assert_eq!(failures(&judged(text, &[("w", words("b"), words("b"))])), [""; 0]);
}

#[test]
fn failures_come_the_worst_first() {
    let one = || Some(floats(&[3.0, 4.0]));
    let tensors = [
        ("a_far", one(), Some(floats(&[6.0, 8.0]))),
        ("b_farther", one(), Some(floats(&[9.0, 12.0]))),
        ("c_frozen", one(), one()),
        ("d_added", None, one()),
        ("e_nan", one(), Some(floats(&[3.0, NAN]))),
    ];
    let text = "[default]\nexpect = \"changed\"\nrel_l2 = 0.1";
    let expected =
        ["e_nan: nan", "d_added: added", "c_frozen: expect", "b_farther: rel_l2", "a_far: rel_l2"];
    assert_eq!(failures(&judged(text, &tensors)), expected);
}

#[test]
fn a_rule_that_matches_nothing_is_named_with_the_nearest_name() {
    let one = || Some(floats(&[1.0]));
    let text = "[[rule]]\nmatch = \"dense/kernl\"\nexpect = \"changed\"";
    let judgement = judged(text, &[("dense/kernel", one(), one())]);
    let unused = &judgement.unused[0];
    assert_eq!(unused.rule.line, Some(2));
    assert_eq!(unused.suggestion.as_deref(), Some("dense/kernel"));
}

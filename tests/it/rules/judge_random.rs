//! Random tensors, reports and rules: a saved report never says anything else than the checkpoints.

use std::fmt::Write;
use std::path::PathBuf;

use ckdiff::compare::{CompareOptions, NanPolicy, Tolerance};
use ckdiff::diff::{DiffOptions, Verdict};
use ckdiff::tensor::{DType, Kind, Tensor};
use tempfile::TempDir;

use super::saved::{again, assert_agrees, compared, rules, with_rules};
use crate::support::written::{checkpoint, strings, vector};
use crate::support::{Random, dtypes};

/// A pair of random tensors of one dtype that are equal, near each other, or have nothing in common.
fn pair(random: &mut Random, all: &[DType]) -> [Tensor; 2] {
    if random.one_in(12) {
        let words = ["", "a", "ab", "b"];
        let mut word = || words[random.below(4) as usize];
        return [(); 2].map(|()| strings(&[word(), word()]));
    }
    let dtype = all[random.below(all.len() as u64) as usize];
    let size = dtype.size().unwrap();
    let len = random.below(9) as usize;
    let lhs: Vec<u8> = match (random.below(3), dtype) {
        (0, _) => random.bytes(len * size),
        // Numbers near 1, of both signs.
        (_, DType::F32) => (0..len).flat_map(|_| float(random).to_le_bytes()).collect(),
        (_, DType::F64) => (0..len).flat_map(|_| f64::from(float(random)).to_le_bytes()).collect(),
        _ => (0..len * size).map(|_| (random.below(5)) as u8).collect(),
    };
    let mut rhs = lhs.clone();
    match random.below(5) {
        0 => {}
        1 => rhs = random.bytes(len * size),
        // The lowest byte is that of the least digits.
        _ => {
            for at in (0..rhs.len()).step_by(size) {
                if random.one_in(2) {
                    rhs[at] ^= 1 << random.below(8);
                }
            }
        }
    }
    // NaN, infinities, zeros of both signs, the largest and smallest numbers.
    let specials: [u64; 8] = [
        0x7ff8 << 48,
        0x7ff0 << 48,
        0xfff0 << 48,
        1 << 63,
        0,
        u64::MAX >> 12 | 0x7fe << 52,
        1,
        0xffe << 52,
    ];
    if dtype == DType::F64 && len > 0 {
        for side in [random.below(2), 1] {
            let bytes = specials[random.below(8) as usize].to_le_bytes();
            let at = random.below(len as u64) as usize * 8;
            if random.one_in(2) {
                rhs[at..at + 8].copy_from_slice(&bytes);
            }
            if side == 0 && random.one_in(2) {
                let mut lhs = lhs.clone();
                lhs[at..at + 8].copy_from_slice(&bytes);
                return [vector(dtype, lhs), vector(dtype, rhs)];
            }
        }
    }
    [vector(dtype, lhs), vector(dtype, rhs)]
}

fn float(random: &mut Random) -> f32 {
    (random.below(4_000) as f32 - 2_000.0) / 1_000.0
}

/// Two checkpoints of random tensors.
fn checkpoints(random: &mut Random, dir: &TempDir, case: u32) -> [PathBuf; 2] {
    let all = dtypes(|dtype| dtype.size().is_some());
    let (mut lhs, mut rhs) = (Vec::new(), Vec::new());
    for number in 0..=random.below(5) {
        let [l, r] = pair(random, &all);
        let name = format!("t{number}");
        if !random.one_in(15) {
            lhs.push((name.clone(), l));
        }
        if !random.one_in(15) || lhs.is_empty() {
            rhs.push((name, r));
        }
    }
    if rhs.is_empty() {
        rhs.push(("t0".into(), strings(&["a"])));
    }
    [("lhs", lhs), ("rhs", rhs)]
        .map(|(side, tensors)| checkpoint(dir.path(), &format!("{case}-{side}"), &tensors))
}

/// A number of some magnitude.
fn number(random: &mut Random) -> f64 {
    let digit = random.below(10) as f64;
    let power = random.below(8) as i32 - 5;
    match random.below(8) {
        0 => 0.0,
        1 => 1e300,
        2 => 5e-324,
        _ => digit * 10f64.powi(power),
    }
}

fn tolerance(random: &mut Random) -> Tolerance {
    let mut part = || random.one_in(2).then(|| number(random));
    let (atol, rtol) = (part(), part());
    Tolerance::new(atol, rtol, random.one_in(3).then(|| random.below(1 << 20))).unwrap()
}

/// The settings of a rule: each of a few, with a random limit.
fn settings(random: &mut Random) -> String {
    let mut text = String::new();
    const LIMITS: [&str; 20] = [
        "atol",
        "rtol",
        "diff_p50",
        "diff_p90",
        "diff_p99",
        "diff_p999",
        "rel_l2",
        "rms",
        "max_abs",
        "max_rel",
        "cosine",
        "changed",
        "mean",
        "std",
        "norm",
        "ks",
        "zeros",
        "abs_p50",
        "abs_p90",
        "abs_p99",
    ];
    for key in LIMITS {
        if random.one_in(20) {
            let number = number(random);
            // No cosine is beyond 1.
            let limit = if key == "cosine" { number.min(1.0) } else { number };
            writeln!(text, "{key} = {limit:e}").unwrap();
        }
    }
    if random.one_in(9) {
        writeln!(text, "max_mismatched = {}", random.below(11) as f64 / 10.0).unwrap();
    }
    if random.one_in(9) {
        writeln!(text, "ulp = {}", random.below(1 << 30)).unwrap();
    }
    for (key, words) in [
        ("nan", ["forbidden", "not_new", "allowed"]),
        ("inf", ["forbidden", "not_new", "allowed"]),
        ("added", ["forbidden", "allowed", "allowed"]),
        ("new_shape", ["forbidden", "allowed", "allowed"]),
        ("new_dtype", ["forbidden", "allowed", "allowed"]),
        ("expect", ["any", "changed", "any"]),
    ] {
        if random.one_in(3) {
            writeln!(text, "{key} = {:?}", words[random.below(3) as usize]).unwrap();
        }
    }
    text
}

fn rules_text(random: &mut Random) -> String {
    let mut text = String::new();
    if random.one_in(6) {
        text += "[[rename]]\nfrom = '^t1'\nto = 't2'\n";
    }
    text += "[default]\n";
    if random.one_in(3) {
        text += &settings(random);
    } else {
        text += "expect = 'any'\nnan = 'allowed'\ninf = 'allowed'\nadded = 'allowed'\n";
        text += "removed = 'allowed'\nnew_shape = 'allowed'\nnew_dtype = 'allowed'\n";
    }
    for _ in 0..random.below(3) {
        text += "[[rule]]\n";
        if random.one_in(2) {
            writeln!(text, "match = 't{}*'", random.below(4)).unwrap();
        }
        if random.one_in(4) {
            text += "min_elements = 3\n";
        }
        text += &settings(random);
    }
    text
}

fn report_options(random: &mut Random) -> DiffOptions {
    let nan = if random.one_in(3) { NanPolicy::Differ } else { NanPolicy::Equal };
    let compare = CompareOptions {
        tolerance: if random.one_in(2) { tolerance(random) } else { Tolerance::BITS },
        nan,
        further: (0..random.below(3))
            .map(|_| Tolerance { ulp: None, ..tolerance(random) })
            .filter(|tolerance| !tolerance.is_bits())
            .collect(),
        histogram: random.one_in(2),
        values: random.one_in(2),
        threads: 1,
        ..CompareOptions::default()
    };
    DiffOptions { compare, ..DiffOptions::default() }
}

#[test]
fn a_random_report_never_disagrees_with_the_checkpoints() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::new(1);
    let mut verdicts = [0; 3];
    for case in 0..60 {
        let [lhs, rhs] = checkpoints(&mut random, &dir, case);
        for _ in 0..12 {
            let options = report_options(&mut random);
            let text = rules_text(&mut random);
            let what = format!("case {case}: {:?}\n{text}", options.compare);
            let rules = rules(&text);
            let mut by_rules = with_rules(&options, &rules);
            by_rules.compare.tolerance = Tolerance::BITS;
            by_rules.compare.further.clear();
            let Some(live) = compared(&lhs, &rhs, &by_rules) else { continue };
            let judged = rules.judge(&live);
            let whole = rules.judge(&again(&live));
            assert_eq!(format!("{judged:?}"), format!("{whole:?}"), "{what}");
            let read = again(&compared(&lhs, &rhs, &options).unwrap());
            let of_report = rules.judge(&read);
            assert_agrees(&of_report, &judged, &what);
            verdicts[of_report.verdict() as usize] += 1;
        }
    }
    assert!(verdicts.iter().all(|count| *count > 5), "{verdicts:?}");
}

#[test]
fn a_looser_tolerance_never_fails_more() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::new(2);
    for case in 0..40 {
        let [lhs, rhs] = checkpoints(&mut random, &dir, case);
        let read = again(&compared(&lhs, &rhs, &report_options(&mut random)).unwrap());
        for _ in 0..10 {
            let (atol, rtol, more) =
                (number(&mut random), number(&mut random), number(&mut random));
            let failures = |atol: f64, rtol: f64| {
                let rules = rules(&format!(
                    "[default]\natol = {atol:e}\nrtol = {rtol:e}\nadded = 'allowed'"
                ));
                let judged = rules.judge(&read);
                let open = judged.undecided.len() + judged.failures.len();
                (judged.failures.len(), open, judged.verdict())
            };
            let tight = failures(atol, rtol);
            for loose in [failures(atol + more, rtol), failures(atol, rtol + more)] {
                assert!(loose.0 <= tight.0 && loose.1 <= tight.1, "{case}: {tight:?} {loose:?}");
                assert!(tight.2 != Verdict::Same || loose.2 == Verdict::Same);
            }
        }
    }
}

#[test]
fn complex_numbers_and_strings_are_judged_too() {
    let all = dtypes(|dtype| dtype.kind() == Kind::Complex);
    let dir = tempfile::tempdir().unwrap();
    let numbers = |dtype: DType, by: f64| {
        let parts = [1.0, by, 0.0, 2.0];
        vector(
            dtype,
            match dtype {
                DType::Complex64 => parts.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect(),
                _ => parts.iter().flat_map(|x| x.to_le_bytes()).collect(),
            },
        )
    };
    let of = |by: f64, text: &str| {
        let complex = all.iter().map(|&dtype| (dtype.to_string(), numbers(dtype, by)));
        complex.chain([("string".into(), strings(&["a", text]))]).collect::<Vec<_>>()
    };
    let lhs = checkpoint(dir.path(), "lhs", &of(0.5, "b"));
    let rhs = checkpoint(dir.path(), "rhs", &of(0.625, "c"));
    let read = again(&compared(&lhs, &rhs, &DiffOptions::default()).unwrap());
    for (text, verdict, failed) in [
        ("default = { rel_l2 = 0.1, ks = 0.1 }", Verdict::Different, 1),
        ("default = { atol = 0.2 }", Verdict::Different, 1),
        ("default = { atol = 0.2, max_mismatched = 0.5 }", Verdict::Same, 0),
        ("default = { expect = 'any', ks = 0.1 }", Verdict::Same, 0),
        ("default = { atol = 0.1 }", Verdict::Different, 3),
    ] {
        let judged = rules(text).judge(&read);
        assert_eq!(
            (judged.verdict(), judged.failures.len()),
            (verdict, failed),
            "{text}: {judged:?}"
        );
    }
}

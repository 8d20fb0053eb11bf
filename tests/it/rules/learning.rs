//! Rules that are learned from good runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ckdiff::artifact::Artifact;
use ckdiff::compare::CompareOptions;
use ckdiff::diff::{DiffOptions, Verdict, diff};
use ckdiff::progress::Silent;
use ckdiff::rules::Rules;
use ckdiff::rules::learn::{Against, GoodRuns, Observed, learn};

use super::{compared, rules};
use crate::support::directory::run;
use crate::support::written::{checkpoint, floats};

fn path(of: &str) -> PathBuf {
    Path::new("tests/data/training").join(of)
}

fn observe(lhs: &Path, rhs: &Path) -> ckdiff::Result<Observed> {
    let compare = CompareOptions { values: true, ..CompareOptions::default() };
    let options = DiffOptions { compare, ..DiffOptions::default() };
    let open = |path| Artifact::open(path).unwrap();
    Observed::new(&diff(&open(lhs), &open(rhs), &options, &Silent).unwrap())
}

/// The warm starts from the first seed.
fn warm() -> GoodRuns {
    let names = ["warm/1", "warm/2", "warm/3", "warm/4"].map(str::to_owned);
    let pair = |(run, name): (usize, &String)| {
        (None, run, observe(&path("seeds/1"), &path(name)).unwrap())
    };
    let pairs = names.iter().enumerate().map(pair).collect();
    GoodRuns {
        names: names.to_vec(),
        baseline: Some("seeds/1".into()),
        against: Against::Baseline,
        pairs,
    }
}

/// Eight seeds, each with each other.
fn seeds() -> GoodRuns {
    let names: Vec<String> = (1..=8).map(|seed| format!("seeds/{seed}")).collect();
    let mut pairs = Vec::new();
    for lhs in 0..names.len() {
        for rhs in lhs + 1..names.len() {
            let observed = observe(&path(&names[lhs]), &path(&names[rhs])).unwrap();
            pairs.push((Some(lhs), rhs, observed));
        }
    }
    GoodRuns { names, baseline: None, against: Against::EachOther, pairs }
}

fn verdict(rules: &Arc<Rules>, lhs: &str, rhs: &str) -> Verdict {
    rules.judge(&compared(&path(lhs), &path(rhs), Some(rules))).verdict()
}

#[test]
fn good_runs_pass_their_own_file_and_faulty_ones_do_not() {
    let warm = rules(&learn(&warm(), 2.0).unwrap().text);
    for good in ["warm/1", "warm/2", "warm/3", "warm/4", "warm/5"] {
        assert_eq!(verdict(&warm, "seeds/1", good), Verdict::Same, "{good}");
    }
    for faulty in ["drifted", "nan", "frozen", "swapped", "rewired"] {
        let found = verdict(&warm, "seeds/1", &format!("faulty/warm/{faulty}"));
        assert_eq!(found, Verdict::Different, "{faulty}");
    }
    let seeds = rules(&learn(&seeds(), 2.0).unwrap().text);
    for lhs in 1..=9 {
        for rhs in (1..=9).filter(|rhs| *rhs != lhs) {
            let [lhs, rhs] = [lhs, rhs].map(|seed| format!("seeds/{seed}"));
            assert_eq!(verdict(&seeds, &lhs, &rhs), Verdict::Same, "{lhs} {rhs}");
        }
    }
    for faulty in ["drifted", "nan", "frozen"] {
        let found = verdict(&seeds, "seeds/1", &format!("faulty/seeds/{faulty}"));
        assert_eq!(found, Verdict::Different, "{faulty}");
    }
}

#[test]
fn elements_are_judged_where_runs_have_a_start_in_common() {
    let keys =
        |text: &str, key: &str| text.lines().any(|line| line.starts_with(&format!("{key} = ")));
    let warm = learn(&warm(), 2.0).unwrap();
    assert!(keys(&warm.text, "rel_l2") && keys(&warm.text, "max_abs"), "{}", warm.text);
    assert!(!keys(&warm.text, "norm"), "{}", warm.text);
    assert!(warm.left_out.iter().all(Vec::is_empty), "{:?}", warm.left_out);
    let seeds = learn(&seeds(), 2.0).unwrap();
    assert!(!keys(&seeds.text, "rel_l2") && keys(&seeds.text, "norm"), "{}", seeds.text);
    assert!(seeds.text.contains("# Useless for 10 tensors: rel_l2"), "{}", seeds.text);
}

#[test]
fn a_larger_margin_accepts_more() {
    let runs = warm();
    let limits = |margin: f64| -> Vec<f64> {
        let text = learn(&runs, margin).unwrap().text;
        let of = |line: &str| line.strip_prefix("rel_l2 = ").map(|value| value.parse().unwrap());
        text.lines().filter_map(of).collect()
    };
    let (small, large) = (limits(1.5), limits(3.0));
    assert!(small.iter().copied().fold(0.0, f64::max) < large.iter().copied().fold(0.0, f64::max));
    for margin in [0.5, f64::NAN, f64::INFINITY] {
        assert!(learn(&runs, margin).is_err());
    }
}

#[test]
fn a_bad_run_among_good_ones_is_named_by_leave_one_out() {
    let mut runs = warm();
    runs.names.push("drifted".into());
    let drifted = observe(&path("seeds/1"), &path("faulty/warm/drifted")).unwrap();
    runs.pairs.push((None, 4, drifted));
    let learned = learn(&runs, 2.0).unwrap();
    assert!(!learned.left_out[4].is_empty());
    assert!(learned.left_out[..4].iter().all(Vec::is_empty));
    assert!(learned.text.contains("#   drifted breaks "), "{}", learned.text);
}

#[test]
fn frozen_tensors_must_stay_as_they_are_and_trained_ones_must_change() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, moved: f32| {
        let tensors = [
            ("frozen/kernel".to_owned(), floats(&[1.0, 2.0])),
            ("head/kernel".to_owned(), floats(&[3.0 + moved, 4.0])),
            ("head/bias".to_owned(), floats(&[moved.floor()])),
        ];
        checkpoint(dir.path(), name, &tensors)
    };
    let base = write("base", 0.0);
    let pairs = [0.1, 0.12, 0.11].iter().enumerate();
    let pairs = pairs
        .map(|(run, moved)| (None, run, observe(&base, &write(&run.to_string(), *moved)).unwrap()));
    let names = ["0", "1", "2"].map(str::to_owned).to_vec();
    let runs =
        GoodRuns { names, baseline: None, against: Against::Baseline, pairs: pairs.collect() };
    let learned = rules(&learn(&runs, 2.0).unwrap().text);
    let verdict = |path: &Path| learned.judge(&compared(&base, path, Some(&learned))).verdict();
    assert_eq!(verdict(&write("good", 0.13)), Verdict::Same);
    assert_eq!(verdict(&base), Verdict::Different, "the head must change");
    assert_eq!(
        verdict(&write("bias", 1.1)),
        Verdict::Different,
        "the bias must not, nor may the head move so far"
    );
}

#[test]
fn runs_that_cannot_be_learned_from_are_refused() {
    let root = "../training";
    let dir = tempfile::tempdir().unwrap();
    let refused = |args: &str| {
        let (code, said) =
            run(dir.path(), &format!("learn -o DIR/out.toml {}", args.replace("T/", "training/")));
        assert_eq!(code, 2, "{root} {said}");
        assert!(!dir.path().join("out.toml").exists());
        said
    };
    assert_eq!(
        refused("T/seeds/1 T/seeds/2"),
        "ckdiff: error: expected at least 3 good runs to learn from, found 2\n"
    );
    let nan = refused("T/seeds/1 T/seeds/2 T/faulty/seeds/nan");
    assert!(
        nan.contains("faulty/seeds/nan") && nan.contains("NaN or infinities: leave this run out"),
        "{nan}"
    );
    let other = refused("T/seeds/1 T/seeds/2 demo/model.ckpt");
    assert!(other.contains("the runs are of different models"), "{other}");
    let margin = refused("--margin 0.5 T/seeds/1 T/seeds/2 T/seeds/3");
    assert!(margin.contains("margin"), "{margin}");
}

#[test]
fn the_history_of_a_directory_is_learned_from_step_by_step() {
    let dir = tempfile::tempdir().unwrap();
    let command = "learn -o - training/steps";
    let (code, said) = run(dir.path(), command);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.starts_with(
            "# Learned by `ckdiff learn` from 10 good runs, each against the one before (9 pairs):"
        ),
        "{said}"
    );
}

#[test]
fn a_rule_for_an_ending_does_not_match_other_tensors() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, moved: f32| {
        let near = |start: f32| floats(&[start + moved, 4.0, 5.0, 6.0]);
        let tensors = [
            ("a/kernel".to_owned(), near(1.0)),
            ("b/kernel".to_owned(), near(2.0)),
            // Unrelated from run to run.
            ("kernel".to_owned(), floats(&[moved * 100.0, -moved, moved.sin(), 1.0])),
            ("x/b.weight".to_owned(), near(3.0)),
            ("y/b.weight".to_owned(), near(3.0)),
            ("b.weight".to_owned(), floats(&[moved * 70.0, 1.0 - moved * 9.0, 0.0, 2.0])),
        ];
        checkpoint(dir.path(), name, &tensors)
    };
    let base = write("base", 0.01);
    let runs = [0.011, 0.012, 0.013, 0.02].map(|moved| write(&moved.to_string(), moved));
    let pairs = runs.iter().enumerate();
    let pairs = pairs.map(|(run, path)| (None, run, observe(&base, path).unwrap())).collect();
    let names = runs.iter().map(|path| path.display().to_string()).collect();
    let learned =
        learn(&GoodRuns { names, baseline: None, against: Against::Baseline, pairs }, 2.0).unwrap();
    let rules = rules(&learned.text);
    for run in &runs {
        let judgement = rules.judge(&compared(&base, run, Some(&rules)));
        assert_eq!(
            judgement.verdict(),
            Verdict::Same,
            "{:?}\n{}",
            judgement.failures,
            learned.text
        );
    }
}

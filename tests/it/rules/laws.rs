//! What holds for all rules.

use std::path::Path;
use std::sync::Arc;

use ckdiff::diff::Verdict;
use ckdiff::rules::{Profile, Rules};

use super::{compared, rules};

/// Pairs of trained models: good and faulty.
fn pairs() -> Vec<(String, String)> {
    let root = "tests/data/training";
    let base = format!("{root}/seeds/1");
    let others = [
        "seeds/2",
        "seeds/9",
        "warm/1",
        "warm/5",
        "faulty/warm/drifted",
        "faulty/warm/nan",
        "faulty/warm/frozen",
        "faulty/warm/swapped",
        "faulty/warm/rewired",
        "faulty/seeds/drifted",
        "faulty/seeds/frozen",
    ];
    let mut pairs: Vec<_> =
        others.iter().map(|other| (base.clone(), format!("{root}/{other}"))).collect();
    let retrain = "tests/data/retrain";
    pairs.push((format!("{retrain}/baseline.ckpt"), format!("{retrain}/retrained.ckpt")));
    pairs
}

fn verdict(rules: &Arc<Rules>, pair: &(String, String)) -> Verdict {
    rules.judge(&compared(Path::new(&pair.0), Path::new(&pair.1), Some(rules))).verdict()
}

#[test]
fn a_tighter_rule_never_passes_more() {
    let keys = [
        "rel_l2",
        "rms",
        "max_abs",
        "max_rel",
        "changed",
        "norm",
        "std",
        "mean",
        "ks",
        "zeros",
        "abs_p50",
        "atol",
        "rtol",
        "max_mismatched",
        "diff_p90",
    ];
    for pair in pairs() {
        for key in keys {
            let mut passed = false;
            for limit in [0.0, 1e-4, 0.01, 0.05, 0.2, 0.8, 1.0] {
                let text = format!(
                    "[default]\nexpect = \"any\"\nnan = \"allowed\"\n{key} = {limit:?}\n[graph]\nexpect = \"ignored\""
                );
                let passes = verdict(&rules(&text), &pair) == Verdict::Same;
                assert!(
                    passes || !passed,
                    "{key} = {limit} fails, and a smaller limit passes: {pair:?}"
                );
                passed = passes;
            }
        }
    }
}

#[test]
fn a_model_keeps_to_the_rules_that_do_not_ask_for_a_change() {
    for (lhs, _) in pairs() {
        for rules in [
            rules(""),
            Arc::new(Rules::built_in(Profile::Exact)),
            Arc::new(Rules::built_in(Profile::Fresh)),
        ] {
            assert_eq!(verdict(&rules, &(lhs.clone(), lhs.clone())), Verdict::Same, "{lhs}");
        }
    }
}

#[test]
fn a_judgement_does_not_depend_on_threads_or_chunks() {
    let text = "[default]\nexpect = \"any\"\nks = 0.1\nnorm = 0.1\ndiff_p90 = 0.01\natol = 0.1";
    let rules = rules(text);
    for (lhs, rhs) in pairs() {
        let run = |threads, chunk_bytes| {
            let options = ckdiff::diff::DiffOptions {
                compare: ckdiff::compare::CompareOptions {
                    threads,
                    chunk_bytes,
                    ..Default::default()
                },
                rules: Some(rules.clone()),
                ..Default::default()
            };
            let open = |path: &str| ckdiff::artifact::Artifact::open(Path::new(path)).unwrap();
            let diff =
                ckdiff::diff::diff(&open(&lhs), &open(&rhs), &options, &ckdiff::progress::Silent);
            rules.judge(&diff.unwrap()).failures
        };
        assert_eq!(run(1, 256 << 10), run(3, 100), "{rhs}");
    }
}

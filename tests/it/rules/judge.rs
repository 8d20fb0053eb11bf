//! Judging a saved report equals judging the artifacts.

use ckdiff::compare::{CompareOptions, NanPolicy, Tolerance};
use ckdiff::diff::{Criteria, Diff, DiffOptions, Ignore, ListedTensors, Step, Verdict};
use ckdiff::report::{Format, Report};
use ckdiff::rules::{Profile, Rules};

use super::saved::{
    again, assert_agrees, compared, pairs, rules, saved, with_rules, write_all, written,
};

/// Rules of every kind.
const RULES: &[&str] = &[
    "extends = 'exact'",
    "extends = 'same-start'",
    "extends = 'fresh'",
    "default = { atol = 1e-3 }",
    "default = { rtol = 'dtype', max_mismatched = '10%' }",
    "default = { ulp = 4 }",
    "default = { diff_p50 = 1e-4, diff_p99 = 0.5 }",
    "default = { expect = 'any', nan = 'forbidden', inf = 'allowed', added = 'allowed', removed = 'allowed', new_dtype = 'allowed', new_shape = 'allowed' }",
    "default = { rel_l2 = 0.3, rms = 1, max_abs = 2, max_rel = 4, cosine = 0.5, changed = 0.5, mean = 0.1, std = 0.2, norm = 0.2 }",
    "default = { ks = 'auto', zeros = 0.1, abs_p50 = 0.5, abs_p90 = [0.5, 3], abs_p99 = 1 }",
    "rule = [{ role = 'weights', expect = 'changed' }, { match = '**/bias', expect = 'unchanged' }]",
    "rename = [{ from = 'dense', to = 'new' }]\ndefault = { expect = 'any', added = 'allowed' }",
    "rename = [{ from = '^(.)', to = 'x$1' }]",
    "graph = { expect = 'ignored', signatures = 'unchanged', deny_ops = ['MatMul', 'PyFunc'] }",
    "graph = { expect = 'ignored', unchanged = ['**/w*', 'a*'], allow_ops = ['Const'] }",
    "graph = { ignore = ['**.attr*'], semantic = ['**.device'], cosmetic = ['**.input*'] }",
];

/// Every fourth of the rules, others for each pair.
fn some_rules(pair: usize) -> impl Iterator<Item = &'static str> {
    RULES.iter().copied().skip(pair % 4).step_by(4)
}

/// Options of reports.
fn options() -> Vec<DiffOptions> {
    let of = |compare| DiffOptions { compare, ..DiffOptions::default() };
    let plain = CompareOptions { threads: 1, ..CompareOptions::default() };
    let tolerance = |atol, rtol, ulp| Tolerance::new(atol, rtol, ulp).unwrap();
    let mut listed = ListedTensors::default();
    listed.add("**", 3).unwrap();
    let mut criteria = Criteria::default();
    criteria.max_rel_l2 = Some(0.1);
    vec![
        of(plain.clone()),
        of(CompareOptions {
            histogram: true,
            values: true,
            further: vec![tolerance(Some(1e-4), Some(0.0), None), tolerance(Some(0.5), None, None)],
            ..plain.clone()
        }),
        DiffOptions {
            criteria,
            ignore: Ignore::new(&["**.device".into()], &[]).unwrap(),
            listed,
            mismatch_map: true,
            strict: true,
            ..of(CompareOptions {
                tolerance: tolerance(Some(1e-3), Some(1e-2), Some(3)),
                nan: NanPolicy::Differ,
                ..plain
            })
        },
    ]
}

/// The steps of each change on both sides, sorted: a report has the changes that stand for others first.
fn steps(diff: &Diff) -> Vec<(Vec<Step>, Option<String>)> {
    let of = |path: &ckdiff::diff::Path| path.steps().into_iter().cloned().collect();
    let both = |path| (of(path), path.in_lhs().map(|path| path.to_string()));
    let mut steps: Vec<_> = diff.changes.iter().map(|change| both(&change.path)).collect();
    steps.sort();
    steps
}

#[test]
fn a_report_comes_back_as_it_was() {
    let mut reports = 0;
    for (lhs, rhs) in pairs() {
        for options in options() {
            let Some(live) = compared(&lhs, &rhs, &options) else { continue };
            let what = format!("{} {}", lhs.display(), rhs.display());
            let read = again(&live);
            assert!(saved(&live) == saved(&read), "{what}");
            assert_eq!(steps(&live), steps(&read), "{what}");
            assert_eq!(live.verdict(), read.verdict(), "{what}");
            let human = |diff| {
                String::from_utf8(written(&Report::Diff(diff, None), Format::HUMAN)).unwrap()
            };
            let (live, read) = (human(&live), human(&read));
            let mut lines = live.lines().zip(read.lines());
            assert_eq!(lines.find(|(live, read)| live != read), None, "{what}");
            assert_eq!(live.len(), read.len(), "{what}");
            reports += 1;
        }
    }
    assert!(reports > 300, "{reports}");
}

#[test]
fn a_report_made_with_the_rules_is_judged_as_the_artifacts_are() {
    let options = options();
    for (at, (lhs, rhs)) in pairs().into_iter().enumerate() {
        for text in some_rules(at) {
            let rules = rules(text);
            let Some(live) = compared(&lhs, &rhs, &with_rules(&options[0], &rules)) else {
                continue;
            };
            let what = format!("{} {} {text}", lhs.display(), rhs.display());
            let [live, read] = [&live, &again(&live)].map(|diff| rules.judge_with_passed(diff));
            assert_eq!(format!("{live:?}"), format!("{read:?}"), "{what}");
            let missing_graph = |check: &ckdiff::rules::Check| check.gate == "graph";
            assert!(live.undecided.iter().all(missing_graph), "{what}: {:?}", live.undecided);
        }
    }
}

#[test]
fn a_report_made_without_the_rules_never_disagrees() {
    let (mut decided, mut undecided) = (0, 0);
    for (at, (lhs, rhs)) in pairs().into_iter().enumerate() {
        for options in options() {
            let Some(read) = compared(&lhs, &rhs, &options).map(|diff| again(&diff)) else {
                continue;
            };
            // Without data, only a report without rules tells that checksums differ.
            let has_data = read.lhs.has_data && read.rhs.has_data;
            for text in some_rules(at) {
                let rules = rules(text);
                let what = format!("{} {} {text}", lhs.display(), rhs.display());
                // The rules replace tolerances, of graphs too; all else stays.
                let mut by_rules = with_rules(&options, &rules);
                by_rules.compare.tolerance = Tolerance::BITS;
                by_rules.criteria = Criteria::default();
                let Some(live) = compared(&lhs, &rhs, &by_rules).filter(|_| has_data) else {
                    continue;
                };
                let (live, read_judged) = (rules.judge(&live), rules.judge(&read));
                assert_agrees(&read_judged, &live, &what);
                match read_judged.verdict() {
                    Verdict::Trouble => undecided += 1,
                    _ => decided += 1,
                }
                write_all(&read, &rules, &read_judged);
            }
        }
    }
    assert!(decided > undecided && undecided > 100, "{decided} decided, {undecided} not");
}

#[test]
fn a_report_with_histograms_decides_more() {
    let path = |name: &str| std::path::PathBuf::from(format!("tests/data/retrain/{name}.ckpt"));
    let rules = Rules::built_in(Profile::Fresh);
    let open = |options: &DiffOptions| {
        let diff = compared(&path("baseline"), &path("retrained"), options).unwrap();
        rules.judge(&again(&diff)).again()
    };
    let options = options();
    let plain = open(&options[0]);
    assert!(plain.values && plain.tensors.len() == 3 && !plain.graph, "{plain:?}");
    assert!(open(&options[1]).is_empty());
}

//! Pictures of tensors in block characters.

use crate::support::command::ckdiff;
use crate::support::named_snapshot;

#[test]
fn a_tensor_is_shown_with_its_histogram() {
    let mut text = String::new();
    for name in
        ["model/attention/kernel", "model/encoder/dense/kernel/Adam_1", "model/encoder/dense/bias"]
    {
        let run = ckdiff(&["show", "retrain/baseline.ckpt", "--tensor", name]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
        text += run.text();
        text += "\n";
    }
    named_snapshot("picture", "histograms", &text);
}

#[test]
fn tensors_of_few_values_have_no_histogram() {
    for (path, name) in [
        ("retrain/baseline.ckpt", "vocab"),
        ("retrain/baseline.ckpt", "global_step"),
        ("retrain/baseline.ckpt", "model/attention/mask"),
        ("dtypes/all.ckpt", "complex64/cube"),
        ("dtypes/all.ckpt", "bool/cube"),
        ("dtypes/all.ckpt", "float32/hollow"),
    ] {
        let run = ckdiff(&["show", path, "--tensor", name]);
        assert_eq!(run.code, 0, "{name}");
        assert!(!run.text().contains("histogram"), "{}", run.text());
    }
}

#[test]
fn a_verbose_comparison_draws_what_changed() {
    const SECTION: &str = "Where and how far values moved";
    let pair = ["retrain/baseline.ckpt", "retrain/retrained.ckpt"];
    let verbose = ckdiff(&[&pair[..], &["-v"]].concat());
    let section = verbose.text().split_once(SECTION).unwrap().1;
    let section = section.split_once("\n\n").unwrap().0;
    named_snapshot("picture", "comparison", section);
    assert!(!ckdiff(&pair).text().contains(SECTION));
    // Statistics that nobody reads are not computed.
    let json = ckdiff(&[&pair[..], &["-v", "--format=json"]].concat());
    assert_eq!(json.stdout, ckdiff(&[&pair[..], &["--format=json"]].concat()).stdout);
}

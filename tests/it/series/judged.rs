//! What a series says of its checkpoints.

use std::fs;
use std::path::Path;

use ckdiff::series::{Against, Change, SeriesOptions, Verdict};

use super::{compared, found, names, series, write};
use crate::support::directory::copy;
use crate::support::written::{checkpoint, floats};

#[test]
fn a_good_training_is_sound_and_its_frozen_layer_is_named() {
    let steps = series(Path::new("tests/data/training/steps"));
    assert_eq!(steps.verdict(), Verdict::Sound);
    let frozen: Vec<_> = steps.frozen.iter().map(|tensor| &*tensor.shown).collect();
    assert_eq!(frozen, ["conv1/bias", "conv1/kernel"]);
    assert!(steps.runaways.is_empty(), "{:?}", steps.runaways);
    let growing: Vec<_> = steps.growth.iter().map(|(_, exponent)| *exponent).collect();
    assert!(growing.iter().all(|exponent| (0.1..1.0).contains(exponent)), "{growing:?}");
}

#[test]
fn a_diverging_layer_runs_away_before_all_becomes_nan() {
    for against in [Against::First, Against::Previous] {
        let options = SeriesOptions { against: against.clone(), ..SeriesOptions::default() };
        let checkpoints = found(&["tests/data/training/diverging".into()]);
        let diverging = compared(&checkpoints, &options);
        assert_eq!(diverging.verdict(), Verdict::Broken);
        let step = |at: usize| diverging.steps[at].step.unwrap();
        let from: Vec<_> = diverging.non_finite.iter().map(|of| step(of.at)).collect();
        assert_eq!(from, [1000; 10], "{against:?}");
        let mut runaways: Vec<_> =
            diverging.runaways.iter().map(|(of, found)| (&*of.shown, step(found.at))).collect();
        runaways.sort_unstable();
        assert_eq!(runaways, [("logits/bias", 600), ("logits/kernel", 600)], "{against:?}");
        assert!(diverging.frozen.is_empty());
    }
}

#[test]
fn nan_from_the_first_checkpoint_on_are_found_and_infinities_there_are_masks() {
    let dir = tempfile::tempdir().unwrap();
    for step in 1..4 {
        write(dir.path(), &format!("m-{step}"), step, &[f32::NEG_INFINITY, step as f32]);
    }
    assert_eq!(series(dir.path()).verdict(), Verdict::Sound);
    write(dir.path(), "m-4", 4, &[f32::NEG_INFINITY, f32::INFINITY]);
    assert_eq!(series(dir.path()).non_finite[0].at, 3);
    write(dir.path(), "m-0", 0, &[f32::NAN, 1.0]);
    let found = series(dir.path());
    assert_eq!((found.non_finite[0].at, found.non_finite[0].nan), (0, 1));
    assert_eq!(found.verdict(), Verdict::Broken);
}

#[test]
fn nan_of_tensors_that_are_added_or_reshaped_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let step = |step: i64, tensors: &[(&str, &[f32])]| {
        let tensors: Vec<_> =
            tensors.iter().map(|(name, values)| ((*name).to_owned(), floats(values))).collect();
        checkpoint(dir.path(), &format!("m-{step}"), &tensors);
    };
    step(1, &[("w", &[1.0])]);
    step(2, &[("w", &[2.0]), ("fine", &[1.0])]);
    assert_eq!(series(dir.path()).verdict(), Verdict::Sound);
    step(3, &[("w", &[2.0]), ("late", &[f32::NAN, 1.0])]);
    step(4, &[("w", &[2.0, f32::NAN]), ("late", &[f32::NAN, 1.0])]);
    let found = series(dir.path());
    let from: Vec<_> = found.non_finite.iter().map(|of| (&*of.tensor.shown, of.at)).collect();
    assert_eq!(from, [("late", 2), ("w", 3)]);
    assert_eq!(found.verdict(), Verdict::Broken);
}

#[test]
fn a_baseline_may_be_outside_of_the_series() {
    let checkpoints = found(&["tests/data/training/steps".into()]);
    let path = "tests/data/training/diverging/model.ckpt-100";
    let options = SeriesOptions { against: Against::Path(path.into()), ..SeriesOptions::default() };
    let series = compared(&checkpoints, &options);
    assert!(series.steps.iter().all(|step| step.drift.is_some()));
    let gone = SeriesOptions { against: Against::Path("gone".into()), ..SeriesOptions::default() };
    let error =
        ckdiff::series::compare(&checkpoints, &gone, None, &mut None, &ckdiff::progress::Silent);
    assert!(error.unwrap_err().to_string().starts_with("gone: there is no file or checkpoint"));
}

#[test]
fn other_models_and_damaged_checkpoints_in_between_are_reported() {
    let dir = copy("training/steps");
    checkpoint(dir.path(), "other.ckpt-250", &[("x".to_owned(), floats(&[1.0]))]);
    fs::write(dir.path().join("model.ckpt-400.index"), b"damaged").unwrap();
    let data = dir.path().join("model.ckpt-500.data-00000-of-00001");
    let mut bytes = fs::read(&data).unwrap();
    bytes[5000] ^= 1;
    fs::write(&data, bytes).unwrap();
    fs::remove_file(dir.path().join("model.ckpt-600.data-00000-of-00001")).unwrap();
    let checkpoints = found(&[dir.path().into()]);
    let series = compared(&checkpoints, &SeriesOptions::default());
    assert_eq!(series.verdict(), Verdict::Trouble);
    let at = |name: &str| names(&checkpoints).iter().position(|other| other == name).unwrap();
    let step = |name: &str| &series.steps[at(name)];
    assert_eq!(at("other.ckpt-250"), 2);
    assert!(step("other.ckpt-250").drift.as_ref().unwrap().is_of_another_model());
    assert!(step("model.ckpt-400").is_unreadable());
    let damaged = step("model.ckpt-500");
    assert_eq!(damaged.drift.as_ref().unwrap().count(Change::Error), 1);
    assert_eq!(damaged.errors.len(), 1);
    assert!(step("model.ckpt-600").errors.len() > 20);
    assert!(step("model.ckpt-1000").errors.is_empty() && step("model.ckpt-1000").drift.is_some());
}

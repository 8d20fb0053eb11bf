//! One model has one text, whichever TensorFlow or process exported it.

use ckdiff::snapshot;

use super::fixtures::open;
use crate::support::snapshot::named_snapshot;

/// The text of each export of a model, and the directories that have one.
fn assert_one_text(model: &str, exports: &[&str]) -> String {
    let text = snapshot::text(&open(format!("snapshots/2.21/{model}"))).unwrap();
    for export in exports {
        let other = snapshot::text(&open(format!("snapshots/{export}"))).unwrap();
        assert_eq!(text, other, "{export}");
    }
    text
}

#[test]
fn a_training_graph_has_one_text_in_three_versions_and_two_processes() {
    let exports = ["2.21_again/training.meta", "2.18/training.meta", "2.15/training.meta"];
    let text = assert_one_text("training.meta", &exports);
    named_snapshot("model", "training", &text);
}

#[test]
fn a_saved_module_has_one_text_in_three_versions_and_two_processes() {
    let text = assert_one_text("module", &["2.21_again/module", "2.18/module", "2.15/module"]);
    named_snapshot("model", "module", &text);
}

#[test]
fn a_keras_model_has_one_text_in_three_versions_and_two_processes() {
    let text = assert_one_text("keras_1", &["2.21_again/keras_1", "2.18/keras_1", "2.16/keras_1"]);
    named_snapshot("model", "keras", &text);
}

#[test]
fn a_keras_model_that_is_built_twice_in_one_process_has_the_same_text() {
    assert_one_text("keras_1", &["2.21/keras_2"]);
}

#[test]
fn the_exports_differ_before_the_redactions() {
    use ckdiff::snapshot::{Redaction, Redactions, text_with};
    let text = |path: &str| text_with(&open(path), &Redactions::without(&Redaction::ALL)).unwrap();
    for (a, b) in [
        ("2.21/training.meta", "2.21_again/training.meta"),
        ("2.21/training.meta", "2.18/training.meta"),
        ("2.21/module", "2.15/module"),
        ("2.21/keras_1", "2.18/keras_1"),
        ("2.21/keras_1", "2.21/keras_2"),
    ] {
        assert!(text(&format!("snapshots/{a}")) != text(&format!("snapshots/{b}")), "{a}, {b}");
    }
}

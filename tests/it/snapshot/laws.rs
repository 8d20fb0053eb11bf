//! Printing and parsing are inverse, for every model, with and without each redaction.

use ckdiff::diff::{DiffOptions, Verdict};
use ckdiff::snapshot::{self, Redaction, Redactions, Snapshot};

use super::fixtures;

#[track_caller]
fn assert_inverse(snapshot: &Snapshot, what: &str) {
    let text = snapshot.text().unwrap();
    let parsed = snapshot::parse(&text).unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    assert_eq!(parsed.text().unwrap(), text, "{what}");
    // As text, since a NaN equals nothing, itself included.
    assert!(format!("{parsed:?}") == format!("{snapshot:?}"), "{what}: {text}");
}

#[test]
fn a_snapshot_is_what_its_text_reads_as() {
    for (path, artifact) in fixtures::all() {
        for redactions in [Redactions::default(), Redactions::without(&Redaction::ALL)] {
            let Ok(snapshot) = Snapshot::new(&artifact, &redactions) else { continue };
            assert_inverse(&snapshot, &path.display().to_string());
        }
    }
}

#[test]
fn every_redaction_can_be_kept_by_itself() {
    for path in ["saved_models/module", "meta_graphs/towers.meta", "snapshots/2.21/keras_1"] {
        let artifact = fixtures::open(path);
        for kept in Redaction::ALL {
            let snapshot = Snapshot::new(&artifact, &Redactions::without(&[kept])).unwrap();
            assert_inverse(&snapshot, &format!("{path} with {}", kept.name()));
            let text = snapshot.text().unwrap();
            assert!(!text.contains(&format!("redact {}:", kept.name())), "{text}");
        }
    }
}

#[test]
fn a_model_matches_its_own_snapshot() {
    for (path, artifact) in fixtures::all() {
        let Ok(text) = snapshot::text(&artifact) else { continue };
        let saved = snapshot::parse(text).unwrap();
        let diff =
            snapshot::check(&saved, "saved".as_ref(), &artifact, &DiffOptions::default()).unwrap();
        assert_eq!(diff.verdict(), Verdict::Same, "{}: {:?}", path.display(), diff.changes);
        assert!(diff.findings.is_empty() && diff.changes.is_empty(), "{}", path.display());
    }
}

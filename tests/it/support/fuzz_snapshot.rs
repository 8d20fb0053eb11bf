//! Runs of a fuzz target on snapshots: texts that can be read, and texts of random messages, are what they read as.

use ckdiff::artifact::{Artifact, Document, Form, ReadOptions};
use ckdiff::diff::{DiffOptions, Verdict};
use ckdiff::schema::Schema;
use ckdiff::snapshot::{self, Redaction, Redactions, Snapshot};

/// The types of messages, by the first byte of an input that is no snapshot.
const MESSAGES: [&str; 4] = ["MetaGraphDef", "GraphDef", "SavedModel", "TensorProto"];

/// Reads an input as a snapshot, else the rest of it as a message.
pub(crate) fn read_snapshot(input: &[u8]) {
    if let Ok(parsed) = snapshot::parse(input) {
        return check_inverse(&parsed);
    }
    let Some((first, bytes)) = input.split_first() else { return };
    let message = MESSAGES.get(usize::from(*first) % MESSAGES.len()).map(|name| (*name).to_owned());
    let options = ReadOptions { message, form: Some(Form::Binary), ..ReadOptions::default() };
    let document = Document::read(bytes, "model.pb".as_ref(), Schema::tensorflow(), &options);
    if let Ok(document) = document {
        check_model(&document.into());
    }
}

/// Takes the snapshots of a model with all redactions and with none, and checks it against both.
pub(crate) fn check_model(artifact: &Artifact<'_>) {
    for redactions in [Redactions::default(), Redactions::without(&Redaction::ALL)] {
        let Ok(snapshot) = Snapshot::new(artifact, &redactions) else { continue };
        check_inverse(&snapshot);
        let checked =
            snapshot::check(&snapshot, "saved".as_ref(), artifact, &DiffOptions::default());
        if let Ok(diff) = checked {
            assert_eq!(diff.verdict(), Verdict::Same, "{:?}", diff.changes);
        }
    }
}

fn check_inverse(snapshot: &Snapshot) {
    // A message may be nested too deeply for text.
    let Ok(text) = snapshot.text() else { return };
    let parsed = snapshot::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    // As text, since a NaN equals nothing.
    assert!(format!("{parsed:?}") == format!("{snapshot:?}"), "{text}");
}

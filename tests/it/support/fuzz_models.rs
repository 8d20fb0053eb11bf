//! Runs of a fuzz target and seeded mutations on two models: comparisons in both directions, and their properties.

use std::path::Path;

use ckdiff::artifact::{Artifact, Document, Form, ReadOptions};
use ckdiff::diff::{self, Diff, Weight};
use ckdiff::progress::Silent;
use ckdiff::schema::Schema;
use ckdiff::verify;

use super::fuzz_report;

/// The types that the first byte of an input picks from.
const TYPES: &[&str] =
    &["MetaGraphDef", "GraphDef", "SavedModel", "TrackableObjectGraph", "FunctionDefLibrary"];

/// Compares two messages: the first byte picks the type, the next two are the length of lhs. Returns whether both are messages.
pub(crate) fn diff_messages(input: &[u8]) -> bool {
    let Some((&[ty, low, high], rest)) = input.split_first_chunk::<3>() else { return false };
    let ty = TYPES[usize::from(ty) % TYPES.len()];
    let len = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
    let (lhs, rhs) = rest.split_at(len);
    check(ty, Form::Binary, lhs, rhs)
}

/// Compares two messages of a type of TensorFlow's. Returns whether both are messages.
pub(crate) fn check(ty: &str, form: Form, lhs: &[u8], rhs: &[u8]) -> bool {
    let (Some(lhs), Some(rhs)) = (opened(ty, form, lhs), opened(ty, form, rhs)) else {
        return false;
    };
    let (there, back) = (compared(&lhs, &rhs), compared(&rhs, &lhs));
    let (there, back) = (semantic(&there), semantic(&back));
    assert_eq!(there.is_empty(), back.is_empty(), "{there:#?}\nback: {back:#?}");
    for same in [compared(&lhs, &lhs), compared(&rhs, &rhs)] {
        assert!(same.changes.is_empty(), "{:?}", same.changes);
    }
    for side in [&lhs, &rhs] {
        // Op definitions in a graph may be invalid, so an error is as good as findings.
        drop(side.message().map(|document| verify::graphs(document, None, None)));
    }
    true
}

/// The semantic changes that must be the same in both directions: not those of op definitions, which may only be extended.
fn semantic(diff: &Diff) -> Vec<String> {
    let semantic = diff.changes.iter().filter(|change| change.weight == Weight::Semantic);
    semantic
        .map(|change| format!("{}: {:?} => {:?}", change.path, change.lhs, change.rhs))
        .filter(|change| !change.contains("stripped_op_list"))
        .collect()
}

fn opened(ty: &str, form: Form, bytes: &[u8]) -> Option<Artifact<'static>> {
    let message = Some(format!("tensorflow.{ty}"));
    let options = ReadOptions { message, form: Some(form), ..ReadOptions::default() };
    let document = Document::read(bytes, Path::new("a.pb"), Schema::tensorflow(), &options);
    document.ok().map(Artifact::from)
}

fn compared(lhs: &Artifact, rhs: &Artifact) -> Diff {
    let diff = diff::diff(lhs, rhs, &diff::DiffOptions::default(), &Silent);
    let diff = diff.expect("two messages of one type can be compared");
    fuzz_report::check_diff(&diff);
    diff
}

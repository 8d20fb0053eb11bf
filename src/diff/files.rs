//! Compares the other files of two SavedModels: assets by content, and fingerprints.

use super::message::ListRules;
use super::path::PathBuilder;
use super::{Change, Diff, DiffOptions, model};
use crate::artifact::{Asset, Files};
use crate::error::Result;

/// Compares the files of two SavedModels other than graphs and variables.
///
/// # Errors
/// If a file cannot be read.
pub(super) fn compare(
    lhs: &Files,
    rhs: &Files,
    options: &DiffOptions,
    diff: &mut Diff,
) -> Result<()> {
    let root = PathBuilder::root();
    let files = root.field("files");
    let size = |asset: &Asset| format!("{} bytes", asset.bytes());
    let mut push = |name: &str, lhs: Option<&Asset>, rhs: Option<&Asset>| {
        let path = files.key(name).path();
        diff.changes.push(Change::new(path, lhs.map(size), rhs.map(size)));
    };
    for (name, l) in &lhs.assets {
        match rhs.assets.get(name) {
            None => push(name, Some(l), None),
            Some(r) if !l.has_content_of(r)? => push(name, Some(l), Some(r)),
            Some(_) => {}
        }
    }
    for (name, r) in rhs.assets.iter().filter(|(name, _)| !lhs.assets.contains_key(*name)) {
        push(name, None, Some(r));
    }
    if let (Some(l), Some(r)) = (&lhs.fingerprint, &rhs.fingerprint)
        && let Ok(fingerprints) = model::CommonPart::of(l.message(), r.message())
    {
        let lists = ListRules::new(&options.lists);
        diff.changes.append(&mut model::compare(&fingerprints, options, &lists).changes);
    }
    Ok(())
}

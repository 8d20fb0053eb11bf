//! The other files of two SavedModels: assets by content, and the hashes.

use super::message::ListRules;
use super::path::Trail;
use super::{Change, ChangeKind, Detail, Diff, Options, Weight, model};
use crate::artifact::{Asset, Files};
use crate::error::Result;

/// Compares what lies beside the graphs and variables of a SavedModel.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn compare(lhs: &Files, rhs: &Files, options: &Options, diff: &mut Diff) -> Result<()> {
    let root = Trail::Root;
    let files = root.field("files");
    let size = |asset: &Asset| format!("{} bytes", asset.bytes());
    let mut push = |name: &str, kind, lhs: Option<&Asset>, rhs: Option<&Asset>| {
        let path = files.key(name).path();
        let (lhs, rhs) = (lhs.map(size), rhs.map(size));
        let weight = Weight::Semantic;
        diff.changes.push(Change { path, kind, weight, lhs, rhs, detail: Detail::None });
    };
    for (name, l) in &lhs.assets {
        match rhs.assets.get(name) {
            None => push(name, ChangeKind::Removed, Some(l), None),
            Some(r) if !l.has_content_of(r)? => push(name, ChangeKind::Modified, Some(l), Some(r)),
            Some(_) => {}
        }
    }
    for (name, r) in rhs.assets.iter().filter(|(name, _)| !lhs.assets.contains_key(*name)) {
        push(name, ChangeKind::Added, None, Some(r));
    }
    if let (Some(l), Some(r)) = (&lhs.fingerprint, &rhs.fingerprint)
        && let Ok(fingerprints) = model::Common::of(l.message(), r.message())
    {
        let lists = ListRules::new(&options.lists);
        diff.changes.append(&mut model::compare(&fingerprints, options, &lists).changes);
    }
    Ok(())
}

//! Compares the other files of two SavedModels: assets by content, fingerprints, and Keras metadata.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::path::PathBuilder;
use super::walk::message::ListRules;
use super::walk::model;
use super::{Change, Diff, DiffOptions};
use crate::artifact::{Asset, Document, Files};
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
    assets(lhs, rhs, diff)?;
    if let (Some(l), Some(r)) = (&lhs.fingerprint, &rhs.fingerprint)
        && let Ok(fingerprints) = model::CommonPart::of(l.message(), r.message())
    {
        let lists = ListRules::new(&options.lists);
        diff.changes.append(&mut model::compare(&fingerprints, options, &lists).changes);
    }
    keras_metadata(lhs, rhs, options, diff);
    Ok(())
}

/// Compares assets by content. One that has another name is renamed.
fn assets(lhs: &Files, rhs: &Files, diff: &mut Diff) -> Result<()> {
    let root = PathBuilder::root();
    let files = root.field("files");
    let size = |asset: &Asset| format!("{} bytes", asset.bytes());
    for (name, l) in &lhs.assets {
        let Some(r) = rhs.assets.get(name) else { continue };
        if !l.has_content_of(r)? {
            let path = files.key(name).path();
            diff.changes.push(match l.bytes() == r.bytes() {
                true => Change::modified(path, with_digest(l)?, with_digest(r)?),
                false => Change::modified(path, size(l), size(r)),
            });
        }
    }
    let removed = only_in(&lhs.assets, &rhs.assets);
    let mut added = only_in(&rhs.assets, &lhs.assets);
    // Only files of one size are read.
    let sizes: BTreeSet<u64> = removed.values().map(|asset| asset.bytes()).collect();
    let mut contents = BTreeMap::<(u64, String), VecDeque<&str>>::new();
    for (name, asset) in added.iter().filter(|(_, asset)| sizes.contains(&asset.bytes())) {
        contents.entry((asset.bytes(), asset.sha256()?)).or_default().push_back(name);
    }
    let sizes: BTreeSet<u64> = contents.keys().map(|(bytes, _)| *bytes).collect();
    for (name, l) in removed {
        let mut same = None;
        if sizes.contains(&l.bytes()) {
            same = contents.get_mut(&(l.bytes(), l.sha256()?)).and_then(VecDeque::pop_front);
        }
        diff.changes.push(match same {
            Some(to) => Change::renamed(files.key_pair(name, to).path(), name, to),
            None => Change::new(files.key(name).path(), Some(size(l)), None),
        });
        same.map(|to| added.remove(to));
    }
    for (name, r) in added {
        diff.changes.push(Change::new(files.key(name).path(), None, Some(size(r))));
    }
    Ok(())
}

/// The assets that the other side lacks, by name.
fn only_in<'a>(
    assets: &'a BTreeMap<String, Asset>,
    others: &BTreeMap<String, Asset>,
) -> BTreeMap<&'a str, &'a Asset> {
    let only = assets.iter().filter(|(name, _)| !others.contains_key(*name));
    only.map(|(name, asset)| (&**name, asset)).collect()
}

/// Compares the Keras metadata. A file that only one side has is one change: the other model is saved without Keras.
fn keras_metadata(lhs: &Files, rhs: &Files, options: &DiffOptions, diff: &mut Diff) {
    let [l, r] = [lhs, rhs].map(|side| side.keras_metadata.as_ref());
    let [l, r] = [l, r].map(|side| side.map(|side| side.message().bytes()).unwrap_or_default());
    model::name_layers(l, r, &mut diff.changes);
    match (&lhs.keras_metadata, &rhs.keras_metadata) {
        (Some(l), Some(r)) => {
            let lists = ListRules::new(&options.lists);
            let (l, r) = (l.message().bytes(), r.message().bytes());
            let found = model::compare_keras_metadata(l, r, options, &lists);
            diff.changes.append(&mut found.unwrap_or_default().changes);
        }
        (None, None) => {}
        (l, r) => {
            let path = PathBuilder::root().field(model::KERAS_METADATA).path();
            let size = |side: &Document<'_>| format!("{} bytes", side.message().bytes().len());
            diff.changes.push(Change::new(path, l.as_ref().map(size), r.as_ref().map(size)));
        }
    }
}

/// The size of a file and the start of its SHA-256, which tells it from another one of that size.
fn with_digest(asset: &Asset) -> Result<String> {
    const DIGITS: usize = 12;
    let sha256 = asset.sha256()?;
    let start = sha256.get(..DIGITS).unwrap_or(&sha256);
    Ok(format!("{} bytes, SHA-256 {start}…", asset.bytes()))
}

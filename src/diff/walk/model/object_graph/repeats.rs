//! Removes changes that other parts of a SavedModel repeat.
//!
//! The object graph of a SavedModel is repeated in part: the constant that its saver writes into checkpoints
//! has the objects with values, the checkpoint has the same graph, and the keys of the saver are key paths of
//! variables. Only changes that the main object graph lacks are kept.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::{Change, ChangeKind, Path, Step};

/// Removes changes that repeat a change of `object_graph_def`.
pub(in crate::diff::walk::model) fn remove_repeated(changes: &mut Vec<Change>, before: usize) {
    let is_main = |change: &Change| {
        let mut steps = change.path.steps().into_iter();
        steps.any(|step| matches!(step, Step::Field(name) if &**name == "object_graph_def"))
    };
    let (mut reported, mut gone) = (BTreeSet::new(), ObjectPaths::new());
    for change in changes.iter().skip(before).filter(|change| is_main(change)) {
        if let Some(tail) = tail(&change.path) {
            if let ([_, Step::Key(key)], ChangeKind::Added | ChangeKind::Removed) =
                (&*tail, change.kind)
            {
                gone.entry(change.kind).or_default().insert(key.to_string());
            }
            reported.insert(tail.into_iter().cloned().collect::<Vec<_>>());
        }
    }
    let mut at = 0;
    changes.retain(|change| {
        at += 1;
        let tail = tail(&change.path).map(|tail| tail.into_iter().cloned().collect::<Vec<_>>());
        let again = tail.is_some_and(|tail| reported.contains(&tail));
        at <= before || is_main(change) || !(again || is_key_of(change, &gone))
    });
}

/// Removes changes that repeat one of `reported` for another object graph.
pub(in crate::diff) fn remove_reported(changes: &mut Vec<Change>, reported: &[Change]) {
    let reported: BTreeSet<_> = reported.iter().filter_map(|known| tail(&known.path)).collect();
    changes.retain(|change| tail(&change.path).is_none_or(|tail| !reported.contains(&tail)));
}

/// The steps of a path from the object graph on.
fn tail(path: &Path) -> Option<Vec<&Step>> {
    let mut steps = path.steps();
    let is =
        |pair: &[&Step]| matches!(pair, [Step::Field(name), Step::Key(_)] if &**name == "nodes");
    let start = steps.windows(2).position(is)?;
    Some(steps.split_off(start))
}

/// The key paths of added and of removed objects.
type ObjectPaths = BTreeMap<ChangeKind, BTreeSet<String>>;

/// The maximum number of parents of a key that are looked up; a file may have keys of any length.
const MAX_OBJECTS: usize = 64;

/// Whether a change is of a checkpoint key whose object was added or removed.
fn is_key_of(change: &Change, gone: &ObjectPaths) -> bool {
    let Some([Step::Field(field), Step::Key(key)]) = change.path.steps().last_chunk::<2>() else {
        return false;
    };
    let is_saver = matches!(&**field, "saves" | "restores");
    gone.get(&change.kind).is_some_and(|gone| {
        let mut paths = key.match_indices('/').take(MAX_OBJECTS);
        is_saver && paths.any(|(end, _)| key.get(..end).is_some_and(|path| gone.contains(path)))
    })
}

//! What several parts of a SavedModel say of one change is told once.
//!
//! The object graph of a SavedModel says which objects there are. The constant that its saver writes into checkpoints holds the
//! graph of those that have values, and so does the checkpoint itself; and the keys that its saver names are the key paths of
//! variables. What these say beyond it is told.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::{Change, ChangeKind, Path, Step};

/// Takes out what the object graph at `object_graph_def` has told already.
pub(in crate::diff::model) fn tell_once(changes: &mut Vec<Change>, before: usize) {
    let is_main = |change: &Change| {
        let mut steps = change.path.steps().iter();
        steps.any(|step| matches!(step, Step::Field(name) if &**name == "object_graph_def"))
    };
    let (mut told, mut gone) = (BTreeSet::new(), Gone::new());
    for change in changes.iter().skip(before).filter(|change| is_main(change)) {
        if let Some(tail) = tail(&change.path) {
            if let ([_, Step::Key(key)], ChangeKind::Added | ChangeKind::Removed) =
                (tail, change.kind)
            {
                gone.entry(change.kind).or_default().insert(key.to_string());
            }
            told.insert(tail.to_vec());
        }
    }
    let mut at = 0;
    changes.retain(|change| {
        at += 1;
        let again = tail(&change.path).is_some_and(|tail| told.contains(tail));
        at <= before || is_main(change) || !(again || is_key_of(change, &gone))
    });
}

/// Takes out what one of `told` says of another object graph.
pub(in crate::diff) fn leave_out_told(changes: &mut Vec<Change>, told: &[Change]) {
    let told: BTreeSet<_> = told.iter().filter_map(|known| tail(&known.path)).collect();
    changes.retain(|change| tail(&change.path).is_none_or(|tail| !told.contains(tail)));
}

/// The way from the object graph on.
fn tail(path: &Path) -> Option<&[Step]> {
    let steps = path.steps();
    let is =
        |pair: &[Step]| matches!(pair, [Step::Field(name), Step::Key(_)] if &**name == "nodes");
    steps.get(steps.windows(2).position(is)?..)
}

/// The key paths of the objects that came, and of those that went.
type Gone = BTreeMap<ChangeKind, BTreeSet<String>>;

/// Objects in each other that are looked at; keys are as long as a file wants.
const MOST_OBJECTS: usize = 64;

/// Whether it is about a key of a checkpoint that came or went with its object.
fn is_key_of(change: &Change, gone: &Gone) -> bool {
    let Some([Step::Field(field), Step::Key(key)]) = change.path.steps().last_chunk::<2>() else {
        return false;
    };
    let is_saver = matches!(&**field, "saves" | "restores");
    gone.get(&change.kind).is_some_and(|gone| {
        let mut paths = key.match_indices('/').take(MOST_OBJECTS);
        is_saver && paths.any(|(end, _)| key.get(..end).is_some_and(|path| gone.contains(path)))
    })
}

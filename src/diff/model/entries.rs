//! Entries of collections that came or went with the nodes that they name.

use std::collections::BTreeMap;

use crate::diff::path::Step;
use crate::diff::{Change, ChangeKind, Detail, Rewired};
use crate::message::{fields, nested, string, strings};
use crate::schema::field::collection_def::{self, bytes_list, node_list};
use crate::schema::field::{meta_graph_def, variable_def};

/// Tells what collections say of nodes that came or went together with those nodes; the changes from `before` on are of one
/// meta graph, whose sides are given.
pub(super) fn tell_with_nodes(
    (lhs, rhs): (&[u8], &[u8]),
    changes: &mut Vec<Change>,
    before: usize,
) {
    let mut own = changes.split_off(before.min(changes.len()));
    let groups = groups(&own);
    let of_change = |change: &Change| {
        let group = |kind, name: &str| groups.get(&(kind, name.split(':').next()?)).copied();
        let of_all = |entries: &mut dyn Iterator<Item = &str>| {
            entries.map(|name| group(change.kind, name)).reduce(|a, b| a.and(b)).flatten()
        };
        match (collection(change), change.kind) {
            (Some(key), ChangeKind::Added) => vec![of_all(&mut entries(rhs, key))],
            (Some(key), ChangeKind::Removed) => vec![of_all(&mut entries(lhs, key))],
            // One node took the place of another.
            (None, ChangeKind::Modified) => vec![
                entry(change, &change.lhs).and_then(|name| group(ChangeKind::Removed, name)),
                entry(change, &change.rhs).and_then(|name| group(ChangeKind::Added, name)),
            ],
            (None, kind) => {
                let text = if kind == ChangeKind::Added { &change.rhs } else { &change.lhs };
                vec![entry(change, text).and_then(|name| group(kind, name))]
            }
            _ => vec![None],
        }
    };
    // Told with every group that it is about, or by itself.
    let found = own.iter().map(|change| of_change(change).into_iter().collect::<Option<Vec<_>>>());
    let found: Vec<Vec<usize>> = found.map(Option::unwrap_or_default).collect();
    let mut moved = Vec::new();
    for (change, groups) in own.iter().zip(&found) {
        let Change { path, lhs, rhs, .. } = change;
        let rewired = || Rewired { path: path.clone(), lhs: lhs.clone(), rhs: rhs.clone() };
        moved.extend(groups.iter().map(|&group| (group, rewired())));
    }
    for (group, rewired) in moved {
        if let Some(Change { detail: Detail::Nodes(nodes), .. }) = own.get_mut(group) {
            nodes.boundary.push(rewired);
        }
    }
    let told = own.into_iter().zip(found).filter(|(_, groups)| groups.is_empty());
    changes.extend(told.map(|(change, _)| change));
}

/// Which of the changes tells that a node came or went.
fn groups(changes: &[Change]) -> BTreeMap<(ChangeKind, &str), usize> {
    let mut groups = BTreeMap::new();
    for (at, change) in changes.iter().enumerate() {
        let is_of_graph = change.path.key_in("node").is_some() && !is_in(change, "library");
        if let Detail::Nodes(nodes) = &change.detail
            && change.kind != ChangeKind::Renamed
            && is_of_graph
        {
            groups.extend(nodes.names.iter().map(|name| ((change.kind, name.as_str()), at)));
        }
    }
    groups
}

/// The key of a collection, where the change is of all of it.
fn collection(change: &Change) -> Option<&str> {
    match change.path.steps() {
        [.., Step::Field(field), Step::Key(key)] if &**field == "collection_def" => Some(key),
        _ => None,
    }
}

/// What the entries of a collection name: nodes, or messages whose first field is the name of one; nothing where they are
/// anything else.
fn entries<'m>(meta_graph: &'m [u8], key: &'m str) -> impl Iterator<Item = &'m str> {
    let all = crate::message::entries(meta_graph, meta_graph_def::COLLECTION_DEF);
    let collection =
        all.filter(move |(name, _)| *name == key).map(|(_, collection)| collection).next();
    collection.into_iter().flat_map(|collection| {
        let nodes = strings(nested(collection, collection_def::NODE_LIST), node_list::VALUE);
        let messages = fields(nested(collection, collection_def::BYTES_LIST), bytes_list::VALUE);
        nodes.chain(messages.map(|message| string(message, variable_def::VARIABLE_NAME)))
    })
}

/// The node or output that an entry of a collection names, where the change is of a whole entry; `text` is one side's.
fn entry<'c>(change: &'c Change, text: &'c Option<String>) -> Option<&'c str> {
    if !is_in(change, "collection_def") {
        return None;
    }
    match change.path.steps() {
        [.., Step::Field(list), Step::Field(value), Step::Key(name)]
            if matches!((&**list, &**value), ("bytes_list", "value")) =>
        {
            Some(name)
        }
        [.., Step::Field(list), Step::Field(value), Step::Index(_)]
            if matches!((&**list, &**value), ("node_list", "value")) =>
        {
            text.as_deref().map(|text| text.trim_matches('"'))
        }
        _ => None,
    }
}

fn is_in(change: &Change, field: &str) -> bool {
    change.path.steps().iter().any(|step| matches!(step, Step::Field(name) if &**name == field))
}

//! Moves changes of collection entries to the added or removed nodes that the entries name.

use std::collections::BTreeMap;

use crate::diff::path::{Path, Step};
use crate::diff::{BoundaryChange, Change, ChangeKind, Detail};
use crate::graph::node_of;
use crate::message::{fields, nested, string, strings};
use crate::schema::field::collection_def::{self, bytes_list, node_list};
use crate::schema::field::{meta_graph_def, variable_def};

/// Moves changes of collections to the node groups that caused them. The changes from position `before` on
/// are of one meta graph, given by its two sides.
pub(super) fn move_to_node_groups(
    (lhs, rhs): (&[u8], &[u8]),
    changes: &mut Vec<Change>,
    before: usize,
) {
    let mut own = changes.split_off(before.min(changes.len()));
    let groups = groups(&own);
    let (lhs_names, rhs_names) = (listed_names(lhs), listed_names(rhs));
    let in_lhs = |change: &Change| {
        let path = change.path.in_lhs();
        entry(path.as_ref().unwrap_or(&change.path), &lhs_names)
            .and_then(|name| groups.get(&(ChangeKind::Removed, &*name)).copied())
    };
    let in_rhs = |change: &Change| {
        entry(&change.path, &rhs_names)
            .and_then(|name| groups.get(&(ChangeKind::Added, &*name)).copied())
    };
    let of_change = |change: &Change| {
        let group = |kind, name: &str| groups.get(&(kind, node_of(name))).copied();
        let of_all = |entries: &mut dyn Iterator<Item = &str>| {
            entries.map(|name| group(change.kind, name)).reduce(|a, b| a.and(b)).flatten()
        };
        match (collection(change), change.kind) {
            (Some(key), ChangeKind::Added) => vec![of_all(&mut entries(rhs, key))],
            (Some(key), ChangeKind::Removed) => vec![of_all(&mut entries(lhs, key))],
            // An entry names another node now.
            (None, ChangeKind::Modified) => vec![in_lhs(change), in_rhs(change)],
            (None, ChangeKind::Added) => vec![in_rhs(change)],
            (None, ChangeKind::Removed) => vec![in_lhs(change)],
            _ => vec![None],
        }
    };
    // A change moves to all of its groups, or stays.
    let found = own.iter().map(|change| of_change(change).into_iter().collect::<Option<Vec<_>>>());
    let found: Vec<Vec<usize>> = found.map(Option::unwrap_or_default).collect();
    let mut moved = Vec::new();
    for (change, groups) in own.iter().zip(&found) {
        let Change { path, lhs, rhs, .. } = change;
        let rewired = || BoundaryChange { path: path.clone(), lhs: lhs.clone(), rhs: rhs.clone() };
        moved.extend(groups.iter().map(|&group| (group, rewired())));
    }
    for (group, rewired) in moved {
        if let Some(Change { detail: Detail::Nodes(nodes), .. }) = own.get_mut(group) {
            nodes.boundary.push(rewired);
        }
    }
    let remaining = own.into_iter().zip(found).filter(|(_, groups)| groups.is_empty());
    changes.extend(remaining.map(|(change, _)| change));
}

/// The position of the change that reports each added or removed node.
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

/// The key of a collection, if the whole collection changed.
fn collection(change: &Change) -> Option<&str> {
    match change.path.steps() {
        [.., Step::Field(field), Step::Key(key)] if &**field == "collection_def" => Some(key),
        _ => None,
    }
}

/// The nodes that the entries of a collection name, directly or in the first field of a message. Other
/// entries yield other strings.
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

/// The strings in the node lists of a meta graph, by collection.
fn listed_names(meta_graph: &[u8]) -> BTreeMap<&str, Vec<&str>> {
    let collections = crate::message::entries(meta_graph, meta_graph_def::COLLECTION_DEF);
    let names = |collection| {
        strings(nested(collection, collection_def::NODE_LIST), node_list::VALUE).collect()
    };
    collections.map(|(key, collection)| (key, names(collection))).collect()
}

/// The node that an entry of a collection names, if the whole entry changed; `names` are those of the side of the path.
fn entry<'c>(path: &'c Path, names: &BTreeMap<&'c str, Vec<&'c str>>) -> Option<String> {
    let key = path.key_in("collection_def")?;
    let name = match path.steps() {
        [.., Step::Field(list), Step::Field(value), Step::Key(name)]
            if matches!((&**list, &**value), ("bytes_list", "value")) =>
        {
            &**name
        }
        [.., Step::Field(list), Step::Field(value), Step::Index(at)]
            if matches!((&**list, &**value), ("node_list", "value")) =>
        {
            names.get(key)?.get(*at)?
        }
        _ => return None,
    };
    Some(node_of(name).to_owned())
}

fn is_in(change: &Change, field: &str) -> bool {
    change.path.steps().iter().any(|step| matches!(step, Step::Field(name) if &**name == field))
}

//! Moves changes of collection entries to the added or removed nodes that the entries name.

use std::collections::BTreeMap;

use crate::diff::path::{Path, Step};
use crate::diff::walk::names::MOST;
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
    let (lhs, rhs) = (collections(lhs), collections(rhs));
    let in_lhs = |change: &Change| {
        let path = change.path.in_lhs();
        entry(path.as_ref().unwrap_or(&change.path), &lhs)
            .and_then(|name| groups.get(&(ChangeKind::Removed, &*name)).copied())
    };
    let in_rhs = |change: &Change| {
        entry(&change.path, &rhs).and_then(|name| groups.get(&(ChangeKind::Added, &*name)).copied())
    };
    let of_change = |change: &Change| {
        let group = |kind, name: &str| groups.get(&(kind, node_of(name))).copied();
        let of_all = |entries: &mut dyn Iterator<Item = &str>| {
            entries.map(|name| group(change.kind, name)).reduce(|a, b| a.and(b)).flatten()
        };
        match (collection(change), change.kind) {
            (Some(key), ChangeKind::Added) => vec![of_all(&mut entries(&rhs, key))],
            (Some(key), ChangeKind::Removed) => vec![of_all(&mut entries(&lhs, key))],
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
        let rewired = || BoundaryChange {
            path: change.path.clone(),
            lhs: text(change, change.lhs.as_ref(), &lhs),
            rhs: text(change, change.rhs.as_ref(), &rhs),
        };
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

/// The text of one side of a change; of a whole collection, the nodes that its first entries name.
fn text(
    change: &Change,
    text: Option<&String>,
    collections: &BTreeMap<&str, Collection<'_>>,
) -> Option<String> {
    let text = text?;
    let Some(key) = collection(change) else { return Some(text.clone()) };
    let names: Vec<&str> = entries(collections, key).take(MOST + 1).collect();
    let more = if names.len() > MOST { ", …" } else { "" };
    Some(names.get(..MOST.min(names.len())).unwrap_or_default().join(", ") + more)
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
    match change.path.steps().as_slice() {
        [.., Step::Field(field), Step::Key(key)] if &**field == "collection_def" => Some(key),
        _ => None,
    }
}

/// A collection: its bytes, and the strings in its node list.
type Collection<'m> = (&'m [u8], Vec<&'m str>);

/// The collections of a meta graph, by key.
fn collections(meta_graph: &[u8]) -> BTreeMap<&str, Collection<'_>> {
    let all = crate::message::entries(meta_graph, meta_graph_def::COLLECTION_DEF);
    let nodes = |collection| {
        strings(nested(collection, collection_def::NODE_LIST), node_list::VALUE).collect()
    };
    all.map(|(key, collection)| (key, (collection, nodes(collection)))).collect()
}

/// The nodes that the entries of a collection name, directly or in the first field of a message. Other
/// entries yield other strings.
fn entries<'m>(
    collections: &BTreeMap<&str, Collection<'m>>,
    key: &str,
) -> impl Iterator<Item = &'m str> {
    let (bytes, nodes) = collections.get(key).cloned().unwrap_or_default();
    let messages = fields(nested(bytes, collection_def::BYTES_LIST), bytes_list::VALUE);
    let names = messages.map(|message| string(message, variable_def::VARIABLE_NAME));
    nodes.into_iter().chain(names)
}

/// The node that an entry of a collection names, if the whole entry changed; `collections` are those of the side of the path.
fn entry(path: &Path, collections: &BTreeMap<&str, Collection<'_>>) -> Option<String> {
    let key = path.key_in("collection_def")?;
    let name = match path.steps().as_slice() {
        [.., Step::Field(list), Step::Field(value), Step::Key(name)]
            if matches!((&**list, &**value), ("bytes_list", "value")) =>
        {
            &**name
        }
        [.., Step::Field(list), Step::Field(value), Step::Index(at)]
            if matches!((&**list, &**value), ("node_list", "value")) =>
        {
            collections.get(key)?.1.get(*at)?
        }
        _ => return None,
    };
    Some(node_of(name).to_owned())
}

fn is_in(change: &Change, field: &str) -> bool {
    change.path.steps().iter().any(|step| matches!(step, Step::Field(name) if &**name == field))
}

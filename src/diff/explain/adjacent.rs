//! Finds changes of the structure that touch each other: nodes that came where others went, and inputs that lead around them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use petgraph::unionfind::UnionFind;

use super::equal::EqualEdits;
use super::located::{Located, Unordered};
use super::place::Place;
use crate::diff::meaning::Part;
use crate::diff::{Detail, Path};

/// A node whose inputs changed, or a source of such an input.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Touched<'a> {
    /// The function, and the hash of the names of the node on both sides.
    Node(Option<&'a str>, u64),
    /// The source.
    Source(&'a str),
}

/// Puts each group of changes under the most important one that it touches.
pub(super) fn find(groups: &[EqualEdits<'_, '_>], causes: &mut [Option<usize>]) {
    let mut sets = UnionFind::new(groups.len());
    let mut seen = BTreeMap::<Touched<'_>, usize>::new();
    let mut touching = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        if causes.get(at) != Some(&None) {
            continue;
        }
        for touched in group.members.iter().flat_map(|change| touched(change)) {
            let first = *seen.entry(touched).or_insert(at);
            sets.union(first, at);
            touching.push(at);
        }
    }
    touching.dedup();
    let mut roots = BTreeMap::<usize, (usize, _)>::new();
    for &at in &touching {
        let Some(group) = groups.get(at) else { continue };
        let (set, importance) = (sets.find(at), importance(group));
        let root = roots.entry(set).or_insert_with(|| (at, importance.clone()));
        if importance < root.1 {
            *root = (at, importance);
        }
    }
    for &at in &touching {
        let root = roots.get(&sets.find(at)).map(|(root, _)| *root);
        if let Some(slot) = causes.get_mut(at) {
            *slot = root.filter(|&root| root != at);
        }
    }
}

/// What a change of the structure touches; nothing for others.
fn touched<'a>(located: &Located<'a>) -> Vec<Touched<'a>> {
    let Located { change, place, part, .. } = located;
    if !matches!(part, Part::Model | Part::Exported) {
        return Vec::new();
    }
    let node = |path: &'a Path| Touched::Node(place.function, unordered_node(path));
    match (&change.detail, place.last()) {
        (Detail::Nodes(nodes), _) => {
            let inputs = nodes.boundary.iter().filter(|change| {
                let text = change.rhs.as_deref().or(change.lhs.as_deref()).unwrap_or_default();
                !text.starts_with('^') && Place::of(&change.path).has("input")
            });
            inputs.map(|change| node(&change.path)).collect()
        }
        (_, "op") => vec![node(&change.path)],
        _ if place.has("input") => {
            let sources = [&change.lhs, &change.rhs].into_iter().flatten();
            let sources = sources.map(|source| Touched::Source(source));
            sources.chain([node(&change.path)]).collect()
        }
        _ => Vec::new(),
    }
}

/// A hash of the names of a node on both sides, the same with the sides swapped. Names themselves may be long, and many inputs of one
/// node may change.
fn unordered_node(path: &Path) -> u64 {
    let hash = |path: &Path| {
        let mut state = DefaultHasher::new();
        Place::of(path).node.hash(&mut state);
        state.finish()
    };
    let rhs = hash(path);
    let lhs = path.in_lhs().map_or(rhs, |path| hash(&path));
    let mut state = DefaultHasher::new();
    (lhs.min(rhs), lhs.max(rhs)).hash(&mut state);
    state.finish()
}

/// A key that sorts groups by importance: another op, then the most nodes, then inputs. It is the same with the sides swapped.
fn importance<'a>(group: &EqualEdits<'a, '_>) -> (Part, u8, Reverse<usize>, Option<Unordered<'a>>) {
    let first = group.members.first();
    let nodes = |change: &&Located<'_>| match &change.change.detail {
        Detail::Nodes(nodes) => nodes.names.len(),
        _ => 0,
    };
    let kind = match first {
        Some(change) if change.place.last() == "op" => 0,
        Some(change) if matches!(change.change.detail, Detail::Nodes(_)) => 1,
        _ => 2,
    };
    let part = first.map_or(Part::Records, |change| change.part);
    let size = group.members.iter().map(nodes).sum::<usize>().max(group.members.len());
    (part, kind, Reverse(size), first.map(|change| change.unordered()))
}

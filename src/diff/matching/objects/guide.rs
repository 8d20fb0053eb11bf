//! A matching that guides another: a SavedModel has its object graph in several messages, of which some say less.

use std::collections::{BTreeMap, VecDeque};

use super::matching::ObjectMatching;
use crate::diff::join::join;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::ObjectId;

impl ObjectMatching<'_> {
    /// The partners in `rhs` of the objects of `lhs`, two graphs of the same objects: those with the same key paths.
    pub(super) fn pairs_of(
        &self,
        lhs: &ObjectGraph<'_>,
        rhs: &ObjectGraph<'_>,
    ) -> BTreeMap<ObjectId, ObjectId> {
        let of_rhs: BTreeMap<_, _> =
            same_paths(rhs, self.rhs).into_iter().map(|(id, known)| (known, id)).collect();
        let pairs = same_paths(lhs, self.lhs).into_iter();
        pairs.filter_map(|(id, known)| Some((id, *of_rhs.get(&self.to_rhs(known)?)?))).collect()
    }
}

/// The object of `known` with the same key path, for each object of `graph`.
fn same_paths(graph: &ObjectGraph<'_>, known: &ObjectGraph<'_>) -> BTreeMap<ObjectId, ObjectId> {
    let mut found = BTreeMap::new();
    let mut next: VecDeque<_> = graph.root().zip(known.root()).into_iter().collect();
    while let Some((id, other)) = next.pop_front() {
        if found.contains_key(&id) {
            continue;
        }
        found.insert(id, other);
        let both = join(graph.children(id), known.children(other), |(a, _), (b, _)| a.cmp(b));
        next.extend(both.filter_map(|pair| pair.0.zip(pair.1)).map(|((_, a), (_, b))| (a, b)));
    }
    found
}

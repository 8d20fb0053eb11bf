//! Compares SavedModels, whose meta graphs are identified by their tags.

use std::collections::{BTreeMap, VecDeque};

use super::ModelRules;
use crate::diff::meaning::tags;
use crate::diff::walk::message::{MessageDiff, MessagePair};
use crate::diff::{ChangeKind, Detail};
use crate::message::{entries, fields};
use crate::schema::field::{meta_graph_def, saved_model};

impl ModelRules<'_> {
    /// Compares two `SavedModel`s. Meta graphs are paired by their sets of tags; a single unmatched one on each side is paired too.
    pub(super) fn saved_model(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let differ = self.differ();
        differ.fields(pair, out);
        let Some(ty) = self.schema.message(meta_graph_def::MESSAGE_NAME) else { return };
        let mut waiting = BTreeMap::<_, VecDeque<_>>::new();
        for (position, (tags, lhs)) in meta_graphs(pair.lhs).into_iter().enumerate() {
            waiting.entry(tags).or_default().push_back((position, lhs));
        }
        let list = pair.at.field("meta_graphs");
        let mut added = Vec::new();
        for (tags, rhs) in meta_graphs(pair.rhs) {
            match waiting.get_mut(&tags).and_then(VecDeque::pop_front) {
                Some((_, lhs)) => {
                    differ.compare(&MessagePair { ty, lhs, rhs, at: &list.key(&tags) }, out);
                }
                None => added.push((tags, rhs)),
            }
        }
        let removed = in_order(waiting);
        if let ([(known, lhs)], [(tags, rhs)]) = (removed.as_slice(), added.as_slice()) {
            let at = &list.key_pair(known, tags);
            return differ.compare(&MessagePair { ty, lhs, rhs, at }, out);
        }
        for (kind, graphs) in [(ChangeKind::Removed, removed), (ChangeKind::Added, added)] {
            for (tags, graph) in &graphs {
                differ.one_sided(kind, (ty, graph), &list.key(tags), out);
                let signatures: Vec<_> = signatures(graph).collect();
                if let Some(change) = out.changes.last_mut().filter(|_| !signatures.is_empty()) {
                    change.detail = Detail::Signatures(signatures);
                }
            }
        }
    }
}

/// The names of the signatures of a meta graph.
fn signatures(meta_graph: &[u8]) -> impl Iterator<Item = String> {
    entries(meta_graph, meta_graph_def::SIGNATURE_DEF).map(|(name, _)| name.to_owned())
}

/// The remaining meta graphs, in file order.
fn in_order(waiting: BTreeMap<String, VecDeque<(usize, &[u8])>>) -> Vec<(String, &[u8])> {
    let of_tags = |(tags, graphs): (String, VecDeque<_>)| {
        graphs.into_iter().map(move |(position, graph)| (position, tags.clone(), graph))
    };
    let mut unmatched: Vec<(usize, _, _)> = waiting.into_iter().flat_map(of_tags).collect();
    unmatched.sort_unstable_by_key(|(position, ..)| *position);
    unmatched.into_iter().map(|(_, tags, graph)| (tags, graph)).collect()
}

/// The meta graphs by their tags: `serve`, `gpu, serve`.
fn meta_graphs(saved_model: &[u8]) -> Vec<(String, &[u8])> {
    fields(saved_model, saved_model::META_GRAPHS).map(|graph| (tags(graph), graph)).collect()
}

//! SavedModels: meta graphs that go by their tags.

use std::collections::{BTreeMap, VecDeque};

use super::Model;
use crate::diff::message::Found;
use crate::diff::path::Trail;
use crate::message::{fields, nested, strings};
use crate::schema::MessageType;
use crate::schema::field::{
    meta_graph_def::{self, meta_info_def},
    saved_model,
};

impl Model<'_> {
    /// Compares two `SavedModel`s: meta graphs with the same set of tags; those that are left, where each side has one only.
    pub(super) fn saved_model(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        let messages = self.messages();
        messages.fields(ty, lhs, rhs, at, out);
        let Some(meta_graph) = self.schema.message("tensorflow.MetaGraphDef") else { return true };
        let mut waiting = BTreeMap::<_, VecDeque<_>>::new();
        for (place, (tags, l)) in meta_graphs(lhs).into_iter().enumerate() {
            waiting.entry(tags).or_default().push_back((place, l));
        }
        let list = at.field("meta_graphs");
        let mut alone = Vec::new();
        for (tags, r) in meta_graphs(rhs) {
            match waiting.get_mut(&tags).and_then(VecDeque::pop_front) {
                Some((_, l)) => {
                    messages.compare(meta_graph, l, r, &list.key(&tags), out);
                }
                None => alone.push((tags, r)),
            }
        }
        let left = in_order(waiting);
        if let ([(known, l)], [(tags, r)]) = (left.as_slice(), alone.as_slice()) {
            messages.compare(meta_graph, l, r, &list.keys(known, tags), out);
            return true;
        }
        for (tags, l) in &left {
            messages.removed(meta_graph, l, &list.key(tags), out);
        }
        for (tags, r) in &alone {
            messages.added(meta_graph, r, &list.key(tags), out);
        }
        true
    }
}

/// What is left of meta graphs by their tags, as they came.
fn in_order(waiting: BTreeMap<String, VecDeque<(usize, &[u8])>>) -> Vec<(String, &[u8])> {
    let of_tags = |(tags, graphs): (String, VecDeque<_>)| {
        graphs.into_iter().map(move |(place, graph)| (place, tags.clone(), graph))
    };
    let mut left: Vec<(usize, _, _)> = waiting.into_iter().flat_map(of_tags).collect();
    left.sort_unstable_by_key(|(place, ..)| *place);
    left.into_iter().map(|(_, tags, graph)| (tags, graph)).collect()
}

/// The meta graphs by their tags, in one order: `serve`, `gpu, serve`.
fn meta_graphs(saved_model: &[u8]) -> Vec<(String, &[u8])> {
    fields(saved_model, saved_model::META_GRAPHS).map(|graph| (tags(graph), graph)).collect()
}

/// The tags of a meta graph, in one order.
pub(in crate::diff) fn tags(meta_graph: &[u8]) -> String {
    let info = nested(meta_graph, meta_graph_def::META_INFO_DEF);
    let mut tags: Vec<_> = strings(info, meta_info_def::TAGS).collect();
    tags.sort_unstable();
    tags.join(", ")
}

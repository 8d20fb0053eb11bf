//! SavedModels: meta graphs that go by their tags.

use super::Model;
use super::meta_graph::field;
use crate::diff::message::Found;
use crate::diff::path::Trail;
use crate::graph::fields;
use crate::schema::MessageType;

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
        let mut left = meta_graphs(lhs);
        let list = at.field("meta_graphs");
        let mut alone = Vec::new();
        for (tags, r) in meta_graphs(rhs) {
            match left.iter().position(|(known, _)| *known == tags) {
                Some(position) => {
                    let (_, l) = left.remove(position);
                    messages.compare(meta_graph, l, r, &list.key(&tags), out);
                }
                None => alone.push((tags, r)),
            }
        }
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

/// The meta graphs by their tags, in one order: `serve`, `gpu, serve`.
fn meta_graphs(saved_model: &[u8]) -> Vec<(String, &[u8])> {
    fields(saved_model, 2).map(|graph| (tags(graph), graph)).collect()
}

/// The tags of a meta graph, in one order.
pub(in crate::diff) fn tags(meta_graph: &[u8]) -> String {
    let tags = fields(field(meta_graph, 1), 4);
    let mut tags: Vec<_> = tags.filter_map(|tag| std::str::from_utf8(tag).ok()).collect();
    tags.sort_unstable();
    tags.join(", ")
}

//! Compares two graphs whose nodes are matched, pair by pair.

use super::Context;
use super::groups::{ChangedGroups, NodeGroups};
use super::savers;
use super::surroundings;
use super::value::COLOCATED;
use crate::diff::matching::graph::GraphPair;
use crate::diff::path::PathBuilder;
use crate::diff::walk::message::MessageDiff;
use crate::diff::{Change, ChangeKind, Detail, NodeGroup, Weight};
use crate::graph::{Graph, NodeId, NodeKind};
use crate::schema::Schema;
use crate::schema::field::node_def;
use crate::text::{BriefValue, brief};

impl GraphPair<'_, '_> {
    /// Reports differences; `at` is the path of the message that has the nodes in its field `list`.
    pub(in crate::diff::walk) fn compare(
        &self,
        context: &Context<'_>,
        at: &PathBuilder<'_>,
        list: &str,
        out: &mut MessageDiff,
    ) {
        let matching = &self.matching;
        let mut changed_groups = ChangedGroups {
            removed: NodeGroups::of(matching.lhs, &matching.unmatched_in_lhs()),
            added: NodeGroups::of(matching.rhs, &matching.unmatched_in_rhs()),
        };
        let mut modified = MessageDiff::default();
        let field = at.field(list);
        for (l, r) in matching.pairs() {
            let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
            // Nodes that stand for arguments and results have no bytes.
            let is_same = lhs.kind == NodeKind::Node && lhs.bytes == rhs.bytes;
            let calls_same = || {
                let call = context.saver_functions.call(lhs, rhs);
                !context.functions.has_exchanged() && call.is_none_or(|call| !call.is_reordered())
            };
            let names_same = || !self.renames.has_exchanged() || rhs.attr(COLOCATED).is_none();
            if is_same && !self.leads_elsewhere(l, r) && calls_same() && names_same() {
                continue;
            }
            let (ret, control) = (at.field("ret"), at.field("control_ret"));
            let at = match rhs.kind {
                NodeKind::Result(_) => ret.key_pair(lhs.name, rhs.name),
                NodeKind::ControlResult(_) => control.key_pair(lhs.name, rhs.name),
                _ => field.key_pair(lhs.name, rhs.name),
            };
            context.node(matching, &self.savers, (l, r), &at, &mut changed_groups, &mut modified);
        }
        savers::compare(self, context.keys, at, &mut changed_groups, &mut modified.changes);
        self.order(&field, &mut out.changes);
        self.renamed(&field, &mut out.changes);
        let ChangedGroups { removed, added } = changed_groups;
        for (graph, groups, kind) in
            [(matching.lhs, removed, ChangeKind::Removed), (matching.rhs, added, ChangeKind::Added)]
        {
            let mut groups = groups.finish(graph);
            let scopes = groups.iter().map(|(ids, _)| surroundings::scope_of(graph, ids));
            let scopes: Vec<_> = scopes.collect();
            surroundings::find(graph, &scopes, &mut groups);
            for ((ids, nodes), scope) in groups.into_iter().zip(scopes) {
                if self.savers.only_restore(&ids, kind) {
                    continue;
                }
                out.changes.push(group(context.schema, graph, (&ids, &scope), nodes, kind, &field));
            }
        }
        out.changes.append(&mut modified.changes);
        out.findings.append(&mut modified.findings);
    }

    /// Whether a node with equal bytes has different inputs: a name may be unresolved on one side, and a
    /// restored tensor is identified by its key.
    fn leads_elsewhere(&self, l: NodeId, r: NodeId) -> bool {
        let (lhs, rhs) = self.matching.inputs(l, r);
        lhs.iter().zip(rhs).any(|(a, b)| match (a.source, b.source) {
            (Some(l), Some(r)) => {
                self.matching.to_rhs(l) != Some(r) || self.matching.lhs.is_restored(a)
            }
            (a, b) => a.is_some() != b.is_some(),
        })
    }

    /// Reports a different order of nodes as one change.
    fn order(&self, at: &PathBuilder<'_>, out: &mut Vec<Change>) {
        let (mut last, mut pairs, mut is_in_order) = (None, 0u64, true);
        for (l, _) in self.matching.pairs() {
            is_in_order &= last < Some(l);
            (last, pairs) = (Some(l), pairs + 1);
        }
        if !is_in_order {
            let text = format!("order of {pairs}");
            let change = Change::modified(at.path(), text.clone(), text);
            out.push(change.with_weight(Weight::Cosmetic));
        }
    }

    fn renamed(&self, at: &PathBuilder<'_>, out: &mut Vec<Change>) {
        for rename in &self.renames.groups {
            let (from, to) = (scope_text(&rename.from), scope_text(&rename.to));
            let nodes = NodeGroup::of(self.matching.rhs, &rename.nodes, Vec::new());
            let change = Change::renamed(at.key_pair(from, to).path(), from, to);
            out.push(change.with_detail(Detail::Nodes(Box::new(nodes))));
        }
    }
}

/// A scope in a report; the root scope has no name.
fn scope_text(scope: &str) -> &str {
    if scope.is_empty() { "/" } else { scope }
}

/// The change of a group of added or removed nodes, given with its scope.
fn group(
    schema: &Schema,
    graph: &Graph<'_>,
    (ids, scope): (&[NodeId], &str),
    nodes: NodeGroup,
    kind: ChangeKind,
    at: &PathBuilder<'_>,
) -> Change {
    let first = ids.first().map(|&id| graph.node(id));
    let text = match (ids, first) {
        ([_], Some(node)) => match schema.message(node_def::MESSAGE_NAME) {
            Some(ty) => brief(schema, BriefValue::Message(ty, node.bytes)),
            None => String::new(),
        },
        _ => format!("{} nodes", ids.len()),
    };
    let key = match (ids, first) {
        ([_], Some(node)) => node.name.to_owned(),
        // A variable gives its name to the nodes behind it.
        (_, Some(node)) if scope.is_empty() || scope == node.name => node.name.to_owned(),
        _ => format!("{scope}/"),
    };
    let change = Change::one_sided(at.key(&key).path(), kind, text);
    change.with_detail(Detail::Nodes(Box::new(nodes)))
}

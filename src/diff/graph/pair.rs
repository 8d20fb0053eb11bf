//! Two graphs: which node is which, and what differs between those that are one.

use super::consumers::Users;
use super::extend::{self, Common};
use super::groups::Groups;
use super::inputs::Borders;
use super::matching::Matching;
use super::renames::{self, Renames};
use super::savers::Savers;
use super::structure::{self, Ties};
use super::{Context, scopes};
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Nodes, Weight};
use crate::graph::{Graph, NodeId, Role};
use crate::schema::Schema;
use crate::text::{BriefValue, brief};

/// Two graphs whose nodes have found each other.
#[derive(Debug)]
pub(in crate::diff) struct Pair<'g, 'm> {
    matching: Matching<'g, 'm>,
    savers: Savers,
    /// What was renamed.
    pub(in crate::diff) renames: Renames,
}

impl<'g, 'm> Pair<'g, 'm> {
    /// Finds out which node is which, on up to so many threads.
    pub(in crate::diff) fn new(lhs: &'g Graph<'m>, rhs: &'g Graph<'m>, threads: usize) -> Self {
        let mut matching = Matching::by_name(lhs, rhs);
        let savers = Savers::of(lhs, rhs, threads);
        if savers.is_reordered(&matching) {
            let (left, right) = savers.restoring();
            let partners: Vec<_> = right.iter().filter_map(|&r| matching.to_lhs(r)).collect();
            left.iter().chain(&partners).for_each(|&l| matching.part(l));
        }
        if matching.may_have_renames() {
            find_renamed(&mut matching, &savers, threads);
        }
        let renames = Renames::of(&matching, &savers).without_kept(&matching);
        Self { matching, savers, renames }
    }

    /// Tells what differs; `at` leads to what has the nodes, in its field `list`.
    pub(in crate::diff) fn compare(
        &self,
        context: &Context<'_>,
        at: &Trail<'_>,
        list: &str,
        out: &mut Vec<Change>,
    ) {
        let matching = &self.matching;
        let mut borders = Borders {
            removed: Groups::of(matching.lhs, &matching.left_in_lhs()),
            added: Groups::of(matching.rhs, &matching.left_in_rhs()),
        };
        let mut modified = Vec::new();
        let field = at.field(list);
        for (l, r) in matching.pairs() {
            let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
            // What stands for arguments and results has no bytes of its own.
            let is_same = lhs.role == Role::Node && lhs.bytes == rhs.bytes;
            if is_same && !self.leads_elsewhere(l, r) && !context.functions.has_exchanged() {
                continue;
            }
            let (ret, control) = (at.field("ret"), at.field("control_ret"));
            let way = match rhs.role {
                Role::Result(_) => ret.keys(lhs.name, rhs.name),
                Role::ControlResult(_) => control.keys(lhs.name, rhs.name),
                _ => field.keys(lhs.name, rhs.name),
            };
            context.node(matching, &self.savers, (l, r), &way, &mut borders, &mut modified);
        }
        self.savers.compare(
            matching,
            (&self.renames, context.keys),
            at,
            &mut borders,
            &mut modified,
        );
        self.order(&field, out);
        self.renamed(&field, out);
        let Borders { removed, added } = borders;
        for (graph, groups, kind) in
            [(matching.lhs, removed, ChangeKind::Removed), (matching.rhs, added, ChangeKind::Added)]
        {
            for (ids, nodes) in groups.finish(graph) {
                if self.savers.only_restore(&ids, kind) {
                    continue;
                }
                out.push(group(context.schema, graph, &ids, nodes, kind, &field));
            }
        }
        out.append(&mut modified);
    }

    /// Whether a node of the same bytes may take something else: a name may lead nowhere on one side, and what comes from a
    /// restore node goes by its key.
    fn leads_elsewhere(&self, l: NodeId, r: NodeId) -> bool {
        let (lhs, rhs) = (self.matching.lhs, self.matching.rhs);
        let (left, right) = (lhs.inputs(lhs.node(l)), rhs.inputs(rhs.node(r)));
        left.iter().zip(right).any(|(a, b)| match (a.source, b.source) {
            (Some(l), Some(r)) => self.matching.to_rhs(l) != Some(r) || lhs.is_restored(a),
            (a, b) => a.is_some() != b.is_some(),
        })
    }

    /// Tells of nodes that stand in another order, once.
    fn order(&self, at: &Trail<'_>, out: &mut Vec<Change>) {
        let (mut last, mut pairs, mut is_in_order) = (None, 0u64, true);
        for (l, _) in self.matching.pairs() {
            is_in_order &= last < Some(l);
            (last, pairs) = (Some(l), pairs + 1);
        }
        if !is_in_order {
            let text = Some(format!("order of {pairs}"));
            out.push(Change {
                path: at.path(),
                kind: ChangeKind::Modified,
                weight: Weight::Cosmetic,
                lhs: text.clone(),
                rhs: text,
                detail: Detail::None,
            });
        }
    }

    fn renamed(&self, at: &Trail<'_>, out: &mut Vec<Change>) {
        for rename in &self.renames.groups {
            out.push(Change {
                path: at.key(spelled(&rename.to)).path(),
                kind: ChangeKind::Renamed,
                weight: Weight::Semantic,
                lhs: Some(spelled(&rename.from).to_owned()),
                rhs: Some(spelled(&rename.to).to_owned()),
                detail: Detail::Nodes(Box::new(Nodes::of(
                    self.matching.rhs,
                    &rename.nodes,
                    Vec::new(),
                ))),
            });
        }
    }
}

/// Brings nodes together that have no partner of their name: from the surest sign to the least, since what is found by one
/// stands for the next.
fn find_renamed(matching: &mut Matching<'_, '_>, savers: &Savers, threads: usize) {
    let users = Users::of(matching, threads);
    for find in [
        |m: &mut Matching<'_, '_>, users: &Users| structure::pair_alike(m, users, Ties::Leave),
        |m: &mut Matching<'_, '_>, users: &Users| extend::extend(m, users, Common::Fingerprint),
        |m: &mut Matching<'_, '_>, users: &Users| structure::pair_alike(m, users, Ties::ByName),
        |m: &mut Matching<'_, '_>, users: &Users| extend::extend(m, users, Common::Fingerprint),
        |m: &mut Matching<'_, '_>, _: &Users| scopes::pair_scopes(m),
        |m: &mut Matching<'_, '_>, users: &Users| extend::extend(m, users, Common::Op),
        |m: &mut Matching<'_, '_>, users: &Users| {
            structure::pair_alike(m, users, Ties::AsFarAsTheyGo)
        },
        |m: &mut Matching<'_, '_>, users: &Users| extend::extend(m, users, Common::Fingerprint),
    ] {
        if !matching.may_have_renames() {
            return;
        }
        find(matching, &users);
    }
    if matching.may_have_renames() {
        Renames::of(matching, savers).pair_what_follows(matching);
    }
}

/// A scope as it is told; that of the whole graph has no name.
fn spelled(scope: &str) -> &str {
    if scope.is_empty() { "/" } else { scope }
}

/// Tells of nodes that came or went together.
fn group(
    schema: &Schema,
    graph: &Graph<'_>,
    ids: &[NodeId],
    nodes: Nodes,
    kind: ChangeKind,
    at: &Trail<'_>,
) -> Change {
    let first = ids.first().map(|&id| graph.node(id));
    let names: Vec<&str> = nodes.names.iter().map(String::as_str).collect();
    let scope = renames::main_scope(&names);
    let text = match (ids, first) {
        ([_], Some(node)) => match schema.message("tensorflow.NodeDef") {
            Some(ty) => brief(schema, BriefValue::Message(ty, node.bytes)),
            None => String::new(),
        },
        _ => format!("{} nodes", ids.len()),
    };
    let key = match (ids, first) {
        ([_], Some(node)) => node.name.to_owned(),
        (_, Some(node)) if scope.is_empty() => node.name.to_owned(),
        _ => format!("{scope}/"),
    };
    let (lhs, rhs) =
        if kind == ChangeKind::Added { (None, Some(text)) } else { (Some(text), None) };
    let path = at.key(&key).path();
    let detail = Detail::Nodes(Box::new(nodes));
    Change { path, kind, weight: Weight::Semantic, lhs, rhs, detail }
}

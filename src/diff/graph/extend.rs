//! Pairs nodes that stand in the same place beside a pair, though not all that is around them is the same.

use super::consumers::{Consumers, Use, Users};
use super::fingerprint::Fingerprints;
use super::matching::Matching;
use super::structure::{place, slot};
use crate::graph::{Graph, NodeId};

/// What two nodes must have in common, their place apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    /// The op and the attributes.
    Fingerprint,
    /// The op.
    Op,
}

/// Goes from pair to pair as long as there are neighbours that can be paired; linear in the edges for each level.
pub(super) fn extend(matching: &mut Matching<'_, '_>, users: &Users, common: Common) {
    let none = |graph: &Graph<'_>| vec![0; graph.nodes().len()];
    let failures = (none(matching.lhs), none(matching.rhs));
    let mut extension = Extension { matching, common, users, failures };
    let mut queue: Vec<(NodeId, NodeId)> = extension.border();
    while let Some((l, r)) = queue.pop() {
        extension.sources(l, r, &mut queue);
        extension.takers(l, r, &mut queue);
    }
}

struct Extension<'x, 'g, 'm> {
    matching: &'x mut Matching<'g, 'm>,
    common: Common,
    users: &'x Users,
    /// How many nodes each node of either side was held against in vain.
    failures: (Vec<u8>, Vec<u8>),
}

/// Nodes that one node is held against: what has many neighbours that all propose another is in another place.
const ATTEMPTS: u8 = 16;

impl Extension<'_, '_, '_> {
    /// The pairs that have a neighbour without a partner on both sides; the first is looked at last.
    fn border(&self) -> Vec<(NodeId, NodeId)> {
        let m = &*self.matching;
        let lhs = neighbours(m.lhs, &self.users.lhs, m.left_in_lhs());
        let rhs = neighbours(m.rhs, &self.users.rhs, m.left_in_rhs());
        let pairs = rhs.into_iter().filter_map(|r| Some((m.to_lhs(r)?, r)));
        pairs.filter(|(l, _)| lhs.binary_search(l).is_ok()).collect()
    }

    /// Pairs what two nodes take their data from.
    fn sources(&mut self, l: NodeId, r: NodeId, queue: &mut Vec<(NodeId, NodeId)>) {
        let (lhs, rhs) = (self.matching.lhs, self.matching.rhs);
        let (left, right) = (lhs.inputs(lhs.node(l)), rhs.inputs(rhs.node(r)));
        if data(left) != data(right) {
            return;
        }
        for (a, b) in left.iter().zip(right) {
            if let (false, Some(a_source), Some(b_source)) = (a.is_control, a.source, b.source)
                && place(lhs, a) == place(rhs, b)
            {
                self.attempt(a_source, b_source, queue);
            }
        }
    }

    /// Pairs what takes the same from two nodes, where there is only one of the kind.
    fn takers(&mut self, l: NodeId, r: NodeId, queue: &mut Vec<(NodeId, NodeId)>) {
        let (lhs, rhs) = (self.matching.lhs, self.matching.rhs);
        let users = self.users;
        let left = self.unpaired((lhs, &users.lhs_prints), users.lhs.of_node(l), |id| {
            self.matching.to_rhs(id).is_none()
        });
        let right = self.unpaired((rhs, &users.rhs_prints), users.rhs.of_node(r), |id| {
            self.matching.to_lhs(id).is_none()
        });
        let mut others = right.chunk_by(|a, b| a.0 == b.0).peekable();
        for alike in left.chunk_by(|a, b| a.0 == b.0) {
            let [(kind, a)] = alike else { continue };
            while others.next_if(|other| other.first().is_some_and(|(k, _)| k < kind)).is_some() {}
            if let Some([(_, b)]) =
                others.next_if(|other| other.first().is_some_and(|(k, _)| k == kind))
            {
                self.attempt(*a, *b, queue);
            }
        }
    }

    /// The users of a node that have no partner, by what they are and which input it is.
    fn unpaired<'u>(
        &self,
        (graph, prints): (&Graph<'u>, &Fingerprints),
        uses: &[Use],
        is_free: impl Fn(NodeId) -> bool,
    ) -> Vec<(Taker<'u>, NodeId)> {
        let mut found: Vec<_> = uses
            .iter()
            .filter(|found| is_free(found.by))
            .filter_map(|found| {
                let node = graph.node(found.by);
                let input = graph.inputs(node).get(found.slot)?;
                if graph.is_restored(input) {
                    // Its place says nothing, so that one of a kind may be another variable's.
                    return None;
                }
                let slot = slot(graph, *found)?;
                let print = match self.common {
                    Common::Fingerprint => prints.of_node(graph, found.by),
                    Common::Op => 0,
                };
                Some(((print, node.op, slot, input.port), found.by))
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Pairs the two if nothing speaks against it.
    fn attempt(&mut self, l: NodeId, r: NodeId, queue: &mut Vec<(NodeId, NodeId)>) {
        let m = &*self.matching;
        let failures = |of: &[u8], id: NodeId| of.get(id.position()).copied().unwrap_or(ATTEMPTS);
        let failed = failures(&self.failures.0, l).max(failures(&self.failures.1, r));
        if m.to_rhs(l).is_some() || m.to_lhs(r).is_some() || failed >= ATTEMPTS {
            return;
        }
        let (a, b) = (m.lhs.node(l), m.rhs.node(r));
        let alike = a.op == b.op
            && a.role == b.role
            && (self.common == Common::Op
                || self.users.lhs_prints.of_node(m.lhs, l)
                    == self.users.rhs_prints.of_node(m.rhs, r));
        if alike && self.agree_on_sources(l, r) && self.agree_on_takers(l, r) {
            self.matching.pair(l, r);
            queue.push((l, r));
        } else {
            let of_both = [(&mut self.failures.0, l), (&mut self.failures.1, r)];
            for failures in of_both.into_iter().filter_map(|(of, id)| of.get_mut(id.position())) {
                *failures += 1;
            }
        }
    }

    /// Whether each data input comes from one pair, or from two nodes that may become one.
    fn agree_on_sources(&self, l: NodeId, r: NodeId) -> bool {
        let m = &*self.matching;
        let (left, right) = (m.lhs.inputs(m.lhs.node(l)), m.rhs.inputs(m.rhs.node(r)));
        data(left) == data(right)
            && left.iter().zip(right).filter(|(a, _)| !a.is_control).all(|(a, b)| {
                place(m.lhs, a) == place(m.rhs, b)
                    && match (a.source, b.source) {
                        (Some(a), Some(b)) => self.may_be_one(a, b),
                        (None, None) => true,
                        _ => false,
                    }
            })
    }

    /// Whether everything with a partner that takes data from one takes it from the other too.
    fn agree_on_takers(&self, l: NodeId, r: NodeId) -> bool {
        let m = &*self.matching;
        self.users.rhs.of_node(r).iter().all(|found| {
            let Some(by) = m.to_lhs(found.by) else { return true };
            if slot(m.rhs, *found).is_none_or(|slot| slot == usize::MAX) {
                return true;
            }
            let left = m.lhs.inputs(m.lhs.node(by)).get(found.slot);
            left.is_some_and(|input| input.source == Some(l))
        }) && self.users.lhs.of_node(l).iter().all(|found| {
            let Some(by) = m.to_rhs(found.by) else { return true };
            if slot(m.lhs, *found).is_none_or(|slot| slot == usize::MAX) {
                return true;
            }
            let right = m.rhs.inputs(m.rhs.node(by)).get(found.slot);
            right.is_some_and(|input| input.source == Some(r))
        })
    }

    fn may_be_one(&self, l: NodeId, r: NodeId) -> bool {
        match (self.matching.to_rhs(l), self.matching.to_lhs(r)) {
            (Some(partner), _) => partner == r,
            (None, partner) => partner.is_none(),
        }
    }
}

/// The nodes beside some, in the order of the graph.
fn neighbours(graph: &Graph<'_>, consumers: &Consumers, of: Vec<NodeId>) -> Vec<NodeId> {
    let beside = |id| {
        let sources = graph.inputs(graph.node(id)).iter().filter_map(|input| input.source);
        sources.chain(consumers.of_node(id).iter().map(|found| found.by))
    };
    let mut found: Vec<_> = of.into_iter().flat_map(beside).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// What takes something, but for its name: its fingerprint, its op, which input it is, and which output it takes.
type Taker<'u> = (u64, &'u str, usize, &'u str);

/// How many inputs carry data.
fn data(inputs: &[crate::graph::Input<'_>]) -> usize {
    inputs.iter().filter(|input| !input.is_control).count()
}

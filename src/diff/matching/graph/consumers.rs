//! The consumers of the nodes of both sides.

use super::matching::Matching;
use super::node_hash::NodeHashes;
use crate::graph::Consumers;
use crate::threads;

/// The consumers and hashes of the nodes of both sides.
#[derive(Debug)]
pub(super) struct BothConsumers {
    pub(super) lhs: Consumers,
    pub(super) rhs: Consumers,
    pub(super) lhs_hashes: NodeHashes,
    pub(super) rhs_hashes: NodeHashes,
}

impl BothConsumers {
    pub(super) fn of(matching: &Matching<'_, '_>, threads: usize) -> Self {
        let of = |graph| (Consumers::of(graph), NodeHashes::of(graph));
        let (lhs, rhs) = threads::both(threads, || of(matching.lhs), || of(matching.rhs));
        let ((lhs, lhs_hashes), (rhs, rhs_hashes)) = (lhs, rhs);
        Self { lhs, rhs, lhs_hashes, rhs_hashes }
    }
}

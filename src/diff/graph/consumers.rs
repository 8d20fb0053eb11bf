//! The consumers of the nodes of both sides.

use super::fingerprint::Fingerprints;
use super::matching::Matching;
use crate::graph::Consumers;
use crate::threads;

/// The consumers and fingerprints of the nodes of both sides.
#[derive(Debug)]
pub(super) struct BothConsumers {
    pub(super) lhs: Consumers,
    pub(super) rhs: Consumers,
    pub(super) lhs_prints: Fingerprints,
    pub(super) rhs_prints: Fingerprints,
}

impl BothConsumers {
    pub(super) fn of(matching: &Matching<'_, '_>, threads: usize) -> Self {
        let of = |graph| (Consumers::of(graph), Fingerprints::of(graph));
        let (lhs, rhs) = threads::both(threads, || of(matching.lhs), || of(matching.rhs));
        let ((lhs, lhs_prints), (rhs, rhs_prints)) = (lhs, rhs);
        Self { lhs, rhs, lhs_prints, rhs_prints }
    }
}

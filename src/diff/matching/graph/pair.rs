//! Matches the nodes of two graphs.

use super::matching::Matching;
use super::outer_renames::OuterRenames;
use super::renames::Renames;
use super::savers::Savers;
use super::search;
use crate::graph::Graph;

/// Two graphs with their nodes matched.
#[derive(Debug)]
pub(in crate::diff) struct GraphPair<'g, 'm> {
    pub(in crate::diff) matching: Matching<'g, 'm>,
    pub(in crate::diff) savers: Savers,
    /// The renames of nodes and scopes.
    pub(in crate::diff) renames: Renames,
}

impl<'g, 'm> GraphPair<'g, 'm> {
    /// Matches the nodes of two graphs, with up to `threads` threads; `outer` has the renames of the graphs that call them, if they are
    /// the bodies of functions.
    pub(in crate::diff) fn new(
        lhs: &'g Graph<'m>,
        rhs: &'g Graph<'m>,
        outer: &Renames,
        threads: usize,
    ) -> Self {
        let mut matching = Matching::by_name(lhs, rhs);
        let mut savers = Savers::of(lhs, rhs, threads);
        if savers.is_reordered(&matching) {
            let (in_lhs, in_rhs) = savers.restoring();
            let partners: Vec<_> = in_rhs.iter().filter_map(|&r| matching.to_lhs(r)).collect();
            in_lhs.iter().chain(&partners).for_each(|&l| matching.unpair(l));
        }
        let matching =
            search::match_others(matching, &mut savers, OuterRenames::new(outer), threads);
        let renames = Renames::of(&matching, |r| savers.is_restoring(r)).without_kept(&matching);
        Self { matching, savers, renames }
    }

    /// The two graphs.
    pub(in crate::diff) fn graphs(&self) -> (&'g Graph<'m>, &'g Graph<'m>) {
        (self.matching.lhs, self.matching.rhs)
    }
}

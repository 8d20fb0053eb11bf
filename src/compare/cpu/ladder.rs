//! Tolerances in the order in which they grow.
//!
//! What is outside of a tolerance is also outside of a smaller one. So between two tolerances with the same pairs outside, no
//! tolerance has others, and need not be tried.

use crate::compare::tally::Further;

/// Pairs that can be counted. A trait, because a closure is vectorized only if it happens to be inlined.
pub(super) trait CountOutside {
    /// The number of pairs outside of a tolerance.
    fn count(&mut self, atol: f64, rtol: f64) -> u64;
}

/// Tolerances of which each is at least as large as the one before, in both parts.
struct Chain {
    /// The number, `atol` and `rtol` of each.
    tolerances: Vec<(usize, f64, f64)>,
}

/// Further tolerances, and the numbers of pairs that are outside.
#[derive(Default)]
pub(super) struct Ladder {
    chains: Vec<Chain>,
    /// For the tolerances of one chain.
    outside: Vec<u64>,
    /// Ranges whose ends are counted and whose middles are not.
    open: Vec<(usize, usize)>,
}

impl Ladder {
    /// The tolerances without ulps.
    pub(super) fn new(further: &[Further]) -> Self {
        let mut tolerances: Vec<_> = (0..)
            .zip(further)
            .filter(|(_, further)| further.rule.ulp.is_none())
            .filter_map(|(number, further)| {
                let (atol, rtol) = further.rule.absolute?;
                Some((number, atol, rtol))
            })
            .collect();
        tolerances.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.total_cmp(&b.2)));
        let mut chains: Vec<Chain> = Vec::new();
        for tolerance in tolerances {
            let goes_on = |chain: &&mut Chain| {
                chain.tolerances.last().is_none_or(|last| last.2 <= tolerance.2)
            };
            match chains.iter_mut().find(goes_on) {
                Some(chain) => chain.tolerances.push(tolerance),
                None => chains.push(Chain { tolerances: vec![tolerance] }),
            }
        }
        Self { chains, outside: Vec::new(), open: Vec::new() }
    }

    /// Whether there is no tolerance without ulps.
    pub(super) fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }

    /// Adds the number of pairs outside of each tolerance to those of `further`.
    #[inline(always)]
    pub(super) fn count(&mut self, further: &mut [Further], pairs: &mut impl CountOutside) {
        let Self { chains, outside, open } = self;
        for Chain { tolerances } in chains {
            outside.clear();
            outside.resize(tolerances.len(), 0);
            open.clear();
            let last = tolerances.len().saturating_sub(1);
            // The first, the last, and then the middle of each range whose ends differ. There is only one call of `count`, since it is
            // large, and inlined.
            let mut ends = [Some(0), Some(last).filter(|&last| last > 0)].into_iter().flatten();
            loop {
                let (at, range) = if let Some(end) = ends.next() {
                    (end, None)
                } else if let Some((from, to)) = open.pop() {
                    ((from + to) / 2, Some((from, to)))
                } else {
                    break;
                };
                let Some(&(_, atol, rtol)) = tolerances.get(at) else { break };
                let found = pairs.count(atol, rtol);
                if let Some(outside) = outside.get_mut(at) {
                    *outside = found;
                }
                let ranges = match range {
                    None if at == last => [Some((0, last)), None],
                    None => [None, None],
                    Some((from, to)) => [Some((from, at)), Some((at, to))],
                };
                for (from, to) in ranges.into_iter().flatten().filter(|(from, to)| to - from > 1) {
                    match (outside.get(from).copied(), outside.get(to).copied()) {
                        (Some(a), Some(b)) if a == b => {
                            outside.get_mut(from..to).unwrap_or_default().fill(a);
                        }
                        _ => open.push((from, to)),
                    }
                }
            }
            for (&(number, ..), &outside) in tolerances.iter().zip(&*outside) {
                if let Some(further) = further.get_mut(number) {
                    further.mismatched += outside;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::close::Rule;
    use crate::compare::{NanPolicy, Tolerance};

    fn further(tolerances: &[(f64, f64)]) -> Vec<Further> {
        let further = |&(atol, rtol): &(f64, f64)| {
            let tolerance = Tolerance::new(Some(atol), Some(rtol), None).unwrap();
            let rule = Rule::new(&tolerance, NanPolicy::Equal);
            Further { tolerance, rule, mismatched: 0 }
        };
        tolerances.iter().map(further).collect()
    }

    /// Differences and magnitudes, and how often they were counted.
    struct Pairs<'a>(&'a [(f64, f64)], usize);

    impl CountOutside for Pairs<'_> {
        fn count(&mut self, atol: f64, rtol: f64) -> u64 {
            self.1 += 1;
            self.0.iter().filter(|(diff, magnitude)| *diff > atol + rtol * magnitude).count() as u64
        }
    }

    /// Counts pairs, and checks the counts; returns how many tolerances were tried.
    fn check(tolerances: &[(f64, f64)], differences: &[(f64, f64)]) -> usize {
        let mut further = further(tolerances);
        let mut pairs = Pairs(differences, 0);
        Ladder::new(&further).count(&mut further, &mut pairs);
        for (further, &(atol, rtol)) in further.iter().zip(tolerances) {
            assert_eq!(
                further.mismatched,
                Pairs(differences, 0).count(atol, rtol),
                "{atol} {rtol}"
            );
        }
        pairs.1
    }

    #[test]
    fn every_tolerance_is_counted_and_few_are_tried() {
        let ladder: Vec<_> = (0..16).rev().map(|i| (1e-8, 0.5f64.powi(i))).collect();
        let spread: Vec<_> = (0..800).map(|i| (0.98f64.powi(i), 1.0)).collect();
        assert_eq!(check(&ladder, &spread), 16, "every one has other pairs outside");
        let narrow: Vec<_> = (0..500).map(|i| (0.01, 1.0 + f64::from(i) / 1e4)).collect();
        assert!(check(&ladder, &narrow) <= 7);
        assert_eq!(check(&ladder, &[]), 2);
        assert_eq!(check(&ladder[..1], &spread), 1);
        assert_eq!(check(&[], &spread), 0);
    }

    #[test]
    fn tolerances_in_any_order_and_not_comparable_are_counted() {
        let mixed =
            [(0.5, 0.0), (0.0, 0.5), (0.1, 0.1), (0.1, 0.1), (0.0, 0.0), (0.7, 0.7), (0.2, 0.05)];
        let spread: Vec<_> = (1..900)
            .map(|i| (f64::from(i * 37 % 101) / 100.0, f64::from(i * 53 % 97) / 50.0))
            .collect();
        check(&mixed, &spread);
    }
}

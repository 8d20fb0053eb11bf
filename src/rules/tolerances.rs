//! Tolerances and limits that a caller states, for all tensors or for some.

use super::option::OptionRule;
use super::rule_list::Rules;
use crate::compare::Tolerance;
use crate::diff::{Bound, Criteria};
use crate::error::{Error, Result};

/// Tolerances and limits that a caller states. They are the options of a comparison, or apply after all rules of a file.
///
/// ```
/// use ckdiff::compare::CompareOptions;
/// use ckdiff::diff::DiffOptions;
/// use ckdiff::rules::Tolerances;
///
/// let rtol = vec![(None, 1e-5), (Some("embedding/**".to_owned()), 1e-3)];
/// let (tolerance, criteria) = Tolerances { rtol, ..Tolerances::default() }.criteria()?;
/// let compare = CompareOptions { tolerance, ..CompareOptions::default() };
/// let options = DiffOptions { compare, criteria, ..DiffOptions::default() };
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tolerances {
    /// Absolute tolerances: of the tensors whose names match a glob, or of all; the last match counts.
    pub atol: Vec<(Option<String>, f64)>,
    /// Relative tolerances, likewise.
    pub rtol: Vec<(Option<String>, f64)>,
    /// The maximum distance of two elements in representable values.
    pub ulp: Option<u64>,
    /// The largest accepted `‖rhs - lhs‖ / ‖lhs‖` of a tensor.
    pub max_rel_l2: Option<f64>,
    /// The largest accepted share of elements that mismatch, from 0 to 1.
    pub max_changed: Option<f64>,
}

impl Tolerances {
    /// The tolerance of all tensors; those of some, and the limits for tensors as a whole.
    ///
    /// # Errors
    /// If a number is negative or not finite, a tolerance of all tensors is stated twice, or a glob is malformed.
    pub fn criteria(&self) -> Result<(Tolerance, Criteria)> {
        self.check()?;
        let mut criteria = Criteria::default();
        (criteria.max_rel_l2, criteria.max_changed) = (self.max_rel_l2, self.max_changed);
        let atol = self.of_all(Bound::Atol, &mut criteria)?;
        let rtol = self.of_all(Bound::Rtol, &mut criteria)?;
        Ok((Tolerance::new(atol, rtol, self.ulp)?, criteria))
    }

    /// The part of the tolerance of all tensors. Adds those of some to `criteria`.
    fn of_all(&self, bound: Bound, criteria: &mut Criteria) -> Result<Option<f64>> {
        let mut of_all = None;
        for (glob, value) in self.values(bound) {
            match glob {
                Some(glob) => criteria.set_bound(bound, glob, *value)?,
                None if of_all.is_some() => {
                    let why = "given twice for all tensors; GLOB=VALUE is for some";
                    return Err(Error::usage(why).of_option(bound.name()));
                }
                None => of_all = Some(*value),
            }
        }
        Ok(of_all)
    }

    fn values(&self, bound: Bound) -> &[(Option<String>, f64)] {
        match bound {
            Bound::Atol => &self.atol,
            Bound::Rtol => &self.rtol,
        }
    }

    /// Checks every number.
    fn check(&self) -> Result<()> {
        let bounds = Bound::ALL.into_iter().flat_map(|bound| {
            self.values(bound).iter().map(move |(_, value)| (bound.name(), *value))
        });
        let limits = [("max_rel_l2", self.max_rel_l2), ("max_changed", self.max_changed)];
        let limits = limits.into_iter().filter_map(|(option, limit)| Some((option, limit?)));
        for (option, number) in bounds.chain(limits) {
            if Tolerance::new(Some(number), None, None).is_err() {
                let why =
                    format!("expected a number that is finite and not negative, found {number}");
                return Err(Error::usage(why).of_option(option));
            }
        }
        Ok(())
    }

    /// The tolerances and limits as rules.
    fn rules(&self) -> Vec<OptionRule> {
        let bounds = Bound::ALL.into_iter().flat_map(|bound| {
            let (option, key) = (bound.name(), bound.name());
            let rule = move |(glob, number): &(Option<String>, f64)| OptionRule {
                option,
                key,
                glob: glob.clone(),
                number: *number,
            };
            self.values(bound).iter().map(rule)
        });
        let of_all = [
            self.ulp.map(|ulp| ("ulp", "ulp", ulp as f64)),
            self.max_rel_l2.map(|most| ("max_rel_l2", "rel_l2", most)),
            self.max_changed.map(|most| ("max_changed", "max_mismatched", most)),
        ];
        let of_all = of_all.into_iter().flatten();
        let of_all =
            of_all.map(|(option, key, number)| OptionRule { option, key, glob: None, number });
        bounds.chain(of_all).collect()
    }
}

impl Rules {
    /// Adds tolerances and limits, which take precedence over all rules.
    ///
    /// # Errors
    /// If a number is negative or not finite, or a glob is malformed.
    pub fn add_tolerances(&mut self, tolerances: &Tolerances) -> Result<()> {
        tolerances.check()?;
        self.add_options(&tolerances.rules())
    }
}

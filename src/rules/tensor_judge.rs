//! Judges one tensor by its policy.

use super::gate::Gate;
use super::judgement::{Check, CheckSubject, Found, Limit, Outcome, Severity};
use super::measured::{Measured, mismatched_share};
use super::policy::Policy;
use super::rule::RuleOrigin;
use super::rule_list::Rules;
use super::setting::{Expect, Key, NonFinite};
use crate::compare::{Comparison, NanPolicy, NonFiniteCounts, Sides, Tolerance};
use crate::diff::{Status, TensorDiff};
use crate::tensor::{Facts, Kind};

/// A tensor that is being judged.
pub(super) struct TensorJudge<'j> {
    pub(super) rules: &'j Rules,
    pub(super) policy: &'j Policy<'j>,
    pub(super) tensor: &'j TensorDiff,
    /// How the comparison compared NaN.
    pub(super) nan: NanPolicy,
    /// Takes each check.
    pub(super) report: &'j mut dyn FnMut(Outcome, Check),
}

impl TensorJudge<'_> {
    /// Judges everything about the tensor; one that could not be read has no result.
    pub(super) fn run(&mut self) {
        let tensor = self.tensor;
        let expect = self.policy.expect();
        if matches!(expect, Some((_, Expect::Ignored))) || tensor.status == Status::Error {
            return;
        }
        match tensor.status {
            Status::Added => {
                let is_allowed = self.structure(Key::Added, "only in rhs".into());
                return self.non_finite_alone(is_allowed);
            }
            Status::Removed => {
                self.structure(Key::Removed, "only in lhs".into());
                return;
            }
            _ => {}
        }
        let Some((lhs, rhs)) = tensor.lhs.as_ref().zip(tensor.rhs.as_ref()) else { return };
        if lhs.shape != rhs.shape {
            let found = format!("{} → {}", lhs.shape, rhs.shape);
            let is_allowed = self.structure(Key::NewShape, found);
            return self.non_finite_alone(is_allowed);
        }
        if lhs.dtype != rhs.dtype {
            let found = format!("{} → {}", lhs.dtype, rhs.dtype);
            let is_allowed = self.structure(Key::NewDtype, found);
            if tensor.comparison.is_none() {
                return self.non_finite_alone(is_allowed);
            }
        }
        if tensor.status == Status::Uncompared {
            return self.uncompared(lhs, rhs);
        }
        self.non_finite();
        let has_changed = match (&tensor.comparison, tensor.status) {
            (Some(comparison), _) => Some(comparison.differing > 0),
            (None, Status::Identical) => Some(false),
            (None, Status::Different) => Some(true),
            _ => None,
        };
        match (expect, has_changed) {
            (Some((rule, Expect::Unchanged)), Some(changed)) => {
                return self.expectation(Some(rule), "unchanged", !changed);
            }
            (Some((rule, Expect::Changed)), Some(changed)) => {
                self.expectation(Some(rule), "changed", changed);
            }
            _ => {}
        }
        if let Some(comparison) = tensor.comparison.as_deref() {
            self.values(comparison, lhs, rhs);
        } else if has_changed == Some(true) {
            match self.policy.judges_values() {
                true => self.unknown(lhs, rhs),
                false => self.identical(true),
            }
        }
    }

    /// Judges values that were not compared.
    fn uncompared(&mut self, lhs: &Facts, rhs: &Facts) {
        self.unknown(lhs, rhs);
        let (gate, rule, word) = match self.policy.expect() {
            Some((rule, Expect::Unchanged)) => (Key::Expect.name(), Some(rule), "unchanged"),
            Some((rule, Expect::Changed)) => (Key::Expect.name(), Some(rule), "changed"),
            None if !self.policy.judges_values() => ("identical", None, "unchanged"),
            _ => return,
        };
        let limit = Limit::Word(word);
        let check = self.check(gate, rule, limit, Found::Unknown, Severity::Expectation);
        (self.report)(Outcome::Undecided, check);
    }

    /// Judges values that differ by their checksums, of which nothing else is known.
    fn unknown(&mut self, lhs: &Facts, rhs: &Facts) {
        let gate = Key::MaxMismatched.name();
        if let Some(limit) = self.policy.elements(lhs, rhs) {
            let limits = (None, Some(limit.max_share));
            self.measured(gate, limit.rule, limits, Measured::Unknown, None);
        }
        for (quantile, _, rule) in self.policy.quantiles() {
            let limits = (None, Some(quantile.share_beyond()));
            self.measured(quantile.key, rule, limits, Measured::Unknown, None);
        }
        for (gate, limits, rule) in self.policy.gates(lhs.shape.elements()) {
            self.measured(gate.key(), rule, limits, Measured::Unknown, None);
        }
        self.non_finite_unknown(rhs);
    }

    /// Says that the NaN and infinities of rhs are not known.
    fn non_finite_unknown(&mut self, rhs: &Facts) {
        if !NonFiniteCounts::has_any(rhs.dtype) {
            return;
        }
        for key in [Key::Nan, Key::Inf] {
            let (rule, accepted) = self.policy.non_finite(key);
            let limit = match accepted {
                NonFinite::Forbidden => Limit::Word("forbidden"),
                NonFinite::NotNew => Limit::Word("not_new"),
                NonFinite::Allowed => continue,
            };
            let severity = Severity::NonFinite;
            let check = self.check(key.name(), rule, limit, Found::Unknown, severity);
            (self.report)(Outcome::Undecided, check);
        }
    }

    /// Judges how far the values moved. Values that no rule judges must be identical.
    fn values(&mut self, comparison: &Comparison, lhs: &Facts, rhs: &Facts) {
        let is_expected = self.policy.expect().is_some();
        let mut is_judged = is_expected;
        let under = (self.tensor.tolerance, self.nan);
        if let Some(limit) = self.policy.elements(lhs, rhs) {
            is_judged = true;
            let share = mismatched_share(comparison, under, limit.tolerance);
            let gate = Key::MaxMismatched.name();
            self.measured(gate, limit.rule, (None, Some(limit.max_share)), share, None);
        }
        for (quantile, limit, rule) in self.policy.quantiles() {
            if comparison.max_abs.is_none() {
                continue;
            }
            is_judged = true;
            let tolerance = Tolerance { atol: Some(limit), ..Tolerance::BITS };
            let share = mismatched_share(comparison, under, tolerance);
            let most = Some(quantile.share_beyond());
            self.measured(quantile.key, rule, (None, most), share, None);
        }
        // Complex numbers have no histograms of values.
        let is_complex = [lhs, rhs].iter().any(|facts| facts.dtype.kind() == Kind::Complex);
        for (gate, limits, rule) in self.policy.gates(comparison.elements) {
            if is_complex && gate.needs_values() {
                continue;
            }
            let measured = gate.measure(comparison);
            if measured != Measured::Meaningless {
                is_judged = true;
                self.measured(gate.key(), rule, limits, measured, sides(gate, comparison));
            }
        }
        if !is_judged {
            // The tolerance of a saved report does not matter.
            self.identical(comparison.differing > 0);
        }
    }

    /// Judges NaN and infinities of a tensor whose values were not compared. Where the tensor itself is not allowed, that is enough.
    fn non_finite_alone(&mut self, is_allowed: bool) {
        let tensor = self.tensor;
        match &tensor.rhs {
            Some(_) if is_allowed && tensor.non_finite.is_some() => self.non_finite(),
            Some(rhs) if is_allowed => self.non_finite_unknown(rhs),
            _ => {}
        }
    }

    /// Judges NaN and infinities.
    fn non_finite(&mut self) {
        let Some(Sides { rhs, .. }) = self.tensor.non_finite_counts() else { return };
        let new = self.tensor.new_non_finite().unwrap_or_default();
        let nan = (Key::Nan, rhs.nan, new.nan, "NaN");
        let inf = (Key::Inf, rhs.inf, new.inf, "infinite");
        for (key, all, new, noun) in [nan, inf] {
            let (rule, accepted) = self.policy.non_finite(key);
            let (count, word) = match accepted {
                NonFinite::Forbidden => (all, "forbidden"),
                NonFinite::NotNew => (new, "not_new"),
                NonFinite::Allowed => continue,
            };
            let new = if accepted == NonFinite::NotNew { "new " } else { "" };
            let elements = if count == 1 { "element" } else { "elements" };
            let found = match noun {
                "NaN" => format!("{count} {new}NaN"),
                _ => format!("{count} {new}infinite {elements}"),
            };
            let limit = Limit::Word(word);
            self.settle(count == 0, key.name(), rule, limit, found, Severity::NonFinite);
        }
    }

    /// Judges a difference of another kind, and says whether it is allowed.
    fn structure(&mut self, key: Key, found: String) -> bool {
        let (rule, allowed) = self.policy.allows(key);
        let limit = Limit::Word(if allowed { "allowed" } else { "forbidden" });
        self.settle(allowed, key.name(), rule, limit, found, Severity::Structure);
        allowed
    }

    fn expectation(&mut self, rule: Option<usize>, word: &'static str, holds: bool) {
        let found = if holds == (word == "changed") { "changed" } else { "unchanged" };
        let limit = Limit::Word(word);
        let gate = Key::Expect.name();
        self.settle(holds, gate, rule, limit, found.into(), Severity::Expectation);
    }

    fn identical(&mut self, differs: bool) {
        let found = if differs { "changed" } else { "unchanged" };
        let limit = Limit::Word("unchanged");
        self.settle(!differs, "identical", None, limit, found.into(), Severity::Limit);
    }

    fn settle(
        &mut self,
        holds: bool,
        gate: &'static str,
        rule: Option<usize>,
        limit: Limit,
        found: String,
        severity: Severity,
    ) {
        if holds && rule.is_none() {
            // Nothing was accepted because of a rule.
            return;
        }
        let outcome = if holds { Outcome::Passed } else { Outcome::Failed };
        let found = Found::Text(found.into());
        let check = self.check(gate, rule, limit, found, severity);
        (self.report)(outcome, check);
    }

    fn measured(
        &mut self,
        gate: &'static str,
        rule: usize,
        (least, most): (Option<f64>, Option<f64>),
        measured: Measured,
        sides: Option<Sides<f64>>,
    ) {
        let (outcome, found) = match measured {
            Measured::Meaningless => return,
            Measured::Unknown => (Outcome::Undecided, Found::Unknown),
            Measured::Within(low, high) => {
                let is_above = least.is_none_or(|least| low >= least);
                let is_below = most.is_none_or(|most| high <= most);
                let is_beyond =
                    least.is_some_and(|least| high < least) || most.is_some_and(|most| low > most);
                let is_exact = low.to_bits() == high.to_bits();
                let found = if is_exact { Found::Number(low) } else { Found::Between(low, high) };
                match (is_above && is_below, is_beyond) {
                    (true, _) => (Outcome::Passed, found),
                    (_, true) => (Outcome::Failed, found),
                    _ => (Outcome::Undecided, found),
                }
            }
        };
        let limit = Limit::Range(least, most);
        let check = self.check(gate, Some(rule), limit, found, Severity::Limit);
        (self.report)(outcome, Check { sides, ..check });
    }

    fn check(
        &self,
        gate: &'static str,
        rule: Option<usize>,
        limit: Limit,
        found: Found,
        severity: Severity,
    ) -> Check {
        let rule = match rule {
            Some(rule) => self.rules.origin(rule),
            None => RuleOrigin::without_rule(),
        };
        let shown = self.tensor.shown_name().into();
        let subject = CheckSubject::Tensor(self.tensor.name.clone(), shown);
        Check { subject, gate, rule, limit, found, sides: None, severity }
    }
}

/// The value on each side of a statistic that is a ratio; quantiles have none.
fn sides(gate: Gate, comparison: &Comparison) -> Option<Sides<f64>> {
    match gate {
        Gate::Norm => comparison.norm,
        Gate::Std => comparison.std,
        _ => None,
    }
}

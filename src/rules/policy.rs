//! What the rules say of one tensor.

use std::collections::BTreeMap;

use super::gate::{DiffQuantile, Gate};
use super::rule::Setting;
use super::setting::{Expect, Key, NonFinite, Value};
use crate::compare::{CompareOptions, Tolerance};
use crate::tensor::{DType, Facts, Kind};

/// The settings of one tensor; for each, the number of the rule that made it.
#[derive(Debug, Clone, Default)]
pub(super) struct Policy<'r>(BTreeMap<Key, (usize, &'r Setting)>);

impl<'r> Policy<'r> {
    /// Adds the settings of a rule, which replace those of earlier rules.
    pub(super) fn add(&mut self, rule: usize, settings: &'r [(Key, Setting)]) {
        for (key, setting) in settings {
            match setting.value {
                Value::Off => self.0.remove(key),
                _ => self.0.insert(*key, (rule, setting)),
            };
        }
    }

    /// The settings, with the rule of each.
    pub(super) fn settings(&self) -> impl Iterator<Item = (Key, usize, &'r Setting)> + '_ {
        self.0.iter().map(|(key, (rule, setting))| (*key, *rule, *setting))
    }

    fn get(&self, key: Key) -> Option<(usize, &'r Value)> {
        self.0.get(&key).map(|(rule, setting)| (*rule, &setting.value))
    }

    /// Whether the tensor must change, and the rule that says so.
    pub(super) fn expect(&self) -> Option<(usize, Expect)> {
        match self.get(Key::Expect)? {
            (rule, Value::Expect(expect)) => Some((rule, *expect)),
            _ => None,
        }
    }

    /// The NaN or infinities that are accepted, and the rule; without a rule, those of lhs.
    pub(super) fn non_finite(&self, key: Key) -> (Option<usize>, NonFinite) {
        match self.get(key) {
            Some((rule, Value::NonFinite(accepted))) => (Some(rule), *accepted),
            _ => (None, NonFinite::NotNew),
        }
    }

    /// Whether a difference of another kind is allowed, and the rule; without a rule, none is.
    pub(super) fn allows(&self, key: Key) -> (Option<usize>, bool) {
        match self.get(key) {
            Some((rule, Value::Allowed(allowed))) => (Some(rule), *allowed),
            _ => (None, false),
        }
    }

    /// The tolerance of elements, the share that may be outside of it, and the rule; `None` if no rule has any of them.
    pub(super) fn elements(&self, lhs: &Facts, rhs: &Facts) -> Option<ElementLimit> {
        let keys = [Key::MaxMismatched, Key::Rtol, Key::Atol, Key::Ulp];
        let rule = keys.into_iter().filter_map(|key| self.get(key)).map(|(rule, _)| rule).max()?;
        let share = self.get(Key::MaxMismatched).and_then(|(_, value)| value.for_dtype(lhs.dtype));
        Some(ElementLimit {
            rule,
            tolerance: self.tolerance(lhs.dtype, rhs.dtype),
            max_share: share.unwrap_or(0.0),
        })
    }

    fn tolerance(&self, lhs: DType, rhs: DType) -> Tolerance {
        // Of two dtypes, the looser number counts.
        let number = |key| {
            let (_, value) = self.get(key)?;
            let numbers = [lhs, rhs].into_iter().filter_map(|dtype| value.for_dtype(dtype));
            numbers.max_by(f64::total_cmp)
        };
        let defaults = || {
            let looser = |(a, b): (f64, f64), (c, d): (f64, f64)| (a.max(c), b.max(d));
            looser(torch_defaults(lhs), torch_defaults(rhs))
        };
        let by_dtype = matches!(self.get(Key::Rtol), Some((_, Value::DtypeDefaults)));
        let (rtol, atol) = if by_dtype { Some(defaults()) } else { None }.unzip();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "rules have integers up to 2^53 here"
        )]
        let ulp = number(Key::Ulp).map(|ulp| ulp as u64);
        Tolerance {
            rtol: rtol.or_else(|| number(Key::Rtol)),
            atol: number(Key::Atol).or(atol),
            ulp,
        }
    }

    /// The quantiles of the differences that are limited, each with its limit and its rule.
    pub(super) fn quantiles(&self) -> impl Iterator<Item = (DiffQuantile, f64, usize)> + '_ {
        DiffQuantile::ALL.into_iter().filter_map(|quantile| {
            let (rule, value) = self.get(Key::DiffQuantile(quantile))?;
            match value {
                Value::Number(limit) => Some((quantile, *limit, rule)),
                _ => None,
            }
        })
    }

    /// The gates, each with its limits and its rule, for a tensor of so many elements.
    pub(super) fn gates(
        &self,
        elements: u64,
    ) -> impl Iterator<Item = (Gate, (Option<f64>, Option<f64>), usize)> + '_ {
        Gate::ALL.iter().filter_map(move |&gate| {
            let (rule, value) = self.get(Key::Gate(gate))?;
            match value {
                Value::Range(least, most) => Some((gate, (*least, *most), rule)),
                Value::Auto => Some((gate, (None, Some(ks_limit(elements))), rule)),
                _ => None,
            }
        })
    }

    /// Whether any rule says how far the values may move.
    pub(super) fn judges_values(&self) -> bool {
        self.0.keys().any(|key| *key == Key::Expect || key.limits_values())
    }

    /// How the tensor is compared: with the tolerance of the rules, and with the statistics that they need.
    pub(super) fn options(
        &self,
        lhs: &Facts,
        rhs: &Facts,
        of_all: &CompareOptions,
    ) -> CompareOptions {
        let mut options = of_all.clone();
        options.tolerance = match self.elements(lhs, rhs) {
            Some(limit) => limit.tolerance,
            None => Tolerance::BITS,
        };
        for (_, limit, _) in self.quantiles() {
            let tolerance = Tolerance { atol: Some(limit), ..Tolerance::BITS };
            if !options.further.contains(&tolerance) {
                options.further.push(tolerance);
            }
        }
        options.values |= self.gates(1).any(|(gate, ..)| gate.needs_values());
        options
    }
}

/// How many elements may be outside a tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ElementLimit {
    pub(super) rule: usize,
    pub(super) tolerance: Tolerance,
    pub(super) max_share: f64,
}

/// The largest Kolmogorov-Smirnov distance that is expected between two good trainings of a tensor with so many elements: a
/// floor, and twice the distance that one in two thousand pairs of samples of this size has.
fn ks_limit(elements: u64) -> f64 {
    const FLOOR: f64 = 0.02;
    const QUANTILE: f64 = 1.95;
    FLOOR + QUANTILE * (2.0 / elements.max(1) as f64).sqrt()
}

/// `rtol` and `atol` of `torch.testing.assert_close` for a dtype.
fn torch_defaults(dtype: DType) -> (f64, f64) {
    match (dtype.kind(), dtype) {
        (_, DType::F16) => (1e-3, 1e-5),
        (_, DType::BF16) => (1.6e-2, 1e-5),
        (_, DType::F32 | DType::Complex64) => (1.3e-6, 1e-5),
        (_, DType::F64 | DType::Complex128) => (1e-7, 1e-7),
        (Kind::Float | Kind::Complex | Kind::Integer | Kind::Bool | Kind::Bytes, _) => (0.0, 0.0),
    }
}

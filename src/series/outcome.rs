//! The result of a series, put together from the comparisons of its checkpoints.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::checkpoints::{Checkpoints, Ignored};
use super::drift::Tensor;
use super::order::Order;
use super::scopes::{self, ScopeTrack};
use super::step::Step;
use super::trend::Runaway;
use super::{Against, frozen, growth};
use crate::diff::{TensorRole, UnusedPattern};
use crate::error::Error;
use crate::serial::named_enum;

/// The drift of a model over many checkpoints.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Series {
    /// What each checkpoint was compared with.
    pub against: Against,
    /// The name of the rules by which the comparisons were judged, for reports; the caller, who has the rules, sets it.
    pub rules: Option<String>,
    /// The checkpoints, in order.
    pub steps: Vec<Step>,
    /// What decided the order.
    pub order: Order,
    /// Paths that are no part of the series.
    pub ignored: Vec<Ignored>,
    /// The movement of the weights by scope.
    pub scopes: Vec<ScopeTrack>,
    /// Weights that never changed, while others did.
    pub frozen: Vec<Arc<Tensor>>,
    /// Weights that leave their trend, the furthest first.
    pub runaways: Vec<(Arc<Tensor>, Runaway)>,
    /// How each weight grows: the exponent of the power of the time.
    pub growth: Vec<(Arc<Tensor>, f64)>,
    /// For each tensor with NaN or infinities that are new, the first checkpoint that has them, in the order of the checkpoints.
    pub non_finite: Vec<NonFiniteFrom>,
    /// Patterns of the filters, and rules, that match nothing in any comparison.
    pub unused: Vec<UnusedPattern>,
}

/// The first checkpoint in which a tensor has new NaN or infinities.
#[derive(Debug, Clone, PartialEq)]
pub struct NonFiniteFrom {
    /// The place of the checkpoint in the series.
    pub at: usize,
    /// The tensor.
    pub tensor: Arc<Tensor>,
    /// Its NaN there.
    pub nan: u64,
    /// Its infinite elements there; 0 in the baseline, where infinities count only if they are new.
    pub inf: u64,
}

named_enum! {
    /// The verdict of a series, or of a search in one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Verdict {
        /// Everything was read; there are neither new NaN nor infinities, and no rule is broken.
        Sound = "sound",
        /// There are, or one is.
        Broken = "broken",
        /// Something could not be read; takes precedence over [`Broken`](Self::Broken).
        Trouble = "trouble",
    }
}

impl Series {
    /// Puts a series together from the comparisons of its checkpoints, which are in order.
    pub(super) fn new(checkpoints: &Checkpoints, against: &Against, steps: Vec<Step>) -> Self {
        let outcome = growth::of(&steps);
        Self {
            against: against.clone(),
            rules: None,
            order: checkpoints.order(),
            ignored: checkpoints.ignored().to_vec(),
            scopes: scopes::tracks(&steps),
            frozen: frozen::tensors(&steps),
            runaways: outcome.runaways,
            growth: outcome.exponents,
            non_finite: non_finite(&steps, against),
            unused: unused(&steps),
            steps,
        }
    }

    /// Every error.
    pub fn errors(&self) -> impl Iterator<Item = &Error> {
        self.steps.iter().flat_map(|step| &step.errors)
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        if self.errors().next().is_some() {
            Verdict::Trouble
        } else if self.non_finite.is_empty() && self.first_broken().is_none() {
            Verdict::Sound
        } else {
            Verdict::Broken
        }
    }

    /// The place of the first checkpoint that breaks a rule, and why it does.
    pub fn first_broken(&self) -> Option<(usize, &str)> {
        let mut broken = self.steps.iter().enumerate();
        broken.find_map(|(at, step)| Some((at, step.drift.as_ref()?.broken.as_deref()?)))
    }

    /// The roles of the tensors, the weights first. `None` if all tensors have one role, and for tensors without one.
    pub fn roles(&self) -> Vec<Option<TensorRole>> {
        let mut roles = Vec::new();
        for movement in
            self.steps.iter().filter_map(|step| step.drift.as_ref()).flat_map(|d| &d.roles)
        {
            if !roles.contains(&movement.role) {
                roles.push(movement.role);
            }
        }
        roles.sort_by_key(|role| (role.is_none(), *role));
        roles
    }
}

/// The first checkpoint in which each tensor has new NaN or infinities. NaN in the baseline count as its own, if it is part of the series: a
/// training may have diverged before the first checkpoint that was kept.
fn non_finite(steps: &[Step], against: &Against) -> Vec<NonFiniteFrom> {
    let mut found = BTreeMap::<&Arc<Tensor>, NonFiniteFrom>::new();
    let mut is_first = !matches!(against, Against::Path(_));
    let baseline = steps.iter().position(|step| !step.is_unreadable()).unwrap_or_default();
    for (at, step) in steps.iter().enumerate() {
        let Some(drift) = &step.drift else { continue };
        for (tensor, count) in
            drift.tensors.iter().filter_map(|of| Some((&of.tensor, of.non_finite?)))
        {
            let (at, nan, inf) = match count {
                count if is_first && count.nan.lhs > 0 => (baseline, count.nan.lhs, 0),
                count if count.is_new => (at, count.nan.rhs, count.inf),
                _ => continue,
            };
            let new = NonFiniteFrom { at, tensor: Arc::clone(tensor), nan, inf };
            found.entry(tensor).or_insert(new);
        }
        is_first = false;
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_key(|of| of.at);
    found
}

/// The patterns and rules that match nothing in any comparison.
pub(super) fn unused(steps: &[Step]) -> Vec<UnusedPattern> {
    let key = |of: &UnusedPattern| (of.option, of.pattern.clone(), of.at.clone());
    let mut drifts = steps.iter().filter_map(|step| step.drift.as_deref());
    let mut unused = drifts.next().map(|drift| drift.unused.clone()).unwrap_or_default();
    for drift in drifts {
        if unused.is_empty() {
            break;
        }
        let others: BTreeSet<_> = drift.unused.iter().map(key).collect();
        unused.retain(|of| others.contains(&key(of)));
    }
    unused
}

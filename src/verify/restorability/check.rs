//! Checks what a saver restores against a checkpoint.

use std::collections::BTreeSet;

use super::misfit::Misfit;
use super::outcome::SaverRestorability;
use super::savers::Saver;
use crate::saver::plan::{MisfitReason, RequestedTensor, Restore, RestoreSource, Suggestions};

/// Checks the restore nodes of one saver.
pub(super) struct Check<'a, 'n> {
    pub(super) source: &'a RestoreSource<'a>,
    pub(super) suggestions: &'a mut Suggestions<'n>,
    /// The maximum number of misfits of each kind that are kept.
    pub(super) limit: usize,
}

impl Check<'_, '_> {
    pub(super) fn saver(&mut self, saver: &Saver, restores: &[Restore<'_>]) -> SaverRestorability {
        let mut found = SaverRestorability {
            name: saver.name.clone(),
            is_default: saver.is_default,
            is_by_object: self.source.keys().is_some(),
            ..SaverRestorability::default()
        };
        if !saver.is_there {
            let key = saver.name.clone();
            self.add(&mut found, Misfit { key, variable: None, reason: MisfitReason::NoSaver });
        }
        // The parts of a partitioned variable share a key; a misfit of all of them is reported once.
        let mut reported = BTreeSet::new();
        for restore in saver.restores.iter().filter_map(|at| restores.get(*at)) {
            let Some(tensors) = &restore.tensors else {
                found.unknown += 1;
                continue;
            };
            found.tensors += tensors.len() as u64;
            for requested in tensors {
                let Some((reason, variable)) = self.source.misfit(restore.op, requested) else {
                    continue;
                };
                if reported.insert((&*requested.key, reason.kind(), variable)) {
                    self.misfit(&mut found, requested, reason, variable);
                }
            }
        }
        found.misfits.sort_by_key(|misfit| misfit.reason.kind());
        found
    }

    fn misfit(
        &mut self,
        found: &mut SaverRestorability,
        requested: &RequestedTensor,
        reason: MisfitReason,
        variable: Option<&str>,
    ) {
        let of_key = || requested.variables.first().map(|variable| &*variable.variable);
        let variable = variable.or_else(of_key).filter(|name| !name.is_empty());
        let is_kept = found.counts.of(reason.kind()) < self.limit as u64;
        let reason = match reason {
            MisfitReason::Missing { .. } if is_kept => {
                MisfitReason::Missing { suggestion: self.suggestions.to(&requested.key) }
            }
            reason => reason,
        };
        self.add(
            found,
            Misfit { key: requested.key.clone(), variable: variable.map(Into::into), reason },
        );
    }

    fn add(&self, found: &mut SaverRestorability, misfit: Misfit) {
        let kind = misfit.reason.kind();
        found.refused += u64::from(misfit.reason.is_refused());
        if found.counts.of(kind) < self.limit as u64 {
            found.misfits.push(misfit);
        }
        found.counts.add(kind);
    }
}

//! The tensors that a graph cannot restore from a checkpoint.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::saver::plan::{MisfitKind, MisfitReason};
use crate::serial::object;

/// A tensor that a graph cannot restore, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The key; if the saver itself is wrong, the node that it names.
    pub key: String,
    /// The variable that receives the tensor, if it is known.
    pub variable: Option<String>,
    /// The reason.
    pub reason: MisfitReason,
}

impl Serialize for Misfit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = object! {
            key: &self.key,
            variable: &self.variable,
            kind: self.reason.kind().name(),
            refused: self.reason.is_refused(),
            problem: self.reason.to_string(),
        };
        report.serialize(serializer)
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.reason)
    }
}

/// The number of misfits of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts([u64; MisfitKind::ALL.len()]);

impl Counts {
    /// The number of misfits of `kind`.
    pub fn of(&self, kind: MisfitKind) -> u64 {
        self.0.get(kind as usize).copied().unwrap_or_default()
    }

    /// The number of all misfits.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts a misfit of `kind`.
    pub(super) fn add(&mut self, kind: MisfitKind) {
        if let Some(count) = self.0.get_mut(kind as usize) {
            *count += 1;
        }
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(MisfitKind::ALL.map(|kind| (kind.name(), self.of(kind))))
    }
}

/// The form `2 tensors missing, 1 of another shape`.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut named = false;
        for (position, kind) in
            MisfitKind::ALL.into_iter().filter(|kind| self.of(*kind) > 0).enumerate()
        {
            let n = self.of(kind);
            let s = if n == 1 { "" } else { "s" };
            f.write_str(if position == 0 { "" } else { ", " })?;
            let what = match kind {
                MisfitKind::Saver => "not in the graph",
                MisfitKind::Format => "in a format that is not supported",
                MisfitKind::Missing => "missing",
                MisfitKind::Shape => "of another shape",
                MisfitKind::Dtype => "of another dtype",
                MisfitKind::Slice => "in a slice that cannot be restored",
            };
            match (kind, named) {
                (MisfitKind::Saver, _) => write!(f, "{n} saver{s} {what}")?,
                (_, false) => write!(f, "{n} tensor{s} {what}")?,
                (_, true) => write!(f, "{n} {what}")?,
            }
            named |= kind != MisfitKind::Saver;
        }
        Ok(())
    }
}

//! The parts of a message that text or JSON cannot represent.

use std::collections::BTreeSet;

use crate::error::abridged;

/// The number of losses whose paths are computed, which takes time in deeply nested messages.
const COMPUTED_PATHS: u64 = 10_000;

/// The treatment of data that the schema does not have or a form cannot represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Unknown {
    /// Refuse it.
    #[default]
    Refuse,
    /// Drop it, and count and name it in [`Losses`].
    Drop,
}

/// The parts of a message that a conversion lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses {
    /// Unknown fields, including fields with an unknown enum number.
    pub unknown_fields: u64,
    /// NaNs with a sign or payload; text and JSON have only one NaN.
    pub nan_bits: u64,
    /// Payloads of `Any` with an unknown type.
    pub unknown_any: u64,
    /// Payloads of `Any` that were not in canonical form; converting them back gives equal messages with other bytes.
    pub any_bytes: u64,
    /// Values of fields that a text gives again, so that another value counts.
    pub overridden: u64,
    /// The paths of the first losses, such as `graph_def.node[2].999`; at most [`NAMED`](Self::NAMED).
    pub paths: Vec<String>,
}

impl Losses {
    /// The maximum number of paths.
    pub const NAMED: usize = 20;

    /// Returns whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// The number of losses of all kinds.
    pub fn total(&self) -> u64 {
        self.unknown_fields + self.nan_bits + self.unknown_any + self.any_bytes + self.overridden
    }

    /// Records a path, unless it is recorded already or there are enough. After the first 10,000 losses paths are not computed.
    pub fn name(&mut self, path: impl FnOnce() -> String) {
        if self.paths.len() < Self::NAMED && self.total() <= COMPUTED_PATHS {
            let path = path();
            if !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
    }

    /// The paths for display: long ones are shortened, and a final `…` says that there may be more.
    pub fn shown_paths(&self) -> Vec<String> {
        // Paths that differed while they were built up may be equal in the end.
        let mut seen = BTreeSet::new();
        let named = self.paths.iter().filter(|path| !path.is_empty() && seen.insert(*path));
        let mut paths: Vec<String> = named.map(|path| abridged(path).into_owned()).collect();
        let may_be_more = self.paths.len() >= Self::NAMED || self.total() > COMPUTED_PATHS;
        if may_be_more && (self.paths.len() as u64) < self.total() {
            paths.push("…".to_owned());
        }
        paths
    }

    /// Adds the losses of another part.
    pub fn add(&mut self, other: Self) {
        for path in other.paths {
            self.name(|| path);
        }
        self.unknown_fields += other.unknown_fields;
        self.nan_bits += other.nan_bits;
        self.unknown_any += other.unknown_any;
        self.any_bytes += other.any_bytes;
        self.overridden += other.overridden;
    }
}

/// Returns whether a `float` is a NaN other than the default NaN.
#[inline]
pub(crate) fn is_odd_nan32(bits: u32) -> bool {
    bits & 0x7fff_ffff > 0x7f80_0000 && bits != 0x7fc0_0000
}

/// Returns whether a `double` is a NaN other than the default NaN.
#[inline]
pub(crate) fn is_odd_nan64(bits: u64) -> bool {
    bits & 0x7fff_ffff_ffff_ffff > 0x7ff0_0000_0000_0000 && bits != 0x7ff8_0000_0000_0000
}

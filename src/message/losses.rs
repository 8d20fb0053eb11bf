//! What a form of a message cannot carry.

use std::collections::BTreeSet;

use crate::error::abridged;

/// Losses whose places are looked for, which takes time deep inside a message.
const LOOKED_FOR: u64 = 10_000;

/// What becomes of what the schema does not know, or a form has no place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// It is refused.
    #[default]
    Refuse,
    /// It is left out, counted and named in the [`Losses`].
    Drop,
}

/// What was in a message and is not in what was made of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses {
    /// Unknown fields, or such with an unknown number of an enum, as they came.
    pub unknown_fields: u64,
    /// NaNs whose sign or payload is not that of the one NaN that text and JSON have.
    pub nan_bits: u64,
    /// Messages of `Any` whose type is not known.
    pub unknown_any: u64,
    /// Messages of `Any` that were not in canonical form, and come back in it: with the same meaning and other bytes.
    pub any_bytes: u64,
    /// Where the first of these were, as `graph_def.node[2].999`; at most [`NAMED`](Self::NAMED).
    pub paths: Vec<String>,
}

impl Losses {
    /// How many places are named.
    pub const NAMED: usize = 20;

    /// Whether nothing is lost.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// How many there are of all kinds.
    pub fn total(&self) -> u64 {
        self.unknown_fields + self.nan_bits + self.unknown_any + self.any_bytes
    }

    /// Names a place, unless it or enough others are named. Behind the first thousands of losses none is looked for.
    pub fn name(&mut self, path: impl FnOnce() -> String) {
        if self.paths.len() < Self::NAMED && self.total() <= LOOKED_FOR {
            let path = path();
            if !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
    }

    /// The places for people: long ones in part, and `…` at the end where there may be more.
    pub fn places(&self) -> Vec<String> {
        // Places that are named on the way up may be the same in the end.
        let mut seen = BTreeSet::new();
        let named = self.paths.iter().filter(|path| !path.is_empty() && seen.insert(*path));
        let mut places: Vec<String> = named.map(|path| abridged(path).into_owned()).collect();
        let may_be_more = self.paths.len() >= Self::NAMED || self.total() > LOOKED_FOR;
        if may_be_more && (self.paths.len() as u64) < self.total() {
            places.push("…".to_owned());
        }
        places
    }

    /// Adds what was lost elsewhere.
    pub fn add(&mut self, other: Self) {
        for path in other.paths {
            self.name(|| path);
        }
        self.unknown_fields += other.unknown_fields;
        self.nan_bits += other.nan_bits;
        self.unknown_any += other.unknown_any;
        self.any_bytes += other.any_bytes;
    }
}

/// Whether a `float` is a NaN of another sign or payload than the usual one.
#[inline]
pub(crate) fn is_odd_nan32(bits: u32) -> bool {
    bits & 0x7fff_ffff > 0x7f80_0000 && bits != 0x7fc0_0000
}

/// Whether a `double` is a NaN of another sign or payload than the usual one.
#[inline]
pub(crate) fn is_odd_nan64(bits: u64) -> bool {
    bits & 0x7fff_ffff_ffff_ffff > 0x7ff0_0000_0000_0000 && bits != 0x7ff8_0000_0000_0000
}

//! What a form of a message cannot carry.

/// How many losses are named.
const NAMED: usize = 20;

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
    /// Where the first of these were, as `graph_def.node[2].999`.
    pub paths: Vec<String>,
}

impl Losses {
    /// Whether nothing is lost.
    pub fn is_empty(&self) -> bool {
        self.unknown_fields == 0 && self.nan_bits == 0 && self.unknown_any == 0
    }

    /// Names a place, unless it or enough others are named.
    pub fn name(&mut self, path: impl FnOnce() -> String) {
        if self.paths.len() < NAMED {
            let path = path();
            if !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
    }

    /// Adds what was lost elsewhere.
    pub fn add(&mut self, other: Self) {
        self.unknown_fields += other.unknown_fields;
        self.nan_bits += other.nan_bits;
        self.unknown_any += other.unknown_any;
        for path in other.paths {
            self.name(|| path);
        }
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

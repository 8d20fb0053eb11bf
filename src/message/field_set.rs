//! A set of field positions.

/// A set of small numbers: positions of fields or of oneofs in a message type.
#[derive(Debug, Default)]
pub(crate) struct FieldSet {
    low: u64,
    /// Numbers from 64; most messages have fewer fields.
    high: Vec<u64>,
}

impl FieldSet {
    /// Inserts `number`; returns whether it was absent.
    #[inline]
    pub(crate) fn insert(&mut self, number: u16) -> bool {
        let bit = 1u64 << (number & 63);
        let word = match usize::from(number >> 6).checked_sub(1) {
            None => &mut self.low,
            Some(word) => {
                if self.high.len() <= word {
                    self.high.resize(word + 1, 0);
                }
                let Some(word) = self.high.get_mut(word) else { return true };
                word
            }
        };
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Returns whether the set contains `number`.
    pub(crate) fn contains(&self, number: u16) -> bool {
        let word = match usize::from(number >> 6).checked_sub(1) {
            None => self.low,
            Some(word) => self.high.get(word).copied().unwrap_or(0),
        };
        word >> (number & 63) & 1 == 1
    }
}

//! A hash table from names to positions in a list that its owner keeps.

use std::hash::{BuildHasher, RandomState};

/// A hash table that cannot be iterated, so that no output depends on its order.
#[derive(Debug, Clone, Default)]
pub(crate) struct LookupMap {
    /// Random keys, so that no file can contain names that all collide.
    state: RandomState,
    /// Per slot, the high half of the hash, and the position plus one; 0 is empty. The length is a power of two, at least twice
    /// the number of names.
    slots: Vec<u64>,
}

impl LookupMap {
    /// An empty table with room for `len` names.
    pub(crate) fn with_room_for(len: usize) -> Self {
        let slots = vec![0; (len * 2).next_power_of_two().max(8)];
        Self { state: RandomState::new(), slots }
    }

    /// The first position for which `is` returns true, among those with the same hash.
    pub(crate) fn find(&self, name: &str, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.found(self.hash(name), is).ok()
    }

    /// Adds a name, for which there must be room. If it is already in the table, returns its position instead.
    pub(crate) fn insert(
        &mut self,
        name: &str,
        position: u32,
        is: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let hash = self.hash(name);
        match self.found(hash, is) {
            Ok(position) => Some(position),
            Err(free) => {
                if let Some(slot) = free.and_then(|slot| self.slots.get_mut(slot)) {
                    *slot = hash & HIGH | u64::from(position + 1);
                }
                None
            }
        }
    }

    /// The position of a name, or the slot for it.
    #[inline]
    fn found(&self, hash: u64, is: impl Fn(u32) -> bool) -> Result<u32, Option<usize>> {
        for slot in self.probe(hash) {
            match self.slots.get(slot) {
                Some(&entry) if entry != 0 => {
                    // Names with another hash are not compared, which would be a cache miss.
                    if entry & HIGH == hash & HIGH && is(position(entry)) {
                        return Ok(position(entry));
                    }
                }
                _ => return Err(Some(slot)),
            }
        }
        Err(None)
    }

    fn hash(&self, name: &str) -> u64 {
        self.state.hash_one(name.as_bytes())
    }

    /// The slots of a name in the order of probing.
    fn probe(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len().wrapping_sub(1);
        #[expect(clippy::cast_possible_truncation, reason = "the low bits of a hash are as good")]
        let start = hash as usize;
        (0..self.slots.len()).map(move |step| start.wrapping_add(step) & mask)
    }
}

/// The half of a slot that has the hash.
const HIGH: u64 = 0xffff_ffff_0000_0000;

#[expect(clippy::cast_possible_truncation, reason = "the low half of a slot is the position")]
fn position(entry: u64) -> u32 {
    (entry as u32).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        let names: Vec<String> = (0..1_000).map(|i| format!("scope/{i}")).collect();
        let mut index = LookupMap::with_room_for(names.len());
        for (position, name) in (0..).zip(&names) {
            assert_eq!(index.insert(name, position, |at| names[at as usize] == *name), None);
        }
        let there = index.insert("scope/7", 1_000, |at| names[at as usize] == "scope/7");
        assert_eq!(there, Some(7));
        let find = |name: &str| index.find(name, |at| names[at as usize] == name);
        for (position, name) in (0..).zip(&names) {
            assert_eq!(find(name), Some(position));
        }
        assert_eq!(find("scope/1000"), None);
        assert_eq!(LookupMap::default().find("", |_| true), None);
    }
}

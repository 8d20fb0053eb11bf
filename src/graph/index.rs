//! Names to positions in a list that its owner keeps.

use std::hash::{BuildHasher, RandomState};

/// A table that finds a name's position; it gives no order away, so nothing can depend on one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// Keyed, so that no file can choose names that all meet in one slot.
    state: RandomState,
    /// Position plus one; 0 is empty. The length is a power of two, at least twice the names.
    slots: Vec<u32>,
}

impl Index {
    /// A table with room for `len` names.
    pub(crate) fn with_room_for(len: usize) -> Self {
        let slots = vec![0; (len * 2).next_power_of_two().max(8)];
        Self { state: RandomState::new(), slots }
    }

    /// The position at which `is` says yes, of those whose name has the same hash.
    pub(crate) fn find(&self, name: &str, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.probe(name)
            .map_while(|slot| self.slots.get(slot)?.checked_sub(1))
            .find(|&position| is(position))
    }

    /// Puts a name in that is not there yet; there must be room.
    pub(crate) fn insert(&mut self, name: &str, position: u32) {
        let free = self.probe(name).find(|&slot| self.slots.get(slot) == Some(&0));
        if let Some(slot) = free.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = position + 1;
        }
    }

    /// The slots where a name may be, the likeliest first.
    fn probe(&self, name: &str) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len().wrapping_sub(1);
        #[expect(clippy::cast_possible_truncation, reason = "the low bits of a hash are as good")]
        let start = self.state.hash_one(name.as_bytes()) as usize;
        (0..self.slots.len()).map(move |step| start.wrapping_add(step) & mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        let names: Vec<String> = (0..1_000).map(|i| format!("scope/{i}")).collect();
        let mut index = Index::with_room_for(names.len());
        for (position, name) in (0..).zip(&names) {
            index.insert(name, position);
        }
        let find = |name: &str| index.find(name, |at| names[at as usize] == name);
        for (position, name) in (0..).zip(&names) {
            assert_eq!(find(name), Some(position));
        }
        assert_eq!(find("scope/1000"), None);
        assert_eq!(Index::default().find("", |_| true), None);
    }
}

//! A hash table from names to positions, for the lookup of a field in every line of a text.

/// A table from names to positions in a list of the caller; built once, with open addressing.
#[derive(Debug, Clone, Default)]
pub(super) struct NameTable {
    /// Positions in `names` plus one; 0 is an empty slot. The length is a power of two, at least twice the number of names.
    slots: Box<[u32]>,
    names: Vec<(Box<str>, u32)>,
}

impl NameTable {
    /// A table of these names. If a name occurs twice, its first position counts.
    pub(super) fn new<'a>(names: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let mut table = Self::default();
        for (name, position) in names {
            if table.names.len() * 2 >= table.slots.len() {
                table.grow();
            }
            if table.get(name.as_bytes()).is_none() {
                table.names.push((name.into(), position));
                table.insert(table.names.len() - 1);
            }
        }
        table
    }

    /// The position of this name.
    #[inline]
    pub(super) fn get(&self, name: &[u8]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash(name) & mask;
        loop {
            let entry = (*self.slots.get(slot)? as usize).checked_sub(1)?;
            let (known, position) = self.names.get(entry)?;
            if known.as_bytes() == name {
                return Some(*position);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Every name.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| &**name)
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 2).max(8)].into();
        for entry in 0..self.names.len() {
            self.insert(entry);
        }
    }

    /// Puts an entry into its first free slot; at least half of the slots are free.
    fn insert(&mut self, entry: usize) {
        let Some((name, _)) = self.names.get(entry) else { return };
        let mask = self.slots.len() - 1;
        let mut slot = hash(name.as_bytes()) & mask;
        while let Some(taken) = self.slots.get_mut(slot) {
            if *taken == 0 {
                *taken = u32::try_from(entry + 1).unwrap_or(0);
                return;
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// A hash of the length and of the first, middle and last byte, which distinguish nearly all fields of a message.
#[inline]
fn hash(name: &[u8]) -> usize {
    let at = |index: usize| usize::from(name.get(index).copied().unwrap_or(0));
    let len = name.len();
    let mixed = at(0)
        .wrapping_add(at(len / 2).wrapping_mul(31))
        .wrapping_add(at(len.wrapping_sub(1)).wrapping_mul(7))
        .wrapping_add(len.wrapping_mul(101));
    mixed.wrapping_mul(0x9e37_79b1) >> 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        let names: Vec<String> = (0..2_000).map(|i| format!("field_{i}_{}", i % 7)).collect();
        let table = NameTable::new(names.iter().zip(0u32..).map(|(name, i)| (&**name, i)));
        for (i, name) in names.iter().enumerate() {
            assert_eq!(table.get(name.as_bytes()), u32::try_from(i).ok());
        }
        assert_eq!(table.get(b"field_1"), None);
        assert_eq!(NameTable::default().get(b""), None);
    }
}

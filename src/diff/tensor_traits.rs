//! What the index of a checkpoint says of its tensors, to tell them from others before any content is read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::model::TensorTraits;
use super::side_tensors::SideTensors;
use crate::bytes::{Checksum, ChecksumKind};
use crate::tensor::Facts;

/// Tensors with fewer elements than this may have the same content by chance.
const FEWEST_ELEMENTS: u64 = 16;

/// The largest content whose checksum is compared with that of zeros, in bytes.
const MOST_BYTES: u64 = 1 << 48;

/// The tensors of one side.
pub(super) struct Known<'a> {
    tensors: SideTensors<'a>,
    /// The checksums of zeros, by kind and length.
    zeros: RefCell<BTreeMap<(&'static str, u64), u32>>,
}

impl<'a> Known<'a> {
    pub(super) fn new(tensors: SideTensors<'a>) -> Self {
        Self { tensors, zeros: RefCell::default() }
    }

    /// What the index says of a tensor; `None` if it has none of this name.
    pub(super) fn traits(&self, key: &str) -> Option<TensorTraits> {
        let source = self.tensors.get(key)?.source.as_ref().ok()?;
        let facts = Facts::of(source.as_ref());
        let mut elements = facts.shape.dims().iter();
        let elements = elements.try_fold(1u64, |all, dim| all.checked_mul(*dim));
        let checksums = source.stored_checksums().map(|stored| stored.checksums);
        let checksums = checksums.filter(|checksums| {
            elements.is_none_or(|elements| elements >= FEWEST_ELEMENTS)
                && !checksums.iter().all(|checksum| self.is_of_zeros(checksum))
        });
        let ty = hash_of(&(facts.dtype.name(), facts.shape.dims()));
        let values = |checksums: Vec<Checksum>| {
            hash_of(&checksums.iter().map(|checksum| checksum.value()).collect::<Vec<_>>())
        };
        Some(TensorTraits { ty, content: checksums.map(values).unwrap_or_default() })
    }

    fn is_of_zeros(&self, checksum: &Checksum) -> bool {
        let (kind, len) = (checksum.kind(), checksum.len());
        if len > MOST_BYTES {
            return false;
        }
        let mut zeros = self.zeros.borrow_mut();
        let of_zeros = *zeros.entry((kind.name(), len)).or_insert_with(|| of_zeros(kind, len));
        of_zeros == checksum.value()
    }
}

/// The checksum of zeros, joined from powers of two.
fn of_zeros(kind: ChecksumKind, len: u64) -> u32 {
    let (mut all, mut power) = (Checksum::new(kind), Checksum::of(kind, &[0]));
    let mut rest = len;
    while rest > 0 {
        if rest & 1 == 1 {
            all = all.then(power);
        }
        power = power.then(power);
        rest >>= 1;
    }
    all.value()
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut state = DefaultHasher::new();
    value.hash(&mut state);
    state.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_zeros_is_joined_from_powers_of_two() {
        for len in [0, 1, 2, 3, 32, 1000] {
            let expected = Checksum::of(ChecksumKind::Crc32c, &vec![0; len]).value();
            assert_eq!(of_zeros(ChecksumKind::Crc32c, len as u64), expected, "{len}");
        }
    }
}

//! What the index of a checkpoint says of its tensors, to tell them from others before any content is read.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::bytes::{Checksum, ChecksumKind};
use crate::diff::side_tensors::SideTensors;
use crate::tensor::Facts;

/// Tensors with fewer elements than this may have the same content by chance.
const FEWEST_ELEMENTS: u64 = 4;

/// The largest content whose checksum is compared with that of zeros, in bytes.
const MOST_BYTES: u64 = 1 << 48;

/// What the index of a checkpoint says of a tensor, as hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::diff) struct TensorTraits {
    /// The hash of dtype and shape.
    pub(in crate::diff) ty: u64,
    /// The hash of the content; 0 if it is unknown, or too plain to tell tensors apart.
    pub(in crate::diff) content: u64,
}

/// What is known of the tensors of one side, by name.
pub(in crate::diff) type TensorTable = BTreeMap<String, TensorTraits>;

/// What the index of a checkpoint says of its tensors.
pub(in crate::diff) fn tensor_table(tensors: SideTensors<'_>) -> TensorTable {
    // The checksums of zeros, by kind and length: many tensors have the same.
    let mut zeros = BTreeMap::new();
    let mut table = TensorTable::new();
    for entry in tensors.iter() {
        let (Some(name), Ok(source)) = (entry.name.as_str(), &entry.source) else { continue };
        let facts = Facts::of(source.as_ref());
        let mut elements = facts.shape.dims().iter();
        let elements = elements.try_fold(1u64, |all, dim| all.checked_mul(*dim));
        let mut is_of_zeros = |checksum: &Checksum| {
            let (kind, len) = (checksum.kind(), checksum.len());
            let of_zeros = zeros.entry((kind.name(), len)).or_insert_with(|| of_zeros(kind, len));
            len <= MOST_BYTES && *of_zeros == checksum.value()
        };
        let checksums = source.stored_checksums().map(|stored| stored.checksums);
        let checksums = checksums.filter(|checksums| {
            elements.is_none_or(|elements| elements >= FEWEST_ELEMENTS)
                && !checksums.iter().all(&mut is_of_zeros)
        });
        let values = |checksums: Vec<Checksum>| {
            hash_of(&checksums.iter().map(|checksum| checksum.value()).collect::<Vec<_>>())
        };
        let ty = hash_of(&(facts.dtype.name(), facts.shape.dims()));
        let content = checksums.map(values).unwrap_or_default();
        table.insert(name.to_owned(), TensorTraits { ty, content });
    }
    table
}

/// The checksum of zeros, joined from powers of two.
fn of_zeros(kind: ChecksumKind, len: u64) -> u32 {
    let (mut all, mut power) = (Checksum::new(kind), Checksum::of(kind, &[0]));
    let mut rest = len.min(MOST_BYTES);
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

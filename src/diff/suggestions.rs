//! Suggests renames: unmatched tensors of equal dtype, shape and bytes.

use std::collections::BTreeMap;

use crate::bytes::{ChecksumKind, Crc32c};
use crate::checkpoint::Entry;
use crate::compare::{self, Device, NanPolicy, Tolerance, compare_all};
use crate::error::Result;
use crate::progress::{Progress, Silent};
use crate::tensor::{DType, Name, Shape, TensorSource, in_parallel, read_through};

use super::side_tensors::SideTensors;
use super::{Rename, Status, TensorDiff};

/// The maximum number of pairs of names that are compared to choose among tensors of equal content.
const MOST_GUESSES: usize = 1 << 20;

/// Dtype and shape, as a key.
type TensorType = (DType, Vec<u64>);

fn tensor_type(dtype: DType, shape: &Shape) -> TensorType {
    (dtype, shape.dims().to_vec())
}

/// Removed and added tensors of equal content, in name order.
///
/// Among several tensors of equal content (biases of zeros), those with the longest common ending of their
/// names are paired, since a rename mostly changes the scope.
pub(super) fn renames(
    lhs: SideTensors<'_>,
    rhs: SideTensors<'_>,
    tensors: &[TensorDiff],
    options: &compare::CompareOptions,
    progress: &dyn Progress,
) -> Vec<Rename> {
    let removed = by_type(lhs, tensors, Status::Removed);
    let mut added = by_type(rhs, tensors, Status::Added);
    let mut candidates = Vec::new();
    for (tensor_type, removed) in removed {
        let Some(added) = added.remove(&tensor_type) else {
            continue;
        };
        candidates.extend(same_checksum(&removed, &added, options.threads));
    }
    let pairs: Vec<_> = candidates.iter().map(|(from, to)| (from.source, to.source)).collect();
    // Compared by bits, whatever the tolerance: a rename changes no value.
    let options = compare::CompareOptions {
        threads: options.threads,
        tolerance: Tolerance::BITS,
        nan: NanPolicy::Equal,
        ..compare::CompareOptions::default()
    };
    let results = compare_all(&pairs, &options, &Device::cpu(), progress);
    let mut renames: Vec<_> = candidates
        .iter()
        .zip(results)
        .filter(|(_, result)| result.as_ref().is_ok_and(|comparison| comparison.differing == 0))
        .map(|((from, to), _)| Rename { from: from.name.clone(), to: to.name.clone() })
        .collect();
    renames.sort_unstable();
    renames
}

/// A tensor that only one side has.
#[derive(Clone, Copy)]
struct Unmatched<'a> {
    name: &'a Name,
    source: &'a dyn TensorSource,
}

fn by_type<'a>(
    side: SideTensors<'a>,
    tensors: &[TensorDiff],
    status: Status,
) -> BTreeMap<TensorType, Vec<Unmatched<'a>>> {
    let mut types = BTreeMap::<_, Vec<_>>::new();
    if !side.has_data {
        return types;
    }
    for tensor in tensors.iter().filter(|tensor| tensor.status == status) {
        let name = tensor.renamed_from.as_ref().unwrap_or(&tensor.name);
        if let Some(Entry { name, source: Ok(source), .. }) = side.get(name) {
            let unmatched = Unmatched { name, source: source.as_ref() };
            types.entry(tensor_type(source.dtype(), source.shape())).or_default().push(unmatched);
        }
    }
    types
}

/// Pairs tensors of one type by the checksums of their content.
fn same_checksum<'a>(
    removed: &[Unmatched<'a>],
    added: &[Unmatched<'a>],
    threads: usize,
) -> Vec<(Unmatched<'a>, Unmatched<'a>)> {
    let by_crc = |tensors: &[Unmatched<'a>]| {
        let mut groups = BTreeMap::<u32, Vec<_>>::new();
        let checksums = in_parallel(tensors, threads, |tensor| content_crc32c(tensor.source));
        for (tensor, crc) in tensors.iter().zip(checksums) {
            // An unreadable tensor is no candidate; its error is reported elsewhere.
            if let Ok(crc) = crc {
                groups.entry(crc).or_default().push(*tensor);
            }
        }
        groups
    };
    let (removed, mut added) = (by_crc(removed), by_crc(added));
    let pairs = removed
        .into_iter()
        .flat_map(|(crc, removed)| by_ending(removed, added.remove(&crc).unwrap_or_default()));
    pairs.collect()
}

fn by_ending<'a>(
    removed: Vec<Unmatched<'a>>,
    mut added: Vec<Unmatched<'a>>,
) -> Vec<(Unmatched<'a>, Unmatched<'a>)> {
    // Every pair is compared; with too many pairs the order decides.
    if removed.len().saturating_mul(added.len()) > MOST_GUESSES {
        return removed.into_iter().zip(added).collect();
    }
    let mut pairs = Vec::new();
    for from in removed {
        let ending = |to: &Unmatched<'_>| {
            let (from, to) = (from.name.as_bytes().iter().rev(), to.name.as_bytes().iter().rev());
            from.zip(to).take_while(|(a, b)| a == b).count()
        };
        let best = added.iter().enumerate().rev().max_by_key(|(_, to)| ending(to)).map(|(i, _)| i);
        if let Some(best) = best {
            pairs.push((from, added.remove(best)));
        }
    }
    pairs
}

/// The crc32c of the content: the stored checksum if the content has a single one, else a computed one.
fn content_crc32c(source: &dyn TensorSource) -> Result<u32> {
    let stored = source.extent().and_then(|extent| extent.stored_checksum());
    if let Some(stored) = stored.filter(|stored| stored.kind() == ChecksumKind::Crc32c) {
        return Ok(stored.value());
    }
    let mut crc = Crc32c::default();
    read_through(source, &Silent, |bytes| {
        crc.update(bytes);
        Ok(())
    })?;
    Ok(crc.value())
}

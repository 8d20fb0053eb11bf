//! Renames that nobody told us of: tensors without a partner that have the same dtype, shape and bytes.

use std::collections::BTreeMap;

use crate::bytes::{ChecksumKind, Crc32c};
use crate::checkpoint::Entry;
use crate::compare::{self, Device, NanPolicy, Tolerance, compare_all};
use crate::error::Result;
use crate::progress::{Progress, Silent};
use crate::tensor::{DType, Name, Shape, TensorSource, read_through};

use super::sides::Tensors;
use super::{Rename, Status, TensorDiff};

/// Pairs of names held against each other to find the likeliest among tensors of equal content.
const MOST_GUESSES: usize = 1 << 20;

/// Dtype and shape, in an order.
type Form = (DType, Vec<u64>);

fn form(dtype: DType, shape: &Shape) -> Form {
    (dtype, shape.dims().to_vec())
}

/// Removed and added tensors that hold the same, in name order.
///
/// Where several hold the same (biases that are all zero), those that share the longest ending of their names are
/// brought together, since renames mostly touch the scope.
pub(super) fn renames(
    lhs: Tensors<'_>,
    rhs: Tensors<'_>,
    tensors: &[TensorDiff],
    options: &compare::Options,
    progress: &dyn Progress,
) -> Vec<Rename> {
    let removed = by_form(lhs, tensors, Status::Removed);
    let mut added = by_form(rhs, tensors, Status::Added);
    let mut candidates = Vec::new();
    for (form, removed) in removed {
        let Some(added) = added.remove(&form) else {
            continue;
        };
        candidates.extend(same_checksum(&removed, &added));
    }
    let pairs: Vec<_> = candidates.iter().map(|(from, to)| (from.source, to.source)).collect();
    // By bits, whatever the user's tolerance is: a rename changes no value.
    let options = compare::Options {
        threads: options.threads,
        tolerance: Tolerance::BITS,
        nan: NanPolicy::Equal,
        ..compare::Options::default()
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

/// A tensor without a partner.
#[derive(Clone, Copy)]
struct Lone<'a> {
    name: &'a Name,
    source: &'a dyn TensorSource,
}

fn by_form<'a>(
    side: Tensors<'a>,
    tensors: &[TensorDiff],
    status: Status,
) -> BTreeMap<Form, Vec<Lone<'a>>> {
    let mut forms = BTreeMap::<_, Vec<_>>::new();
    if !side.has_data {
        return forms;
    }
    for tensor in tensors.iter().filter(|tensor| tensor.status == status) {
        let name = tensor.renamed_from.as_ref().unwrap_or(&tensor.name);
        if let Some(Entry { name, source: Ok(source) }) = side.get(name) {
            let lone = Lone { name, source: source.as_ref() };
            forms.entry(form(source.dtype(), source.shape())).or_default().push(lone);
        }
    }
    forms
}

/// Brings tensors of one form together by the checksums of their content.
fn same_checksum<'a>(removed: &[Lone<'a>], added: &[Lone<'a>]) -> Vec<(Lone<'a>, Lone<'a>)> {
    let mut by_crc = BTreeMap::<u32, (Vec<Lone<'a>>, Vec<Lone<'a>>)>::new();
    // A tensor that cannot be read is no candidate; whoever compares or verifies it is told why.
    for lone in removed {
        if let Ok(crc) = content_crc32c(lone.source) {
            by_crc.entry(crc).or_default().0.push(*lone);
        }
    }
    for lone in added {
        if let Ok(crc) = content_crc32c(lone.source) {
            by_crc.entry(crc).or_default().1.push(*lone);
        }
    }
    by_crc.into_values().flat_map(|(removed, added)| by_ending(removed, added)).collect()
}

fn by_ending<'a>(removed: Vec<Lone<'a>>, mut added: Vec<Lone<'a>>) -> Vec<(Lone<'a>, Lone<'a>)> {
    // Each is held against each; of very many it is anybody's guess.
    if removed.len().saturating_mul(added.len()) > MOST_GUESSES {
        return removed.into_iter().zip(added).collect();
    }
    let mut pairs = Vec::new();
    for from in removed {
        let ending = |to: &Lone<'_>| {
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

/// The crc32c of the content: the stored one of content in one piece, where there is one, else a computed one.
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

//! Compares the tensors of two checkpoints: pairs them by name, then compares their values.

use std::collections::{BTreeMap, BTreeSet};

use crate::checkpoint::Entry;
use crate::compare::{self, Comparison, NanPolicy};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::tensor::{Facts, Kind, Name, TensorSource, in_parallel, read_through};

use super::object_graphs::Counterparts;
use super::side_tensors::SideTensors;
use super::{Options, Status, TensorDiff};

/// The entries of both sides with the same name, after renames.
#[derive(Default, Clone, Copy)]
struct EntryPair<'a> {
    lhs: Option<&'a Entry>,
    rhs: Option<&'a Entry>,
}

fn source(entry: &Entry) -> Result<&dyn TensorSource, &Error> {
    entry.source.as_deref()
}

/// Compares all tensors that the filters accept, in no particular order.
pub(super) fn compare(
    lhs: SideTensors<'_>,
    rhs: SideTensors<'_>,
    counterparts: &Counterparts,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<TensorDiff>> {
    let pairs_by_name = pair_by_name(lhs, rhs, counterparts, options)?;
    let by_index = !(lhs.has_data && rhs.has_data);
    let mut tensors = Vec::with_capacity(pairs_by_name.len());
    let (mut pairs, mut waiting, mut unmatched) = (Vec::new(), Vec::new(), Vec::new());
    for (name, pair) in pairs_by_name {
        let mut tensor = from_index(name, pair, lhs, rhs);
        match (&tensor.error, pair.lhs.map(source), pair.rhs.map(source)) {
            (None, Some(Ok(l)), Some(Ok(r))) if l.shape() == r.shape() && by_index => {
                set_result(&mut tensor, compare_checksums(l, r, &options.compare));
            }
            (None, Some(Ok(l)), Some(Ok(r)))
                if l.shape() == r.shape() && compare::comparable(l.dtype(), r.dtype()) =>
            {
                pairs.push((l, r));
                waiting.push(tensors.len());
                tensors.push(tensor);
                continue;
            }
            _ => {}
        }
        // Tensors that are not compared are still read, to find damage.
        for (entry, side) in [(pair.lhs, lhs), (pair.rhs, rhs)] {
            if let Some(Ok(source)) = entry.map(source).filter(|_| side.is_file) {
                unmatched.push((tensors.len(), source));
            }
        }
        tensors.push(tensor);
    }
    let results = compare::compare_all(&pairs, &options.compare, &options.device, progress);
    for (at, result) in waiting.into_iter().zip(results) {
        if let Some(tensor) = tensors.get_mut(at) {
            set_result(tensor, result.map(|comparison| (status(&comparison), Some(comparison))));
        }
    }
    for (at, error) in damaged(&unmatched, options.compare.threads, progress) {
        if let Some(tensor) = tensors.get_mut(at) {
            set_result(tensor, Err(error));
        }
    }
    Ok(tensors)
}

/// Reads unmatched tensors completely, and returns the error of each that cannot be read.
fn damaged(
    unmatched: &[(usize, &dyn TensorSource)],
    threads: usize,
    progress: &dyn Progress,
) -> Vec<(usize, Error)> {
    progress.total(
        unmatched.iter().fold(0, |sum, (_, source)| source.stored_bytes().saturating_add(sum)),
    );
    let errors = in_parallel(unmatched, threads, |&(at, source)| {
        read_through(source, progress, |_| Ok(())).err().map(|error| (at, error))
    });
    errors.into_iter().flatten().collect()
}

/// Pairs the entries of both sides by name.
fn pair_by_name<'a>(
    lhs: SideTensors<'a>,
    rhs: SideTensors<'a>,
    counterparts: &Counterparts,
    options: &Options,
) -> Result<BTreeMap<Name, EntryPair<'a>>> {
    let mut pairs_by_name = BTreeMap::<Name, EntryPair<'a>>::new();
    let names = &options.names;
    // The user's renames take precedence over those of the object graphs.
    let wanted: BTreeSet<Name> = lhs.iter().filter_map(|entry| names.rename(&entry.name)).collect();
    for entry in lhs.iter() {
        let renamed = names.rename(&entry.name);
        let counterpart = counterparts.get(&entry.name).filter(|to| {
            // Names that were exchanged are all followed, or none is.
            wanted.is_empty() || !wanted.contains(to) && lhs.get(to).is_none()
        });
        let name = renamed.as_ref().or(counterpart).unwrap_or(&entry.name);
        if !names.accepts(&[name, &entry.name]) {
            continue;
        }
        let pair = pairs_by_name.entry(name.clone()).or_default();
        if let Some(earlier) = pair.lhs.replace(entry) {
            let (a, b) = (earlier.name.printable(), entry.name.printable());
            let why = format!("both {a} and {b} are renamed to {}", name.printable());
            return Err(Error::usage(why).of_option("rename"));
        }
    }
    for entry in rhs.iter() {
        // A renamed tensor has passed the filters under its name in lhs.
        if let Some(pair) = pairs_by_name.get_mut(&entry.name) {
            pair.rhs = Some(entry);
        } else if names.accepts(&[&entry.name]) {
            pairs_by_name.entry(entry.name.clone()).or_default().rhs = Some(entry);
        }
    }
    Ok(pairs_by_name)
}

/// The result that follows from the index alone, before any content is read.
fn from_index(
    name: Name,
    pair: EntryPair<'_>,
    lhs: SideTensors<'_>,
    rhs: SideTensors<'_>,
) -> TensorDiff {
    let facts = |entry: Option<&Entry>| source(entry?).ok().map(Facts::of);
    let error = [pair.lhs, pair.rhs]
        .into_iter()
        .flatten()
        .find_map(|entry| source(entry).err().cloned())
        .or_else(|| possibly_damaged(pair, lhs, rhs));
    let (l, r) = (facts(pair.lhs), facts(pair.rhs));
    let status = match (&error, &l, &r) {
        (Some(_), ..) => Status::Error,
        (None, Some(l), Some(r)) if l.shape != r.shape => Status::Shape,
        (None, Some(l), Some(r)) if l.dtype != r.dtype => Status::Dtype,
        (None, Some(_), None) => Status::Removed,
        (None, None, Some(_)) => Status::Added,
        (None, ..) => Status::Identical,
    };
    TensorDiff {
        renamed_from: pair.lhs.map(|entry| &entry.name).filter(|from| **from != name).cloned(),
        error: error.map(|error| error.of_tensor(&name)),
        name,
        status,
        role: None,
        lhs: l,
        rhs: r,
        comparison: None,
    }
}

/// The error if a tensor that one side lacks may be in an unreadable part of that side's index.
fn possibly_damaged(
    pair: EntryPair<'_>,
    lhs: SideTensors<'_>,
    rhs: SideTensors<'_>,
) -> Option<Error> {
    let lacking = match (pair.lhs, pair.rhs) {
        (None, Some(_)) => lhs,
        (Some(_), None) => rhs,
        _ => return None,
    };
    if lacking.damage.is_empty() {
        return None;
    }
    let what = "missing, but the index is damaged and may have lost the name";
    Some(Error::not_found(what).in_file(lacking.path))
}

type PairResult = Result<(Status, Option<Comparison>)>;

fn set_result(tensor: &mut TensorDiff, outcome: PairResult) {
    match outcome {
        Ok((status, comparison)) => {
            if tensor.status == Status::Identical {
                tensor.status = status;
            }
            tensor.comparison = comparison;
        }
        Err(error) => {
            tensor.status = Status::Error;
            tensor.error = Some(error.of_tensor(&tensor.name));
        }
    }
}

fn status(comparison: &Comparison) -> Status {
    match comparison {
        Comparison { mismatched: 1.., .. } => Status::Different,
        Comparison { differing: 1.., .. } => Status::Close,
        _ => Status::Identical,
    }
}

/// Compares by stored checksums if a side has no data: equal checksums mean equal content, different ones do
/// not tell how far apart the values are.
fn compare_checksums(
    lhs: &dyn TensorSource,
    rhs: &dyn TensorSource,
    options: &compare::Options,
) -> PairResult {
    let unknown = |why: &str| Err(Error::not_found(why));
    if lhs.dtype() != rhs.dtype() {
        return Ok((Status::Dtype, None));
    }
    let has_nan = matches!(lhs.dtype().kind(), Kind::Float | Kind::Complex);
    let nan_differs = has_nan && options.nan == NanPolicy::Differ;
    match (lhs.stored_checksums(), rhs.stored_checksums()) {
        (Some(l), Some(r)) if l == r && !nan_differs => Ok((Status::Identical, None)),
        (Some(l), Some(r)) if l == r => {
            unknown("the data is missing, and without it the tensor may contain NaN")
        }
        (Some(l), Some(r)) if l.layout != r.layout => unknown(
            "the data is missing, and the checksums of the two sides cover different slices",
        ),
        (Some(_), Some(_)) if options.tolerance.is_bits() => Ok((Status::Different, None)),
        (Some(_), Some(_)) => unknown("the data is missing, and the stored checksums differ"),
        _ => unknown("the data is missing, and one side stores no checksum per tensor"),
    }
}

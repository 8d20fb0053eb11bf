//! The tensors of two checkpoints: paired by name, compared, judged.

use std::collections::{BTreeMap, BTreeSet};

use crate::checkpoint::Entry;
use crate::compare::{self, Comparison, NanPolicy};
use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;
use crate::tensor::{Kind, Name, TensorSource, in_parallel, read_through};

use super::object_graphs::Counterparts;
use super::sides::Tensors;
use super::{Facts, Options, Status, TensorDiff};

/// The entries of the two sides that go by one name.
#[derive(Default, Clone, Copy)]
struct Meeting<'a> {
    lhs: Option<&'a Entry>,
    rhs: Option<&'a Entry>,
}

fn source(entry: &Entry) -> Result<&dyn TensorSource, &Error> {
    entry.source.as_deref()
}

/// Compares all tensors that take part; in no particular order.
pub(super) fn compare(
    lhs: Tensors<'_>,
    rhs: Tensors<'_>,
    counterparts: &Counterparts,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<TensorDiff>> {
    let meetings = meet(lhs, rhs, counterparts, options)?;
    let by_index = !(lhs.has_data && rhs.has_data);
    let mut tensors = Vec::with_capacity(meetings.len());
    let (mut pairs, mut waiting, mut lone) = (Vec::new(), Vec::new(), Vec::new());
    for (name, meeting) in meetings {
        let mut tensor = unread(name, meeting, lhs, rhs);
        match (&tensor.error, meeting.lhs.map(source), meeting.rhs.map(source)) {
            (None, Some(Ok(l)), Some(Ok(r))) if l.shape() == r.shape() && by_index => {
                settle(&mut tensor, by_fingerprint(l, r, &options.compare));
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
        // What is not compared is read all the same: damage is told wherever it is.
        for (entry, side) in [(meeting.lhs, lhs), (meeting.rhs, rhs)] {
            if let Some(Ok(source)) = entry.map(source).filter(|_| side.is_file) {
                lone.push((tensors.len(), source));
            }
        }
        tensors.push(tensor);
    }
    let results = compare::compare_all(&pairs, &options.compare, &options.device, progress);
    for (at, result) in waiting.into_iter().zip(results) {
        if let Some(tensor) = tensors.get_mut(at) {
            settle(tensor, result.map(|comparison| (status(&comparison), Some(comparison))));
        }
    }
    for (at, error) in damaged(&lone, options.compare.threads, progress) {
        if let Some(tensor) = tensors.get_mut(at) {
            settle(tensor, Err(error));
        }
    }
    Ok(tensors)
}

/// Reads tensors to their end; returns what is wrong with those that cannot be read.
fn damaged(
    lone: &[(usize, &dyn TensorSource)],
    threads: usize,
    progress: &dyn Progress,
) -> Vec<(usize, Error)> {
    progress
        .total(lone.iter().fold(0, |sum, (_, source)| source.stored_bytes().saturating_add(sum)));
    let errors = in_parallel(lone, threads, |&(at, source)| {
        read_through(source, progress, |_| Ok(())).err().map(|error| (at, error))
    });
    errors.into_iter().flatten().collect()
}

/// Brings the two sides together by name.
fn meet<'a>(
    lhs: Tensors<'a>,
    rhs: Tensors<'a>,
    counterparts: &Counterparts,
    options: &Options,
) -> Result<BTreeMap<Name, Meeting<'a>>> {
    let mut meetings = BTreeMap::<Name, Meeting<'a>>::new();
    let names = &options.names;
    // What the user says goes before what the objects tell.
    let wanted: BTreeSet<Name> = lhs.iter().filter_map(|entry| names.rename(&entry.name)).collect();
    for entry in lhs.iter() {
        let renamed = names.rename(&entry.name);
        let counterpart = counterparts.get(&entry.name).filter(|to| {
            // Of several that take each other's names, all do so or none.
            wanted.is_empty() || !wanted.contains(to) && lhs.get(to).is_none()
        });
        let name = renamed.as_ref().or(counterpart).unwrap_or(&entry.name);
        if !names.takes(&[name, &entry.name]) {
            continue;
        }
        let meeting = meetings.entry(name.clone()).or_default();
        if let Some(earlier) = meeting.lhs.replace(entry) {
            let (a, b) = (earlier.name.printable(), entry.name.printable());
            let why = format!("--rename maps both {a} and {b} to {}", name.printable());
            return Err(ErrorKind::Usage(why).into());
        }
    }
    for entry in rhs.iter() {
        // What came here by a rename has passed the filters under its other name.
        if let Some(meeting) = meetings.get_mut(&entry.name) {
            meeting.rhs = Some(entry);
        } else if names.takes(&[&entry.name]) {
            meetings.entry(entry.name.clone()).or_default().rhs = Some(entry);
        }
    }
    Ok(meetings)
}

/// What is known of a tensor before any of its content is read.
fn unread(name: Name, meeting: Meeting<'_>, lhs: Tensors<'_>, rhs: Tensors<'_>) -> TensorDiff {
    let facts = |entry: Option<&Entry>| {
        let source = source(entry?).ok()?;
        Some(Facts { dtype: source.dtype(), shape: source.shape().clone() })
    };
    let error = [meeting.lhs, meeting.rhs]
        .into_iter()
        .flatten()
        .find_map(|entry| source(entry).err().cloned())
        .or_else(|| lost(meeting, lhs, rhs));
    let (l, r) = (facts(meeting.lhs), facts(meeting.rhs));
    let status = match (&error, &l, &r) {
        (Some(_), ..) => Status::Error,
        (None, Some(l), Some(r)) if l.shape != r.shape => Status::Shape,
        (None, Some(l), Some(r)) if l.dtype != r.dtype => Status::Dtype,
        (None, Some(_), None) => Status::Removed,
        (None, None, Some(_)) => Status::Added,
        (None, ..) => Status::Identical,
    };
    TensorDiff {
        renamed_from: meeting.lhs.map(|entry| &entry.name).filter(|from| **from != name).cloned(),
        error: error.map(|error| error.of_tensor(&name)),
        name,
        status,
        role: None,
        lhs: l,
        rhs: r,
        comparison: None,
    }
}

/// A tensor that one side lacks may be in a part of its index that cannot be read: then nobody knows whether it is there.
fn lost(meeting: Meeting<'_>, lhs: Tensors<'_>, rhs: Tensors<'_>) -> Option<Error> {
    let lacking = match (meeting.lhs, meeting.rhs) {
        (None, Some(_)) => lhs,
        (Some(_), None) => rhs,
        _ => return None,
    };
    if lacking.damage.is_empty() {
        return None;
    }
    let what = "it is not among the names that can still be read of a damaged index";
    Some(Error::from(ErrorKind::NotFound(what.into())).in_file(lacking.path))
}

type Outcome = Result<(Status, Option<Comparison>)>;

fn settle(tensor: &mut TensorDiff, outcome: Outcome) {
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

/// Without data, equal stored checksums stand for equal content; how far other content is apart they do not say.
fn by_fingerprint(
    lhs: &dyn TensorSource,
    rhs: &dyn TensorSource,
    options: &compare::Options,
) -> Outcome {
    let unknown = |why: &str| Err(ErrorKind::NotFound(why.into()).into());
    if lhs.dtype() != rhs.dtype() {
        return Ok((Status::Dtype, None));
    }
    let has_nan = matches!(lhs.dtype().kind(), Kind::Float | Kind::Complex);
    let nan_differs = has_nan && options.nan == NanPolicy::Differ;
    match (lhs.fingerprint(), rhs.fingerprint()) {
        (Some(l), Some(r)) if l == r && !nan_differs => Ok((Status::Identical, None)),
        (Some(l), Some(r)) if l == r => {
            unknown("there may be NaN in it, and there is no data to tell")
        }
        (Some(l), Some(r)) if l.layout != r.layout => {
            unknown("the two sides are stored in other pieces, and there is no data to compare")
        }
        (Some(_), Some(_)) if options.tolerance.is_bits() => Ok((Status::Different, None)),
        (Some(_), Some(_)) => {
            unknown("the stored checksums differ, and there is no data to tell by how much")
        }
        _ => unknown("one side stores no checksum per tensor, and there is no data to compare"),
    }
}

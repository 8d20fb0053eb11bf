//! Compares the tensors of two checkpoints: pairs them by name, then compares their values.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem;

use crate::checkpoint::Entry;
use crate::compare::{self, CompareOptions, Comparison, NanPolicy, Task, TensorPair, Tolerance};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::tensor::{Facts, Kind, Name, TensorSource, in_parallel};

use super::join::join;
use super::name_filter::{NameFilter, Selection};
use super::object_graphs::KnownNames;
use super::side_tensors::SideTensors;
use super::unmatched::{self, Unmatched};
use super::{Diff, DiffOptions, LeftOut, Side, Status, TensorDiff};

/// The most tensors that are compared at once. What comparing needs for each of a million tensors would take half as much memory as
/// their results.
const ROUND: usize = 1 << 16;

/// The entries of both sides with the same name, after renames.
#[derive(Default, Clone, Copy)]
struct EntryPair<'a> {
    lhs: Option<&'a Entry>,
    rhs: Option<&'a Entry>,
}

impl<'a> EntryPair<'a> {
    /// The name on each side.
    fn names(self) -> (Option<&'a Name>, Option<&'a Name>) {
        (self.lhs.map(|entry| &entry.name), self.rhs.map(|entry| &entry.name))
    }

    /// Both tensors, if they can be read and have one shape.
    fn of_one_shape(self, tensor: &TensorDiff) -> Option<TensorPair<'a>> {
        let (lhs, rhs) = (source(self.lhs?).ok()?, source(self.rhs?).ok()?);
        (tensor.error.is_none() && lhs.shape() == rhs.shape()).then_some((lhs, rhs))
    }

    /// Both tensors, if their values can be compared, too.
    fn comparable(self, tensor: &TensorDiff) -> Option<TensorPair<'a>> {
        let (lhs, rhs) = self.of_one_shape(tensor)?;
        compare::comparable(lhs.dtype(), rhs.dtype()).then_some((lhs, rhs))
    }
}

fn source(entry: &Entry) -> Result<&dyn TensorSource, &Error> {
    entry.source.as_deref()
}

/// Two tensors whose values are compared, and their place in the result.
struct Compared<'a> {
    at: usize,
    pair: TensorPair<'a>,
    options: Cow<'a, CompareOptions>,
    /// How many mismatches are listed.
    listed: Option<usize>,
}

/// Compares all tensors that the filters select, and adds them to `diff` in no particular order. `assign_roles` sets the role of
/// each, on which its options may depend.
pub(super) fn compare(
    (lhs, rhs): (SideTensors<'_>, SideTensors<'_>),
    known: &KnownNames,
    assign_roles: impl FnOnce(&mut [TensorDiff]),
    options: &DiffOptions,
    progress: &dyn Progress,
    diff: &mut Diff,
) -> Result<()> {
    let pairs_by_name = pair_by_name(lhs, rhs, known, options, &mut diff.left_out)?;
    let pairs: Vec<_> = pairs_by_name.iter().map(|(_, pair)| *pair).collect();
    let tensors = &mut diff.tensors;
    // There may be a million of them: space that is never used would be most of what they take.
    tensors.reserve_exact(pairs.len());
    for (name, pair) in pairs_by_name {
        let full_name = known.full_name(pair.names().0, pair.names().1).cloned();
        tensors.push(TensorDiff { full_name, ..from_index(name, pair, lhs, rhs) });
    }
    assign_roles(tensors);
    let has_data = lhs.has_data && rhs.has_data;
    let with_values =
        tensors.iter().zip(&pairs).filter_map(|(tensor, pair)| pair.comparable(tensor));
    let sizes = with_values.map(|(lhs, rhs)| lhs.stored_bytes().saturating_add(rhs.stored_bytes()));
    progress.total(if has_data { sizes.fold(0, u64::saturating_add) } else { 0 });
    let mut unmatched = Vec::new();
    let rounds = tensors.chunks_mut(ROUND).zip(pairs.chunks(ROUND));
    for (start, (tensors, pairs)) in (0..).step_by(ROUND).zip(rounds) {
        let mut compared = Vec::with_capacity(pairs.len());
        for (at, (tensor, &pair)) in tensors.iter_mut().zip(pairs).enumerate() {
            match compared_or_settled(tensor, pair, options, has_data) {
                Some((pair, options, listed)) => {
                    compared.push(Compared { at, pair, options, listed });
                }
                // Tensors that are not compared are still read.
                None => {
                    let sides = [(pair.lhs, lhs), (pair.rhs, rhs)]
                        .map(|(entry, side)| (entry.and_then(|entry| source(entry).ok()), side));
                    unmatched.extend(Unmatched::of(start + at, tensor, sides));
                }
            }
        }
        compare_values(&compared, options, progress, tensors);
    }
    unmatched::read(&unmatched, options.compare.threads, progress, tensors);
    Ok(())
}

/// The tensors whose values are to be compared, how, and how many mismatches are listed. Without the data of a side, sets the
/// result that follows from checksums.
fn compared_or_settled<'a>(
    tensor: &mut TensorDiff,
    pair: EntryPair<'a>,
    options: &'a DiffOptions,
    has_data: bool,
) -> Option<(TensorPair<'a>, Cow<'a, CompareOptions>, Option<usize>)> {
    let (lhs, rhs) = pair.of_one_shape(tensor)?;
    let of_tensor = compare_options(tensor, options);
    tensor.tolerance = of_tensor.tolerance;
    if !has_data {
        let is_exact = !options.criteria.has_limits() && options.rules.is_none();
        set_result(tensor, compare_checksums(lhs, rhs, &of_tensor, is_exact));
        return None;
    }
    let names: Vec<&Name> = tensor.names().collect();
    compare::comparable(lhs.dtype(), rhs.dtype())
        .then(|| ((lhs, rhs), of_tensor, options.listed.count(&names)))
}

/// How a tensor is compared: by the rules, else by the criteria.
fn compare_options<'a>(tensor: &TensorDiff, options: &'a DiffOptions) -> Cow<'a, CompareOptions> {
    let of_all = &options.compare;
    if let Some(rules) = &options.rules {
        return Cow::Owned(rules.options(tensor, of_all));
    }
    let names: Vec<&Name> = tensor.names().collect();
    match options.criteria.tolerance(of_all.tolerance, &names) {
        tolerance if tolerance == of_all.tolerance => Cow::Borrowed(of_all),
        tolerance => Cow::Owned(CompareOptions { tolerance, ..of_all.clone() }),
    }
}

/// Compares the values of tensors, and lists mismatches.
fn compare_values(
    compared: &[Compared<'_>],
    options: &DiffOptions,
    progress: &dyn Progress,
    tensors: &mut [TensorDiff],
) {
    let threads = options.compare.threads;
    let tasks: Vec<_> =
        compared.iter().map(|one| Task { pair: one.pair, options: &one.options }).collect();
    let results = compare::compare_each(&tasks, threads, &options.device, progress);
    let wanted: Vec<_> =
        compared.iter().zip(&results).map(|(one, result)| one.wanted(result)).collect();
    let mismatches = in_parallel(&wanted, threads, |wanted| {
        let &Some((Task { pair, options }, start, count)) = wanted else { return Ok(Vec::new()) };
        compare::mismatches(pair, options, start, count)
    });
    let mapped = compared.iter().zip(&results).filter(|_| options.mismatch_map);
    let maps = in_parallel(&mapped.collect::<Vec<_>>(), threads, |(one, result)| {
        let is_wanted = result.as_ref().is_ok_and(|comparison| comparison.mismatched > 0);
        is_wanted.then(|| compare::mismatch_map(one.pair, &one.options).map(Box::new)).transpose()
    });
    let mut maps = maps.into_iter();
    for ((one, result), mismatches) in compared.iter().zip(results).zip(mismatches) {
        let map = maps.next().unwrap_or(Ok(None));
        let Some(tensor) = tensors.get_mut(one.at) else { continue };
        let result = result.and_then(|comparison| {
            (tensor.mismatches, tensor.mismatch_map) = (mismatches?, map?);
            let status = options.criteria.status(&comparison, one.options.tolerance);
            Ok((status, Some(comparison)))
        });
        set_result(tensor, result);
    }
}

impl Compared<'_> {
    /// The mismatches to list: the requested number; else the first, where no element is the worst. With it, the pair and
    /// the position of the first mismatch.
    fn wanted(&self, result: &Result<Box<Comparison>>) -> Option<(Task<'_>, u64, usize)> {
        let comparison = result.as_ref().ok()?;
        let has_worst =
            comparison.worst.is_some() && comparison.max_abs.is_some_and(|max| max > 0.0);
        let count = self.listed.unwrap_or(usize::from(!has_worst));
        let first = comparison.first.filter(|_| count > 0)?;
        Some((Task { pair: self.pair, options: &self.options }, first, count))
    }
}

/// Pairs the entries of both sides by name, in the order of names. A name occurs twice if it means another tensor on each side.
fn pair_by_name<'a>(
    lhs: SideTensors<'a>,
    rhs: SideTensors<'a>,
    known: &'a KnownNames,
    options: &DiffOptions,
    left_out: &mut LeftOut,
) -> Result<Vec<(Name, EntryPair<'a>)>> {
    let names = &options.names;
    let LhsNames { named, alone, clashes } = LhsNames::new(lhs, known, names);
    let of_rhs = rhs.entries.chunk_by(|a, b| a.name == b.name).filter_map(<[Entry]>::last);
    let of_rhs = of_rhs.filter(|entry| !known.is_copy(Side::Rhs, &entry.name));
    let joined = join(named, of_rhs, |(name, _), entry| (**name).cmp(&entry.name));
    let joined = joined.filter_map(|(lhs, rhs)| {
        let (name, lhs) = lhs.unzip();
        let name = name.map(Cow::into_owned).or_else(|| Some(rhs?.name.clone()))?;
        Some((name, EntryPair { lhs, rhs }))
    });
    let mut pairs = Vec::with_capacity(lhs.entries.len().max(rhs.entries.len()));
    let lone = |entry: &'a Entry| (entry.name.clone(), EntryPair { lhs: Some(entry), rhs: None });
    pairs.extend(alone.into_iter().map(lone).chain(joined));
    // They are in order, except for those alone.
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    if !names.accepts_all() {
        pairs.retain(|(name, pair)| {
            let (of_lhs, of_rhs) = pair.names();
            let all = [Some(name), of_lhs, of_rhs, known.full_name(of_lhs, of_rhs)];
            match names.select(&all.into_iter().flatten().collect::<Vec<_>>()) {
                Selection::Selected => return true,
                Selection::NotIncluded => left_out.include += 1,
                Selection::Excluded => left_out.exclude += 1,
            }
            false
        });
    }
    let is_selected =
        |name: &Name| pairs.binary_search_by(|(of_pair, _)| of_pair.cmp(name)).is_ok();
    match clashes.iter().find(|(name, _)| is_selected(name)) {
        Some((name, both)) => Err(names.clash(name, *both)),
        None => Ok(pairs),
    }
}

/// The entries of lhs by the names of their counterparts.
struct LhsNames<'a> {
    /// In the order of these names.
    named: Vec<(Cow<'a, Name>, &'a Entry)>,
    /// Those without a counterpart, although rhs has the name.
    alone: Vec<&'a Entry>,
    /// The entries that have the same counterpart. The second is compared.
    clashes: Vec<(Name, [&'a Name; 2])>,
}

impl<'a> LhsNames<'a> {
    fn new(lhs: SideTensors<'a>, known: &'a KnownNames, names: &NameFilter) -> Self {
        let mut named: Vec<(Cow<'a, Name>, &Entry)> = Vec::with_capacity(lhs.entries.len());
        let mut alone = Vec::new();
        // The user's renames take precedence over those of the object graphs.
        let wanted: BTreeSet<Name> =
            lhs.iter().filter_map(|entry| names.rename(&entry.name)).collect();
        for entry in lhs.iter().filter(|entry| !known.is_copy(Side::Lhs, &entry.name)) {
            if wanted.is_empty() && known.is_alone(&entry.name) {
                alone.push(entry);
                continue;
            }
            let counterpart = known.counterpart(&entry.name).filter(|to| {
                // Names that were exchanged are all followed, or none is.
                wanted.is_empty() || !wanted.contains(to) && lhs.get(to).is_none()
            });
            let name = match names.rename(&entry.name) {
                Some(renamed) => Cow::Owned(renamed),
                None => Cow::Borrowed(counterpart.unwrap_or(&entry.name)),
            };
            named.push((name, entry));
        }
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut clashes = Vec::new();
        named.dedup_by(|later, earlier| {
            let clash = later.0 == earlier.0;
            if clash {
                clashes.push((later.0.clone().into_owned(), [&earlier.1.name, &later.1.name]));
                mem::swap(later, earlier);
            }
            clash
        });
        // In the order of the entries, since the first is reported.
        clashes.sort_by_key(|(_, [_, later])| *later);
        Self { named, alone, clashes }
    }
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
        full_name: None,
        status,
        role: None,
        lhs: l,
        rhs: r,
        tolerance: Tolerance::BITS,
        comparison: None,
        mismatches: Vec::new(),
        mismatch_map: None,
        non_finite: None,
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

type PairResult = Result<(Status, Option<Box<Comparison>>)>;

fn set_result(tensor: &mut TensorDiff, outcome: PairResult) {
    match outcome {
        Ok((status, comparison)) => {
            if tensor.status == Status::Identical {
                tensor.status = status;
            }
            tensor.comparison = comparison;
        }
        Err(error) => tensor.set_error(error),
    }
}

/// Compares by stored checksums if a side has no data: equal checksums mean equal content, different ones do
/// not tell how far apart the values are, which matters unless the comparison `is_exact`.
fn compare_checksums(
    lhs: &dyn TensorSource,
    rhs: &dyn TensorSource,
    options: &CompareOptions,
    is_exact: bool,
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
        (Some(_), Some(_)) if is_exact && options.tolerance.is_bits() => {
            Ok((Status::Different, None))
        }
        (Some(_), Some(_)) => unknown("the data is missing, and the stored checksums differ"),
        _ => unknown("the data is missing, and one side stores no checksum per tensor"),
    }
}

//! The outermost object of each report.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::RawValue;

use super::layout::{self, LongList};
use crate::artifact::NO_CHECKSUM;
use crate::checkpoint::Listing;
use crate::diff::{Diff, DiffOptions, Grouping, Only, ReportedChange};
use crate::error::Error;
use crate::json;
use crate::message::{Losses, Message, Unknown};
use crate::overview::{Contents, Overview};
use crate::report::{Devices, Judged};
use crate::serial::{self, object};
use crate::summary::role_movements;
use crate::tensor::{Name, TensorValues};
use crate::verify::{Verdict, Verification};

/// Writes the report of a diff: every tensor, in name order; and what rules say of it, if it was judged.
pub(super) fn diff(
    diff: &Diff,
    judged: Option<&Judged<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let verdict = judged.map_or_else(|| diff.verdict(), |judged| judged.judgement.verdict());
    let reported: Vec<_> = diff.reported().map(change).collect();
    let before = object! {
        schema: "ckdiff/1",
        verdict: verdict,
        lhs: &diff.lhs,
        rhs: &diff.rhs,
        options: options(diff, judged),
        rules: judged.map(rules),
        summary: object! {
            coverage: diff.coverage,
            tensors: diff.counts(),
            not_frozen: diff.not_frozen,
            left_out: diff.left_out,
            movement: role_movements(diff),
            graph: diff.weights(),
        },
    };
    let after = object! {
        changes: reported,
        grouped: diff.grouped().collect::<Vec<_>>(),
        ops: &diff.ops,
        findings: &diff.findings,
        damage: &diff.damage,
        renames: &diff.renames,
        unused: &diff.unused,
    };
    let threads = diff.options.compare.threads;
    let tensors = LongList { key: "tensors", items: &diff.tensors, threads };
    layout::write_with_list(&before, &tensors, &after, out)
}

/// A change as it is reported, and the paths of those that are reported with it.
fn change(reported: ReportedChange<'_>) -> impl Serialize {
    object! {
        #[serde(flatten)]
        change: reported.change,
        count: reported.count(),
        members: reported.members().map(|change| &change.path).collect::<Vec<_>>(),
        follows: reported.follows().map(|change| &change.path).collect::<Vec<_>>(),
    }
}

/// What rules say of a comparison.
fn rules<'j>(judged: &Judged<'j>) -> impl Serialize + use<'j> {
    let Judged { rules, judgement, .. } = *judged;
    object! {
        source: rules.source(),
        profile: rules.profile(),
        tensors: judgement.tensors,
        changes: judgement.changes,
        failures: &judgement.failures,
        undecided: &judgement.undecided,
        passed: &judgement.passed,
        unused: &judgement.unused,
    }
}

/// The options of a comparison.
fn options(diff: &Diff, judged: Option<&Judged<'_>>) -> impl Serialize {
    let DiffOptions {
        compare, criteria, names, only, lists, ignore, strict, listed, grouping, ..
    } = &diff.options;
    let bounds = criteria.bounds().map(|(bound, glob, value)| {
        object! { bound: bound.name(), names: glob, value: serial::Float(value) }
    });
    let elements = listed.globs().map(|(glob, count)| object! { names: glob, count: count });
    object! {
        #[serde(flatten)]
        tolerance: &compare.tolerance,
        nan: compare.nan,
        tolerances: &compare.further,
        bounds: bounds.collect::<Vec<_>>(),
        max_rel_l2: criteria.max_rel_l2.map(serial::Float),
        max_changed: criteria.max_changed.map(serial::Float),
        device: &diff.work,
        config: judged.map(|judged| judged.rules.source().to_owned()),
        include: names.included(),
        exclude: names.excluded(),
        rename: names.rename_rules().collect::<Vec<_>>(),
        only: match only {
            Only::Everything => None,
            Only::Tensors => Some("tensors"),
            Only::Graph => Some("graph"),
        },
        ignore: ignore.globs().collect::<Vec<_>>(),
        ignore_kind: ignore.kinds().iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        strict: strict,
        group: *grouping == Grouping::ByCause,
        elements: elements.collect::<Vec<_>>(),
        #[serde(flatten)]
        lists: lists,
    }
}

/// Writes the listing of a checkpoint, or of one tensor of it with its values.
pub(super) fn listing(
    listing: &Listing,
    values: Option<&TensorValues>,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Pairs, since shards may have different values for one key.
    let metadata = listing.metadata.iter().map(|(key, value)| object! { key: key, value: value });
    let report = object! {
        schema: "ckdiff-show/1",
        path: serial::Text(listing.path.display()),
        kind: "checkpoint",
        format: listing.format,
        summary: object! {
            tensors: listing.tensors.len(),
            parameters: listing.parameters(),
            bytes: listing.bytes(),
        },
        #[serde(flatten)]
        metadata: (!listing.metadata.is_empty())
            .then(|| object! { metadata: metadata.collect::<Vec<_>>() }),
        tensors: &listing.tensors,
        #[serde(flatten)]
        values: values.map(|values| object! { values: shown(values) }),
        damage: &listing.damage,
    };
    layout::write(&report, out)
}

/// The values of a tensor that are shown.
fn shown(values: &TensorValues) -> impl Serialize + '_ {
    let dtype = values.facts.dtype;
    let element = move |element| serial::Element(element, dtype);
    let (min, max, mean) = match values.range {
        Some((min, max, mean)) => (Some(min), Some(max), Some(mean)),
        None => (None, None, None),
    };
    let number = |value| serial::Number(value, dtype);
    object! {
        first: values.first.iter().map(element).collect::<Vec<_>>(),
        last: values.last.iter().map(element).collect::<Vec<_>>(),
        more: values.more,
        min: min.map(number),
        max: max.map(number),
        mean: mean.map(serial::Float),
        nan: values.nan,
        inf: values.inf,
    }
}

/// Writes the overview of a message; returns the parts that its JSON form cannot represent.
pub(super) fn overview(overview: &Overview<'_>, out: &mut dyn Write) -> io::Result<Losses> {
    let mut losses = Losses::default();
    let (mut meta_graphs, mut graph, mut message) = (None, None, None);
    match &overview.contents {
        Contents::MetaGraphs(graphs) => meta_graphs = Some(graphs),
        Contents::Graph(only) => graph = Some(only),
        Contents::Other(other) => message = Some(content(other, &mut losses)?),
    }
    let report = object! {
        schema: "ckdiff-show-message/1",
        path: serial::Text(overview.path.display()),
        kind: &overview.kind,
        message: overview.message,
        form: overview.form.option(),
        bytes: overview.bytes,
        meta_graphs: meta_graphs,
        graph: graph,
        content: message,
        directory: &overview.directory,
    };
    layout::write(&report, out)?;
    Ok(losses)
}

/// The message in the JSON form of protobuf.
fn content(message: &Message<'_>, losses: &mut Losses) -> io::Result<Box<RawValue>> {
    let options = json::PrintOptions {
        layout: json::Layout::Compact,
        unknown: Unknown::Drop,
        ..json::PrintOptions::default()
    };
    let mut out = Vec::new();
    losses.add(json::print(message, &options, &mut out)?);
    let text = String::from_utf8(out).map_err(io::Error::other)?;
    Ok(RawValue::from_string(text)?)
}

/// Writes the verification of each artifact, or the reason why it could not be opened.
pub(super) fn verifications(
    results: &[(PathBuf, Result<Verification, Error>)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let artifacts = results.iter().map(|(path, result)| artifact(path, result));
    let report = object! {
        schema: "ckdiff-verify/1",
        verdict: Verdict::of_all(results.iter().map(|(_, result)| result)),
        artifacts: artifacts.collect::<Vec<_>>(),
    };
    layout::write(&report, out)
}

fn artifact<'a>(path: &'a Path, result: &'a Result<Verification, Error>) -> impl Serialize + 'a {
    let found = result.as_ref().ok();
    let with_tensors = found.filter(|found| found.has_tensors);
    let unsound = found.map_or(&[][..], |found| &found.unsound);
    let error = |(name, error): &'a (Name, Error)| {
        object! {
            #[serde(flatten)]
            name: serial::Named(name),
            error: error,
        }
    };
    object! {
        path: serial::Text(path.display()),
        verdict: Verdict::of_all([result]),
        kind: found.map(|found| &found.artifact.kind),
        format: found.map(|found| &found.artifact.format),
        #[serde(flatten)]
        checksum: found.filter(|found| !found.artifact.has_checksums).map(|_| object! { checksum: NO_CHECKSUM }),
        tensors: with_tensors.map(|found| object! { sound: found.sound, error: unsound.len() }),
        bytes: with_tensors.map(|found| found.bytes),
        damage: match result {
            Ok(found) => &found.damage,
            Err(error) => std::slice::from_ref(error),
        },
        errors: unsound.iter().map(error).collect::<Vec<_>>(),
        graphs: found.map_or(&[][..], |found| &found.graphs),
    }
}

/// Writes the devices of this machine.
pub(super) fn devices(devices: &Devices, out: &mut dyn Write) -> io::Result<()> {
    let report = object! {
        schema: "ckdiff-devices/1",
        cpu: object! { threads: devices.threads },
        adapters: &devices.adapters,
    };
    layout::write(&report, out)
}

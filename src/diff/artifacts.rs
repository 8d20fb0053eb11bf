//! Finds the parts that two artifacts have in common, and compares each.

use super::frozen::FrozenGraph;
use super::matching::Correspondence;
use super::object_graphs::{KnownNames, ObjectGraphs};
use super::op_counts::op_counts;
use super::side_tensors::SideTensors;
use super::walk::message::ListRules;
use super::walk::model::{self, CommonPart};
use super::{Coverage, Damage, Diff, DiffOptions, Finding, Only, Side};
use super::{files, graph_globs, non_finite, restorability, suggestions, tensors};
use crate::artifact::{Artifact, ArtifactKind};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::verify::missing_variables;

/// Compares two artifacts; `lhs` is the baseline.
///
/// An unreadable tensor is reported with its error, and the others are still compared.
///
/// # Errors
/// If the artifacts have no part in common, when the filters leave nothing to compare, or when the renames
/// map two tensors to one name.
///
/// # Examples
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::diff::{DiffOptions, Status, Verdict, diff};
/// use ckdiff::progress::Silent;
///
/// let lhs = Artifact::open("tests/data/retrain/baseline.ckpt")?;
/// let rhs = Artifact::open("tests/data/retrain/retrained.ckpt")?;
/// let diff = diff(&lhs, &rhs, &DiffOptions::default(), &Silent)?;
/// assert_eq!(diff.verdict(), Verdict::Different);
/// for tensor in diff.tensors.iter().filter(|tensor| tensor.status == Status::Different) {
///     let comparison = tensor.comparison.as_ref().expect("both sides were read");
///     println!("{}: {} of {} elements", tensor.name, comparison.mismatched, comparison.elements);
/// }
/// # Ok::<(), ckdiff::Error>(())
/// ```
pub fn diff(
    lhs: &Artifact<'_>,
    rhs: &Artifact<'_>,
    options: &DiffOptions,
    progress: &dyn Progress,
) -> Result<Diff> {
    if options.only != Only::Graph && lhs.checkpoint().is_none() && rhs.checkpoint().is_none() {
        // Values that neither side has are not the same.
        let missing = [missing_variables(lhs)?, missing_variables(rhs)?];
        if let Some(error) = missing.into_iter().flatten().next() {
            return Err(error);
        }
    }
    let frozen = FrozenGraph::of(lhs, rhs, options)?;
    let (checkpoints, tensors) = match &frozen {
        Some(frozen) => (frozen.checkpoints(), Some(frozen.tensors())),
        None => {
            let pair = tensors_of(lhs, rhs).filter(|_| options.only != Only::Graph);
            ((lhs.checkpoint(), rhs.checkpoint()), pair)
        }
    };
    let messages = lhs.message().zip(rhs.message());
    let messages = messages.filter(|_| frozen.is_none() && options.only != Only::Tensors);
    let messages = messages.map(|(l, r)| CommonPart::of(l.message(), r.message()));
    let (messages, other_graphs) = match messages {
        // The tensors can still be compared.
        Some(Err(error)) if tensors.is_some() => (None, Some(error)),
        messages => (messages.transpose()?, None),
    };
    let coverage = Coverage::of(tensors.is_some(), messages.is_some())
        .ok_or_else(|| nothing_in_common(lhs, rhs, options.only))?;
    let mut diff = Diff::new(lhs, rhs, options, coverage);
    let objects = tensors.map(|_| ObjectGraphs::of(checkpoints.0, checkpoints.1));
    let are_two = objects.as_ref().is_some_and(ObjectGraphs::are_two);
    let lists = ListRules::new(&options.lists);
    if let Some(common) = &messages {
        compare_messages(common, options, &lists, &mut diff);
        let graph = rhs.message().and_then(|rhs| model::graph_def(rhs.message()));
        diff.ops = graph.map(op_counts);
    }
    // Checked before the tensors are read, which may take minutes.
    model::check_lists(&lists, messages.as_ref(), are_two)?;
    let graphs = objects.as_ref().and_then(|objects| Some((objects.read()?, objects.tensors())));
    let nothing = Correspondence::default();
    let known = graphs.as_ref();
    let known =
        known.map(|(graphs, tensors)| Correspondence::of_objects(graphs, *tensors, &nothing));
    if let Some((sides, objects)) = tensors.zip(objects.as_ref()) {
        compare_tensors(sides, (objects, known.as_ref()), options, progress, &mut diff)?;
    }
    if let Some(frozen) = &frozen {
        frozen.restrict(&mut diff)?;
    }
    if messages.is_some() {
        if tensors.is_some() {
            diff.findings.extend(restorability::findings(lhs, rhs)?);
        }
        files::compare(lhs.files(), rhs.files(), options, &mut diff)?;
    }
    diff.findings.extend(one_sided_graph(lhs, rhs, options));
    diff.findings.extend(other_graphs.map(not_compared));
    if let Some(objects) = &objects {
        objects.compare(known.as_ref(), options, &lists, &mut diff);
    }
    ignore(lhs, rhs, objects.as_ref(), options, &mut diff)?;
    diff.explain();
    Ok(diff)
}

/// Leaves out the changes that the options ignore, and finds patterns for changes that match nothing.
///
/// # Errors
/// If a pattern of any option matches nothing, and the options do not allow it.
fn ignore(
    lhs: &Artifact<'_>,
    rhs: &Artifact<'_>,
    objects: Option<&ObjectGraphs>,
    options: &DiffOptions,
    diff: &mut Diff,
) -> Result<()> {
    let documents: Vec<_> = [lhs, rhs].iter().filter_map(|side| side.message()).collect();
    let messages: Vec<_> = documents.iter().map(|document| document.message()).collect();
    let mut objects = objects.map(ObjectGraphs::bytes).unwrap_or_default();
    let metadata = [lhs, rhs].into_iter().filter_map(|side| side.files().keras_metadata.as_ref());
    objects.extend(metadata.map(|document| document.message().bytes()));
    graph_globs::check(options, &messages, &objects, diff)?;
    options.ignore.apply(&messages, &objects, diff);
    match diff.unused.first().filter(|_| options.deny_unused) {
        Some(unused) => Err(unused.error()),
        None => Ok(()),
    }
}

/// Says why the graphs of two artifacts whose tensors are compared are not.
fn not_compared(error: Error) -> Finding {
    let problem = format!("the graphs are not compared: {error}");
    Finding { side: None, path: "graph_def".into(), problem }
}

/// The tensors of both sides, if both are checkpoints or SavedModels with variables. A SavedModel without variables has no tensor.
fn tensors_of<'a>(
    lhs: &'a Artifact<'_>,
    rhs: &'a Artifact<'_>,
) -> Option<(SideTensors<'a>, SideTensors<'a>)> {
    let are_models = [lhs, rhs].iter().all(|side| side.model_directory().is_some());
    match (lhs.checkpoint(), rhs.checkpoint()) {
        (Some(l), Some(r)) => Some((SideTensors::of(l), SideTensors::of(r))),
        (Some(l), None) if are_models => Some((SideTensors::of(l), SideTensors::none(rhs.path()))),
        (None, Some(r)) if are_models => Some((SideTensors::none(lhs.path()), SideTensors::of(r))),
        _ => None,
    }
}

/// Says that only one of two checkpoints has a meta graph, which is then compared with nothing.
fn one_sided_graph(
    lhs: &Artifact<'_>,
    rhs: &Artifact<'_>,
    options: &DiffOptions,
) -> Option<Finding> {
    let are_checkpoints = [lhs, rhs].iter().all(|a| *a.kind() == ArtifactKind::Checkpoint);
    let side = match (lhs.message(), rhs.message()) {
        (Some(_), None) => Side::Lhs,
        (None, Some(_)) => Side::Rhs,
        _ => return None,
    };
    if !are_checkpoints || options.only == Only::Tensors {
        return None;
    }
    let problem = format!("only {} has a meta graph; the graphs are not compared", side.name());
    Some(Finding { side: None, path: "graph_def".into(), problem })
}

/// Finds patterns of names that match no tensor.
///
/// # Errors
/// If there is one, and the options do not allow it.
fn check_patterns(
    lhs: SideTensors<'_>,
    rhs: SideTensors<'_>,
    known: &KnownNames,
    options: &DiffOptions,
    diff: &mut Diff,
) -> Result<()> {
    let mut l: Vec<_> = lhs.iter().map(|entry| &entry.name).collect();
    let mut r: Vec<_> = rhs.iter().map(|entry| &entry.name).collect();
    l.extend(lhs.iter().filter_map(|entry| known.full_name(Some(&entry.name), None)));
    r.extend(rhs.iter().filter_map(|entry| known.full_name(None, Some(&entry.name))));
    diff.unused = options.names.unused(&l, &r);
    l.extend(r);
    diff.unused.extend(options.criteria.unused(&l));
    diff.unused.extend(options.listed.unused(&l));
    match diff.unused.first().filter(|_| options.deny_unused) {
        Some(unused) => Err(unused.error()),
        None => Ok(()),
    }
}

/// Compares the messages of both sides.
fn compare_messages(
    common: &CommonPart<'_>,
    options: &DiffOptions,
    lists: &ListRules<'_>,
    diff: &mut Diff,
) {
    let found = model::compare(common, options, lists);
    diff.changes = found.changes;
    let of_fields = found.findings.into_iter().map(Finding::from);
    diff.findings = found.of_graphs.into_iter().chain(of_fields).collect();
}

/// Compares the tensors of both sides.
fn compare_tensors(
    (lhs, rhs): (SideTensors<'_>, SideTensors<'_>),
    (objects, matched): (&ObjectGraphs, Option<&Correspondence<'_>>),
    options: &DiffOptions,
    progress: &dyn Progress,
    diff: &mut Diff,
) -> Result<()> {
    let known = objects.known_names(matched, lhs, rhs);
    check_patterns(lhs, rhs, &known, options, diff)?;
    let options = &DiffOptions { device: options.device.with_own_record(), ..options.clone() };
    let assign_roles = |tensors: &mut [_]| objects.assign_roles(lhs, rhs, tensors);
    tensors::compare((lhs, rhs), &known, assign_roles, options, progress, diff)?;
    diff.work = options.device.work();
    if diff.tensors.is_empty() && !options.names.accepts_all() {
        return Err(Error::usage("the filters leave no tensor to compare"));
    }
    diff.tensors.sort_by(|a, b| (&a.name, &a.renamed_from).cmp(&(&b.name, &b.renamed_from)));
    diff.renames = suggestions::renames(lhs, rhs, &diff.tensors, &options.compare, progress);
    non_finite::set_of_renamed(diff);
    let damage = |side, tensors: SideTensors<'_>| {
        let errors = tensors.damage.to_vec();
        errors.into_iter().map(move |error| Damage { side, error })
    };
    diff.damage = damage(Side::Lhs, lhs).chain(damage(Side::Rhs, rhs)).collect();
    Ok(())
}

/// The error for two artifacts without a common part.
fn nothing_in_common(lhs: &Artifact<'_>, rhs: &Artifact<'_>, only: Only) -> Error {
    let part = match only {
        Only::Everything => "part",
        Only::Tensors => "tensors",
        Only::Graph => "graph",
    };
    let (l, r) = (lhs.kind().with_article(), rhs.kind().with_article());
    let hint = match (lhs.checkpoint(), rhs.checkpoint()) {
        (Some(_), None) | (None, Some(_)) if only != Only::Graph => {
            "; a graph is compared with a checkpoint only if it is frozen"
        }
        _ => "",
    };
    let why = format!("lhs is {l}, rhs is {r}: they have no {part} in common to compare{hint}");
    Error::usage(why)
}

//! What does not fit: sections by kind, the worst first.

use std::io::{self, Write};

use crate::graph::Checked;
use crate::tensor::Name;
use crate::verify::{Fit, Kind, Misfit, Problem, SaverFit, Verification, VerifiedGraph};

use super::text::{cut_name, padded, plural, printable, width_of};
use super::{View, WIDTH, number};

/// Columns for the name of a tensor.
const NAME: usize = 48;

/// Tensors that are named of those that nothing restores.
const LEFT: usize = 5;

/// What the graphs of an artifact come to; `None` where it has none.
pub(super) fn answer(found: &Verification) -> Option<String> {
    let unfit: Vec<&Fit> = fits(found).filter(|fit| !fit.fits()).collect();
    let wrong: u64 = found.graphs.iter().map(|graph| findings(&graph.checked)).sum();
    let mut parts = Vec::new();
    if let [only] = *unfit {
        let why = only.decisive().map(|saver| saver.counts.to_string()).unwrap_or_default();
        parts.push(format!("the graph does not fit: {why}"));
    } else if !unfit.is_empty() {
        let n = unfit.len() as u64;
        parts.push(format!("{} do not fit", plural(n, "graph")));
    }
    if wrong > 0 {
        parts.push(format!("{} in its nodes", plural(wrong, "problem")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What is said of graphs where all is well, behind what is said of tensors.
pub(super) fn praise(found: &Verification) -> &'static str {
    let restores = fits(found).any(|fit| !fit.savers.is_empty());
    match (found.graphs.len(), restores) {
        (0, _) => "",
        (1, true) => ", and its graph fits",
        (1, false) => "; its graph restores nothing",
        (_, true) => ", and its graphs fit",
        (_, false) => "; its graphs restore nothing",
    }
}

fn fits(found: &Verification) -> impl Iterator<Item = &Fit> {
    found.graphs.iter().filter_map(|graph| graph.fit.as_ref())
}

fn findings(checked: &Checked) -> u64 {
    checked.findings.len() as u64 + checked.more
}

/// Writes the sections of every graph in which something is wrong.
pub(super) fn write(found: &Verification, view: &View, out: &mut dyn Write) -> io::Result<()> {
    for graph in &found.graphs {
        if found.graphs.len() > 1 && !graph.is_well() {
            writeln!(out, "\n  In {}", name(graph))?;
        }
        match &graph.fit {
            Some(fit) if !fit.fits() => sections(fit, view, out)?,
            Some(fit) => others(fit, out)?,
            None => {}
        }
        nodes(&graph.checked, view, out)?;
    }
    Ok(())
}

/// The file of a graph, and its tags where it has any.
fn name(graph: &VerifiedGraph) -> String {
    let path = printable(&graph.path.display().to_string());
    match &*graph.tags {
        [] => path,
        tags => format!("{path} ({})", printable(&tags.join(", "))),
    }
}

fn sections(fit: &Fit, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let Some(saver) = fit.decisive() else { return Ok(()) };
    for kind in Kind::ALL.into_iter().filter(|kind| saver.counts.of(*kind) > 0) {
        section(saver, kind, view, out)?;
    }
    if fit.left_count > 0 {
        let names: Vec<_> = fit.left.iter().take(LEFT).map(Name::printable).collect();
        let rest = fit.left_count.saturating_sub(names.len() as u64);
        let more =
            if rest > 0 { format!(" and {} more", number::count(rest)) } else { String::new() };
        let start = format!("Not restored ({}): ", number::count(fit.left_count));
        let text = format!("{}{more}", names.join(", "));
        let room = WIDTH.saturating_sub(2 + width_of(&start));
        writeln!(out, "\n  {start}{}", cut_name(&text, room))?;
    }
    others(fit, out)
}

/// Tells of savers that decide nothing.
fn others(fit: &Fit, out: &mut dyn Write) -> io::Result<()> {
    let decisive = fit.decisive();
    let other = |saver: &&SaverFit| !saver.fits() && decisive.is_none_or(|d| d.name != saver.name);
    for saver in fit.savers.iter().filter(other).take(LEFT) {
        let name = cut_name(&printable(&saver.name), NAME);
        writeln!(out, "  note: another saver, {name}, does not fit: {}", saver.counts)?;
    }
    let unknown: u64 = fit.savers.iter().map(|saver| saver.unknown).sum();
    if unknown > 0 {
        let nodes = plural(unknown, "restore node");
        writeln!(
            out,
            "  note: {nodes} take names that are no constants, and could not be checked"
        )?;
    }
    Ok(())
}

fn section(saver: &SaverFit, kind: Kind, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let heading = view.palette.heading;
    let title = match kind {
        Kind::Saver => "The saver's node is not in the graph",
        Kind::Format => "Read from V1 checkpoints only",
        Kind::Missing => "Not in the checkpoint",
        Kind::Shape => "Another shape",
        Kind::Dtype => "Another dtype",
        Kind::Slice => "Slices that cannot be given",
    };
    let total = saver.counts.of(kind);
    writeln!(out, "\n  {heading}{title} ({}){heading:#}", number::count(total))?;
    let shown: Vec<&Misfit> =
        saver.misfits.iter().filter(|m| m.problem.kind() == kind).take(view.max_diffs).collect();
    let label = |misfit: &Misfit| cut_name(&printable(&misfit.key), NAME);
    let width = shown.iter().map(|misfit| width_of(&label(misfit))).max().unwrap_or_default();
    for misfit in &shown {
        let rest = WIDTH.saturating_sub(width + 6);
        let detail = cut_name(&printable(&detail(misfit)), rest);
        let line = format!("    {}  {detail}", padded(&label(misfit), width));
        writeln!(out, "{}", line.trim_end())?;
    }
    match total.saturating_sub(shown.len() as u64) {
        0 => Ok(()),
        more => writeln!(out, "    … and {} more", number::count(more)),
    }
}

fn detail(misfit: &Misfit) -> String {
    let detail = match &misfit.problem {
        Problem::Missing { suggestion: Some(name) } => format!("did you mean {name}?"),
        Problem::Missing { suggestion: None } | Problem::NoSaver => String::new(),
        Problem::Shape { graph, checkpoint, is_refused } => {
            let but = if *is_refused { "" } else { " (TensorFlow lets it pass)" };
            format!("graph {graph}, checkpoint {checkpoint}{but}")
        }
        Problem::Dtype { graph, checkpoint } => format!("graph {graph}, checkpoint {checkpoint}"),
        Problem::Slice { spec, reason } => format!("{spec:?}: {reason}"),
        Problem::Format { op } => op.clone(),
    };
    match misfit.variable.as_ref().filter(|variable| !misfit.key.starts_with(&***variable)) {
        Some(variable) if detail.is_empty() => format!("for {variable}"),
        Some(variable) => format!("{detail}  for {variable}"),
        None => detail,
    }
}

fn nodes(checked: &Checked, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let heading = view.palette.heading;
    let total = findings(checked);
    if total == 0 {
        return Ok(());
    }
    writeln!(out, "\n  {heading}Nodes ({}){heading:#}", number::count(total))?;
    let shown = checked.findings.iter().take(view.max_diffs);
    let count = shown.len() as u64;
    for finding in shown {
        writeln!(out, "    {}", cut_name(&printable(&finding.to_string()), WIDTH - 4))?;
    }
    match total.saturating_sub(count) {
        0 => Ok(()),
        more => writeln!(out, "    … and {} more", number::count(more)),
    }
}

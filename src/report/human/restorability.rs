//! Graphs that do not fit their checkpoint: sections by kind of misfit, the worst first.

use std::io::{self, Write};

use anstyle::Style;

use crate::graph::Checked;
use crate::tensor::Name;
use crate::verify::{
    Misfit, MisfitKind, MisfitReason, Restorability, SaverRestorability, Verification,
    VerifiedGraph,
};

use super::terminal_text::{padded, plural, printable, short_name, width_of};
use super::{ReportOptions, lines, number};

/// The widest name that widens the column of names. A longer one moves only the cell beside it.
const NAME: usize = 48;

/// The maximum number of tensors that are listed of those that no saver restores.
const LEFT: usize = 5;

/// A summary of the misfits and findings of all graphs; `None` if there are none.
pub(super) fn answer(found: &Verification) -> Option<String> {
    let unfit: Vec<&Restorability> = fits(found).filter(|fit| !fit.fits()).collect();
    let wrong: u64 = found.graphs.iter().map(|graph| graph.checked.total()).sum();
    let mut parts = Vec::new();
    if let [only] = *unfit {
        let why = only.decisive().map(|saver| saver.counts.to_string()).unwrap_or_default();
        parts.push(format!("the graph does not fit: {why}"));
    } else if !unfit.is_empty() {
        let n = unfit.len() as u64;
        parts.push(format!("{} do not fit", plural(n, "graph")));
    }
    if wrong > 0 {
        parts.push(format!("{} in its nodes", plural(wrong, "finding")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The note on graphs that fit, which follows the note on tensors.
pub(super) fn note_on_graphs(found: &Verification) -> &'static str {
    let restores = fits(found).any(|fit| !fit.savers.is_empty());
    match (found.graphs.len(), restores) {
        (0, _) => "",
        (1, true) => ", and its graph fits",
        (1, false) => "; its graph restores nothing",
        (_, true) => ", and its graphs fit",
        (_, false) => "; its graphs restore nothing",
    }
}

fn fits(found: &Verification) -> impl Iterator<Item = &Restorability> {
    found.graphs.iter().filter_map(|graph| graph.restorability.as_ref())
}

/// Writes the sections of every graph with misfits or findings.
pub(super) fn write(
    found: &Verification,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    for graph in &found.graphs {
        if found.graphs.len() > 1 && !graph.passes() {
            writeln!(out, "\n  In {}", name(graph))?;
        }
        match &graph.restorability {
            Some(fit) if !fit.fits() => sections(fit, options, out)?,
            Some(fit) => others(fit, out)?,
            None => {}
        }
        nodes(&graph.checked, options, out)?;
    }
    Ok(())
}

/// The file of a graph, with its tags if it has any.
fn name(graph: &VerifiedGraph) -> String {
    let path = printable(&graph.path.display().to_string());
    match &*graph.tags {
        [] => path,
        tags => format!("{path} ({})", printable(&tags.join(", "))),
    }
}

fn sections(fit: &Restorability, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let Some(saver) = fit.decisive() else { return Ok(()) };
    for kind in MisfitKind::ALL.into_iter().filter(|kind| saver.counts.of(*kind) > 0) {
        section(saver, kind, options, out)?;
    }
    if fit.left_count > 0 {
        let names: Vec<_> = fit.left.iter().take(LEFT).map(Name::printable).collect();
        let rest = fit.left_count.saturating_sub(names.len() as u64);
        let more =
            if rest > 0 { format!(" and {} more", number::count(rest)) } else { String::new() };
        let count = number::count(fit.left_count);
        writeln!(out, "\n  Not restored ({count}): {}{more}", names.join(", "))?;
    }
    others(fit, out)
}

/// Writes notes on savers that do not decide the result.
fn others(fit: &Restorability, out: &mut dyn Write) -> io::Result<()> {
    let decisive = fit.decisive();
    let other = |saver: &&SaverRestorability| {
        !saver.fits() && decisive.is_none_or(|d| d.name != saver.name)
    };
    for saver in fit.savers.iter().filter(other).take(LEFT) {
        let name = printable(&saver.name);
        writeln!(out, "  note: another saver, {name}, does not fit: {}", saver.counts)?;
    }
    let unknown: u64 = fit.savers.iter().map(|saver| saver.unknown).sum();
    if unknown > 0 {
        let nodes = plural(unknown, "restore node");
        writeln!(
            out,
            "  note: {nodes} take names that are not constants, and could not be checked"
        )?;
    }
    Ok(())
}

fn section(
    saver: &SaverRestorability,
    kind: MisfitKind,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let heading = options.palette.heading;
    let title = match kind {
        MisfitKind::Saver => "The saver's node is not in the graph",
        MisfitKind::Format => "Restored from V1 checkpoints only",
        MisfitKind::Missing => "Not in the checkpoint",
        MisfitKind::Shape => "Different shape",
        MisfitKind::Dtype => "Different dtype",
        MisfitKind::Slice => "Slices that cannot be restored",
    };
    let total = saver.counts.of(kind);
    writeln!(out, "\n  {heading}{title} ({}){heading:#}", number::count(total))?;
    let shown: Vec<&Misfit> =
        saver.misfits.iter().filter(|m| m.reason.kind() == kind).take(options.max_rows).collect();
    let name = |misfit: &Misfit| short_name(&printable(&misfit.key)).to_owned();
    let width = shown.iter().map(|misfit| width_of(&name(misfit)).min(NAME)).max();
    for misfit in &shown {
        let name = padded(&name(misfit), width.unwrap_or_default());
        let line = format!("    {name}  {}", printable(&detail(misfit)));
        writeln!(out, "{}", line.trim_end())?;
    }
    lines::more(total.saturating_sub(shown.len() as u64), "", "    ", Style::new(), out)
}

fn detail(misfit: &Misfit) -> String {
    let detail = match &misfit.reason {
        MisfitReason::Missing { suggestion: Some(name) } => format!("did you mean {name}?"),
        MisfitReason::Missing { suggestion: None } | MisfitReason::NoSaver => String::new(),
        MisfitReason::Shape { graph, checkpoint, is_refused } => {
            let but = if *is_refused { "" } else { " (TensorFlow accepts it)" };
            format!("graph {graph}, checkpoint {checkpoint}{but}")
        }
        MisfitReason::Dtype { graph, checkpoint } => {
            format!("graph {graph}, checkpoint {checkpoint}")
        }
        MisfitReason::Slice { spec, reason } if spec.is_empty() => reason.clone(),
        MisfitReason::Slice { spec, reason } => format!("{spec:?}: {reason}"),
        MisfitReason::Format { op } => op.clone(),
    };
    match misfit.variable.as_ref().filter(|variable| !misfit.key.starts_with(&***variable)) {
        Some(variable) if detail.is_empty() => format!("for {variable}"),
        Some(variable) => format!("{detail}  for {variable}"),
        None => detail,
    }
}

fn nodes(checked: &Checked, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let heading = options.palette.heading;
    let total = checked.total();
    if total == 0 {
        return Ok(());
    }
    writeln!(out, "\n  {heading}Nodes ({}){heading:#}", number::count(total))?;
    let shown = checked.findings.iter().take(options.max_rows);
    let count = shown.len() as u64;
    for finding in shown {
        writeln!(out, "    {}", printable(&finding.to_string()))?;
    }
    lines::more(total - count, "", "    ", Style::new(), out)
}

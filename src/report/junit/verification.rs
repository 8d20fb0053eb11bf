//! The verification of an artifact as test cases: its tensors, files and graphs.

use std::io;
use std::path::Path;

use super::case::{Case, Names, Outcome, Reason};
use super::{Suite, shown};
use crate::error::Error;
use crate::report::human::{error, plural, printable};
use crate::verify::{Verification, VerifiedGraph};

/// The suite of an artifact, or of a path that could not be opened.
pub(super) fn suite<'a>(path: &Path, result: &'a Result<Verification, Error>) -> Suite<'a> {
    let path = shown(path);
    Suite { name: path.clone(), file: path, cases: Box::new(move |f| try_for_each(result, f)) }
}

/// Calls `f` with each case: what cannot be read; the tensors that can, together; and each graph.
fn try_for_each(
    result: &Result<Verification, Error>,
    f: &mut dyn FnMut(Case) -> io::Result<()>,
) -> io::Result<()> {
    let mut names = Names::default();
    let unreadable = |of: &Error| Outcome::Error(Reason::new("unreadable", error(of)));
    let found = match result {
        Ok(found) => found,
        Err(error) => return f(names.case("files", "open".into(), unreadable(error))),
    };
    for error in &found.damage {
        let file = error.file().map(shown).unwrap_or_default();
        f(names.case("files", file, unreadable(error)))?;
    }
    for (name, error) in &found.unsound {
        f(names.case("tensors", name.printable(), unreadable(error)))?;
    }
    if found.has_tensors && found.unsound.is_empty() {
        f(names.case("tensors", "every tensor".into(), Outcome::Passed))?;
    }
    for graph in &found.graphs {
        let tags = printable(&graph.tags.join(", "));
        let tags = if tags.is_empty() { tags } else { format!(" ({tags})") };
        f(names.case("graph", shown(&graph.path) + &tags, outcome(graph)))?;
    }
    Ok(())
}

/// Whether a graph fits the checkpoint, and its nodes the definitions of their ops.
fn outcome(graph: &VerifiedGraph) -> Outcome {
    if graph.passes() {
        return Outcome::Passed;
    }
    let unfit = graph.restorability.as_ref().filter(|fit| !fit.fits());
    let counts = unfit.and_then(|fit| fit.decisive()).map(|saver| saver.counts.to_string());
    let unfit = unfit.map(|_| format!("the graph does not fit: {}", counts.unwrap_or_default()));
    let findings = graph.checked.total();
    let wrong = (findings > 0).then(|| format!("{} in its nodes", plural(findings, "finding")));
    let details = graph.checked.findings.iter();
    let details =
        details.map(|finding| printable(&format!("{}: {}", finding.path, finding.problem)));
    let line = unfit.into_iter().chain(wrong).collect::<Vec<_>>().join("; ");
    Outcome::Failed(Reason { kind: "fit", line, details: details.collect() })
}

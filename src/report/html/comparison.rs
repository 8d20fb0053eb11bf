//! The page of a comparison.

use std::io::{self, Write};

use super::notes::Notes;
use super::page::{self, Page};
use super::scopes::Tree;
use super::{answer, changes, gates, tensors, why};
use crate::diff::{Diff, TextView};
use crate::report::human::number;
use crate::report::{Judged, ReportOptions};

/// Writes the page of a comparison.
pub(super) fn write(
    diff: &Diff,
    judged: Option<&Judged<'_>>,
    texts: Option<&TextView<'_>>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = answer::text(diff, judged);
    let page = Page { title: &title, has_script: true };
    page.begin(out)?;
    let judgement = judged.map(|judged| judged.judgement).filter(|of| gates::has_any(of));
    let why = why::Why::of(diff, options.sort).filter(|_| judged.is_none());
    let tree = Tree::of(diff).filter(|_| diff.coverage.has_tensors());
    let has_tensors = !diff.tensors.is_empty();
    let graph = changes::total(diff);
    let notes = Notes::of(diff, judged);
    let counted = |title: &str, n: usize| format!("{title} ({})", number::count(n as u64));
    let mut sections = Vec::new();
    sections.extend(judgement.map(|of| ("rules", counted("Rules", of.failures.len()))));
    sections.extend(why.as_ref().map(|_| ("why", "What changed".to_owned())));
    sections.extend(tree.as_ref().map(|_| ("scopes", "Scopes".to_owned())));
    sections.extend(has_tensors.then(|| ("tensors", counted("Tensors", diff.tensors.len()))));
    sections.extend((graph > 0).then(|| ("changes", counted("Graph", graph))));
    sections.extend(notes.lists.iter().map(|list| (list.id, list.title.to_owned())));
    answer::write(title.clone(), (diff, judged), sections, options, out)?;
    if let Some(judgement) = judgement {
        gates::write(judgement, out)?;
    }
    why.iter().try_for_each(|why| page::write(why, out))?;
    tree.iter().try_for_each(|tree| page::write(tree, out))?;
    if has_tensors {
        tensors::write(diff, judged, options, out)?;
    }
    if graph > 0 {
        changes::write(diff, texts, options, out)?;
    }
    notes.write(out)?;
    writeln!(out, "</main>")?;
    page.end(out)
}

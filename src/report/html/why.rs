//! The changes, for a comparison without rules: each kind with the tensors that changed most.

use askama::Template;

use super::rows::{Row, id_of, percent};
use crate::diff::{Diff, TensorDiff};
use crate::report::human::number;
use crate::report::human::tensor_tables::new_non_finite;
use crate::report::human::tensors::{headings, without_tensor};
use crate::report::human::terminal_text::{printable, short_of};
use crate::summary::{SectionKind, SortKey, sections};

/// The tensors that are named of each kind.
const NAMED: usize = 3;

/// The kinds of change, the most important first.
#[derive(Template)]
#[template(path = "why.html", config = "src/report/html/askama.toml")]
pub(super) struct Why {
    kinds: Vec<Kind>,
}

struct Kind {
    title: String,
    count: String,
    /// The id of the row, the name, and what is to be said of it.
    tensors: Vec<(String, String, String)>,
    more: Option<String>,
}

impl Why {
    /// The kinds of change of tensors; `None` if none changed.
    pub(super) fn of(diff: &Diff, key: SortKey) -> Option<Self> {
        let sections = sections(diff, key);
        let kinds: Vec<Kind> = sections
            .iter()
            .zip(headings(diff, &sections))
            .map(|(section, (title, count))| Kind {
                title,
                count,
                tensors: section
                    .tensors
                    .iter()
                    .take(NAMED)
                    .map(|tensor| named(tensor, section.kind))
                    .collect(),
                more: Some(section.tensors.len().saturating_sub(NAMED) as u64)
                    .filter(|&n| n > 0)
                    .map(number::count),
            })
            .collect();
        (!kinds.is_empty()).then_some(Self { kinds })
    }
}

fn named(tensor: &TensorDiff, kind: SectionKind) -> (String, String, String) {
    let found = tensor.comparison.as_deref();
    let new = new_non_finite([tensor]);
    let text = match kind {
        SectionKind::Unreadable => {
            let error = tensor.error.as_ref().map(|error| printable(&without_tensor(error)));
            error.map(|error| short_of(&error).into_owned()).unwrap_or_default()
        }
        SectionKind::NonFinite => new.unwrap_or_default(),
        SectionKind::Type | SectionKind::Removed | SectionKind::Added => {
            let what = Row::of(tensor, &Default::default()).what;
            new.map(|new| format!("{what}; {new}")).unwrap_or(what)
        }
        SectionKind::Values => {
            let moved = found.and_then(|found| found.rel_l2).map(percent);
            moved.map(|moved| format!("rel l2 {moved}")).unwrap_or_default()
        }
    };
    (id_of(&tensor.name), short_of(&tensor.shown_name()).into_owned(), text)
}

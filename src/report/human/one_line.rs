//! A tensor, a change or an error in one line, for reports that have no room for a table.

use crate::diff::{ReportedChange, Status, TensorDiff};
use crate::error::Error;
use crate::summary::Fold;

use super::tensor_tables::{
    change_of_type, described, largest, new_non_finite, share, values_note,
};
use super::terminal_text::{printable, short_of};
use super::{change_text, grouped, number};

/// The name of a tensor, without its middle if it is very long.
pub(in crate::report) fn name(tensor: &TensorDiff) -> String {
    short_of(&tensor.shown_name()).into_owned()
}

/// How a tensor differs, without its name: `all 1,024 elements changed, rel l2 46.6%, …`.
pub(in crate::report) fn difference(tensor: &TensorDiff) -> String {
    let facts = |side: &Option<_>| side.as_ref().map(described).unwrap_or_default();
    let new = new_non_finite([tensor]).map(|new| format!("; {new}")).unwrap_or_default();
    match tensor.status {
        Status::Identical => "identical".into(),
        Status::Uncompared => "of the same dtype and shape; the values were not compared".into(),
        Status::Removed => format!("removed: only in lhs, {}", facts(&tensor.lhs)),
        Status::Added => format!("added: only in rhs, {}{new}", facts(&tensor.rhs)),
        Status::Shape => format!("another shape: {}{new}", change_of_type(tensor)),
        Status::Dtype => {
            let rows = Fold::none(&[tensor]);
            let note = rows.first().map(values_note).filter(|note| !note.is_empty());
            let note = note.map(|note| format!("; {note}")).unwrap_or_default();
            format!("another dtype: {}{note}{new}", change_of_type(tensor))
        }
        Status::Error => match &tensor.error {
            Some(error) => self::error(error),
            None => "it cannot be read".into(),
        },
        Status::Close | Status::Different => values(tensor),
    }
}

/// How the values of a tensor differ.
fn values(tensor: &TensorDiff) -> String {
    let rows = Fold::none(&[tensor]);
    let (Some(row), Some(found)) = (rows.first(), tensor.comparison.as_deref()) else {
        return "the checksums differ".into();
    };
    let mut parts = Vec::new();
    parts.extend(new_non_finite([tensor]));
    if found.mismatched > 0 {
        parts.push(match share(row) {
            _ if found.elements == 1 => "its value changed".into(),
            share if share.ends_with('%') => format!("{share} of the elements changed"),
            share => format!("{share} elements changed"),
        });
    }
    parts.extend(found.rel_l2.map(|moved| format!("rel l2 {}", number::percent(moved))));
    let [max_abs, at, pair] = largest(row, tensor);
    let at = at.filter(|at| !at.is_empty());
    let place = [max_abs.map(|max| format!("max abs {max}")), at.map(|at| format!("at {at}"))];
    let place = place.into_iter().flatten().collect::<Vec<_>>().join(" ");
    parts.extend(match (place.is_empty(), pair) {
        (false, Some(pair)) => Some(format!("{place}: {pair}")),
        (false, None) => Some(place),
        (true, pair) => pair,
    });
    parts.join(", ")
}

/// A change of a message: its path, its old and new value, and what it stands for.
pub(in crate::report) fn change(reported: ReportedChange<'_>) -> [String; 2] {
    // The columns of a table are apart, the words of a line are not.
    let mut text = change_text::text(reported.change).replace("  ", " ");
    if let Some(more) = grouped::text(reported) {
        text += &format!(" ({more})");
    }
    [change_text::subject(reported.change), text]
}

/// An error.
pub(in crate::report) fn error(error: &Error) -> String {
    printable(&short_of(&error.to_string().replace(['\r', '\n'], " ")))
}

//! The rows of the table of tensors: every tensor of the comparison, the most important first.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::answer::role;
use super::drift;
use crate::bytes::hex;
use crate::compare::Comparison;
use crate::diff::{Diff, Status, TensorDiff};
use crate::report::human::number;
use crate::report::human::tensor_tables::{change_of_type, described};
use crate::report::human::terminal_text::short_of;
use crate::rules::{CheckSubject, Judgement};
use crate::summary::{SortKey, has_new_non_finite, movement, sections};
use crate::tensor::Name;

/// The rows of a block, which a browser lays out together. The style reserves the height of so many.
pub(super) const BLOCK: usize = 100;

/// The text of a cell without a value.
pub(super) const NONE: &str = "–";

/// A share or movement in percent, with its thousands grouped: `3,766%`.
pub(super) fn percent(value: f64) -> String {
    let text = number::percent(value);
    let whole = text.strip_suffix('%').and_then(|digits| digits.parse().ok());
    whole.map_or(text, |whole| format!("{}%", number::count(whole)))
}

/// A row of the table.
#[derive(Debug)]
pub(super) struct Row {
    /// The id in the page.
    pub(super) id: String,
    /// The name that reports show.
    pub(super) name: String,
    /// The result.
    pub(super) status: &'static str,
    /// Whether the tensor breaks a rule.
    pub(super) is_broken: bool,
    /// The role, or nothing.
    pub(super) role: &'static str,
    /// Dtype and shape, or how they changed.
    pub(super) what: String,
    /// The number of elements.
    pub(super) elements: String,
    /// The share of elements that mismatch.
    pub(super) changed: String,
    /// The movement.
    pub(super) rel_l2: String,
    /// The class of the movement.
    pub(super) class: &'static str,
    /// Whether there are new NaN or infinities.
    pub(super) is_non_finite: bool,
    /// The largest difference.
    pub(super) max_abs: String,
}

/// The id of the row of a tensor. A digest, so that it stays the same from report to report.
pub(super) fn id_of(name: &Name) -> String {
    const BYTES: usize = 6;
    let digest = Sha256::digest(name.as_bytes());
    format!("t{}", hex(digest.get(..BYTES).unwrap_or_default()))
}

/// All tensors: first those that changed, as in the report for people; then those that may be renamed, and those that are close or
/// identical, by name.
pub(super) fn in_order(diff: &Diff, key: SortKey) -> Vec<&TensorDiff> {
    let sections = sections(diff, key);
    let mut all: Vec<&TensorDiff> =
        sections.iter().flat_map(|section| section.tensors.iter().copied()).collect();
    let listed: BTreeSet<&Name> = all.iter().map(|tensor| &tensor.name).collect();
    let mut rest: Vec<_> =
        diff.tensors.iter().filter(|tensor| !listed.contains(&tensor.name)).collect();
    // A stable sort keeps the order of the names.
    rest.sort_by_key(|tensor| match tensor.status {
        Status::Close => 1,
        Status::Identical | Status::Uncompared => 2,
        _ => 0,
    });
    all.extend(rest);
    all
}

/// The names of the tensors that break a rule.
pub(super) fn broken<'j>(judgement: Option<&'j Judgement>) -> BTreeSet<&'j Name> {
    let failures = judgement.map(|judgement| judgement.failures.as_slice()).unwrap_or_default();
    let subjects = failures.iter().map(|check| &check.subject);
    let name = |subject: &'j CheckSubject| match subject {
        CheckSubject::Tensor(name, _) => Some(name),
        CheckSubject::Change(_) | CheckSubject::Op(_) => None,
    };
    subjects.filter_map(name).collect()
}

impl Row {
    /// The row of a tensor.
    pub(super) fn of(tensor: &TensorDiff, broken: &BTreeSet<&Name>) -> Self {
        let comparison = tensor.comparison.as_deref();
        let moved = comparison.and_then(|found| found.rel_l2);
        let text = |value: Option<String>| value.unwrap_or_else(|| NONE.into());
        let facts = tensor.rhs.as_ref().or(tensor.lhs.as_ref());
        Self {
            id: id_of(&tensor.name),
            name: short_of(&tensor.shown_name()).into_owned(),
            status: tensor.status.name(),
            is_broken: broken.contains(&tensor.name),
            role: role(tensor.role),
            what: what(tensor),
            elements: text(facts.map(|facts| number::count(facts.shape.elements()))),
            changed: text(comparison.map(share)),
            rel_l2: text(moved.map(percent)),
            class: drift::class(&movement([tensor])),
            is_non_finite: has_new_non_finite(tensor),
            max_abs: text(comparison.and_then(|found| found.max_abs).map(number::short)),
        }
    }
}

/// Dtype and shape; how they changed, if they did.
fn what(tensor: &TensorDiff) -> String {
    match (&tensor.lhs, &tensor.rhs) {
        (Some(lhs), Some(rhs)) if lhs != rhs => change_of_type(tensor),
        (lhs, rhs) => rhs.as_ref().or(lhs.as_ref()).map(described).unwrap_or_default(),
    }
}

/// The share of elements that mismatch. A partial change is never rounded up to 100%.
fn share(found: &Comparison) -> String {
    match (found.mismatched, found.elements) {
        (0, _) => "0%".into(),
        (mismatched, elements) if mismatched == elements => "100%".into(),
        (mismatched, elements) => number::percent((mismatched as f64 / elements as f64).min(0.999)),
    }
}

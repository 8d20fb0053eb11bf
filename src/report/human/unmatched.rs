//! The answer where tensors were removed and added, and no other tensor changed.

use crate::diff::{Diff, Status};

use super::number;
use super::terminal_text::plural;

/// Whether tensors were removed and added, and nothing else about tensors changed.
fn all_are_unmatched(diff: &Diff) -> bool {
    let counts = diff.counts();
    let others = [Status::Different, Status::Dtype, Status::Shape];
    others.iter().all(|&status| counts.of(status) == 0)
        && counts.of(Status::Removed) > 0
        && counts.of(Status::Added) > 0
}

/// Whether every changed tensor seems renamed.
pub(super) fn are_all_renamed(diff: &Diff) -> bool {
    let counts = diff.counts();
    let n = diff.renames.len() as u64;
    all_are_unmatched(diff) && [Status::Removed, Status::Added].map(|of| counts.of(of)) == [n, n]
}

/// The answer if every tensor that only one side has seems renamed: no value changed.
pub(super) fn only_renamed(diff: &Diff) -> Option<String> {
    let counts = diff.counts();
    let n = diff.renames.len() as u64;
    are_all_renamed(diff).then(|| {
        let renamed = seem_renamed(n);
        let rest = counts.total() - 2 * n;
        match (rest, counts.of(Status::Close)) {
            (0, _) => format!("{renamed}, with equal values"),
            (1, 0) => format!("{renamed}, with equal values; the other one is identical"),
            (_, 0) => format!(
                "{renamed}, with equal values; the other {} are identical",
                number::count(rest)
            ),
            _ => format!("{renamed}, with equal values; no other one changed beyond the tolerance"),
        }
    })
}

/// The answer if both sides have tensors, and no name is on both.
pub(super) fn no_common_name(diff: &Diff) -> Option<String> {
    let counts = diff.counts();
    let [removed, added] = [Status::Removed, Status::Added].map(|status| counts.of(status));
    let is_meant = all_are_unmatched(diff) && removed + added == counts.total();
    let filters = match diff.left_out.total() + diff.not_frozen {
        0 => "",
        _ => "compared ",
    };
    let [removed, added] = [removed, added].map(number::count);
    is_meant.then(|| {
        format!("no {filters}tensor name in common: {removed} only in lhs, {added} only in rhs")
    })
}

/// How many tensors seem renamed, if the other changed tensors were added or removed.
pub(super) fn renamed(diff: &Diff) -> Option<String> {
    let n = diff.renames.len() as u64;
    let is_meant = n > 0 && all_are_unmatched(diff) && !are_all_renamed(diff);
    is_meant.then(|| seem_renamed(n))
}

fn seem_renamed(n: u64) -> String {
    let verb = if n == 1 { "seems" } else { "seem" };
    format!("{} {verb} renamed", plural(n, "tensor"))
}

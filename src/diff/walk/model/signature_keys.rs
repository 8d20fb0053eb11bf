//! Tells inputs and outputs of signatures that have another name as renamed, rather than as removed and added.

use std::collections::BTreeMap;

use crate::diff::counters::unnumbered;
use crate::diff::matching::graph::Renames;
use crate::diff::path::{Path, PathBuilder, Step};
use crate::diff::{Change, ChangeKind};
use crate::message::{entries, field, string};
use crate::schema::field::{
    meta_graph_def, signature_def,
    tensor_info::{self, DTYPE, TENSOR_SHAPE},
};

/// Replaces pairs of a removed and an added input or output by one change, if they name the same tensor, and their names differ
/// only in numbers that TensorFlow appended. The changes from position `before` on are of one meta graph, given by its two sides.
pub(super) fn pair_renamed(
    (lhs, rhs): (&[u8], &[u8]),
    renames: &Renames,
    at: &PathBuilder<'_>,
    changes: &mut Vec<Change>,
    before: usize,
) {
    let mut waiting = BTreeMap::<(SignatureList<'_>, String), Vec<usize>>::new();
    for (position, change) in changes.iter().enumerate().skip(before) {
        if let Some((list, key)) = entry(&change.path) {
            waiting.entry((list, unnumbered(key))).or_default().push(position);
        }
    }
    let mut renamed = BTreeMap::new();
    for ((list, _), positions) in &waiting {
        let [a, b] = positions.as_slice() else { continue };
        let of_kind = |kind| {
            let found =
                [a, b].into_iter().find(|&&at| changes.get(at).is_some_and(|c| c.kind == kind));
            found.and_then(|&at| Some((at, entry(&changes.get(at)?.path)?.1)))
        };
        let (Some((removed, from)), Some((added, to))) =
            (of_kind(ChangeKind::Removed), of_kind(ChangeKind::Added))
        else {
            continue;
        };
        if list.is_same_tensor((lhs, from), (rhs, to), renames) {
            let signatures = at.field("signature_def");
            let signature = signatures.key(list.signature);
            let path = signature.field(list.field).key_pair(from, to).path();
            renamed.insert(removed, Some(Change::renamed(path, from, to)));
            renamed.insert(added, None);
        }
    }
    let mut position = 0;
    let replaced = std::mem::take(changes).into_iter().filter_map(|change| {
        position += 1;
        renamed.remove(&(position - 1)).unwrap_or(Some(change))
    });
    *changes = replaced.collect();
}

/// The inputs or outputs of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SignatureList<'a> {
    signature: &'a str,
    /// `inputs` or `outputs`.
    field: &'a str,
}

impl SignatureList<'_> {
    /// Whether two entries are the same tensor, of equal dtype and shape.
    fn is_same_tensor(
        self,
        (lhs, from): (&[u8], &str),
        (rhs, to): (&[u8], &str),
        renames: &Renames,
    ) -> bool {
        let (Some(lhs), Some(rhs)) = (self.info(lhs, from), self.info(rhs, to)) else {
            return false;
        };
        let name = |info| string(info, tensor_info::NAME);
        let (l, r) = (name(lhs), name(rhs));
        (l == r || renames.is_rename(l, r))
            && [DTYPE, TENSOR_SHAPE].iter().all(|&number| field(lhs, number) == field(rhs, number))
    }

    /// The `TensorInfo` of an entry.
    fn info<'m>(self, meta_graph: &'m [u8], key: &str) -> Option<&'m [u8]> {
        let of_key = |bytes: &'m [u8], number, key: &str| {
            entries(bytes, number).find(|(name, _)| *name == key).map(|(_, value)| value)
        };
        let signature = of_key(meta_graph, meta_graph_def::SIGNATURE_DEF, self.signature)?;
        let list = match self.field {
            "inputs" => signature_def::INPUTS,
            _ => signature_def::OUTPUTS,
        };
        of_key(signature, list, key)
    }
}

/// The list and the key of an input or output of a signature.
fn entry(path: &Path) -> Option<(SignatureList<'_>, &str)> {
    let steps = path.steps();
    let [.., Step::Field(signatures), Step::Key(signature), Step::Field(list), Step::Key(key)] =
        steps.as_slice()
    else {
        return None;
    };
    let is_list = matches!((&**signatures, &**list), ("signature_def", "inputs" | "outputs"));
    is_list.then_some((SignatureList { signature, field: list }, key))
}

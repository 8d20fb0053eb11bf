//! Compares the inputs of nodes: data inputs in order, control inputs as a set.

use super::groups::ChangedGroups;
use crate::diff::matching::graph::{Matching, Renames, SaverPair, Savers};
use crate::diff::path::PathBuilder;
use crate::diff::{BoundaryChange, Change, Detail, Path, Weight};
use crate::graph::{Input, NodeId, NodeKind};

/// Compares the inputs of a pair of nodes.
pub(super) struct InputComparison<'x, 'g, 'm> {
    pub(super) matching: &'x Matching<'g, 'm>,
    pub(super) savers: &'x Savers,
    /// The saver functions that the nodes call, if any.
    pub(super) call: Option<&'x SaverPair<'x>>,
    /// The renames of checkpoint keys.
    pub(super) keys: &'x Renames,
    pub(super) pair: (NodeId, NodeId),
    /// The path of the node; of a result of a function, of the result.
    pub(super) at: &'x PathBuilder<'x>,
    /// Whether the order of data inputs does not matter to the op.
    pub(super) is_commutative: bool,
    /// Receives changes that follow from added or removed nodes.
    pub(super) groups: &'x mut ChangedGroups,
    /// Receives the other changes.
    pub(super) out: &'x mut Vec<Change>,
}

impl<'m> InputComparison<'_, '_, 'm> {
    pub(super) fn compare(&mut self) {
        let (l, r) = self.pair;
        let before = self.out.len();
        let of_kind = |inputs: &[Input<'m>], control: bool| -> Vec<Input<'m>> {
            inputs.iter().filter(|input| input.is_control == control).copied().collect()
        };
        let (lhs_inputs, rhs_inputs) = self.matching.inputs(l, r);
        let (mut lhs_data, mut rhs_data) = (of_kind(lhs_inputs, false), of_kind(rhs_inputs, false));
        if self.savers.are_savers(l, r) {
            // All inputs but the file name are reported by variable.
            lhs_data.truncate(1);
            rhs_data.truncate(1);
        }
        match self.call {
            Some(call) => self.saved(call, &lhs_data, &rhs_data),
            None => self.data(&lhs_data, &rhs_data),
        }
        self.control(&of_kind(lhs_inputs, true), &of_kind(rhs_inputs, true));
        // The same inputs, but TensorFlow refuses a node with data after a control input.
        let is_valid = |inputs: &[Input<'m>]| inputs.is_sorted_by_key(|input| input.is_control);
        let mut new = self.out.iter().skip(before);
        let is_reported = new.any(|change| change.weight == Weight::Semantic);
        if !is_reported && is_valid(lhs_inputs) != is_valid(rhs_inputs) {
            let [l, r] = [lhs_inputs, rhs_inputs].map(|inputs| Some(texts(inputs)));
            self.out.push(self.change(self.list(), l, r));
        }
    }

    /// Reports variables that are passed for another key.
    fn saved(&mut self, call: &SaverPair, lhs: &[Input<'m>], rhs: &[Input<'m>]) {
        for pair in call.arguments(lhs.len(), rhs.len()) {
            let a = pair.lhs.and_then(|at| lhs.get(at));
            let b = pair.rhs.and_then(|at| rhs.get(at));
            let path = self.input_path(pair.rhs.or(pair.lhs).unwrap_or_default());
            match (a, b) {
                (None, None) => {}
                (Some(a), Some(b)) if self.is_same(a, b) => {}
                // The group of a node that was added or removed shows it, too.
                _ if pair.is_reported => drop(self.rewiring(path, a, b)),
                _ => self.rewired(path, a, b),
            }
        }
    }

    fn data(&mut self, lhs: &[Input<'m>], rhs: &[Input<'m>]) {
        let equal = |(a, b): &(&Input<'m>, &Input<'m>)| self.is_same(a, b);
        let start = lhs.iter().zip(rhs).take_while(equal).count();
        let rest = lhs.len().min(rhs.len()) - start;
        let end = lhs.iter().rev().zip(rhs.iter().rev()).take(rest).take_while(equal).count();
        let unmatched_lhs = lhs.get(start..lhs.len() - end).unwrap_or_default();
        let unmatched_rhs = rhs.get(start..rhs.len() - end).unwrap_or_default();
        if unmatched_lhs.is_empty() && unmatched_rhs.is_empty() {
            return self.notation(lhs, rhs);
        }
        if self.is_permutation(unmatched_lhs, unmatched_rhs) {
            let weight = if self.is_commutative { Weight::Cosmetic } else { Weight::Semantic };
            let change = self.change(self.list(), Some(texts(lhs)), Some(texts(rhs)));
            return self.out.push(change.with_weight(weight));
        }
        for offset in 0..unmatched_lhs.len().max(unmatched_rhs.len()) {
            let (a, b) = (unmatched_lhs.get(offset), unmatched_rhs.get(offset));
            if let (Some(a), Some(b)) = (a, b)
                && self.is_same(a, b)
            {
                continue;
            }
            self.rewired(self.input_path(start + offset), a, b);
        }
    }

    fn control(&mut self, lhs: &[Input<'m>], rhs: &[Input<'m>]) {
        let (lhs_keys, rhs_keys) = (self.keys(lhs, true), self.keys(rhs, false));
        if has_same_keys(&lhs_keys, &rhs_keys) {
            let same = |(a, b): (&Input<'m>, &Input<'m>)| self.is_same(a, b);
            if lhs.len() != rhs.len() || !lhs.iter().zip(rhs).all(same) {
                let (l, r) = (Some(texts(lhs)), Some(texts(rhs)));
                let change = self.change(self.list(), l, r);
                self.out.push(change.with_weight(Weight::Cosmetic));
            }
            return;
        }
        let lacks = |keys: &[(InputKey<'m>, &Input<'m>)], key: &InputKey<'m>| {
            keys.binary_search_by(|(known, _)| known.cmp(key)).is_err()
        };
        for (_, input) in lhs_keys.iter().filter(|(key, _)| lacks(&rhs_keys, key)) {
            self.rewired(self.named(input), Some(*input), None);
        }
        for (_, input) in rhs_keys.iter().filter(|(key, _)| lacks(&lhs_keys, key)) {
            self.rewired(self.named(input), None, Some(*input));
        }
    }

    /// Reports an input with another source.
    fn rewired(&mut self, path: Path, lhs: Option<&Input<'m>>, rhs: Option<&Input<'m>>) {
        let change = self.rewiring(path, lhs, rhs);
        self.out.extend(change);
    }

    /// The change of an input with another source; `None` if it follows from an added or removed source and was added to its group.
    fn rewiring(
        &mut self,
        path: Path,
        lhs: Option<&Input<'m>>,
        rhs: Option<&Input<'m>>,
    ) -> Option<Change> {
        let text = |input: Option<&Input<'_>>| input.map(|input| input.text.to_owned());
        let gone = lhs.and_then(|i| i.source).filter(|&id| self.matching.to_rhs(id).is_none());
        let new = rhs.and_then(|i| i.source).filter(|&id| self.matching.to_lhs(id).is_none());
        let (lhs, rhs) = (text(lhs), text(rhs));
        if gone.is_none() && new.is_none() {
            return Some(self.change(path, lhs, rhs));
        }
        let change = BoundaryChange { path, lhs, rhs };
        if let Some(gone) = gone {
            self.groups.removed.add_boundary(gone, change.clone());
        }
        if let Some(new) = new {
            self.groups.added.add_boundary(new, change);
        }
        None
    }

    /// Reports inputs in another notation: `x` and `x:0`.
    fn notation(&mut self, lhs: &[Input<'m>], rhs: &[Input<'m>]) {
        for (index, (a, b)) in lhs.iter().zip(rhs).enumerate() {
            if a.text.contains(':') != b.text.contains(':') {
                let (l, r) = (Some(a.text.to_owned()), Some(b.text.to_owned()));
                let change = self.change(self.input_path(index), l, r);
                self.out.push(change.with_weight(Weight::Cosmetic));
            }
        }
    }

    fn is_same(&self, lhs: &Input<'m>, rhs: &Input<'m>) -> bool {
        let (l, r) = (self.matching.lhs, self.matching.rhs);
        if l.is_restored(lhs)
            && r.is_restored(rhs)
            && let Some(is_same) =
                self.savers.bring_same(self.matching, self.keys, self.pair, (lhs, rhs))
        {
            return is_same;
        }
        lhs.port == rhs.port
            && match (lhs.source, rhs.source) {
                (Some(l), Some(r)) => self.matching.to_rhs(l) == Some(r),
                (None, None) => lhs.source_name() == rhs.source_name(),
                _ => false,
            }
    }

    /// Inputs by source, sorted and unique.
    fn keys<'i>(
        &self,
        inputs: &'i [Input<'m>],
        is_lhs: bool,
    ) -> Vec<(InputKey<'m>, &'i Input<'m>)> {
        let key = |input: &'i Input<'m>| {
            let in_rhs = match input.source {
                Some(source) if is_lhs => self.matching.to_rhs(source),
                source => source,
            };
            // A source that the other side lacks is identified by its name, which no node of the other side
            // has.
            (in_rhs, if in_rhs.is_none() { input.source_name() } else { "" }, input.port)
        };
        let mut keys: Vec<_> = inputs.iter().map(|input| (key(input), input)).collect();
        keys.sort_by_key(|(key, _)| *key);
        keys.dedup_by(|(a, _), (b, _)| a == b && a.2.is_empty());
        keys
    }

    fn is_permutation(&self, lhs: &[Input<'m>], rhs: &[Input<'m>]) -> bool {
        lhs.len() == rhs.len() && has_same_keys(&self.keys(lhs, true), &self.keys(rhs, false))
    }

    fn change(&self, path: Path, lhs: Option<String>, rhs: Option<String>) -> Change {
        let op = self.matching.rhs.node(self.pair.1).op;
        Change::new(path, lhs, rhs).with_detail(Detail::Op(op.into()))
    }

    /// The path of all inputs; of a result of a function, of the result.
    fn list(&self) -> Path {
        self.path(|input| input.path())
    }

    /// The path of a data input.
    fn input_path(&self, index: usize) -> Path {
        self.path(|input| input.index(index).path())
    }

    /// The path of a control input.
    fn named(&self, input: &Input<'_>) -> Path {
        self.path(|list| list.key(input.text).path())
    }

    fn path(&self, of_input: impl FnOnce(&PathBuilder<'_>) -> Path) -> Path {
        match self.matching.rhs.node(self.pair.1).kind {
            NodeKind::Node => of_input(&self.at.field("input")),
            _ => self.at.path(),
        }
    }
}

/// The source of an input: the node in rhs, or an unresolved name; and the output.
type InputKey<'m> = (Option<NodeId>, &'m str, &'m str);

fn texts(inputs: &[Input<'_>]) -> String {
    let texts: Vec<_> = inputs.iter().map(|input| input.text).collect();
    texts.join(", ")
}

/// Whether two lists of inputs have the same keys.
fn has_same_keys(lhs: &[(InputKey<'_>, &Input<'_>)], rhs: &[(InputKey<'_>, &Input<'_>)]) -> bool {
    lhs.iter().map(|(key, _)| key).eq(rhs.iter().map(|(key, _)| key))
}

//! What a node takes: the data inputs in their order, the control inputs as a set.

use super::groups::Groups;
use super::matching::Matching;
use super::renames::Renames;
use super::saver_functions::SaverPair;
use super::savers::Savers;
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Path, Rewired, Weight};
use crate::graph::{Input, NodeId, Role};

/// What came and what went, with the inputs that changed because of it.
#[derive(Debug)]
pub(super) struct Borders {
    /// Nodes that only lhs has.
    pub(super) removed: Groups,
    /// Nodes that only rhs has.
    pub(super) added: Groups,
}

/// Compares the inputs of a pair of nodes.
pub(super) struct Inputs<'x, 'g, 'm> {
    pub(super) matching: &'x Matching<'g, 'm>,
    pub(super) savers: &'x Savers,
    /// The functions that save or restore, where the nodes call such.
    pub(super) call: Option<&'x SaverPair>,
    /// What became of keys of checkpoints.
    pub(super) keys: &'x Renames,
    pub(super) pair: (NodeId, NodeId),
    /// The way to the node; of a result of a function, to that.
    pub(super) at: &'x Trail<'x>,
    /// Whether its op gives the same for data inputs in any order.
    pub(super) is_commutative: bool,
}

impl<'m> Inputs<'_, '_, 'm> {
    /// Tells what differs; what differs because nodes came or went is told with those.
    pub(super) fn compare(&self, borders: &mut Borders, out: &mut Vec<Change>) {
        let (lhs, rhs) = (self.matching.lhs, self.matching.rhs);
        let (l, r) = self.pair;
        let of_kind = |inputs: &[Input<'m>], control: bool| -> Vec<Input<'m>> {
            inputs.iter().filter(|input| input.is_control == control).copied().collect()
        };
        let (left, right) = (lhs.inputs(lhs.node(l)), rhs.inputs(rhs.node(r)));
        let (mut left_data, mut right_data) = (of_kind(left, false), of_kind(right, false));
        if self.savers.are_savers(l, r) {
            // All but the file is told by variable.
            left_data.truncate(1);
            right_data.truncate(1);
        }
        match self.call {
            Some(call) => self.saved(call, &left_data, &right_data, borders, out),
            None => self.data(&left_data, &right_data, borders, out),
        }
        self.control(&of_kind(left, true), &of_kind(right, true), borders, out);
    }

    /// Tells which variables are no longer passed for the key that they were passed for.
    fn saved(
        &self,
        call: &SaverPair,
        lhs: &[Input<'m>],
        rhs: &[Input<'m>],
        borders: &mut Borders,
        out: &mut Vec<Change>,
    ) {
        for (l, r) in call.arguments(lhs.len(), rhs.len()) {
            let (a, b) = (l.and_then(|at| lhs.get(at)), r.and_then(|at| rhs.get(at)));
            let slot = self.slot(r.or(l).unwrap_or_default());
            match (a, b) {
                (Some(a), Some(b)) if self.is_same(a, b) => {}
                (Some(_), Some(_)) => self.rewired(slot, a, b, borders, out),
                // That it is saved, or is no more, is told of the function.
                _ => self.rewired(slot, a, b, borders, &mut Vec::new()),
            }
        }
    }

    fn data(
        &self,
        lhs: &[Input<'m>],
        rhs: &[Input<'m>],
        borders: &mut Borders,
        out: &mut Vec<Change>,
    ) {
        let equal = |(a, b): &(&Input<'m>, &Input<'m>)| self.is_same(a, b);
        let start = lhs.iter().zip(rhs).take_while(equal).count();
        let rest = lhs.len().min(rhs.len()) - start;
        let end = lhs.iter().rev().zip(rhs.iter().rev()).take(rest).take_while(equal).count();
        let left = lhs.get(start..lhs.len() - end).unwrap_or_default();
        let right = rhs.get(start..rhs.len() - end).unwrap_or_default();
        if left.is_empty() && right.is_empty() {
            return self.spelling(lhs, rhs, out);
        }
        if self.is_permutation(left, right) {
            let weight = if self.is_commutative { Weight::Cosmetic } else { Weight::Semantic };
            return out.push(self.change(self.list(), weight, Some(texts(lhs)), Some(texts(rhs))));
        }
        for offset in 0..left.len().max(right.len()) {
            let (a, b) = (left.get(offset), right.get(offset));
            if let (Some(a), Some(b)) = (a, b)
                && self.is_same(a, b)
            {
                continue;
            }
            self.rewired(self.slot(start + offset), a, b, borders, out);
        }
    }

    fn control(
        &self,
        lhs: &[Input<'m>],
        rhs: &[Input<'m>],
        borders: &mut Borders,
        out: &mut Vec<Change>,
    ) {
        let (left, right) = (self.keys(lhs, true), self.keys(rhs, false));
        if left.iter().map(|(key, _)| key).eq(right.iter().map(|(key, _)| key)) {
            let same = |(a, b): (&Input<'m>, &Input<'m>)| self.is_same(a, b);
            if lhs.len() != rhs.len() || !lhs.iter().zip(rhs).all(same) {
                let (l, r) = (Some(texts(lhs)), Some(texts(rhs)));
                out.push(self.change(self.list(), Weight::Cosmetic, l, r));
            }
            return;
        }
        let lacks = |keys: &[(Key<'m>, &Input<'m>)], key: &Key<'m>| {
            keys.binary_search_by(|(known, _)| known.cmp(key)).is_err()
        };
        for (_, input) in left.iter().filter(|(key, _)| lacks(&right, key)) {
            self.rewired(self.named(input), Some(*input), None, borders, out);
        }
        for (_, input) in right.iter().filter(|(key, _)| lacks(&left, key)) {
            self.rewired(self.named(input), None, Some(*input), borders, out);
        }
    }

    /// Tells of an input that comes from elsewhere, with the nodes that came or went where those are the reason.
    fn rewired(
        &self,
        path: Path,
        lhs: Option<&Input<'m>>,
        rhs: Option<&Input<'m>>,
        borders: &mut Borders,
        out: &mut Vec<Change>,
    ) {
        let text = |input: Option<&Input<'_>>| input.map(|input| input.text.to_owned());
        let gone = lhs.and_then(|i| i.source).filter(|&id| self.matching.to_rhs(id).is_none());
        let new = rhs.and_then(|i| i.source).filter(|&id| self.matching.to_lhs(id).is_none());
        let rewired = Rewired { path, lhs: text(lhs), rhs: text(rhs) };
        match (gone, new) {
            (None, None) => {
                let Rewired { path, lhs, rhs } = rewired;
                out.push(self.change(path, Weight::Semantic, lhs, rhs));
            }
            (gone, new) => {
                if let Some(gone) = gone {
                    borders.removed.border(gone, rewired.clone());
                }
                if let Some(new) = new {
                    borders.added.border(new, rewired);
                }
            }
        }
    }

    /// Tells of inputs that are spelled in another way: `x` and `x:0`.
    fn spelling(&self, lhs: &[Input<'m>], rhs: &[Input<'m>], out: &mut Vec<Change>) {
        for (slot, (a, b)) in lhs.iter().zip(rhs).enumerate() {
            if a.text.contains(':') != b.text.contains(':') {
                let (l, r) = (Some(a.text.to_owned()), Some(b.text.to_owned()));
                out.push(self.change(self.slot(slot), Weight::Cosmetic, l, r));
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

    /// Inputs by where they come from, sorted, each once.
    fn keys<'i>(&self, inputs: &'i [Input<'m>], is_lhs: bool) -> Vec<(Key<'m>, &'i Input<'m>)> {
        let key = |input: &'i Input<'m>| {
            let in_rhs = match input.source {
                Some(source) if is_lhs => self.matching.to_rhs(source),
                source => source,
            };
            // What the other side lacks is known by its name, which no node of the other side has.
            (in_rhs, if in_rhs.is_none() { input.source_name() } else { "" }, input.port)
        };
        let mut keys: Vec<_> = inputs.iter().map(|input| (key(input), input)).collect();
        keys.sort_by_key(|(key, _)| *key);
        keys.dedup_by(|(a, _), (b, _)| a == b && a.2.is_empty());
        keys
    }

    fn is_permutation(&self, lhs: &[Input<'m>], rhs: &[Input<'m>]) -> bool {
        lhs.len() == rhs.len() && {
            let (left, right) = (self.keys(lhs, true), self.keys(rhs, false));
            left.iter().map(|(key, _)| key).eq(right.iter().map(|(key, _)| key))
        }
    }

    fn change(
        &self,
        path: Path,
        weight: Weight,
        lhs: Option<String>,
        rhs: Option<String>,
    ) -> Change {
        let kind = match (&lhs, &rhs) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Modified,
        };
        let op = self.matching.rhs.node(self.pair.1).op;
        Change { path, kind, weight, lhs, rhs, detail: Detail::Op(op.into()) }
    }

    /// The way to all inputs.
    fn list(&self) -> Path {
        if self.is_node() { self.at.field("input").path() } else { self.at.path() }
    }

    /// The way to a data input.
    fn slot(&self, slot: usize) -> Path {
        if self.is_node() { self.at.field("input").index(slot).path() } else { self.at.path() }
    }

    /// The way to a control input.
    fn named(&self, input: &Input<'_>) -> Path {
        if self.is_node() { self.at.field("input").key(input.text).path() } else { self.at.path() }
    }

    fn is_node(&self) -> bool {
        self.matching.rhs.node(self.pair.1).role == Role::Node
    }
}

/// Where an input comes from: the node in rhs, or a name that leads nowhere there; and the output.
type Key<'m> = (Option<NodeId>, &'m str, &'m str);

fn texts(inputs: &[Input<'_>]) -> String {
    let texts: Vec<_> = inputs.iter().map(|input| input.text).collect();
    texts.join(", ")
}

//! Which object of lhs is which object of rhs.
//!
//! Both graphs are walked side by side from their roots: what has one name on both sides is one object. A child that only one
//! side has a name for is held against those of the other side by what it and all beneath it are.

use std::collections::BTreeMap;

use super::structure::hashes;
use crate::diff::Weight;
use crate::diff::graph::Renames;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Edge, Label, ObjectId, Way, path};

/// Two object graphs whose objects have found each other.
#[derive(Debug)]
pub(in crate::diff) struct Objects<'m> {
    pub(super) lhs: ObjectGraph<'m>,
    pub(super) rhs: ObjectGraph<'m>,
    to_rhs: Vec<Option<ObjectId>>,
    to_lhs: Vec<Option<ObjectId>>,
    /// The ways along which pairs were found.
    lhs_ways: Vec<Way<'m>>,
    rhs_ways: Vec<Way<'m>>,
    /// Every pair, behind the one that leads to it.
    pub(super) pairs: Vec<(ObjectId, ObjectId)>,
    /// Children that have another name.
    pub(super) renamed: Vec<Renamed<'m>>,
}

/// A child that goes by another name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renamed<'m> {
    /// The object whose child it is, in rhs.
    pub(super) of: ObjectId,
    pub(super) from: &'m str,
    pub(super) to: &'m str,
    /// The child, on each side.
    pub(super) pair: (ObjectId, ObjectId),
    /// Whether anyone gave it its names.
    pub(super) weight: Weight,
}

/// How many pairs were gone on from, along what.
#[derive(Debug, Default)]
struct Walked {
    children: usize,
    renamed: usize,
    others: usize,
}

/// What a reference goes by, in terms of rhs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'m> {
    Child(&'m str),
    /// A variable of rhs, or one of lhs that is not there in rhs.
    Slot(Option<ObjectId>, Option<ObjectId>, &'m str),
    Dependency(&'m str),
    Save(&'m str),
    Restore(&'m str),
    Bound(String, u32),
}

impl<'m> Objects<'m> {
    /// Brings the objects together; `functions` says what became of the names of functions.
    pub(in crate::diff) fn new(
        lhs: ObjectGraph<'m>,
        rhs: ObjectGraph<'m>,
        functions: &Renames,
    ) -> Self {
        let mut objects = Self {
            to_rhs: vec![None; lhs.len()],
            to_lhs: vec![None; rhs.len()],
            lhs_ways: lhs.ids().map(|id| lhs.way(id)).collect(),
            rhs_ways: rhs.ids().map(|id| rhs.way(id)).collect(),
            lhs,
            rhs,
            pairs: Vec::new(),
            renamed: Vec::new(),
        };
        let left = hashes(&objects.lhs, |name| functions.follow(name));
        let right = hashes(&objects.rhs, |_| None);
        if let (Some(l), Some(r)) = (objects.lhs.root(), objects.rhs.root()) {
            objects.pair((l, r), (Way::Root, Way::Root));
        }
        let mut walked = Walked::default();
        objects.walk(&mut walked, functions, &left, &right);
        objects.pair_lost(&left, &right);
        objects.walk(&mut walked, functions, &left, &right);
        objects
    }

    /// Goes on from every pair: along children of one name as far as they lead, then along renamed ones, then along all else.
    fn walk(&mut self, walked: &mut Walked, functions: &Renames, left: &[u64], right: &[u64]) {
        loop {
            if let Some(&pair) = self.pairs.get(walked.children) {
                walked.children += 1;
                self.children(pair);
            } else if let Some(&pair) = self.pairs.get(walked.renamed) {
                walked.renamed += 1;
                self.renamed_children(pair, left, right);
            } else if let Some(&pair) = self.pairs.get(walked.others) {
                walked.others += 1;
                self.others(pair, functions);
            } else {
                return;
            }
        }
    }

    fn children(&mut self, (l, r): (ObjectId, ObjectId)) {
        if is_set(self.lhs_way(l)) && is_set(self.rhs_way(r)) && self.variables((l, r)) {
            return;
        }
        let mut found = Vec::new();
        let mut right = self.rhs.children(r).peekable();
        for (name, a) in self.lhs.children(l) {
            while right.next_if(|(other, _)| *other < name).is_some() {}
            if let Some((other, b)) = right.next_if(|(other, _)| *other == name) {
                found.push((
                    (a, b),
                    (Way::From(l, Label::Child(name)), Way::From(r, Label::Child(other))),
                ));
            }
        }
        drop(right);
        found.into_iter().for_each(|(pair, ways)| self.pair(pair, ways));
    }

    /// Pairs the variables of two sets by their names; `false` where they are not the same, each once.
    fn variables(&mut self, (l, r): (ObjectId, ObjectId)) -> bool {
        let named = |graph: &ObjectGraph<'m>, of| {
            let children = graph.children(of);
            children
                .map(|(label, id)| (graph.variable_name(id), (label, id)))
                .collect::<BTreeMap<_, _>>()
        };
        let (left, right) = (named(&self.lhs, l), named(&self.rhs, r));
        let all = (self.lhs.children(l).count(), self.rhs.children(r).count());
        if !left.keys().eq(right.keys()) || all != (left.len(), right.len()) {
            return false;
        }
        for ((from, a), (to, b)) in left.into_values().zip(right.into_values()) {
            let ways = (Way::From(l, Label::Child(from)), Way::From(r, Label::Child(to)));
            self.pair((a, b), ways);
            if from != to && self.to_rhs(a) == Some(b) {
                let weight = Weight::Cosmetic;
                self.renamed.push(Renamed { of: r, from, to, pair: (a, b), weight });
            }
        }
        true
    }

    fn renamed_children(&mut self, (l, r): (ObjectId, ObjectId), left: &[u64], right: &[u64]) {
        let (mut lone, mut others) = (Vec::new(), Vec::new());
        let mut theirs = self.rhs.children(r).peekable();
        for (name, to) in self.lhs.children(l) {
            while let Some(other) = theirs.next_if(|(other, _)| *other < name) {
                others.push(other);
            }
            if theirs.next_if(|(other, _)| *other == name).is_none() {
                lone.push((name, to));
            }
        }
        others.extend(theirs);
        // What is one object already, and what is alike, in the order of names.
        let kind = |known: Option<ObjectId>, hashes: &[u64], id: ObjectId| match known {
            Some(known) => (true, u64::from(known.number())),
            None => (false, hashes.get(id.position()).copied().unwrap_or_default()),
        };
        let mut alike = BTreeMap::<_, (Vec<_>, Vec<_>)>::new();
        for (name, to) in lone {
            alike.entry(kind(self.to_rhs(to), left, to)).or_default().0.push((name, to));
        }
        for (name, to) in others {
            let known = self.to_lhs(to).map(|_| to);
            alike.entry(kind(known, right, to)).or_default().1.push((name, to));
        }
        for (lone, others) in alike.into_values().filter(|(l, r)| l.len() == r.len()) {
            for ((from, a), (to, b)) in lone.into_iter().zip(others) {
                self.pair(
                    (a, b),
                    (Way::From(l, Label::Child(from)), Way::From(r, Label::Child(to))),
                );
                if self.to_rhs(a) == Some(b) {
                    let weight = Weight::Semantic;
                    self.renamed.push(Renamed { of: r, from, to, pair: (a, b), weight });
                }
            }
        }
    }

    fn others(&mut self, (l, r): (ObjectId, ObjectId), functions: &Renames) {
        let is_other = |edge: &Edge<'m>| !matches!(edge.label, Label::Child(_));
        let theirs: BTreeMap<_, _> = self
            .rhs
            .edges(r)
            .iter()
            .filter(|(_, edge)| is_other(edge))
            .map(|(_, edge)| (self.rhs_key(edge.label), *edge))
            .collect();
        let mut found = Vec::new();
        for (_, edge) in self.lhs.edges(l).iter().filter(|(_, edge)| is_other(edge)) {
            if let Some(other) = theirs.get(&self.lhs_key(edge.label, functions)) {
                let ways = (Way::From(l, edge.label), Way::From(r, other.label));
                found.push(((edge.to, other.to), ways));
            }
        }
        found.into_iter().for_each(|(pair, ways)| self.pair(pair, ways));
    }

    /// Pairs what nothing leads to: by what it is, and then by its number.
    fn pair_lost(&mut self, left: &[u64], right: &[u64]) {
        let lost = |graph: &ObjectGraph<'m>, known: &[Option<ObjectId>], hashes: &[u64]| {
            let is_lost = |id: &ObjectId| {
                graph.way(*id) == Way::Lost && known.get(id.position()) == Some(&None)
            };
            let hash = |id: ObjectId| hashes.get(id.position()).copied().unwrap_or_default();
            graph.ids().filter(is_lost).map(|id| (hash(id), id)).collect::<Vec<_>>()
        };
        let mut theirs = BTreeMap::<u64, Vec<ObjectId>>::new();
        for (hash, id) in lost(&self.rhs, &self.to_lhs, right).into_iter().rev() {
            theirs.entry(hash).or_default().push(id);
        }
        let ways = (Way::Lost, Way::Lost);
        for (hash, l) in lost(&self.lhs, &self.to_rhs, left) {
            if let Some(r) = theirs.get_mut(&hash).and_then(Vec::pop) {
                self.pair((l, r), ways);
            }
        }
        let theirs = lost(&self.rhs, &self.to_lhs, right);
        for (_, l) in lost(&self.lhs, &self.to_rhs, left) {
            if let Ok(at) = theirs.binary_search_by_key(&l, |(_, id)| *id)
                && let Some((_, r)) = theirs.get(at)
            {
                self.pair((l, *r), ways);
            }
        }
    }

    /// Makes the two one, unless either is one with another.
    fn pair(&mut self, (l, r): (ObjectId, ObjectId), ways: (Way<'m>, Way<'m>)) {
        let (Some(to_rhs), Some(to_lhs)) =
            (self.to_rhs.get_mut(l.position()), self.to_lhs.get_mut(r.position()))
        else {
            return;
        };
        if to_rhs.is_none() && to_lhs.is_none() {
            (*to_rhs, *to_lhs) = (Some(r), Some(l));
            self.pairs.push((l, r));
            let slots = (self.lhs_ways.get_mut(l.position()), self.rhs_ways.get_mut(r.position()));
            if let (Some(left), Some(right)) = slots {
                (*left, *right) = ways;
            }
        }
    }

    /// The object of rhs that one of lhs is.
    pub(super) fn to_rhs(&self, l: ObjectId) -> Option<ObjectId> {
        self.to_rhs.get(l.position()).copied().flatten()
    }

    /// The object of lhs that one of rhs is.
    pub(super) fn to_lhs(&self, r: ObjectId) -> Option<ObjectId> {
        self.to_lhs.get(r.position()).copied().flatten()
    }

    /// How an object of lhs is reached.
    pub(super) fn lhs_way(&self, l: ObjectId) -> Way<'m> {
        self.lhs_ways.get(l.position()).copied().unwrap_or(Way::Lost)
    }

    /// How an object of rhs is reached.
    pub(super) fn rhs_way(&self, r: ObjectId) -> Way<'m> {
        self.rhs_ways.get(r.position()).copied().unwrap_or(Way::Lost)
    }

    /// The key path of an object of lhs, by the names that both sides have where there are several.
    pub(super) fn lhs_path(&self, l: ObjectId) -> String {
        path(l, |id| self.lhs_way(id))
    }

    /// The key path of an object of rhs, by the names that both sides have where there are several.
    pub(super) fn rhs_path(&self, r: ObjectId) -> String {
        path(r, |id| self.rhs_way(id))
    }

    pub(super) fn lhs_key(&self, label: Label<'m>, functions: &Renames) -> Key<'m> {
        match label {
            Label::Child(name) => Key::Child(name),
            Label::Slot(variable, name) => match self.to_rhs(variable) {
                Some(r) => Key::Slot(Some(r), None, name),
                None => Key::Slot(None, Some(variable), name),
            },
            Label::Dependency(name) => Key::Dependency(name),
            Label::Save(name) => Key::Save(name),
            Label::Restore(name) => Key::Restore(name),
            Label::Bound(function, at) => {
                Key::Bound(functions.follow(function).unwrap_or_else(|| function.to_owned()), at)
            }
        }
    }

    pub(super) fn rhs_key(&self, label: Label<'m>) -> Key<'m> {
        match label {
            Label::Child(name) => Key::Child(name),
            Label::Slot(variable, name) => Key::Slot(Some(variable), None, name),
            Label::Dependency(name) => Key::Dependency(name),
            Label::Save(name) => Key::Save(name),
            Label::Restore(name) => Key::Restore(name),
            Label::Bound(function, at) => Key::Bound(function.to_owned(), at),
        }
    }
}

/// Whether an object is a list that was made from a set, so that its numbers mean nothing: what Keras exports.
fn is_set(way: Way<'_>) -> bool {
    matches!(way, Way::From(_, Label::Child("_all_variables")))
}

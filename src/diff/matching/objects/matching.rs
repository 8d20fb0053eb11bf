//! Matches the objects of two object graphs.
//!
//! Both graphs are traversed together from their roots: equal names lead to the same object. The names of items of lists are
//! numbers: items are matched by what they are. Another child whose name only one side has is matched by the hash of its structure.

use std::collections::{BTreeMap, BTreeSet};

use super::lists::{self, list_and_number};
use super::structure::hashes;
use super::tensor_table::TensorTable;
use super::traits::{Traits, traits};
use crate::diff::Weight;
use crate::diff::join::join;
use crate::diff::matching::graph::Renames;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Edge, Label, ObjectId, Route, path};

/// Two object graphs with their objects matched.
#[derive(Debug)]
pub(in crate::diff) struct ObjectMatching<'m> {
    pub(in crate::diff) lhs: &'m ObjectGraph<'m>,
    pub(in crate::diff) rhs: &'m ObjectGraph<'m>,
    to_rhs: Vec<Option<ObjectId>>,
    to_lhs: Vec<Option<ObjectId>>,
    /// The routes along which pairs were found.
    lhs_routes: Vec<Route<'m>>,
    rhs_routes: Vec<Route<'m>>,
    /// Every pair, after the one that leads to it.
    pub(in crate::diff) pairs: Vec<(ObjectId, ObjectId)>,
    /// Renamed children.
    pub(in crate::diff) renamed: Vec<RenamedChild<'m>>,
    /// The partners in rhs that another matching has found for items of lists.
    guided: BTreeMap<ObjectId, ObjectId>,
    lhs_traits: Vec<Traits>,
    rhs_traits: Vec<Traits>,
}

/// A renamed child.
#[derive(Debug, Clone, Copy)]
pub(in crate::diff) struct RenamedChild<'m> {
    /// The parent, in rhs.
    pub(in crate::diff) of: ObjectId,
    pub(in crate::diff) from: &'m str,
    pub(in crate::diff) to: &'m str,
    /// The child, on each side.
    pub(in crate::diff) pair: (ObjectId, ObjectId),
    /// Cosmetic if the names are generated.
    pub(in crate::diff) weight: Weight,
}

/// The number of pairs that were followed along each kind of reference.
#[derive(Debug, Default)]
struct WalkState {
    children: usize,
    renamed: usize,
    others: usize,
}

/// The key of a reference, in terms of rhs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::diff) enum ReferenceKey<'m> {
    Child(&'m str),
    /// A variable of rhs, or one of lhs that rhs lacks.
    Slot(Option<ObjectId>, Option<ObjectId>, &'m str),
    Dependency(&'m str),
    Save(&'m str),
    Restore(&'m str),
    Bound(String, u32),
}

impl<'m> ObjectMatching<'m> {
    /// Matches the objects; `functions` has the renames of functions, two tables have what is known of the tensors of each
    /// side. `guide` is the matching of the object graphs of the same two models in other messages.
    pub(in crate::diff) fn new(
        (lhs, rhs): &'m (ObjectGraph<'m>, ObjectGraph<'m>),
        functions: &Renames,
        [of_lhs, of_rhs]: [&TensorTable; 2],
        guide: Option<&ObjectMatching<'_>>,
    ) -> Self {
        let mut objects = Self {
            to_rhs: vec![None; lhs.len()],
            to_lhs: vec![None; rhs.len()],
            lhs_traits: traits(lhs, of_lhs),
            rhs_traits: traits(rhs, of_rhs),
            guided: guide.map(|guide| guide.pairs_of(lhs, rhs)).unwrap_or_default(),
            lhs_routes: lhs.ids().map(|id| lhs.route(id)).collect(),
            rhs_routes: rhs.ids().map(|id| rhs.route(id)).collect(),
            lhs,
            rhs,
            pairs: Vec::new(),
            renamed: Vec::new(),
        };
        let lhs_hashes = hashes(lhs, |name| functions.new_name(name));
        let rhs_hashes = hashes(rhs, |_| None);
        if let (Some(l), Some(r)) = (lhs.root(), rhs.root()) {
            objects.pair((l, r), (Route::Root, Route::Root));
        }
        let mut walked = WalkState::default();
        objects.walk(&mut walked, functions, &lhs_hashes, &rhs_hashes);
        objects.pair_lost(&lhs_hashes, &rhs_hashes);
        objects.walk(&mut walked, functions, &lhs_hashes, &rhs_hashes);
        objects
    }

    /// Follows every pair: first along children of equal names, then along renamed children, then along all
    /// other references.
    fn walk(
        &mut self,
        walked: &mut WalkState,
        functions: &Renames,
        lhs_hashes: &[u64],
        rhs_hashes: &[u64],
    ) {
        loop {
            if let Some(&pair) = self.pairs.get(walked.children) {
                walked.children += 1;
                self.children(pair);
            } else if let Some(&pair) = self.pairs.get(walked.renamed) {
                walked.renamed += 1;
                self.renamed_children(pair, lhs_hashes, rhs_hashes);
            } else if let Some(&pair) = self.pairs.get(walked.others) {
                walked.others += 1;
                self.others(pair, functions);
            } else {
                return;
            }
        }
    }

    fn children(&mut self, (l, r): (ObjectId, ObjectId)) {
        let same_names =
            join(self.lhs.children(l), self.rhs.children(r), |(a, _), (b, _)| a.cmp(b));
        let found = same_names.filter_map(|pair| {
            let ((name, a), (_, b)) = pair.0.zip(pair.1)?;
            let label = Label::Child(name);
            let is_item = list_and_number(name).is_some();
            (!is_item).then_some(((a, b), (Route::From(l, label), Route::From(r, label))))
        });
        let found: Vec<_> = found.collect();
        found.into_iter().for_each(|(pair, routes)| self.pair(pair, routes));
        let is_set = is_set(self.lhs_route(l)) && is_set(self.rhs_route(r));
        let mut theirs = items(self.rhs, r, &self.rhs_traits);
        for (list, lhs_items) in items(self.lhs, l, &self.lhs_traits) {
            if let Some(rhs_items) = theirs.remove(list) {
                self.items((l, r), (&lhs_items, &rhs_items), is_set);
            }
        }
    }

    /// Pairs the items of two lists, and notes those whose number is another.
    fn items(
        &mut self,
        (l, r): (ObjectId, ObjectId),
        (lhs, rhs): (&[lists::Item<'m>], &[lists::Item<'m>]),
        is_set: bool,
    ) {
        let positions: BTreeMap<ObjectId, usize> =
            rhs.iter().enumerate().map(|(at, item)| (item.id, at)).collect();
        let route = |of, name| Route::From(of, Label::Child(name));
        for a in lhs {
            let known = self.guided.get(&a.id).and_then(|id| positions.get(id));
            if let Some(b) = known.and_then(|at| rhs.get(*at)) {
                self.pair((a.id, b.id), (route(l, a.name), route(r, b.name)));
            }
        }
        let free = |known: &[Option<ObjectId>], items: &[lists::Item<'m>]| {
            let is_free = |item: &&lists::Item<'m>| known.get(item.id.position()) == Some(&None);
            items.iter().filter(is_free).copied().collect::<Vec<_>>()
        };
        let (free_lhs, free_rhs) = (free(&self.to_rhs, lhs), free(&self.to_lhs, rhs));
        for (a, b) in lists::align(&free_lhs, &free_rhs, is_set) {
            if let Some((a, b)) = free_lhs.get(a).zip(free_rhs.get(b)) {
                self.pair((a.id, b.id), (route(l, a.name), route(r, b.name)));
            }
        }
        let pairs = lhs.iter().enumerate();
        let pairs =
            pairs.filter_map(|(at, item)| Some((at, *positions.get(&self.to_rhs(item.id)?)?)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let in_order = lists::in_order((lhs, rhs), &pairs);
        for pair in pairs {
            let Some((a, b)) = lhs.get(pair.0).zip(rhs.get(pair.1)) else { continue };
            if a.name != b.name {
                // Numbers that shift follow from the items that came or went.
                let is_shift = is_set || in_order.contains(&pair);
                let weight = if is_shift { Weight::Cosmetic } else { Weight::Semantic };
                let pair = (a.id, b.id);
                let (from, to) = (a.name, b.name);
                self.renamed.push(RenamedChild { of: r, from, to, pair, weight });
            }
        }
    }

    fn renamed_children(
        &mut self,
        (l, r): (ObjectId, ObjectId),
        lhs_hashes: &[u64],
        rhs_hashes: &[u64],
    ) {
        let (mut unmatched, mut others) = (Vec::new(), Vec::new());
        let lists = |graph: &ObjectGraph<'m>, of| {
            let lists = graph.children(of).filter_map(|(name, _)| Some(list_and_number(name)?.0));
            lists.collect::<BTreeSet<_>>()
        };
        // The items of lists that both sides have are paired.
        let lists = &lists(self.lhs, l) & &lists(self.rhs, r);
        let is_other = |&(name, _): &(&str, ObjectId)| {
            list_and_number(name).is_none_or(|(list, _)| !lists.contains(list))
        };
        let (children, theirs) = (self.lhs.children(l), self.rhs.children(r));
        for pair in
            join(children.filter(is_other), theirs.filter(is_other), |(a, _), (b, _)| a.cmp(b))
        {
            match pair {
                (Some(child), None) => unmatched.push(child),
                (None, Some(child)) => others.push(child),
                _ => {}
            }
        }
        // Children that are already matched, and children of equal structure, in the order of their names.
        let kind = |known: Option<ObjectId>, hashes: &[u64], id: ObjectId| match known {
            Some(known) => (true, u64::from(known.number())),
            None => (false, hashes.get(id.position()).copied().unwrap_or_default()),
        };
        let mut alike = BTreeMap::<_, (Vec<_>, Vec<_>)>::new();
        for (name, to) in unmatched {
            alike.entry(kind(self.to_rhs(to), lhs_hashes, to)).or_default().0.push((name, to));
        }
        for (name, to) in others {
            let known = self.to_lhs(to).map(|_| to);
            alike.entry(kind(known, rhs_hashes, to)).or_default().1.push((name, to));
        }
        for (unmatched, others) in alike.into_values().filter(|(l, r)| l.len() == r.len()) {
            for ((from, a), (to, b)) in unmatched.into_iter().zip(others) {
                self.pair(
                    (a, b),
                    (Route::From(l, Label::Child(from)), Route::From(r, Label::Child(to))),
                );
                if self.to_rhs(a) == Some(b) {
                    let weight = Weight::Semantic;
                    self.renamed.push(RenamedChild { of: r, from, to, pair: (a, b), weight });
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
                let routes = (Route::From(l, edge.label), Route::From(r, other.label));
                found.push(((edge.to, other.to), routes));
            }
        }
        found.into_iter().for_each(|(pair, routes)| self.pair(pair, routes));
    }

    /// Pairs unreachable objects: by structure, then by number.
    fn pair_lost(&mut self, lhs_hashes: &[u64], rhs_hashes: &[u64]) {
        let lost = |graph: &ObjectGraph<'m>, known: &[Option<ObjectId>], hashes: &[u64]| {
            let is_lost = |id: &ObjectId| {
                graph.route(*id) == Route::Unreachable && known.get(id.position()) == Some(&None)
            };
            let hash = |id: ObjectId| hashes.get(id.position()).copied().unwrap_or_default();
            graph.ids().filter(is_lost).map(|id| (hash(id), id)).collect::<Vec<_>>()
        };
        let mut theirs = BTreeMap::<u64, Vec<ObjectId>>::new();
        for (hash, id) in lost(self.rhs, &self.to_lhs, rhs_hashes).into_iter().rev() {
            theirs.entry(hash).or_default().push(id);
        }
        let routes = (Route::Unreachable, Route::Unreachable);
        for (hash, l) in lost(self.lhs, &self.to_rhs, lhs_hashes) {
            if let Some(r) = theirs.get_mut(&hash).and_then(Vec::pop) {
                self.pair((l, r), routes);
            }
        }
        let theirs = lost(self.rhs, &self.to_lhs, rhs_hashes);
        for (_, l) in lost(self.lhs, &self.to_rhs, lhs_hashes) {
            if let Ok(at) = theirs.binary_search_by_key(&l, |(_, id)| *id)
                && let Some((_, r)) = theirs.get(at)
            {
                self.pair((l, *r), routes);
            }
        }
    }

    /// Pairs two objects unless one of them is already paired.
    fn pair(&mut self, (l, r): (ObjectId, ObjectId), routes: (Route<'m>, Route<'m>)) {
        let (Some(to_rhs), Some(to_lhs)) =
            (self.to_rhs.get_mut(l.position()), self.to_lhs.get_mut(r.position()))
        else {
            return;
        };
        if to_rhs.is_none() && to_lhs.is_none() {
            (*to_rhs, *to_lhs) = (Some(r), Some(l));
            self.pairs.push((l, r));
            let slots =
                (self.lhs_routes.get_mut(l.position()), self.rhs_routes.get_mut(r.position()));
            if let (Some(lhs_route), Some(rhs_route)) = slots {
                (*lhs_route, *rhs_route) = routes;
            }
        }
    }

    /// The partner of an object of lhs.
    pub(in crate::diff) fn to_rhs(&self, l: ObjectId) -> Option<ObjectId> {
        self.to_rhs.get(l.position()).copied().flatten()
    }

    /// The partner of an object of rhs.
    pub(in crate::diff) fn to_lhs(&self, r: ObjectId) -> Option<ObjectId> {
        self.to_lhs.get(r.position()).copied().flatten()
    }

    /// The route to an object of lhs.
    pub(in crate::diff) fn lhs_route(&self, l: ObjectId) -> Route<'m> {
        self.lhs_routes.get(l.position()).copied().unwrap_or(Route::Unreachable)
    }

    /// The route to an object of rhs.
    pub(in crate::diff) fn rhs_route(&self, r: ObjectId) -> Route<'m> {
        self.rhs_routes.get(r.position()).copied().unwrap_or(Route::Unreachable)
    }

    /// The key path of an object of lhs, preferring names that both sides have.
    pub(in crate::diff) fn lhs_path(&self, l: ObjectId) -> String {
        path(l, |id| self.lhs_route(id))
    }

    /// The key path of an object of rhs, preferring names that both sides have.
    pub(in crate::diff) fn rhs_path(&self, r: ObjectId) -> String {
        path(r, |id| self.rhs_route(id))
    }

    /// The key of a reference of lhs, in terms of rhs.
    pub(in crate::diff) fn lhs_key(
        &self,
        label: Label<'m>,
        functions: &Renames,
    ) -> ReferenceKey<'m> {
        match label {
            Label::Slot(variable, name) => match self.to_rhs(variable) {
                Some(r) => ReferenceKey::Slot(Some(r), None, name),
                None => ReferenceKey::Slot(None, Some(variable), name),
            },
            Label::Bound(function, at) => {
                let new_name = functions.new_name(function);
                ReferenceKey::Bound(new_name.unwrap_or_else(|| function.to_owned()), at)
            }
            _ => self.rhs_key(label),
        }
    }

    /// The key of a reference of rhs.
    pub(in crate::diff) fn rhs_key(&self, label: Label<'m>) -> ReferenceKey<'m> {
        match label {
            Label::Child(name) => ReferenceKey::Child(name),
            Label::Slot(variable, name) => ReferenceKey::Slot(Some(variable), None, name),
            Label::Dependency(name) => ReferenceKey::Dependency(name),
            Label::Save(name) => ReferenceKey::Save(name),
            Label::Restore(name) => ReferenceKey::Restore(name),
            Label::Bound(function, at) => ReferenceKey::Bound(function.to_owned(), at),
        }
    }
}

/// Whether an object is a list that Keras exported from a set, so that the numbers of its items mean nothing.
pub(in crate::diff) fn is_set(route: Route<'_>) -> bool {
    matches!(route, Route::From(_, Label::Child("_all_variables")))
}

/// The items of the lists among the children of an object, by list, in order.
fn items<'m>(
    graph: &ObjectGraph<'m>,
    of: ObjectId,
    traits: &[Traits],
) -> BTreeMap<&'m str, Vec<lists::Item<'m>>> {
    let mut all = BTreeMap::<_, Vec<_>>::new();
    for (name, id) in graph.children(of) {
        if let Some((list, number)) = list_and_number(name) {
            let traits = traits.get(id.position()).copied().unwrap_or_default();
            all.entry(list).or_default().push(lists::Item { name, number, id, traits });
        }
    }
    all.values_mut().for_each(|items| items.sort_by_key(|item| (item.number, item.name)));
    all
}

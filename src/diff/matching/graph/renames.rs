//! Derives renames of scopes from renamed nodes, and applies them to other names.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::matching::Matching;
use super::numbers::renumbered_part;
use super::scopes::MAX_SCOPES;
use crate::diff::counters::stem;
use crate::graph::{NodeId, NodeKind, scope_of, split_lead, split_port};

/// The maximum number of positions of a name at which another name is looked up; a file may have names of any length.
const MOST_PARTS: usize = 64;

/// The renames between two graphs.
#[derive(Debug, Default)]
pub(in crate::diff) struct Renames {
    /// The new names of nodes and scopes.
    names: BTreeMap<String, String>,
    /// The renames, each with its nodes.
    pub(in crate::diff) groups: Vec<RenameGroup>,
    /// New names of things whose old name means something else in rhs; empty if they have no new one.
    exchanged: BTreeMap<String, String>,
    /// Nodes that kept their name although their scope was renamed.
    kept: BTreeSet<String>,
}

/// A rename of a node or scope.
#[derive(Debug)]
pub(in crate::diff) struct RenameGroup {
    pub(in crate::diff) from: String,
    pub(in crate::diff) to: String,
    /// The nodes of rhs, in order.
    pub(in crate::diff) nodes: Vec<NodeId>,
}

impl Renames {
    /// The renames that explain the pairs with different names; `is_restoring` tells the nodes of rhs that pass
    /// restored tensors on.
    pub(super) fn of(matching: &Matching<'_, '_>, is_restoring: impl Fn(NodeId) -> bool) -> Self {
        let mut groups = NodesByPart::new();
        let (mut names, mut exchanged) = (BTreeMap::new(), BTreeMap::new());
        for (l, r) in matching.renamed() {
            let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
            // A saver numbers its nodes anew.
            let is_counted = || is_restoring(r) && stem(lhs.name) == stem(rhs.name);
            if rhs.kind != NodeKind::Node || is_counted() {
                continue;
            }
            names.insert(lhs.name.to_owned(), rhs.name.to_owned());
            if matching.rhs.find(lhs.name).is_some() {
                exchanged.insert(lhs.name.to_owned(), rhs.name.to_owned());
            }
            let lost = matching.lhs.find(rhs.name).filter(|&l| matching.to_rhs(l).is_none());
            if lost.is_some() {
                exchanged.insert(rhs.name.to_owned(), String::new());
            }
            let (core, (from, to)) = match renumbered_part(lhs.name, rhs.name) {
                Some(part) => (part, up_to_part(lhs.name, rhs.name, part)),
                None => {
                    let (from, to) = without_common_end(lhs.name, rhs.name);
                    (without_common_start(from, to), (from, to))
                }
            };
            let renamed = RenamedNode { from: from.into(), to: to.into(), nodes: (l, r) };
            groups.entry((core.0.into(), core.1.into())).or_default().push(renamed);
        }
        join_prefixed(&mut groups);
        let scopes = scopes(groups.values().flatten());
        let mut groups: Vec<RenameGroup> =
            groups.into_values().filter_map(|renamed| RenameGroup::of(renamed, matching)).collect();
        groups.sort_by_key(|group| (Reverse(group.nodes.len()), group.nodes.first().copied()));
        let is_one = |group: &&RenameGroup| group.nodes.len() > 1 || !group.from.is_empty();
        for group in groups.iter().filter(is_one) {
            names.entry(group.from.clone()).or_insert_with(|| group.to.clone());
        }
        groups.sort_by_key(|group| group.nodes.first().copied());
        for (from, to) in scopes {
            names.entry(from).or_insert(to);
        }
        Self { names, groups, exchanged, ..Self::default() }
    }

    /// The renames without nodes that kept their names in a renamed scope.
    pub(super) fn without_kept(mut self, matching: &Matching<'_, '_>) -> Self {
        let (Some((first, _)), Some((last, _))) =
            (self.names.first_key_value(), self.names.last_key_value())
        else {
            return self;
        };
        // The names are sorted, so the common start of the first and the last is common to all.
        let same = first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
        let start = first.as_bytes().get(..same).unwrap_or_default();
        let kept = matching.same_names().map(|(l, _)| matching.lhs.node(l));
        self.kept = kept
            .filter(|node| node.kind == NodeKind::Node && node.name.as_bytes().starts_with(start))
            .map(|node| node.name)
            .filter(|name| self.new_name(name).is_some())
            .map(str::to_owned)
            .collect();
        self
    }

    /// Whether there are no renames.
    pub(in crate::diff) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Pairs nodes whose names follow from the renames around them.
    pub(super) fn pair_by_renames(&self, matching: &mut Matching<'_, '_>) {
        // A single node that kept its last name suggests a renamed scope.
        let mut scopes = BTreeMap::new();
        for (l, r) in matching.renamed() {
            let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
            if leaf(lhs.name) == leaf(rhs.name) {
                scopes.entry(lhs.scope()).or_insert(rhs.scope());
            }
        }
        for l in matching.unmatched_in_lhs() {
            let node = matching.lhs.node(l);
            let in_scope = || Some(format!("{}/{}", scopes.get(node.scope())?, leaf(node.name)));
            let partner = self
                .new_name(node.name)
                .and_then(|name| matching.rhs.find(&name))
                .or_else(|| matching.rhs.find(&in_scope()?));
            if let Some(r) = partner
                && matching.to_lhs(r).is_none()
                && matching.rhs.node(r).op == node.op
                && matching.rhs.node(r).kind == node.kind
            {
                matching.pair(l, r);
            }
        }
    }

    /// Adds a rename.
    pub(in crate::diff) fn add(&mut self, from: &str, to: &str) {
        self.names.insert(from.to_owned(), to.to_owned());
    }

    /// Adds a rename of something whose old name means something else in rhs.
    pub(super) fn add_exchanged(&mut self, from: &str, to: &str) {
        self.exchanged.insert(from.to_owned(), to.to_owned());
    }

    /// Whether some names have another meaning in rhs.
    pub(in crate::diff) fn has_exchanged(&self) -> bool {
        !self.exchanged.is_empty()
    }

    /// Whether the node, output or colocation `name` means something else in rhs.
    pub(in crate::diff) fn is_exchanged(&self, name: &str) -> bool {
        self.has_exchanged() && self.exchanged.contains_key(split_port(split_lead(name).1).0)
    }

    /// Whether `rhs` is the name in rhs of what `lhs` names, renamed or not.
    pub(in crate::diff) fn is_same_name(&self, lhs: &str, rhs: &str) -> bool {
        match self.exchanged.get(lhs) {
            Some(name) => name == rhs,
            None => lhs == rhs || self.is_rename(lhs, rhs),
        }
    }

    /// Whether `rhs` is the new name of `lhs`: of a node, an output, or something in a scope.
    pub(in crate::diff) fn is_rename(&self, lhs: &str, rhs: &str) -> bool {
        !self.names.is_empty() && self.new_name(lhs).is_some_and(|name| name == rhs)
    }

    /// The new name of something whose name starts with a renamed one: `f_12_input_0`.
    pub(in crate::diff) fn new_name_by_start(&self, name: &str) -> Option<String> {
        let ends = name.match_indices('_').map(|(at, _)| at).take(MOST_PARTS);
        std::iter::once(name.len()).chain(ends.collect::<Vec<_>>().into_iter().rev()).find_map(
            |end| {
                let (start, rest) = name.split_at_checked(end)?;
                Some(format!("{}{rest}", self.names.get(start)?))
            },
        )
    }

    /// Whether `rhs` is `lhs` with a renamed part: `while_cond_7___redundant_placeholder0`.
    pub(in crate::diff) fn is_rename_within(&self, lhs: &str, rhs: &str) -> bool {
        let underscores = lhs.match_indices('_').zip(rhs.match_indices('_'));
        let same = underscores.map_while(|((l, _), (r, _))| (l == r).then_some(l + 1));
        let same = same.take_while(|&start| lhs.get(..start) == rhs.get(..start));
        !self.names.is_empty()
            && std::iter::once(0).chain(same).take(MOST_PARTS).any(|start| {
                let (lhs, rhs) = (lhs.get(start..), rhs.get(start..));
                lhs.and_then(|lhs| self.new_name_by_start(lhs))
                    .is_some_and(|name| Some(&*name) == rhs)
            })
    }

    /// Whether `rhs` is the text `lhs` with renamed names in it: `x (m/x:0) = `.
    pub(in crate::diff) fn is_rename_in_text(&self, lhs: &str, rhs: &str) -> bool {
        let is_end = |c: char| !(c.is_alphanumeric() || "_./-:".contains(c));
        let words = |text| str::split_inclusive(text, is_end);
        let word = |text: &'_ str| text.strip_suffix(is_end).map_or(text.len(), str::len);
        !self.names.is_empty()
            && words(lhs).count() == words(rhs).count()
            && words(lhs).zip(words(rhs)).all(|(l, r)| {
                let ((l, l_end), (r, r_end)) = (l.split_at(word(l)), r.split_at(word(r)));
                l_end == r_end && (l == r || self.is_rename(l, r))
            })
    }

    /// The renames of scopes as they appear in names of functions, without slashes.
    pub(in crate::diff) fn without_slashes(&self) -> Self {
        let flat = |scope: &str| scope.replace('/', "_");
        let groups = self.groups.iter().filter(|group| !group.from.is_empty());
        let names = groups.map(|group| (flat(&group.from), flat(&group.to))).collect();
        Self { names, kept: self.kept.clone(), ..Self::default() }
    }

    /// The new name of a name of lhs, if it was renamed.
    pub(in crate::diff) fn new_name(&self, name: &str) -> Option<String> {
        let (lead, rest) = split_lead(name);
        if !lead.is_empty() {
            return self.new_name(rest).map(|rest| format!("{lead}{rest}"));
        }
        let (node, port) = split_port(name);
        if self.kept.contains(node) {
            return None;
        }
        let scopes = node.match_indices('/').map(|(at, _)| at).take(MAX_SCOPES);
        // The longest renamed scope decides.
        scopes
            .chain([node.len()])
            .filter_map(|end| {
                let (scope, rest) = node.split_at_checked(end)?;
                Some((self.names.get(scope)?, rest))
            })
            .last()
            .map(|(scope, rest)| format!("{scope}{rest}{port}"))
            .or_else(|| Some(format!("{}/{name}", self.names.get("")?)))
    }
}

/// Both names up to the end of a part in which they differ.
fn up_to_part<'n>(lhs: &'n str, rhs: &'n str, part: (&str, &str)) -> (&'n str, &'n str) {
    // All parts before it are equal.
    let before = lhs.split('/').zip(rhs.split('/')).take_while(|(l, r)| l == r);
    let start: usize = before.map(|(part, _)| part.len() + 1).sum();
    let end = |name: &'n str, part: &str| name.get(..start + part.len()).unwrap_or(name);
    (end(lhs, part.0), end(rhs, part.1))
}

/// The renamed nodes by the parts of their names that differ.
type NodesByPart = BTreeMap<(String, String), Vec<RenamedNode>>;

/// Joins groups whose parts start alike and go on as those of another group do: `update_dense_1` joins `dense_1`.
fn join_prefixed(groups: &mut NodesByPart) {
    let parts: Vec<_> = groups.keys().cloned().collect();
    for part in parts {
        let (from, to) = &part;
        let ends = from.match_indices('_').map(|(at, _)| at + 1).take(MOST_PARTS);
        let ends = ends.take_while(|&at| from.get(..at) == to.get(..at));
        let shorter =
            ends.filter_map(|at| Some((from.get(at..)?.to_owned(), to.get(at..)?.to_owned())));
        let joined = shorter.into_iter().find(|end| groups.contains_key(end));
        if let Some(joined) = joined
            && let Some(nodes) = groups.remove(&part)
        {
            groups.entry(joined).or_default().extend(nodes);
        }
    }
    groups.values_mut().for_each(|nodes| nodes.sort_by_key(|one| one.nodes.1));
}

/// The new name of each scope that most of its nodes suggest.
fn scopes<'r>(renamed: impl Iterator<Item = &'r RenamedNode>) -> BTreeMap<String, String> {
    let mut votes = BTreeMap::<(&str, &str), usize>::new();
    for one in renamed.filter(|one| !one.from.is_empty()) {
        *votes.entry((&one.from, &one.to)).or_default() += 1;
    }
    let mut votes: Vec<_> = votes.into_iter().collect();
    votes.sort_by_key(|&(_, count)| Reverse(count));
    let mut scopes = BTreeMap::new();
    for ((from, to), _) in votes {
        scopes.entry(from.to_owned()).or_insert_with(|| to.to_owned());
    }
    scopes
}

/// The name without its scope.
pub(in crate::diff) fn leaf(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, leaf)| leaf)
}

/// A renamed node: the parts of its names that differ.
struct RenamedNode {
    from: String,
    to: String,
    nodes: (NodeId, NodeId),
}

impl RenameGroup {
    /// The rename that most of the nodes suggest; `gradients/a` also suggests `a`. Among equals, the
    /// shortest.
    fn of(renamed: Vec<RenamedNode>, matching: &Matching<'_, '_>) -> Option<Self> {
        let mut counts = BTreeMap::<(&str, &str), usize>::new();
        for one in &renamed {
            *counts.entry((&one.from, &one.to)).or_default() += 1;
        }
        for ((from, to), count) in counts.clone() {
            let ((mut from, mut to), mut depth) = ((from, to), 0);
            while let (Some((a, from_rest)), Some((b, to_rest))) =
                (from.split_once('/'), to.split_once('/'))
                && a == b
                && depth < MAX_SCOPES
            {
                (from, to, depth) = (from_rest, to_rest, depth + 1);
                counts.entry((from, to)).and_modify(|all| *all += count);
            }
        }
        let most = counts
            .into_iter()
            .max_by_key(|((from, _), count)| (*count, Reverse(from.len()), Reverse(*from)));
        let ((from, to), _) = most?;
        let (mut from, mut to) = (from.to_owned(), to.to_owned());
        if let ([one], true) = (renamed.as_slice(), from.is_empty() || to.is_empty()) {
            from = matching.lhs.node(one.nodes.0).name.into();
            to = matching.rhs.node(one.nodes.1).name.into();
        } else if from.is_empty() || to.is_empty() {
            // Nodes that moved to another level are named by their whole scope.
            let names = |lhs: bool| -> Vec<&str> {
                let name = |one: &RenamedNode| match lhs {
                    true => matching.lhs.node(one.nodes.0).name,
                    false => matching.rhs.node(one.nodes.1).name,
                };
                renamed.iter().map(name).collect()
            };
            (from, to) = (common_scope(&names(true)).into(), common_scope(&names(false)).into());
        }
        Some(Self { from, to, nodes: renamed.into_iter().map(|one| one.nodes.1).collect() })
    }
}

/// The innermost scope that contains all names, without its last slash; may be empty.
pub(in crate::diff) fn common_scope<'n>(names: &[&'n str]) -> &'n str {
    let Some((first, rest)) = names.split_first() else { return "" };
    let mut scope = scope_of(first);
    let is_in = |name: &str, scope: &str| {
        scope.is_empty() || name.strip_prefix(scope).is_some_and(|rest| rest.starts_with('/'))
    };
    for name in rest {
        while !is_in(name, scope) {
            scope = scope_of(scope);
        }
    }
    scope
}

/// The scope that contains more than half of the names, without its last slash; may be empty.
pub(in crate::diff) fn main_scope<'n>(names: &[&'n str]) -> &'n str {
    let outermost = |name: &'n str| name.split_once('/').map_or("", |(scope, _)| scope);
    let mut scopes = BTreeMap::<&str, Vec<&str>>::new();
    for name in names {
        scopes.entry(outermost(name)).or_default().push(name);
    }
    let main = scopes.into_values().find(|inside| inside.len() * 2 > names.len());
    main.map_or("", |inside| common_scope(&inside))
}

/// Both names without their common end: of `a/x/w` and `b/x/w`, `a` and `b`.
fn without_common_end<'n>(lhs: &'n str, rhs: &'n str) -> (&'n str, &'n str) {
    let (mut from, mut to) = (lhs, rhs);
    loop {
        let (a, a_last) = from.rsplit_once('/').unwrap_or(("", from));
        let (b, b_last) = to.rsplit_once('/').unwrap_or(("", to));
        if a_last != b_last || from.is_empty() || to.is_empty() {
            return (from, to);
        }
        (from, to) = (a, b);
    }
}

/// Both names without their common start, up to a `/` or `_`: of `gradients/update_a` and
/// `gradients/update_b`, `a` and `b`.
fn without_common_start<'n>(lhs: &'n str, rhs: &'n str) -> (&'n str, &'n str) {
    let same = lhs.bytes().zip(rhs.bytes()).take_while(|(a, b)| a == b);
    let start = same.enumerate().filter(|(_, (byte, _))| matches!(byte, b'/' | b'_')).last();
    let start = start.map_or(0, |(at, _)| at + 1);
    (lhs.get(start..).unwrap_or(lhs), rhs.get(start..).unwrap_or(rhs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_names_have_in_common_is_no_rename() {
        assert_eq!(without_common_end("a/x/w", "b/x/w"), ("a", "b"));
        assert_eq!(without_common_end("w", "v"), ("w", "v"));
        assert_eq!(without_common_end("x/w", "import/x/w"), ("", "import"));
        assert_eq!(without_common_start("gradients/a", "gradients/b"), ("a", "b"));
        assert_eq!(without_common_start("train/update_a", "train/update_b"), ("a", "b"));
        assert_eq!(without_common_start("", "import"), ("", "import"));
    }
}

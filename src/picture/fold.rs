//! Folds the graphs of a picture: which scopes are open, and which are one box.

use super::boxes::Boxes;
use super::content::{Content, Folded};
use super::drawing::{ClusterKind, Drawing};
use super::parts::Picture;

/// How far a drawing is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// At most this many boxes. Graphs and functions that do not fit share one box each. Scopes open level by level, the smallest
    /// first.
    Boxes(usize),
    /// Scopes of at most this depth are open, however many boxes there are; at depth 0, not even graphs are.
    Depth(usize),
}

impl Default for Fold {
    fn default() -> Self {
        Self::Boxes(60)
    }
}

/// The deepest clusters: programs that read drawings limit how deep clusters may be nested.
const DEEPEST: usize = 64;

/// The fewest boxes of a scope that is open in part.
const FEWEST: usize = 4;

impl Picture<'_> {
    /// The drawing that is folded in this way.
    pub fn fold(&self, fold: Fold) -> Drawing {
        let shown = match fold {
            Fold::Boxes(most) => self.parts.len().min(most.div_ceil(2)),
            Fold::Depth(_) => self.parts.len(),
        };
        let mut boxes = Boxes::new(self, shown);
        let mut open = self.open_parts(fold, shown, &mut boxes);
        while !open.is_empty() {
            open = match fold {
                Fold::Boxes(most) => self.open_level(open, most, &mut boxes),
                Fold::Depth(depth) => self.open_to(open, depth, &mut boxes),
            };
        }
        boxes.finish()
    }

    /// Opens graphs and functions. Returns the scopes in them.
    fn open_parts(&self, fold: Fold, shown: usize, boxes: &mut Boxes<'_, '_>) -> Vec<Folded> {
        let is_single = shown == 1 && boxes.len() == 0;
        let mut used = shown + boxes.len();
        let mut scopes = Vec::new();
        for (at, part) in self.parts.iter().enumerate().take(shown) {
            let whole = Folded {
                part: at,
                range: 0..part.order.len(),
                scope: None,
                cluster: None,
                outer: None,
            };
            let content = match fold {
                Fold::Depth(0) => None,
                Fold::Depth(_) => Some(self.content(&whole)),
                Fold::Boxes(most) => {
                    // The first graph is the most important one, and the last may have all that is left.
                    let left = most.saturating_sub(used);
                    let room = if at + 1 < shown { left * 2 / 3 } else { left };
                    self.content_of_part(&whole, room + 1)
                }
            };
            let Some(content) = content.filter(|content| content.len() > 0) else {
                boxes.close(whole);
                continue;
            };
            used += content.len() - 1;
            let kind = if part.is_function { ClusterKind::Function } else { ClusterKind::Graph };
            let cluster = (!is_single).then(|| boxes.open(&whole, kind));
            scopes.extend(boxes.fill(&whole, cluster, content));
        }
        scopes
    }

    /// The content of a graph or function in at most `room` boxes; `None` if there is no room.
    fn content_of_part(&self, whole: &Folded, room: usize) -> Option<Content> {
        let plain = self.content(whole);
        if plain.len() <= room {
            return Some(plain);
        }
        let mut grouped = self.grouped(plain, whole.part);
        if grouped.len() > room && room >= FEWEST {
            cut(&mut grouped, room);
        }
        Some(grouped).filter(|content| content.len() <= room)
    }

    /// Opens the scopes of one level for which there is room, small ones first: those with the same number of children all or not
    /// at all, since they are often alike. Returns the scopes in them.
    fn open_level(&self, open: Vec<Folded>, most: usize, boxes: &mut Boxes<'_, '_>) -> Vec<Folded> {
        let mut used = boxes.len() + open.len();
        let mut open: Vec<_> =
            open.into_iter().map(|scope| (self.content(&scope), scope)).collect();
        open.sort_by_key(|(content, _)| content.len());
        let mut inner = Vec::new();
        let mut open = open.into_iter().peekable();
        while let Some(first) = open.next() {
            let len = first.0.len();
            let mut alike = vec![first];
            alike.extend(std::iter::from_fn(|| open.next_if(|(content, _)| content.len() == len)));
            let more = |alike: &[(Content, Folded)]| {
                alike.iter().map(|(content, _)| content.len().saturating_sub(1)).sum::<usize>()
            };
            if used + more(&alike) > most {
                for (content, scope) in &mut alike {
                    *content = self.grouped(std::mem::take(content), scope.part);
                }
            }
            let left = most.saturating_sub(used);
            let room = left / alike.len() + 1;
            // With few boxes so far, a part of a large scope is better than one box for all of it.
            if more(&alike) > left && left >= most.div_ceil(2) && room >= FEWEST {
                alike.iter_mut().for_each(|(content, _)| cut(content, room));
            }
            let is_open = used + more(&alike) <= most;
            used += if is_open { more(&alike) } else { 0 };
            for (content, scope) in alike {
                inner.extend(boxes.open_if(is_open, scope, content));
            }
        }
        inner
    }

    /// Opens the scopes of at most this depth. Returns the scopes in them.
    fn open_to(&self, open: Vec<Folded>, depth: usize, boxes: &mut Boxes<'_, '_>) -> Vec<Folded> {
        let mut inner = Vec::new();
        for scope in open {
            let is_open = self.depth(&scope) < depth;
            let content = if is_open { self.content(&scope) } else { Content::default() };
            inner.extend(boxes.open_if(is_open, scope, content));
        }
        inner
    }

    /// The number of names in that of a scope.
    fn depth(&self, scope: &Folded) -> usize {
        let name = self.parts.get(scope.part).and_then(|part| part.at(scope.range.start));
        let name = name.and_then(|node| node.name.get(..scope.scope?));
        name.map_or(0, |name| name.split('/').count())
    }

    /// The children of a scope, each by itself.
    fn content(&self, of: &Folded) -> Content {
        let part = self.parts.get(of.part);
        let children = part.map(|part| part.children(of.range.clone(), of.scope));
        let (scopes, nodes): (Vec<_>, Vec<_>) =
            children.unwrap_or_default().into_iter().partition(|child| child.scope.is_some());
        let nodes = nodes.into_iter().map(|child| child.range.collect()).collect();
        Content { scopes, nodes, rest: Vec::new() }
    }

    /// The same content with three and more nodes of one op in one box.
    fn grouped(&self, content: Content, part: usize) -> Content {
        const MANY: usize = 3;
        let op = |nodes: &Vec<usize>| {
            let first = nodes.first().and_then(|&at| self.parts.get(part)?.at(at));
            // Compare the kind too: an ordinary node may have an argument's op.
            first.map(|node| (node.kind.rank(), node.op))
        };
        let mut nodes = content.nodes;
        nodes.sort_by(|a, b| op(a).cmp(&op(b)).then(a.cmp(b)));
        let mut grouped = Vec::new();
        for alike in nodes.chunk_by(|a, b| op(a) == op(b)) {
            match alike.len() < MANY {
                true => grouped.extend_from_slice(alike),
                false => grouped.push(alike.concat()),
            }
        }
        grouped.sort_unstable();
        Content { nodes: grouped, ..content }
    }
}

/// Moves the smallest scopes and groups to the rest, until the content has at most `room` boxes.
fn cut(content: &mut Content, room: usize) {
    let mut sizes: Vec<_> = content.scopes.iter().map(|child| child.range.len()).collect();
    sizes.extend(content.nodes.iter().map(Vec::len));
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let Some(&least) = sizes.get(room.saturating_sub(1)) else { return };
    // Of those with the size that no longer fits, the first are kept.
    let larger = sizes.partition_point(|&size| size > least);
    let mut spare = room.saturating_sub(1).saturating_sub(larger);
    let mut is_kept = |len: usize| match len.cmp(&least) {
        std::cmp::Ordering::Equal if spare > 0 => {
            spare -= 1;
            true
        }
        order => order.is_gt(),
    };
    let (scopes, small): (Vec<_>, Vec<_>) =
        std::mem::take(&mut content.scopes).into_iter().partition(|c| is_kept(c.range.len()));
    let (nodes, few): (Vec<_>, Vec<_>) =
        std::mem::take(&mut content.nodes).into_iter().partition(|nodes| is_kept(nodes.len()));
    content.rest.extend(small.into_iter().flat_map(|child| child.range));
    content.rest.extend(few.into_iter().flatten());
    content.rest.sort_unstable();
    (content.scopes, content.nodes) = (scopes, nodes);
}

impl Boxes<'_, '_> {
    /// Opens a scope, unless the clusters around it are too deep. Returns the scopes in it.
    fn open_if(&mut self, is_open: bool, scope: Folded, content: Content) -> Vec<Folded> {
        if !is_open || self.depth(scope.cluster) >= DEEPEST {
            self.close(scope);
            return Vec::new();
        }
        let cluster = self.open(&scope, ClusterKind::Scope);
        self.fill(&scope, Some(cluster), content)
    }
}

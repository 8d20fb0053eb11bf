//! The ways along which objects are reached, and the paths that these make.

use std::collections::VecDeque;

use super::read::Tally;
use super::{Label, ObjectGraph, ObjectId, Way};

/// Bytes of a path; of a longer one the end is told.
const LONGEST: usize = 2_000;

impl<'m> ObjectGraph<'m> {
    /// Finds the way to each object.
    pub(super) fn walk(&mut self) {
        self.ways = vec![Way::Lost; self.objects.len()];
        if self.is_empty() {
            return self.findings.push("there is no object, not even a root".into());
        }
        let mut is_reached = vec![false; self.objects.len()];
        self.reach(ObjectId(0), Way::Root, &mut is_reached);
        let mut is_referred_to = vec![false; self.objects.len()];
        for (_, edge) in &self.edges {
            if let Some(slot) = is_referred_to.get_mut(edge.to.position()) {
                *slot = true;
            }
        }
        let mut lost = Tally::default();
        let is = |flags: &[bool], id: ObjectId| flags.get(id.position()) == Some(&true);
        // Those that others refer to are reached from these; what is left then are rings.
        for rings in [false, true] {
            for id in self.ids() {
                if !is(&is_reached, id) && (rings || !is(&is_referred_to, id)) {
                    lost.add(|| format!("object {}", id.0));
                    self.reach(id, Way::Lost, &mut is_reached);
                }
            }
        }
        self.findings.extend(lost.told("objects to which nothing leads from the root"));
    }

    /// Goes on from an object: along children as far as they lead, then along one other reference, and so on.
    fn reach(&mut self, start: ObjectId, way: Way<'m>, is_reached: &mut [bool]) {
        let first = self.order.len();
        let mut found = VecDeque::from([(start, way)]);
        let (mut children, mut others) = (first, first);
        loop {
            for (id, way) in found.drain(..) {
                let reached = is_reached.get_mut(id.position());
                if reached.is_some_and(|reached| !std::mem::replace(reached, true)) {
                    if let Some(slot) = self.ways.get_mut(id.position()) {
                        *slot = way;
                    }
                    self.order.push(id);
                }
            }
            let (id, by_child) = match (self.order.get(children), self.order.get(others)) {
                (Some(&id), _) => (id, true),
                (None, Some(&id)) => (id, false),
                (None, None) => return,
            };
            *(if by_child { &mut children } else { &mut others }) += 1;
            let edges = self.edges(id).iter();
            let wanted =
                edges.filter(|(_, edge)| matches!(edge.label, Label::Child(_)) == by_child);
            found.extend(wanted.map(|(_, edge)| (edge.to, Way::From(id, edge.label))));
        }
    }
}

/// The path that ways lead along, from the root.
pub fn path<'m>(id: ObjectId, way: impl Fn(ObjectId) -> Way<'m>) -> String {
    enum Piece {
        Object(ObjectId),
        Text(String),
    }
    // From its end, so that it can be cut: a chain of objects has paths of any length.
    let (mut pieces, mut rest, mut len) = (Vec::new(), vec![Piece::Object(id)], 0);
    let text = |text: &str| Piece::Text(format!("/{text}"));
    while let Some(piece) = rest.pop() {
        match piece {
            Piece::Text(piece) => {
                len += piece.len();
                pieces.push(piece);
            }
            Piece::Object(id) => match way(id) {
                Way::Root => {}
                Way::Lost => rest.push(text(&format!("#{}", id.0))),
                Way::From(from, label) => {
                    match label {
                        Label::Slot(variable, _) => {
                            rest.extend([Piece::Object(variable), text(".OPTIMIZER_SLOT")]);
                        }
                        _ => rest.push(Piece::Object(from)),
                    }
                    match label {
                        Label::Child(name) => rest.push(text(&escaped(name))),
                        Label::Slot(_, name) => {
                            rest.extend([Piece::Object(from), text(&escaped(name))])
                        }
                        Label::Dependency(name) => {
                            rest.extend([text(".DEPENDENCY"), text(&escaped(name))])
                        }
                        Label::Save(name) => rest.extend([text(".SAVE"), text(&escaped(name))]),
                        Label::Restore(name) => {
                            rest.extend([text(".RESTORE"), text(&escaped(name))])
                        }
                        Label::Bound(name, at) => {
                            rest.extend([
                                text(".BOUND_INPUT"),
                                text(&escaped(name)),
                                text(&at.to_string()),
                            ]);
                        }
                    }
                }
            },
        }
        if len > LONGEST {
            pieces.push("…".into());
            break;
        }
    }
    pieces.reverse();
    let path = pieces.concat();
    path.strip_prefix('/').map(str::to_owned).unwrap_or(path)
}

/// A name as keys of checkpoints have it: `.` is `..`, and `/` is `.S`.
pub fn escaped(name: &str) -> String {
    name.replace('.', "..").replace('/', ".S")
}

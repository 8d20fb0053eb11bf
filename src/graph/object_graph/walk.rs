//! Routes from the root to the objects, and key paths.

use std::collections::VecDeque;

use super::read::Occurrences;
use super::{Label, ObjectGraph, ObjectId, Route};

/// The length of a path in bytes, beyond which only the end is shown.
const MAX_PATH_BYTES: usize = 2_000;

impl<'m> ObjectGraph<'m> {
    /// The key path of an object, in the form of checkpoint keys; empty for the root.
    pub fn path(&self, id: ObjectId) -> String {
        path(id, |id| self.route(id))
    }

    /// Finds the route to each object.
    pub(super) fn walk(&mut self) {
        self.routes = vec![Route::Unreachable; self.objects.len()];
        if self.is_empty() {
            return self.findings.push("there are no objects, not even a root".into());
        }
        let mut is_reached = vec![false; self.objects.len()];
        self.reach(ObjectId(0), Route::Root, &mut is_reached);
        let mut is_referred_to = vec![false; self.objects.len()];
        for (_, edge) in &self.edges {
            if let Some(slot) = is_referred_to.get_mut(edge.to.position()) {
                *slot = true;
            }
        }
        let mut unreachable = Occurrences::default();
        let is = |flags: &[bool], id: ObjectId| flags.get(id.position()) == Some(&true);
        // First the objects that no other refers to; then the cycles that are left.
        for rings in [false, true] {
            for id in self.ids() {
                if !is(&is_reached, id) && (rings || !is(&is_referred_to, id)) {
                    unreachable.add(|| format!("object {}", id.0));
                    self.reach(id, Route::Unreachable, &mut is_reached);
                }
            }
        }
        self.findings.extend(unreachable.finding("objects that cannot be reached from the root"));
    }

    /// Visits everything that can be reached from an object: all children first, then one other reference, and so on.
    fn reach(&mut self, start: ObjectId, route: Route<'m>, is_reached: &mut [bool]) {
        let first = self.order.len();
        let mut found = VecDeque::from([(start, route)]);
        let (mut children, mut others) = (first, first);
        loop {
            for (id, route) in found.drain(..) {
                let reached = is_reached.get_mut(id.position());
                if reached.is_some_and(|reached| !std::mem::replace(reached, true)) {
                    if let Some(slot) = self.routes.get_mut(id.position()) {
                        *slot = route;
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
            found.extend(wanted.map(|(_, edge)| (edge.to, Route::From(id, edge.label))));
        }
    }
}

/// The key path along routes from the root.
pub fn path<'m>(id: ObjectId, route: impl Fn(ObjectId) -> Route<'m>) -> String {
    enum Piece {
        Object(ObjectId),
        Text(String),
    }
    // Built from its end, so that it can be cut: a chain of objects has a path of any length.
    let (mut pieces, mut rest, mut len) = (Vec::new(), vec![Piece::Object(id)], 0);
    let text = |text: &str| Piece::Text(format!("/{text}"));
    while let Some(piece) = rest.pop() {
        match piece {
            Piece::Text(piece) => {
                len += piece.len();
                pieces.push(piece);
            }
            Piece::Object(id) => match route(id) {
                Route::Root => {}
                Route::Unreachable => rest.push(text(&format!("#{}", id.0))),
                Route::From(from, label) => {
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
        if len > MAX_PATH_BYTES {
            pieces.push("…".into());
            break;
        }
    }
    pieces.reverse();
    let path = pieces.concat();
    path.strip_prefix('/').map(str::to_owned).unwrap_or(path)
}

/// A name in the form of checkpoint keys: `.` becomes `..`, and `/` becomes `.S`.
pub fn escaped(name: &str) -> String {
    name.replace('.', "..").replace('/', ".S")
}

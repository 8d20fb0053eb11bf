//! The part of a model that a change is in, which tells whether it can follow from changes in other parts.

use super::place::Place;
use crate::diff::counters::unnumbered;
use crate::diff::derived::{is_of_gradients, is_of_saver, is_saver_function};
use crate::diff::meaning::{Items, Part, is_recorded_attribute};
use crate::diff::{Change, Detail};

/// Whether a path names a whole item of a list, such as a layer, rather than a field of one.
fn is_whole_item(place: &Place<'_>) -> bool {
    matches!(place.last(), "layers" | "nodes")
}

/// Ops that stand for the arguments and results of a function.
const BORDERS: [&str; 2] = ["_Arg", "_Retval"];

impl Part {
    pub(super) fn of(change: &Change, place: &Place<'_>) -> Self {
        if place.is_of_keras() {
            return Self::of_keras(place);
        }
        match place.part {
            Some(part) => part,
            None if place.is_in_objects => Self::of_object(change, place),
            None if place.items == Items::Functions => Self::Functions,
            None => Self::of_nodes(change, place),
        }
    }

    /// The configuration of a model and its training, which the layers repeat.
    fn of_keras(place: &Place<'_>) -> Self {
        let is_of_model = place.object == Some("root") && !is_whole_item(place);
        if is_of_model && place.part.is_none() { Self::Layers } else { Self::Records }
    }

    fn of_object(change: &Change, place: &Place<'_>) -> Self {
        let is_of_signatures = place.object.is_some_and(|path| path.starts_with("signatures/"));
        // Constants repeat the object graph, for checkpoints.
        if is_of_signatures || place.node.is_some() {
            return Self::Records;
        }
        match &change.detail {
            Detail::Objects(group) if group.user_objects == 0 => Self::Variables,
            _ if place.last() == "nodes" => Self::Layers,
            _ => Self::Model,
        }
    }

    fn of_nodes(change: &Change, place: &Place<'_>) -> Self {
        let nodes = match &change.detail {
            Detail::Nodes(nodes) => Some(nodes),
            _ => None,
        };
        let names: Vec<&str> = match nodes {
            Some(nodes) => nodes.names.iter().map(String::as_str).collect(),
            None => place.node.into_iter().collect(),
        };
        let all = |is: fn(&str) -> bool| !names.is_empty() && names.iter().all(|name| is(name));
        let ops = nodes.map_or(&[][..], |nodes| &nodes.ops);
        let text = change.rhs.as_deref().or(change.lhs.as_deref()).unwrap_or_default();
        if !ops.is_empty() && ops.iter().all(|(op, _)| BORDERS.contains(&op.as_str())) {
            Self::Records
        } else if all(is_of_saver) || place.function.is_some_and(is_saver_function) {
            Self::SaverNodes
        } else if all(is_of_gradients) || place.function.is_some_and(is_of_gradients) {
            Self::Gradients
        } else if all(|name| name.contains("/Initializer/")) {
            Self::Initializers
        } else if is_recorded_attribute(place.last())
            || place.has("input") && (text.starts_with('^') || change.lhs == change.rhs)
            || is_other_copy(change)
        {
            // Where a node is placed, what it waits for, the position of an argument, and the types of the function that it calls.
            Self::Records
        } else {
            Self::Model
        }
    }
}

/// Whether an attribute names another copy of a function.
fn is_other_copy(change: &Change) -> bool {
    let texts = change.lhs.as_deref().zip(change.rhs.as_deref());
    texts.is_some_and(|(lhs, rhs)| {
        lhs.starts_with("func {") && lhs != rhs && unnumbered(lhs) == unnumbered(rhs)
    })
}

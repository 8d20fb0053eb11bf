//! The role of each tensor of a checkpoint: weight, optimizer state or counter.
//!
//! In TensorFlow 2 the object graph decides: an optimizer lists the slots that it keeps for variables, or has
//! its state as children, as in Keras 3, where one list of children also has the weights. Without an object
//! graph, names decide, but only those that the optimizers of TensorFlow 1 create: `dense/kernel/Adam` is a
//! slot if `dense/kernel` has the same shape.

use std::collections::BTreeMap;

use super::side_tensors::SideTensors;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Label, ObjectId};
use crate::tensor::{Kind, Name, Shape};

crate::serial::named_enum! {
    /// What a tensor is to the model.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum TensorRole {
        /// A variable of the model; the default.
        Weight = "weight",
        /// State of an optimizer: slots, powers, learning rates.
        Optimizer = "optimizer",
        /// A counter of steps or saves.
        Counter = "counter",
    }
}

/// The known roles of the tensors of one checkpoint.
pub(super) type Roles = BTreeMap<Name, TensorRole>;

/// The roles by key, from an object graph.
pub(super) fn of_objects(graph: &ObjectGraph<'_>) -> Roles {
    let optimizers: Vec<_> = graph.ids().filter(|&id| is_optimizer(graph, id)).collect();
    let mut roles = vec![TensorRole::Weight; graph.len()];
    let is_optimizer = |id: ObjectId| optimizers.binary_search(&id).is_ok();
    mark_reachable(
        graph,
        optimizers.clone(),
        |name, _| name != WEIGHTS,
        TensorRole::Optimizer,
        &mut roles,
    );
    // Objects of the model stay weights, even if an optimizer refers to them.
    let root = graph.root().filter(|root| !is_optimizer(*root));
    let listed = optimizers.iter().flat_map(|&id| graph.children(id));
    let listed = listed.filter(|(name, _)| *name == WEIGHTS).map(|(_, list)| list);
    let starts = root.into_iter().chain(listed).collect();
    mark_reachable(graph, starts, |_, to| !is_optimizer(to), TensorRole::Weight, &mut roles);
    let mut set = |id: ObjectId, role| {
        if let Some(known) = roles.get_mut(id.position()) {
            *known = role;
        }
    };
    for (_, edge) in graph.ids().flat_map(|id| graph.edges(id)) {
        if matches!(edge.label, Label::Slot(..)) {
            set(edge.to, TensorRole::Optimizer);
        }
    }
    let of_root = graph.root().into_iter().flat_map(|root| graph.children(root));
    let of_root = of_root.filter(|(name, _)| *name == "save_counter");
    let steps = optimizers.iter().flat_map(|&id| graph.children(id));
    let steps = steps.filter(|(name, _)| matches!(*name, "_iterations" | "iterations" | "iter"));
    of_root.chain(steps).for_each(|(_, id)| set(id, TensorRole::Counter));
    let mut of_keys = Roles::new();
    for id in graph.ids() {
        let role = roles.get(id.position()).copied().unwrap_or(TensorRole::Weight);
        for attribute in graph.attributes(id) {
            let is_step = attribute.full_name == GLOBAL_STEP;
            let role = if is_step { TensorRole::Counter } else { role };
            of_keys.insert(Name::from(attribute.checkpoint_key), role);
        }
    }
    of_keys
}

/// The child of a Keras 3 optimizer that lists the weights it trains.
const WEIGHTS: &str = "_trainable_variables";

/// The name of TensorFlow's own step counter.
const GLOBAL_STEP: &str = "global_step";

/// Whether an object keeps slots, or is an optimizer of Keras 3.
fn is_optimizer(graph: &ObjectGraph<'_>, id: ObjectId) -> bool {
    let has = |wanted| graph.children(id).any(|(name, _)| name == wanted);
    graph.edges(id).iter().any(|(_, edge)| matches!(edge.label, Label::Slot(..)))
        || has(WEIGHTS) && has("_variables") && has("_iterations")
}

/// Sets the role of all objects that are reachable through the selected children.
fn mark_reachable(
    graph: &ObjectGraph<'_>,
    mut next: Vec<ObjectId>,
    counts: impl Fn(&str, ObjectId) -> bool,
    role: TensorRole,
    roles: &mut [TensorRole],
) {
    let mut seen = vec![false; graph.len()];
    while let Some(id) = next.pop() {
        if seen.get(id.position()) != Some(&false) {
            continue;
        }
        if let (Some(seen), Some(known)) =
            (seen.get_mut(id.position()), roles.get_mut(id.position()))
        {
            (*seen, *known) = (true, role);
        }
        let children = graph.children(id).filter(|(name, to)| counts(name, *to));
        next.extend(children.map(|(_, to)| to));
    }
}

/// The optimizers of TensorFlow 1, whose slots are named after them.
const OPTIMIZERS: [&str; 6] = ["Adam", "Momentum", "RMSProp", "Adagrad", "Adadelta", "Ftrl"];

/// The roles that follow from names of TensorFlow 1 without doubt.
pub(super) fn of_names(tensors: SideTensors<'_>) -> Roles {
    let shape =
        |name: &str| -> Option<&Shape> { Some(tensors.get(name)?.source.as_ref().ok()?.shape()) };
    let mut roles = Roles::new();
    let mut has_adam = false;
    let named = || tensors.iter().filter_map(|entry| Some((entry, entry.name.as_str()?)));
    for (entry, name) in named() {
        let Some((variable, last)) = name.rsplit_once('/') else { continue };
        let optimizer = without_counter(last);
        if OPTIMIZERS.contains(&optimizer)
            && shape(variable).is_some_and(|variable| shape(name) == Some(variable))
        {
            has_adam |= optimizer == "Adam";
            roles.insert(entry.name.clone(), TensorRole::Optimizer);
        }
    }
    for (entry, name) in named() {
        let last = name.rsplit('/').next().unwrap_or_default();
        let is_scalar = shape(name).is_some_and(|shape| shape.rank() == 0);
        let is_integer = entry.source.as_ref().is_ok_and(|s| s.dtype().kind() == Kind::Integer);
        if last == GLOBAL_STEP && is_scalar && is_integer {
            roles.insert(entry.name.clone(), TensorRole::Counter);
        } else if has_adam
            && is_scalar
            && matches!(without_counter(last), "beta1_power" | "beta2_power")
        {
            roles.insert(entry.name.clone(), TensorRole::Optimizer);
        }
    }
    roles
}

/// A name without the number that TensorFlow appends to make it unique.
fn without_counter(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((name, number))
            if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    }
}

//! What a tensor of a checkpoint is to the model: a weight, a part of an optimizer's state, a counter.
//!
//! The object graph of TensorFlow 2 knows: optimizers list the slots that they keep for variables, or hold their state as
//! children, as those of Keras 3 do, among whose keys the weights themselves are. Without a graph there are names, and only what
//! TensorFlow 1's own optimizers name so is taken for a slot: `dense/kernel/Adam`, beside a `dense/kernel` of its shape.

use std::collections::BTreeMap;

use super::TensorDiff;
use super::sides::Tensors;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Label, ObjectId};
use crate::tensor::{Kind, Name, Shape};

/// What a tensor is to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A variable of the model: all that is known for nothing else.
    Weight,
    /// State of an optimizer: slots, powers, learning rates.
    Optimizer,
    /// Counts steps or saves.
    Counter,
}

impl Role {
    /// Every role, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Weight, Self::Optimizer, Self::Counter];

    /// As the JSON report spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weight => "weight",
            Self::Optimizer => "optimizer",
            Self::Counter => "counter",
        }
    }
}

crate::serial::serialize_by_name!(Role);

/// The roles of the tensors of one checkpoint, as far as they are known.
pub(super) type Roles = BTreeMap<Name, Role>;

/// Gives each tensor its role: what rhs says goes before what lhs does.
pub(super) fn assign(tensors: &mut [TensorDiff], lhs: &Roles, rhs: &Roles) {
    for tensor in tensors {
        let from = tensor.renamed_from.as_ref().unwrap_or(&tensor.name);
        let known = rhs.get(&tensor.name).or_else(|| lhs.get(from));
        tensor.role = Some(known.copied().unwrap_or(Role::Weight));
    }
}

/// What an object graph says, by key.
pub(super) fn of_objects(graph: &ObjectGraph<'_>) -> Roles {
    let optimizers: Vec<_> = graph.ids().filter(|&id| is_optimizer(graph, id)).collect();
    let mut roles = vec![Role::Weight; graph.len()];
    let is_optimizer = |id: ObjectId| optimizers.binary_search(&id).is_ok();
    reach(graph, optimizers.clone(), |name, _| name != WEIGHTS, Role::Optimizer, &mut roles);
    // What is the model's stays so, whoever else refers to it.
    let root = graph.root().filter(|root| !is_optimizer(*root));
    let listed = optimizers.iter().flat_map(|&id| graph.children(id));
    let listed = listed.filter(|(name, _)| *name == WEIGHTS).map(|(_, list)| list);
    let starts = root.into_iter().chain(listed).collect();
    reach(graph, starts, |_, to| !is_optimizer(to), Role::Weight, &mut roles);
    let mut set = |id: ObjectId, role| {
        if let Some(known) = roles.get_mut(id.position()) {
            *known = role;
        }
    };
    for (_, edge) in graph.ids().flat_map(|id| graph.edges(id)) {
        if matches!(edge.label, Label::Slot(..)) {
            set(edge.to, Role::Optimizer);
        }
    }
    let of_root = graph.root().into_iter().flat_map(|root| graph.children(root));
    let of_root = of_root.filter(|(name, _)| *name == "save_counter");
    let steps = optimizers.iter().flat_map(|&id| graph.children(id));
    let steps = steps.filter(|(name, _)| matches!(*name, "_iterations" | "iterations" | "iter"));
    of_root.chain(steps).for_each(|(_, id)| set(id, Role::Counter));
    let mut of_keys = Roles::new();
    for id in graph.ids() {
        let role = roles.get(id.position()).copied().unwrap_or(Role::Weight);
        for attribute in graph.attributes(id) {
            let is_step = attribute.full_name == GLOBAL_STEP;
            let role = if is_step { Role::Counter } else { role };
            of_keys.insert(Name::from(attribute.checkpoint_key), role);
        }
    }
    of_keys
}

/// The child in which an optimizer of Keras 3 has the weights that it trains.
const WEIGHTS: &str = "_trainable_variables";

/// What TensorFlow calls the counter that it makes.
const GLOBAL_STEP: &str = "global_step";

/// Whether an object keeps slots, or is an optimizer of Keras 3.
fn is_optimizer(graph: &ObjectGraph<'_>, id: ObjectId) -> bool {
    let has = |wanted| graph.children(id).any(|(name, _)| name == wanted);
    graph.edges(id).iter().any(|(_, edge)| matches!(edge.label, Label::Slot(..)))
        || has(WEIGHTS) && has("_variables") && has("_iterations")
}

/// Gives a role to all that is reached through children that count.
fn reach(
    graph: &ObjectGraph<'_>,
    mut next: Vec<ObjectId>,
    counts: impl Fn(&str, ObjectId) -> bool,
    role: Role,
    roles: &mut [Role],
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

/// The names of optimizers of TensorFlow 1, which their slots have behind the variable's.
const OPTIMIZERS: [&str; 6] = ["Adam", "Momentum", "RMSProp", "Adagrad", "Adadelta", "Ftrl"];

/// What the names of TensorFlow 1 say beyond doubt.
pub(super) fn of_names(tensors: Tensors<'_>) -> Roles {
    let shape =
        |name: &str| -> Option<&Shape> { Some(tensors.get(name)?.source.as_ref().ok()?.shape()) };
    let mut roles = Roles::new();
    let mut has_adam = false;
    let named = || tensors.iter().filter_map(|entry| Some((entry, entry.name.as_str()?)));
    for (entry, name) in named() {
        let Some((variable, last)) = name.rsplit_once('/') else { continue };
        let optimizer = uncounted(last);
        if OPTIMIZERS.contains(&optimizer)
            && shape(variable).is_some_and(|variable| shape(name) == Some(variable))
        {
            has_adam |= optimizer == "Adam";
            roles.insert(entry.name.clone(), Role::Optimizer);
        }
    }
    for (entry, name) in named() {
        let last = name.rsplit('/').next().unwrap_or_default();
        let is_scalar = shape(name).is_some_and(|shape| shape.rank() == 0);
        let is_integer = entry.source.as_ref().is_ok_and(|s| s.dtype().kind() == Kind::Integer);
        if last == GLOBAL_STEP && is_scalar && is_integer {
            roles.insert(entry.name.clone(), Role::Counter);
        } else if has_adam && is_scalar && matches!(uncounted(last), "beta1_power" | "beta2_power")
        {
            roles.insert(entry.name.clone(), Role::Optimizer);
        }
    }
    roles
}

/// A name without the number that TensorFlow puts behind one that is taken.
fn uncounted(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((name, number))
            if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    }
}

//! The role of each tensor of a checkpoint: weight, optimizer state or counter.
//!
//! In TensorFlow 2 the object graph decides: an optimizer lists the slots that it keeps for variables, or has
//! its state as children, as in Keras 3, where one list of children also has the weights. Without an object
//! graph, names decide, but only those that optimizers are known to create: `dense/kernel/Adam` is a slot if
//! `dense/kernel` has the same shape.

use std::collections::BTreeMap;

use super::side_tensors::SideTensors;
use crate::checkpoint::Entry;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Label, ObjectId};
use crate::tensor::{Kind, Name, Shape};

crate::serial::named_enum! {
    /// What a tensor is to the model.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum TensorRole {
        /// A variable of the model; the default.
        Weight = "weight",
        /// State of an optimizer: slots, powers, learning rates.
        Optimizer = "optimizer",
        /// A counter of steps, saves or random draws.
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
    let draws = graph.ids().flat_map(|id| graph.children(id));
    let draws = draws.filter(|(name, _)| *name == GENERATOR_STATE);
    of_root.chain(steps).chain(draws).for_each(|(_, id)| set(id, TensorRole::Counter));
    let mut of_keys = Roles::new();
    for id in graph.ids() {
        let role = roles.get(id.position()).copied().unwrap_or(TensorRole::Weight);
        for attribute in graph.attributes(id) {
            let (_, last) = last_part(attribute.full_name);
            let is_counter = attribute.full_name == GLOBAL_STEP || last == SEED_STATE;
            let role = if is_counter { TensorRole::Counter } else { role };
            of_keys.insert(Name::from(attribute.checkpoint_key), role);
        }
    }
    of_keys
}

/// The child of a Keras 3 optimizer that lists the weights it trains.
const WEIGHTS: &str = "_trainable_variables";

/// The state of a `tf.random.Generator`, which counts what was drawn.
const GENERATOR_STATE: &str = "_state_var";

/// The last part of the name of the state of a `SeedGenerator` of Keras 3, a seed and a counter.
const SEED_STATE: &str = "seed_generator_state";

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

/// What optimizers call the state that they keep for a variable, as the last part of a name: `dense/kernel/Adam` of
/// TensorFlow 1, `adam_m` of BERT and its kin, `exp_avg` of PyTorch. The state has the shape of the variable.
const SLOTS: [&str; 26] = [
    "Adadelta",
    "Adagrad",
    "AdagradDA",
    "Adam",
    "AdamW",
    "AdaMax",
    "Ftrl",
    "LAMB",
    "LARS",
    "Momentum",
    "Nadam",
    "ProximalAdagrad",
    "RMSProp",
    "YellowFin",
    "adam_m",
    "adam_v",
    "lamb_m",
    "lamb_v",
    "lars_momentum",
    "nesterov",
    "exp_avg",
    "exp_avg_sq",
    "max_exp_avg_sq",
    "momentum_buffer",
    "square_avg",
    "acc_delta",
];

/// What Adafactor appends to the name of a variable. Its state may have fewer dimensions than the variable.
const ADAFACTOR: [&str; 4] = ["_slot_m", "_slot_v", "_slot_vc", "_slot_vr"];

/// Scopes of everything that an optimizer keeps: those of Keras are named after its class, those of JAX and PyTorch are not.
const SCOPES: [&str; 15] = [
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Lion",
    "Nadam",
    "RMSprop",
    "SGD",
    "opt_state",
    "optim",
    "optimizer",
    "optimizer_state",
];

/// State of an optimizer that belongs to no variable, as the last part of a name. The powers are those of TensorFlow 1.
const HYPERPARAMETERS: [&str; 11] = [
    "beta",
    "beta1_power",
    "beta2_power",
    "current_learning_rate",
    "decay",
    "epsilon",
    "learning_rate",
    "momentum",
    "momentum_cache",
    "rho",
    "weight_decay",
];

/// Counters of steps, as the last part of a name.
const COUNTERS: [&str; 6] =
    [GLOBAL_STEP, "iter", "iteration", "iterations", "num_batches_tracked", "save_counter"];

/// The roles that follow from names without doubt.
pub(super) fn of_names(tensors: SideTensors<'_>) -> Roles {
    let names = TensorNames(tensors);
    let roles = tensors.iter().filter_map(|entry| Some((entry.name.clone(), names.role(entry)?)));
    let mut roles: Roles = roles.collect();
    // Powers belong to an Adam optimizer.
    let last =
        |name: &Name| without_counter(last_part(name.as_str().unwrap_or_default()).1).to_owned();
    if !roles.keys().any(|name| last(name) == "Adam") {
        roles.retain(|name, _| !last(name).ends_with("_power"));
    }
    roles
}

/// The names of a checkpoint without an object graph.
struct TensorNames<'a>(SideTensors<'a>);

impl TensorNames<'_> {
    fn shape(&self, name: &str) -> Option<&Shape> {
        Some(self.0.get(name)?.source.as_ref().ok()?.shape())
    }

    /// The role that follows from the name of a tensor; `None` if none does.
    fn role(&self, entry: &Entry) -> Option<TensorRole> {
        let name = entry.name.as_str()?;
        let source = entry.source.as_ref().ok();
        let (scope, numbered) = last_part(name);
        let last = without_counter(numbered);
        let is_scalar = source.is_some_and(|source| source.shape().rank() == 0);
        let is_integer = source.is_some_and(|source| source.dtype().kind() == Kind::Integer);
        if is_scalar && is_integer && COUNTERS.contains(&last) {
            return Some(TensorRole::Counter);
        }
        let is_slot_of = |variable: &str| {
            source.zip(self.shape(variable)).is_some_and(|(slot, of)| slot.shape() == of)
        };
        let is_adafactor = ADAFACTOR.iter().any(|suffix| {
            name.strip_suffix(suffix).is_some_and(|variable| self.shape(variable).is_some())
        });
        let is_slot = SLOTS.contains(&last) && is_slot_of(scope);
        let is_hyperparameter = is_scalar && HYPERPARAMETERS.contains(&last);
        let is_power = is_hyperparameter && numbered.contains("_power");
        let of_optimizer = || {
            let (first, rest) = first_part(name.strip_prefix("training/").unwrap_or(name))?;
            SCOPES.contains(&without_counter(first)).then(|| {
                let is_generic = first.starts_with("opt");
                let slot_first = first_part(rest).is_some_and(|(_, variable)| is_slot_of(variable));
                is_generic || is_hyperparameter || slot_first || is_slot_of(last_part(rest).0)
            })
        };
        (is_adafactor || is_slot || is_power || of_optimizer() == Some(true))
            .then_some(TensorRole::Optimizer)
    }
}

/// The scope of a name and its last part. Names without a slash have dots, as those of PyTorch.
fn last_part(name: &str) -> (&str, &str) {
    name.rsplit_once('/').or_else(|| name.rsplit_once('.')).unwrap_or(("", name))
}

/// The first part of a name, and the rest.
fn first_part(name: &str) -> Option<(&str, &str)> {
    name.split_once('/').or_else(|| name.split_once('.'))
}

/// A name without the number that TensorFlow appends to make it unique.
fn without_counter(name: &str) -> &str {
    if !name.ends_with(|last: char| last.is_ascii_digit()) {
        return name;
    }
    match name.rsplit_once('_') {
        Some((name, number))
            if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    }
}

//! The names of functions, and the names in them.

use std::collections::{BTreeMap, BTreeSet};

use super::numbers;
use super::renames::Renames;
use crate::diff::stem;
use crate::schema::tensorflow::op_def::ArgDef;
use crate::schema::tensorflow::{FunctionDef, GraphDef};
use crate::snapshot::{Redaction, Redactions};

/// The renames of functions whose names have counters: those of a graph, and `others`.
pub(super) fn renames(graph: &GraphDef, others: &[&str], redactions: &Redactions) -> Renames {
    let mut renames = Renames::default();
    if !redactions.has(Redaction::FunctionCounters) {
        return renames;
    }
    let functions = graph.library.iter().flat_map(|library| &library.function);
    let names = functions.filter_map(|function| Some(&*function.signature.as_ref()?.name));
    let names: BTreeSet<&str> = names.chain(others.iter().copied()).collect();
    let mut by_stem = BTreeMap::<String, Vec<&str>>::new();
    for name in names {
        let stem = match redactions.has(Redaction::Numbers) {
            true => without_numbers(name),
            false => stem(name).into_owned(),
        };
        by_stem.entry(stem).or_default().push(name);
    }
    for (stem, mut names) in by_stem {
        names.sort_by_key(|name| counters(name));
        for (rank, name) in names.into_iter().enumerate() {
            renames.add(name, &numbered(&stem, rank));
        }
    }
    renames
}

/// The stem, with a number from the second name of a stem on.
fn numbered(stem: &str, rank: usize) -> String {
    if rank == 0 { stem.to_owned() } else { format!("{stem}_{rank}") }
}

/// The parts between underscores that are numbers, the last first; shorter ones sort first.
fn counters(name: &str) -> Vec<(usize, &str)> {
    let numbers = name.rsplit('_').filter(|part| is_number(part));
    numbers.map(|number| (number.len(), number)).collect()
}

fn is_number(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// A name made from others without the numbers in them: `sequential_1_dense_2_kernel` is `sequential_dense_kernel`. The first part
/// stays.
fn without_numbers(name: &str) -> String {
    let mut parts = name.split('_');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts.filter(|part| !is_number(part)) {
        text.push('_');
        text.push_str(part);
    }
    text
}

/// The renames of the nodes and arguments in a function.
pub(super) fn inside(function: &FunctionDef) -> Renames {
    let names = function.node_def.iter().map(|node| &*node.name);
    let mut renames = numbers::renumbered(names.clone());
    let mut taken: BTreeSet<String> =
        names.map(|name| renames.get(name).unwrap_or(name).to_owned()).collect();
    let signature = function.signature.as_ref();
    for arg in signature.iter().flat_map(|signature| &signature.input_arg) {
        let new = unique(&without_numbers(&arg.name), &mut taken);
        renames.add(&arg.name, &new);
    }
    renames
}

/// The first of `name`, `name_1`, … that is not taken.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let new = (0..).map(|rank| numbered(name, rank)).find(|new| !taken.contains(new));
    let new = new.unwrap_or_default();
    taken.insert(new.clone());
    new
}

/// Renames the results of a function, which are positions, and its arguments and control outputs.
pub(super) fn rename_signature(function: &mut FunctionDef, inside: &Renames) {
    let signature = function.signature.get_or_insert_default();
    for arg in &mut signature.input_arg {
        if let Some(new) = inside.get(&arg.name) {
            arg.name = new.to_owned();
        }
    }
    let mut results = Renames::default();
    let mut taken = BTreeSet::new();
    for arg in &mut signature.output_arg {
        let ArgDef { name, .. } = arg;
        let new = unique(&without_numbers(name), &mut taken);
        results.add(name, &new);
        *name = new;
    }
    let returned = std::mem::take(&mut function.ret).into_iter().map(|(key, value)| {
        let new = results.get(&key).map(str::to_owned).unwrap_or(key);
        (new, inside.text(&value).unwrap_or(value))
    });
    function.ret = returned.collect();
    let control = std::mem::take(&mut function.control_ret).into_iter().map(|(key, value)| {
        (inside.get(&key).map(str::to_owned).unwrap_or(key), inside.text(&value).unwrap_or(value))
    });
    function.control_ret = control.collect();
    for name in &mut signature.control_output {
        if let Some(new) = inside.get(name) {
            *name = new.to_owned();
        }
    }
}

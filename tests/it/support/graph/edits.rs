//! Edits of a planned model, each with the number of semantic changes that it makes, and their place.

use ckdiff::schema::tensorflow::attr_value::Value;

use crate::support::Random;
use crate::support::graph::plan::{Id, Piece, Plan, Variable, float, floats, shape, values};

/// The expected result of an edit.
#[derive(Debug)]
pub(crate) struct Edited {
    /// The largest number of semantic changes; 0 for an edit of the spelling only.
    pub most: usize,
    /// Text that one of the changes must contain.
    pub place: String,
}

/// Edits a part of a scope; `None` if the scope has no such part.
type Edit = fn(&mut Plan, &str, &mut Random) -> Option<Edited>;

/// The edits with their names.
pub(crate) const EDITS: &[(&str, Edit)] = &[
    ("rename a node", rename_node),
    ("rename a scope", rename_scope),
    ("move a scope", move_scope),
    ("insert a block", insert_block),
    ("remove a node", remove_node),
    ("change an attribute", change_attr),
    ("change a device", change_device),
    ("change a constant", change_constant),
    ("rewire an input", rewire),
    ("swap inputs", swap_inputs),
    ("add a control input", add_control),
    ("remove a control input", remove_control),
    ("change an op", change_op),
    ("change a function", change_function),
    ("count functions anew", count_functions),
    ("add a signature", add_signature),
    ("remove a signature", remove_signature),
    ("change a signature", change_signature),
    ("add to a collection", add_to_collection),
    ("change a saver", change_saver),
    ("add a variable", add_variable),
];

fn one(place: impl Into<String>) -> Option<Edited> {
    Some(Edited { most: 1, place: place.into() })
}

const COSMETIC: Option<Edited> = Some(Edited { most: 0, place: String::new() });

/// A random node of the scope for which `holds`.
fn pick(plan: &Plan, scope: &str, random: &mut Random, holds: impl Fn(Id) -> bool) -> Option<Id> {
    let mut ids = plan.inside(scope);
    ids.retain(|&id| holds(id));
    let at = random.below(ids.len().max(1) as u64);
    ids.get(at as usize).copied()
}

fn rename_node(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    // The name of a partitioned variable comes from two nodes.
    let is_part = |id| plan.variables.iter().any(|v| v.node == id && v.half.is_some());
    let id = pick(plan, scope, random, |id| !is_part(id))?;
    let name = &mut plan.node_mut(id).name;
    name.push_str("_by_another_name");
    one(name.clone())
}

fn rename_scope(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let to = format!("renamed_{}/", random.below(1000));
    plan.rename_scope(scope, &to);
    one(to.trim_end_matches('/'))
}

fn move_scope(plan: &mut Plan, scope: &str, _: &mut Random) -> Option<Edited> {
    plan.rename_scope(scope, &format!("import/{scope}"));
    one("import")
}

fn insert_block(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let takes =
        |id: Id| plan.node(id).inputs.first().is_some_and(|input| plan.gives_floats(input.0));
    let by = pick(plan, scope, random, |id| takes(id) && !matches!(plan.node(id).op, "Enter"))?;
    let mut from = plan.node(by).inputs[0];
    for at in 0..1 + random.below(20) {
        let op = ["Sigmoid", "Exp", "Abs"][random.below(3) as usize];
        let id = plan.op(format!("{scope}inserted/op_{at}"), op, &[]);
        plan.node_mut(id).inputs = vec![from];
        from = (id, 0);
    }
    plan.node_mut(by).inputs[0] = from;
    one("inserted")
}

fn remove_node(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let unary = |id: Id| {
        let piece = plan.node(id);
        let is_unary = matches!(piece.op, "Identity" | "Relu" | "Tanh" | "LeakyRelu" | "Softplus");
        is_unary
            && piece.controls.is_empty()
            && !plan.is_named(id)
            && !plan.consumers(id).is_empty()
    };
    let id = pick(plan, scope, random, |id| unary(id) && plan.gives_floats(id))?;
    let from = plan.node(id).inputs[0];
    for (by, slot) in plan.consumers(id) {
        plan.node_mut(by).inputs[slot] = from;
    }
    let piece = plan.nodes[id].take()?;
    one(piece.name)
}

fn change_attr(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let has = |id: Id| matches!(plan.node(id).op, "LeakyRelu" | "MatMul" | "Enter");
    let id = pick(plan, scope, random, has)?;
    let piece = plan.node_mut(id);
    let (name, value) = match piece.op {
        "LeakyRelu" => ("alpha", Value::F(0.3)),
        "MatMul" => ("transpose_b", Value::B(true)),
        _ => ("parallel_iterations", Value::I(32)),
    };
    piece.attrs.insert(name, value);
    one(piece.name.clone())
}

fn change_device(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let id = pick(plan, scope, random, |_| true)?;
    let piece = plan.node_mut(id);
    piece.device = "/job:worker/task:0/device:GPU:0".into();
    one(piece.name.clone())
}

fn change_constant(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let is_constant = |id: Id| plan.node(id).op == "Const" && plan.gives_floats(id);
    let id = pick(plan, scope, random, is_constant)?;
    let piece = plan.node_mut(id);
    let Some(Value::Tensor(tensor)) = piece.attrs.get_mut("value") else { return None };
    let mut numbers = values(tensor);
    let at = random.below(numbers.len() as u64) as usize;
    numbers[at] += 100.0;
    **tensor = floats(&numbers, random.next());
    one(piece.name.clone())
}

/// An earlier node with a float output that is not yet an input.
fn before(plan: &Plan, id: Id, random: &mut Random) -> Option<Id> {
    let taken = &plan.node(id).inputs;
    let fits =
        |&other: &Id| plan.gives_floats(other) && !taken.iter().any(|input| input.0 == other);
    let all: Vec<_> = plan.ids().into_iter().filter(|&other| other < id).filter(fits).collect();
    let at = random.below(all.len().max(1) as u64);
    all.get(at as usize).copied()
}

fn rewire(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let takes =
        |id: Id| plan.node(id).inputs.first().is_some_and(|input| plan.gives_floats(input.0));
    let id = pick(plan, scope, random, takes)?;
    let from = before(plan, id, random)?;
    plan.node_mut(id).inputs[0] = (from, 0);
    one(plan.node(id).name.clone())
}

fn swap_inputs(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let has = |id: Id| {
        let piece = plan.node(id);
        let takes = matches!(piece.op, "Sub" | "RealDiv" | "AddV2" | "Mul" | "AddN");
        takes && piece.inputs[0] != piece.inputs[1]
    };
    let id = pick(plan, scope, random, has)?;
    let piece = plan.node_mut(id);
    piece.inputs.swap(0, 1);
    if matches!(piece.op, "Sub" | "RealDiv") { one(piece.name.clone()) } else { COSMETIC }
}

fn add_control(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let id = pick(plan, scope, random, |id| plan.node(id).op != "Const")?;
    let from = before(plan, id, random)?;
    let piece = plan.node_mut(id);
    if piece.controls.contains(&from) {
        return None;
    }
    piece.controls.push(from);
    one(piece.name.clone())
}

fn remove_control(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let id = pick(plan, scope, random, |id| !plan.node(id).controls.is_empty())?;
    let piece = plan.node_mut(id);
    piece.controls.pop();
    one(piece.name.clone())
}

fn change_op(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let id =
        pick(plan, scope, random, |id| matches!(plan.node(id).op, "Relu" | "Tanh" | "Softplus"))?;
    let piece = plan.node_mut(id);
    piece.op = if piece.op == "Relu" { "Elu" } else { "Sigmoid" };
    one(piece.name.clone())
}

fn change_function(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let id = pick(plan, scope, random, |id| plan.node(id).calls.is_some())?;
    let function = &mut plan.functions[plan.nodes[id].as_ref()?.calls?];
    function.constant += 100.0;
    one(function.name.clone())
}

fn count_functions(plan: &mut Plan, _: &str, _: &mut Random) -> Option<Edited> {
    plan.functions.first()?;
    plan.functions.iter_mut().for_each(|function| function.counter += 1000);
    COSMETIC
}

fn add_signature(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let out = pick(plan, scope, random, |id| plan.gives_floats(id))?;
    if plan.signatures.insert("added".into(), (0, out)).is_some() {
        return None;
    }
    one("added")
}

fn remove_signature(plan: &mut Plan, _: &str, _: &mut Random) -> Option<Edited> {
    plan.signatures.remove("serving_default").and_then(|_| one("serving_default"))
}

fn change_signature(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let known = plan.signatures.get("serving_default")?.1;
    let out = pick(plan, scope, random, |id| plan.gives_floats(id) && id != known)?;
    plan.signatures.get_mut("serving_default")?.1 = out;
    one("serving_default")
}

fn add_to_collection(plan: &mut Plan, scope: &str, random: &mut Random) -> Option<Edited> {
    let id = pick(plan, scope, random, |id| !plan.update_ops.contains(&id))?;
    plan.update_ops.push(id);
    one("update_ops")
}

fn change_saver(plan: &mut Plan, _: &str, _: &mut Random) -> Option<Edited> {
    let saver = plan.saver.as_mut()?;
    saver.max_to_keep += 1;
    one("saver_def")
}

/// Adds a variable with its nodes, which is an item in each of two collections.
fn add_variable(plan: &mut Plan, scope: &str, _: &mut Random) -> Option<Edited> {
    let name = format!("{scope}added_variable");
    let initial = plan.constant(format!("{name}/initial_value"), floats(&[7.0, 8.0], 1));
    let attrs = [("dtype", float()), ("shape", Value::Shape(shape(&[2])))].into();
    let node = Piece { name: name.clone(), op: "VariableV2", attrs, ..Piece::default() };
    let node = plan.add(node);
    let assign = plan.op(format!("{name}/Assign"), "Assign", &[node, initial]);
    let read = plan.op(format!("{name}/read"), "Identity", &[node]);
    for id in [assign, read] {
        plan.node_mut(id).beside = Some(node);
    }
    let (is_resource, is_trainable, half) = (false, true, None);
    plan.variables.push(Variable { node, initial, assign, read, is_resource, is_trainable, half });
    one(name)
}

//! Changes of large graphs, and of graphs with many identical parts: the number of reported changes.

use ckdiff::diff::{ChangeKind, Detail, Diff};
use ckdiff::schema::tensorflow::attr_value::Value;

use crate::support::Random;
use crate::support::graph::pairs::{lines, pair, semantic};
use crate::support::graph::plan::{Id, Plan, Saver, floats};
use crate::support::graph::random::model_of;
use crate::support::graph::spelling::rewritten;
use crate::support::graph::written::written;

/// The differences between a plan's graph and the same graph after an edit.
fn changed(plan: &Plan, edit: impl FnOnce(&mut Plan)) -> Diff {
    let mut other = plan.clone();
    edit(&mut other);
    pair(&written(plan), &written(&other))
}

/// Checks the number of semantic changes.
fn counts(diff: &Diff, expected: usize) {
    assert_eq!(semantic(diff).len(), expected, "{}", lines(diff));
}

/// Checks that the only semantic change is a rename of this many nodes.
fn is_one_rename(diff: &Diff, nodes: usize) {
    counts(diff, 1);
    let change = semantic(diff)[0];
    assert_eq!(change.kind, ChangeKind::Renamed);
    let Detail::Nodes(found) = &change.detail else { panic!("{change:?}") };
    assert_eq!(found.names.len(), nodes, "{}", lines(diff));
}

/// A random model with a saver, in a single scope.
fn in_a_scope(layers: u64, scope: &str) -> Plan {
    let (mut plan, _) = model_of(layers, &mut Random::new(layers));
    plan.saver.get_or_insert(Saver { max_to_keep: 5 });
    plan.nodes.iter_mut().flatten().for_each(|piece| piece.name.insert_str(0, scope));
    plan.loops.iter_mut().for_each(|found| found.scope.insert_str(0, scope));
    plan
}

#[test]
fn one_consistent_rename_in_five_thousand_nodes_is_one_change() {
    let (plan, _) = model_of(1_000, &mut Random::new(5));
    assert!(plan.nodes.len() > 5_000, "{}", plan.nodes.len());
    let nodes = plan.inside("model/").len();
    is_one_rename(&changed(&plan, |plan| plan.rename_scope("model/", "net/")), nodes);
    let input = &changed(&plan, |plan| plan.node_mut(0).name = "features".into());
    is_one_rename(input, 1);
}

#[test]
fn a_renamed_scope_of_five_hundred_nodes_with_its_variables_is_one_change() {
    let plan = in_a_scope(120, "big/");
    assert!(plan.nodes.len() > 500 && plan.variables.len() > 50, "{}", plan.nodes.len());
    for to in ["large/", "a/", "z/z/", "import/big/", "big/big/"] {
        is_one_rename(&changed(&plan, |plan| plan.rename_scope("big/", to)), plan.nodes.len());
    }
}

/// Inserts a chain of nodes before the first input of a node.
fn put_before(plan: &mut Plan, by: Id, count: usize) {
    let mut from = plan.node(by).inputs[0];
    for at in 0..count {
        let id = plan.op(format!("inserted/op_{at}"), "Softsign", &[]);
        plan.node_mut(id).inputs = vec![from];
        from = (id, 0);
    }
    plan.node_mut(by).inputs[0] = from;
}

#[test]
fn twenty_nodes_inserted_into_an_edge_are_one_change_with_the_rewired_edge() {
    let (plan, _) = model_of(1_000, &mut Random::new(6));
    let by = plan.ids().into_iter().rfind(|&id| plan.node(id).op == "Sub").unwrap();
    let diff = changed(&plan, |plan| put_before(plan, by, 20));
    counts(&diff, 1);
    let Detail::Nodes(nodes) = &semantic(&diff)[0].detail else { panic!("{}", lines(&diff)) };
    assert_eq!((nodes.names.len(), nodes.boundary.len()), (20, 1), "{nodes:?}");
}

#[test]
fn five_thousand_nodes_in_another_order_and_encoding_are_not_a_semantic_change() {
    let (plan, _) = model_of(1_000, &mut Random::new(7));
    let graph = written(&plan);
    counts(&pair(&graph, &rewritten(&graph, &mut Random::new(1))), 0);
}

/// Parallel towers with the same structure.
fn towers(count: usize) -> Plan {
    let mut plan = Plan::default();
    let input = plan.constant("input".into(), floats(&[1.0], 1));
    let ends: Vec<_> = (0..count)
        .map(|at| {
            let name = |end: &str| format!("tower_{at}/{end}");
            let weight = plan.constant(name("weight"), floats(&[2.0], 1));
            let product = plan.op(name("mul"), "Mul", &[input, weight]);
            plan.op(name("relu"), "Relu", &[product])
        })
        .collect();
    plan.op("sum".into(), "AddN", &ends);
    plan
}

#[test]
fn identical_towers_are_matched_by_their_consumers() {
    for count in [2, 4, 11] {
        let plan = towers(count);
        is_one_rename(&changed(&plan, |plan| plan.rename_scope("tower_1/", "other/")), 3);
        let all = |to: &dyn Fn(usize) -> String| {
            changed(&plan, |plan| {
                (0..count).for_each(|at| plan.rename_scope(&format!("tower_{at}/"), &to(at)));
            })
        };
        counts(&all(&|at| format!("replica_{at}/")), count);
        counts(&all(&|at| format!("replica_{}/", count - at)), count);
        is_one_rename(&all(&|at| format!("model/tower_{at}/")), 3 * count);
    }
}

#[test]
fn a_long_chain_is_followed_from_both_ends() {
    let mut plan = Plan::default();
    let mut last = plan.constant("chain/start".into(), floats(&[1.0], 1));
    for at in 0..3_000 {
        last = plan.op(format!("chain/identity_{at}"), "Identity", &[last]);
    }
    is_one_rename(&changed(&plan, |plan| plan.node_mut(1_500).name = "middle".into()), 1);
    is_one_rename(&changed(&plan, |plan| plan.rename_scope("chain/", "links/")), 3_001);
}

#[test]
fn equal_constants_are_matched_by_their_consumers() {
    let mut plan = Plan::default();
    let all: Vec<_> = (0..50)
        .map(|at| plan.constant(format!("constants/c_{at}"), floats(&[1.0, 1.0], 1)))
        .collect();
    plan.op("sum".into(), "AddN", &all);
    plan.op("other".into(), "AddN", &all[10..20]);
    is_one_rename(&changed(&plan, |plan| plan.rename_scope("constants/", "numbers/")), 50);
    is_one_rename(&changed(&plan, |plan| plan.node_mut(15).name = "odd".into()), 1);
}

#[test]
fn a_change_in_a_renamed_scope_is_reported_by_itself() {
    let plan = in_a_scope(20, "scope/");
    let edit = |plan: &mut Plan| plan.rename_scope("scope/", "other/");
    for (op, attr, value) in [
        ("MatMul", "transpose_a", Value::B(true)),
        ("VariableV2", "container", Value::S(b"c".into())),
        ("AddN", "T", Value::Type(2)),
    ] {
        let id = plan.ids().into_iter().find(|&id| plan.node(id).op == op).unwrap();
        let diff = changed(&plan, |plan| {
            edit(plan);
            plan.node_mut(id).attrs.insert(attr, value);
        });
        counts(&diff, 2);
    }
}

#[test]
fn a_renamed_loop_is_one_change() {
    let (plan, _) = model_of(60, &mut Random::new(9));
    let scope = plan.loops[0].scope.clone();
    let nodes = plan.inside(&scope).len();
    is_one_rename(&changed(&plan, |plan| plan.rename_scope(&scope, "turns/")), nodes);
}

//! Changes of object graphs: objects are matched by key path, and a fact stored in several places is reported once.

use std::fmt::Write as _;

use ckdiff::artifact::{Artifact, Form};
use ckdiff::diff::{Diff, DiffOptions, NameFilter, Status, Verdict, Weight, diff};
use ckdiff::progress::Silent;

use crate::support::message_forms::document;
use crate::support::oracle;

pub(crate) const TRACKABLE: &str = "tensorflow.TrackableObjectGraph";
const SAVED: &str = "tensorflow.SavedObjectGraph";

pub(crate) fn compared(lhs: &Artifact, rhs: &Artifact) -> Diff {
    diff(lhs, rhs, &DiffOptions::default(), &Silent).unwrap()
}

/// One line per change, and one per finding.
pub(crate) fn change_lines(diff: &Diff) -> Vec<String> {
    let mut lines: Vec<String> = diff
        .changes
        .iter()
        .map(|change| {
            let mut line = match change.weight {
                Weight::Semantic => String::new(),
                Weight::Cosmetic => "(cosmetic) ".to_owned(),
            };
            write!(line, "{} {}", change.kind.name(), change.path).unwrap();
            for text in [&change.lhs, &change.rhs].into_iter().flatten() {
                write!(line, " | {text}").unwrap();
            }
            line
        })
        .collect();
    lines.extend(diff.findings.iter().map(|finding| format!("finding: {}", finding.problem)));
    lines
}

fn texts(message: &str, lhs: &str, rhs: &str) -> Vec<String> {
    let read = |text: &str| document(message, Form::Text, text.as_bytes()).into();
    change_lines(&compared(&read(lhs), &read(rhs)))
}

/// Compares two graphs per row: lhs, rhs, and the expected lines.
fn check(message: &str, table: &[(&str, &str, &[&str])]) {
    for (lhs, rhs, expected) in table {
        assert_eq!(texts(message, lhs, rhs), *expected, "{lhs}\n{rhs}");
    }
}

const KERNEL: &str = "nodes { attributes { name: 'VARIABLE_VALUE' checkpoint_key: 'a/.ATTRIBUTES/VARIABLE_VALUE' } }";

#[test]
fn objects_are_matched_by_path_and_not_by_number() {
    let one = "nodes { children { node_id: 1 local_name: 'a' } children { node_id: 2 local_name: 'b' } } nodes {} ";
    check(
        TRACKABLE,
        &[
            (
                &format!("{one} {KERNEL}"),
                &format!(
                    "nodes {{ children {{ node_id: 2 local_name: 'a' }} children {{ node_id: 1 local_name: 'b' }} }} {KERNEL} nodes {{}}"
                ),
                &[],
            ),
            (
                one,
                "nodes { children { node_id: 1 local_name: 'a' } } nodes {}",
                // Only the first reference is valid; object 2 does not exist.
                &[
                    "finding: lhs: 1 references to none of the 2 objects; the first: object 0 refers to object 2",
                ],
            ),
            (
                "nodes {}",
                "nodes { children { node_id: 1 local_name: 'a' } } nodes { children { node_id: 2 local_name: 'b' } } nodes {}",
                &["added nodes[\"a\"] | 2 objects"],
            ),
            (
                "nodes { children { node_id: 1 local_name: 'a.b/c' } } nodes {}",
                "nodes {}",
                &["removed nodes[\"a..b.Sc\"] | 1 object"],
            ),
        ],
    );
}

#[test]
fn a_child_with_another_name_is_one_rename() {
    let graph = |child: &str, key: &str| {
        format!(
            "nodes {{ children {{ node_id: 1 local_name: '{child}' }} }}
             nodes {{ children {{ node_id: 2 local_name: 'kernel' }} }}
             nodes {{ attributes {{ name: 'VARIABLE_VALUE' checkpoint_key: '{key}/kernel/.ATTRIBUTES/VARIABLE_VALUE' }} }}"
        )
    };
    check(
        TRACKABLE,
        &[
            (
                &graph("dense", "dense"),
                &graph("layer", "layer"),
                &["renamed nodes[\"layer\"] | dense | layer"],
            ),
            (
                &graph("dense", "dense"),
                &graph("layer", "other"),
                &[
                    "renamed nodes[\"layer\"] | dense | layer",
                    "modified nodes[\"layer/kernel\"].attributes[\"VARIABLE_VALUE\"].checkpoint_key | \
                 \"dense/kernel/.ATTRIBUTES/VARIABLE_VALUE\" | \"other/kernel/.ATTRIBUTES/VARIABLE_VALUE\"",
                ],
            ),
        ],
    );
}

#[test]
fn an_object_may_have_several_names() {
    let two = |a: &str, b: &str, id: u32| {
        format!(
            "nodes {{ children {{ node_id: 1 local_name: '{a}' }} children {{ node_id: {id} local_name: '{b}' }} }} nodes {{}} nodes {{}}"
        )
    };
    check(
        TRACKABLE,
        &[
            (
                &two("a", "b", 1),
                &two("a", "c", 1),
                &[
                    "renamed nodes[\"\"].children[\"c\"] | b | c",
                    // On both sides, no object refers to the third one.
                    "finding: lhs: 1 objects that cannot be reached from the root; the first: object 2",
                    "finding: rhs: 1 objects that cannot be reached from the root; the first: object 2",
                ],
            ),
            (
                &two("a", "b", 0),
                &two("a", "b", 1),
                &[
                    "modified nodes[\"\"].children[\"b\"] |  | a",
                    "finding: lhs: 1 objects that cannot be reached from the root; the first: object 2",
                    "finding: rhs: 1 objects that cannot be reached from the root; the first: object 2",
                ],
            ),
        ],
    );
}

#[test]
fn slots_are_named_as_in_checkpoint_keys() {
    let graph = |slots: &str, more: &str| {
        format!(
            "nodes {{ children {{ node_id: 1 local_name: 'w' }} children {{ node_id: 2 local_name: 'optimizer' }} }}
             nodes {{}} nodes {{ {slots} }} {more}"
        )
    };
    let slot = "slot_variables { original_variable_node_id: 1 slot_name: 'momentum' slot_variable_node_id: 3 }";
    check(
        TRACKABLE,
        &[(
            &graph("", ""),
            &graph(slot, "nodes {}"),
            &["added nodes[\"w/.OPTIMIZER_SLOT/optimizer/momentum\"] | 1 object"],
        )],
    );
}

#[test]
fn the_full_name_of_a_variable_is_cosmetic() {
    let graph = |name: &str| {
        format!(
            "nodes {{ attributes {{ name: 'VARIABLE_VALUE' full_name: '{name}' checkpoint_key: 'v' }} }}"
        )
    };
    let change = "nodes[\"\"].attributes[\"VARIABLE_VALUE\"].full_name | \"dense/kernel\" | \"dense_3/kernel\"";
    let expected = format!("(cosmetic) modified {change}");
    check(TRACKABLE, &[(&graph("dense/kernel"), &graph("dense_3/kernel"), &[&expected])]);
}

#[test]
fn objects_are_compared_by_field() {
    let graph = |trainable: bool, ids: (u32, u32), inputs: &str| {
        let (v, f) = ids;
        let variable = format!("nodes {{ variable {{ dtype: DT_FLOAT trainable: {trainable} }} }}");
        let function = "nodes { function { concrete_functions: 'f' } }".to_owned();
        let mut nodes = [(v, variable), (f, function)];
        nodes.sort();
        format!(
            "nodes {{ children {{ node_id: {v} local_name: 'v' }} children {{ node_id: {f} local_name: 'f' }} }} {} {}
             concrete_functions {{ key: 'f' value {{ bound_inputs: [{inputs}] }} }}",
            nodes[0].1, nodes[1].1,
        )
    };
    check(
        SAVED,
        &[
            (&graph(true, (1, 2), "1"), &graph(true, (2, 1), "2"), &[]),
            (
                &graph(true, (1, 2), "1"),
                &graph(false, (2, 1), "2"),
                &["modified nodes[\"v\"].variable.trainable | true | false"],
            ),
            (
                &graph(true, (1, 2), "1"),
                &graph(true, (1, 2), "1, 0"),
                &["modified concrete_functions[\"f\"].bound_inputs | [v] | [v, ]"],
            ),
        ],
    );
}

#[test]
fn faulty_object_graphs_are_reported_and_still_compared() {
    check(
        TRACKABLE,
        &[
            (
                "",
                "nodes {}",
                &[
                    "added nodes[\"\"] | 1 object",
                    "finding: lhs: there are no objects, not even a root",
                ],
            ),
            (
                "nodes { children { node_id: -1 local_name: 'a' } }",
                "nodes { children { node_id: 7 local_name: 'a' } }",
                &[
                    "finding: lhs: 1 references to none of the 1 objects; the first: object 0 refers to object -1",
                    "finding: rhs: 1 references to none of the 1 objects; the first: object 0 refers to object 7",
                ],
            ),
            (
                "nodes { children { node_id: 1 local_name: 'a' } children { local_name: 'a' } } nodes {}",
                "nodes { children { node_id: 1 local_name: 'a' } } nodes {}",
                &[
                    "finding: lhs: 1 references with the name of an earlier one; the first: object 0, Child(\"a\")",
                ],
            ),
            // An object that is its own child.
            (
                "nodes { children { local_name: 'me' } }",
                "nodes { children { local_name: 'me' } children { local_name: 'self' } }",
                &["added nodes[\"\"].children[\"self\"] | "],
            ),
        ],
    );
}

fn saved_model(pair: &str) -> Diff {
    let open = |side: &str| Artifact::open(format!("tests/data/pairs/{pair}/{side}")).unwrap();
    compared(&open("lhs"), &open("rhs"))
}

#[test]
fn pairs_of_saved_models_have_the_changes_that_were_made() {
    let expected = oracle("pairs.json");
    let table: &[(&str, &[&str])] = &[
        ("saved_twice", &[]),
        ("built_twice", &[]),
        ("module_retrained", &[]),
        (
            "module_child_added",
            &[
                "added meta_graphs[\"serve\"].object_graph_def.nodes[\"alpha\"] | 1 object: user object",
            ],
        ),
        (
            "module_attribute_renamed",
            &["renamed meta_graphs[\"serve\"].object_graph_def.nodes[\"layer\"] | dense | layer"],
        ),
        (
            "module_attribute_added",
            &[
                "added meta_graphs[\"serve\"].graph_def.node[\"alpha\"] | 2 nodes",
                "added meta_graphs[\"serve\"].object_graph_def.nodes[\"alpha\"] | 1 object: variable",
            ],
        ),
        (
            "module_function_body",
            &[
                "modified meta_graphs[\"serve\"].graph_def.library.function[\"__inference_apply_4076\"]\
             .node_def[\"mul_2/y\"].attr[\"value\"].tensor | 2 | 3",
            ],
        ),
    ];
    let mut tensors = 0;
    for (pair, semantic) in table {
        let diff = saved_model(pair);
        let mut reported = change_lines(&diff);
        reported.retain(|line| !line.starts_with("(cosmetic)"));
        assert_eq!(reported, *semantic, "{pair}");
        assert_eq!(reported.len(), expected[pair]["semantic"].as_array().unwrap().len(), "{pair}");
        let is_same = expected[pair]["exit"].as_u64().unwrap() == 0;
        assert_eq!(diff.verdict() == Verdict::Same, is_same, "{pair}");
        // Only the pairs with differing tensors list them.
        let wanted = expected[pair]["tensors"].as_array();
        for wanted in wanted.into_iter().flatten() {
            let found =
                diff.tensors.iter().find(|tensor| tensor.name.as_str() == wanted["name"].as_str());
            assert_eq!(
                found.map(|tensor| tensor.status.name()),
                wanted["status"].as_str(),
                "{pair}"
            );
            tensors += 1;
        }
        let differing = diff.tensors.iter().filter(|tensor| tensor.status != Status::Identical);
        assert_eq!(differing.count(), wanted.map_or(0, Vec::len), "{pair}");
    }
    assert!(tensors >= 2, "{tensors}");
}

#[test]
fn the_tensor_of_a_renamed_object_is_one_tensor() {
    let diff = saved_model("module_attribute_renamed");
    let renamed: Vec<_> =
        diff.tensors.iter().filter(|tensor| tensor.renamed_from.is_some()).collect();
    assert_eq!(renamed.len(), 1);
    assert_eq!(renamed[0].name.as_str(), Some("layer/kernel/.ATTRIBUTES/VARIABLE_VALUE"));
    assert_eq!(renamed[0].status, Status::Identical);
    assert!(
        diff.tensors
            .iter()
            .any(|tensor| tensor.name.as_str() == Some("_CHECKPOINTABLE_OBJECT_GRAPH"))
    );
}

#[test]
fn two_saves_of_one_model_have_the_same_object_graph() {
    let open = |number: u32| Artifact::open(format!("tests/data/tf2/ckpt-{number}")).unwrap();
    let diff = compared(&open(1), &open(2));
    assert_eq!(change_lines(&diff), [""; 0]);
    let graph = diff
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_str() == Some("_CHECKPOINTABLE_OBJECT_GRAPH"));
    assert_eq!(graph.map(|tensor| tensor.status), Some(Status::Identical));
}

fn by_name(names: NameFilter) -> Diff {
    let open = |side: &str| Artifact::open(format!("tests/data/by_name/{side}.ckpt")).unwrap();
    let options = DiffOptions { names, ..DiffOptions::default() };
    let diff_of = |lhs, rhs| diff(&open(lhs), &open(rhs), &options, &Silent).unwrap();
    let there = diff_of("names", "objects");
    let back = diff_of("objects", "names");
    let statuses =
        |diff: &Diff| diff.tensors.iter().filter(|tensor| tensor.renamed_from.is_some()).count();
    assert_eq!(statuses(&there), statuses(&back));
    there
}

#[test]
fn variables_of_tensorflow_1_match_objects_of_tensorflow_2() {
    let list = |diff: &Diff| -> Vec<String> {
        let name = |tensor: &ckdiff::diff::TensorDiff| {
            let from = tensor.renamed_from.as_ref().map(|from| format!(", was {from}"));
            format!("{} {}{}", tensor.status.name(), tensor.name, from.unwrap_or_default())
        };
        diff.tensors.iter().map(name).collect()
    };
    assert_eq!(
        list(&by_name(NameFilter::default())),
        [
            "added _CHECKPOINTABLE_OBJECT_GRAPH",
            "identical model/bias/.ATTRIBUTES/VARIABLE_VALUE, was bias",
            "identical model/bias/.OPTIMIZER_SLOT/optimizer/momentum/.ATTRIBUTES/VARIABLE_VALUE, was bias/Momentum",
            "identical model/dense/kernel/.ATTRIBUTES/VARIABLE_VALUE, was dense/kernel",
            "identical model/dense/kernel/.OPTIMIZER_SLOT/optimizer/momentum/.ATTRIBUTES/VARIABLE_VALUE, was dense/kernel/Momentum",
        ]
    );
    // Filters apply to either name, and `--rename` takes precedence.
    let only = NameFilter::new(&["bias".into()], &[], &[]).unwrap();
    assert_eq!(list(&by_name(only)), ["identical model/bias/.ATTRIBUTES/VARIABLE_VALUE, was bias"]);
}

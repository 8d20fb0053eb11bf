//! Edits that people make to models, exported by TensorFlow, tf_keras and Keras 3: how many changes are reported for each.

use std::fs;
use std::path::PathBuf;

use ckdiff::artifact::Artifact;
use ckdiff::diff::{self, Diff, DiffOptions, Verdict, Weight};
use ckdiff::progress::Silent;

/// The edits in `tests/data/edits`: the number of changes that are reported, and the paths of some.
const EDITS: &[(&str, usize, &[&str])] = &[
    ("frozen_bn_folded", 4, &[]),
    ("frozen_imported", 1, &[r#"node["import"]"#]),
    ("k3_built_twice", 2, &[]),
    ("k3_widened", 1, &[]),
    (
        "module_signature_dtype",
        1,
        &[r#"meta_graphs["serve"].signature_def["serving_default"].inputs["x"].dtype"#],
    ),
    ("tk_dropout_removed", 1, &[r#"meta_graphs["serve"].object_graph_def.nodes["layer-1"]"#]),
    ("v1_batch_fixed", 1, &[r#"graph_def.node["features"].attr["shape"]"#]),
    ("v1_dataset_map", 1, &[]),
    ("v1_device_pinned", 1, &[r#"graph_def.node["dense/kernel"].device"#]),
    ("v1_layer_front", 2, &[r#"graph_def.node["dense/"]"#, r#"graph_def.node["dense_1"]"#]),
    ("v1_partitions", 4, &[]),
    ("v1_queue_capacity", 1, &[r#"graph_def.node["queue"].attr["capacity"]"#]),
    ("v1_saver_keys", 1, &[r#"graph_def.saver["save"].saves["ema/batch_normalization/beta"]"#]),
    ("v1_widened_named", 1, &[r#"graph_def.node["hidden0/kernel"].attr["shape"]"#]),
    ("vocab_file_renamed", 1, &[]),
];

fn compared(name: &str, is_back: bool) -> Diff {
    let directory = PathBuf::from("tests/data/edits").join(name);
    let mut sides: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    sides.sort();
    let [lhs, rhs] = [0, 1].map(|at| Artifact::open(&sides[at]).unwrap());
    let (lhs, rhs) = if is_back { (&rhs, &lhs) } else { (&lhs, &rhs) };
    diff::diff(lhs, rhs, &DiffOptions::default(), &Silent).unwrap()
}

fn reported(diff: &Diff) -> Vec<String> {
    let semantic = diff.reported().filter(|found| found.change.weight == Weight::Semantic);
    semantic.map(|found| found.change.path.to_string()).collect()
}

#[test]
fn an_edit_of_a_model_is_few_changes() {
    let listed: Vec<&str> = EDITS.iter().map(|(name, ..)| *name).collect();
    let mut names: Vec<_> = fs::read_dir("tests/data/edits")
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, listed);
    let mut wrong = Vec::new();
    for (name, count, first) in EDITS {
        let diff = compared(name, false);
        assert_eq!(diff.verdict(), Verdict::Different, "{name}");
        let found = reported(&diff);
        if found.len() != *count
            || !first.iter().all(|path| found.iter().any(|found| found == path))
        {
            wrong.push(format!("{name}: {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_edit_that_is_undone_is_as_many_changes() {
    for (name, ..) in EDITS {
        let (there, back) = (compared(name, false), compared(name, true));
        assert_eq!(reported(&there).len(), reported(&back).len(), "{name}");
        assert_eq!(there.weights(), back.weights(), "{name}");
    }
}

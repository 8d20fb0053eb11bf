//! `Saver`: restoring by names and by objects, restore plans, and the kinds of savers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, CheckpointState};
use ckdiff::graph::Graph;
use ckdiff::message::Message;
use ckdiff::progress::Silent;
use ckdiff::saver::builder::{BuilderOptions, with_saver};
use ckdiff::saver::plan::{RestorePlan, restore_plan};
use ckdiff::saver::run::Variables;
use ckdiff::saver::{Model, SaveOptions, Saver};
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::SaverDef;
use ckdiff::verify::{MetaGraph, restorability};
use serde_json::Value;

use crate::support::message_forms::opened;
use crate::support::saver::{KnownTensor, field, meta_graph, meta_graph_of, saver_def};
use crate::support::{cases, named_snapshot};

const BY_NAME: &str = "tests/data/object_savers/by_name";

/// TensorFlow's result of restoring the object-based checkpoint, by graph: variables, or the error.
fn by_name() -> BTreeMap<String, Value> {
    let text = std::fs::read(format!("{BY_NAME}.json")).unwrap();
    let graphs: BTreeMap<_, _> = serde_json::from_slice(&text).unwrap();
    assert_eq!(graphs.len(), 7);
    graphs
}

fn checkpoint() -> PathBuf {
    Path::new(BY_NAME).join("model.ckpt")
}

fn graph_of(case: &str) -> Message<'static> {
    opened(format!("{BY_NAME}/{case}.meta")).message().clone()
}

#[test]
fn a_graph_of_names_restores_a_checkpoint_of_objects() {
    let mut said = String::new();
    let mut restored_variables = 0;
    for (case, known) in by_name() {
        let graph = graph_of(&case);
        let mut variables = Variables::of(&graph).unwrap();
        let before = variables.clone();
        let restored = Saver::new(saver_def(&graph)).restore(&graph, &checkpoint(), &mut variables);
        let Some(known) = known.as_object().filter(|_| case != "shape") else {
            // TensorFlow accepts any shape for a resource variable.
            assert_eq!(variables, before, "{case}");
            writeln!(said, "{case}: {}", restored.unwrap_err()).unwrap();
            continue;
        };
        restored.unwrap();
        assert_eq!(variables.iter().count(), known.len(), "{case}");
        for (name, value) in known {
            let known: KnownTensor = serde_json::from_value(value.clone()).unwrap();
            known.assert_is(variables.find(name).unwrap(), &format!("{case} {name}"));
            restored_variables += 1;
        }
    }
    assert!(restored_variables >= 4, "{restored_variables}");
    named_snapshot("saver", "restore_by_objects", &said);
}

/// A plan as lines.
fn lines(plan: &RestorePlan) -> String {
    let mut lines = String::new();
    for read in &plan.reads {
        let dtype = read.dtype.map_or_else(|| "?".to_owned(), |dtype| dtype.to_string());
        write!(lines, "  {} {:?} {dtype} -> {:?}: ", read.name, read.slice, read.variables)
            .unwrap();
        match (&read.misfit, &read.key) {
            (Some(misfit), _) => writeln!(lines, "{misfit}").unwrap(),
            (None, Some(key)) => writeln!(lines, "{key}").unwrap(),
            (None, None) => writeln!(lines, "?").unwrap(),
        }
    }
    lines
}

#[test]
fn a_plan_says_where_each_tensor_is_from() {
    let mut said = String::new();
    let mut describe = |what: &str, plan: &RestorePlan| {
        let by = if plan.is_by_object { "objects" } else { "keys" };
        writeln!(said, "{what}: by {by}, {} unknown\n{}", plan.unknown, lines(plan)).unwrap();
    };
    for (case, known) in by_name() {
        let graph = graph_of(&case);
        let checkpoint = Checkpoint::open(checkpoint()).unwrap();
        let plan = restore_plan(&graph, &saver_def(&graph), &checkpoint).unwrap();
        assert_eq!(plan.restores(), known.is_object(), "{case}");
        describe(&case, &plan);
    }
    for case in ["devices", "tables"] {
        let directory = Path::new("tests/data/object_savers").join(case);
        let graph = meta_graph_of(&directory);
        let checkpoint = Checkpoint::open(directory.join("variables/variables")).unwrap();
        describe(case, &restore_plan(&graph, &saver_def(&graph), &checkpoint).unwrap());
    }
    let graph = meta_graph("run/of_shards/model.ckpt.meta");
    let checkpoint = Checkpoint::open("tests/data/savers/run/of_shards/model.ckpt").unwrap();
    describe("of_shards", &restore_plan(&graph, &saver_def(&graph), &checkpoint).unwrap());
    named_snapshot("saver", "plans", &said);
}

#[test]
fn plans_agree_with_the_restores_of_tensorflow() {
    let mut count = 0;
    for (case, facts) in cases("fit.json", 57) {
        let path = Path::new("tests/data/fit").join(&case).join("model.ckpt");
        let Ok(document) = Document::open(
            path.with_extension("ckpt.meta"),
            Schema::tensorflow(),
            &ReadOptions::default(),
        ) else {
            continue;
        };
        let graph = document.message();
        let saver = saver_def(graph);
        if saver.restore_op_name.is_empty() {
            continue;
        }
        let plan = restore_plan(graph, &saver, &Checkpoint::open(&path).unwrap());
        let restores = plan.is_ok_and(|plan| plan.restores());
        assert_eq!(restores, facts["restores"].as_bool().unwrap(), "{case}");
        count += 1;
    }
    assert!(count > 40, "{count}");
}

#[test]
fn verify_knows_the_names_of_objects() {
    for (case, known) in by_name() {
        let graph = graph_of(&case);
        let checkpoint = Checkpoint::open(checkpoint()).unwrap();
        let found = restorability(&MetaGraph::all_in(&graph).unwrap()[0], &checkpoint, 20).unwrap();
        assert_eq!(found.restores(), known.is_object(), "{case}: {found:#?}");
        // Names in another scope do not match any object.
        assert_eq!(found.savers[0].is_by_object, !["scoped", "misspelled"].contains(&&*case));
        let left: Vec<String> = found.left.iter().map(|name| name.printable()).collect();
        let more = ["_CHECKPOINTABLE_OBJECT_GRAPH", "layers/0/bias/.ATTRIBUTES/VARIABLE_VALUE"];
        match &*case {
            "part" => assert_eq!(left.len(), 2, "{left:?}"),
            "scoped" | "misspelled" => assert_eq!(left[..2], more),
            _ => assert!(left.is_empty(), "{case}: {left:?}"),
        }
        if case == "misspelled" {
            let misfit = found.savers[0].misfits[0].to_string();
            assert!(misfit.ends_with("did you mean dense/kernel?"), "{misfit}");
        }
    }
}

#[test]
fn a_saver_def_follows_its_scope() {
    let def = |scope: &str| SaverDef {
        filename_tensor_name: format!("{scope}save/Const:0"),
        save_tensor_name: format!("{scope}save/control_dependency:0"),
        restore_op_name: format!("{scope}save/restore_all"),
        max_to_keep: 3,
        ..SaverDef::default()
    };
    // The results of TensorFlow 2.21; `tower2` begins with `tower`, but is another scope.
    for (of, scope, expected) in [
        ("tower/", None, Some("tower/")),
        ("tower/", Some(""), Some("tower/")),
        ("tower/", Some("tower"), Some("")),
        ("tower/", Some("tower/"), Some("")),
        ("tower2/", Some("tower"), Some("tower2/")),
        ("", Some("tower"), None),
        ("other/tower/", Some("tower"), None),
    ] {
        let found = Saver::new(def(of)).to_proto(scope);
        assert_eq!(found, expected.map(def), "{of} {scope:?}");
    }
    let mut mixed = def("tower/");
    mixed.restore_op_name = "save/restore_all".into();
    assert_eq!(Saver::new(mixed).to_proto(Some("tower")), None);
    for (scope, expected) in [("", ""), ("there", "there/"), ("there/", "there/"), ("a/b", "a/b/")]
    {
        assert_eq!(*Saver::from_proto(&def(""), scope).def(), def(expected), "{scope}");
    }
}

#[test]
fn a_saver_of_a_graph_names_its_nodes() {
    let path = "tests/data/savers/run/of_references/model.ckpt";
    let graph = meta_graph("run/of_references/model.ckpt.meta");
    let dir = tempfile::tempdir().unwrap();
    let mut variables = Variables::of(&graph).unwrap();
    Saver::new(saver_def(&graph)).restore(&graph, path.as_ref(), &mut variables).unwrap();
    let mut without = [saver_def(&graph), saver_def(&graph)];
    without[0].save_tensor_name.clear();
    without[1].restore_op_name.clear();
    for (def, field) in without.into_iter().zip(["save_tensor_name", "restore_op_name"]) {
        let mut saver = Saver::new(def);
        let says = format!("{field}: the saver names no node");
        let error = saver.restore(&graph, path.as_ref(), &mut variables).unwrap_err();
        assert_eq!(error.to_string(), says);
        let model = Model { graph: &graph, variables: &variables };
        let target = dir.path().join("m");
        let error = saver.save(&model, &target, &SaveOptions::default(), &Silent).unwrap_err();
        assert_eq!(error.to_string(), says);
        // Saving the tensors of a builder needs no node.
        saver
            .save(&CheckpointBuilder::default(), &target, &SaveOptions::default(), &Silent)
            .unwrap();
    }
    let error = Saver::new(SaverDef::default());
    let nowhere = dir.path().join("nowhere/model.ckpt");
    assert!(error.restore(&graph, &nowhere, &mut variables).is_err());
}

#[test]
fn a_path_without_a_checkpoint_is_an_error() {
    let graph = meta_graph("run/of_references/model.ckpt.meta");
    let (saver, mut variables) = (Saver::new(saver_def(&graph)), Variables::of(&graph).unwrap());
    for path in
        ["", "nowhere", "tests/data/savers/run/of_references", "tests/data/demo/model.ckpt.index"]
    {
        let error = saver.restore(&graph, path.as_ref(), &mut variables).unwrap_err();
        let says = "there is no checkpoint with this prefix";
        // An index is read as a V1 checkpoint, which lacks these variables.
        let is_file = path.ends_with(".index");
        assert_eq!(error.to_string().contains(says), !is_file, "{error}");
    }
    assert_eq!(variables, Variables::of(&graph).unwrap());
}

#[test]
fn a_saver_is_built_or_empty() {
    let before = meta_graph("build/reference.before.meta");
    let (saver, message) = Saver::build(&before, &BuilderOptions::default()).unwrap();
    assert!(!saver.is_empty() && saver.def().restore_op_name == "save/restore_all");
    let graph = Graph::new(field(&message, 2)).unwrap();
    assert!(graph.find("save/restore_all").is_some());

    let nothing = meta_graph("build/nothing.before.meta");
    let error = Saver::build(&nothing, &BuilderOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "there are no variables to save");
    let options = BuilderOptions { allow_empty: true, ..BuilderOptions::default() };
    let (mut saver, message) = Saver::build(&nothing, &options).unwrap();
    assert!(saver.is_empty() && message.bytes() == nothing.bytes());
    assert_eq!((saver.to_proto(None), saver.to_proto(Some(""))), (None, None));

    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("m");
    let content = Model { graph: &message, variables: &Variables::default() };
    let options =
        SaveOptions { meta_graph: Some(&message), global_step: Some(3), ..SaveOptions::default() };
    let saved = saver.save(&content, &target, &options, &Silent).unwrap();
    assert_eq!(saved.path, None);
    let names: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["m-3.meta"]);
    assert_eq!(opened(dir.path().join("m-3.meta")).message().bytes(), nothing.bytes());
    // A saver that is already in the meta graph is removed as well.
    let other = with_saver(&message, &SaverDef { max_to_keep: 7, ..SaverDef::default() }).unwrap();
    let more = SaveOptions { meta_graph: Some(&other), ..options };
    saver.save(&content, &target, &more, &Silent).unwrap();
    assert_eq!(opened(dir.path().join("m-3.meta")).message().bytes(), nothing.bytes());
    assert!(saver.rotation().last_checkpoints().is_empty());
    assert!(CheckpointState::read(dir.path()).is_err());
    // Without a meta graph nothing is written, and a restore does not open the path.
    let no_graph = SaveOptions { write_meta_graph: false, ..SaveOptions::default() };
    saver.save(&content, &dir.path().join("n"), &no_graph, &Silent).unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    saver.restore(&message, "nowhere".as_ref(), &mut Variables::default()).unwrap();
    // An unusable path is still an error.
    let error = saver.save(&content, &dir.path().join("none/n"), &SaveOptions::default(), &Silent);
    assert!(error.is_err());
}

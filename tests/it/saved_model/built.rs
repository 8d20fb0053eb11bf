//! Built SavedModels equal those of TensorFlow's builder for the same graphs, and load like them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::artifact::Artifact;
use ckdiff::checkpoint::Checkpoint;
use ckdiff::diff::{DiffOptions, Verdict, diff};
use ckdiff::graph::Graph;
use ckdiff::message::{Message, Records, Value};
use ckdiff::meta_graph::ImportOptions;
use ckdiff::progress::Silent;
use ckdiff::saved_model::{BuildOutcome, Builder, LoadPlan, SavedModel, Values};
use ckdiff::schema::tensorflow::MetaGraphDef;
use tempfile::TempDir;

pub(crate) use crate::support::built_models::directory;
use crate::support::built_models::{self, CASES, Case, From, add_all, rebuild};

/// The meta graph with this number, as it was passed to TensorFlow's builder.
pub fn before(case: &str, number: usize) -> Message<'static> {
    built_models::before(case, number).unwrap()
}

/// The case that TensorFlow wrote as text.
const AS_TEXT: &str = "two";

/// Builds the SavedModel of a case with ckdiff.
fn build(case: &Case, from: From, out: &Path) -> BuildOutcome {
    let mut builder = Builder::new(out).unwrap();
    add_all(&mut builder, case, from, |_| {}).unwrap();
    if case.name == AS_TEXT { builder.save_as_text().unwrap() } else { builder.save().unwrap() }
}

/// All files and directories in a directory.
pub fn everything(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            found.push(path.strip_prefix(dir).unwrap().to_path_buf());
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The files in a directory, by path.
pub fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The bytes of a field with any wire type.
fn content<'m>(value: &Value<'m>) -> &'m [u8] {
    if let Value::Len(content) = value { content } else { &[] }
}

/// The bytes of a node without the output shapes that an export adds.
fn without_shapes(node: &[u8]) -> Vec<u8> {
    let is_shapes = |entry: &[u8]| {
        let key = Records::new(entry, 0).next().unwrap().unwrap().value;
        content(&key) == b"_output_shapes"
    };
    let records = Records::new(node, 0).map(Result::unwrap);
    let kept = records.filter(|r| !(r.number == 5 && is_shapes(content(&r.value))));
    kept.flat_map(|record| record.bytes.to_vec()).collect()
}

/// The names of the nodes that were passed to TensorFlow's builder.
fn names_before(case: &str, number: usize) -> BTreeSet<String> {
    let meta = before(case, number);
    let graph = Records::new(meta.bytes(), 0).map(Result::unwrap).find(|r| r.number == 2).unwrap();
    let graph = Graph::new(content(&graph.value)).unwrap();
    graph.nodes().iter().map(|node| node.name.to_owned()).collect()
}

/// The fields of a message; nodes of built savers lack their shapes, which only TensorFlow infers.
fn parts(message: &Message<'_>, case: &str) -> Vec<(String, Vec<u8>)> {
    let (mut found, mut graphs) = (Vec::new(), 0);
    let records = |bytes: &[u8]| -> Vec<(u32, Vec<u8>, Vec<u8>)> {
        let all = Records::new(bytes, 0).map(Result::unwrap);
        all.map(|r| (r.number, r.bytes.to_vec(), content(&r.value).to_vec())).collect()
    };
    for (number, bytes, meta) in records(message.bytes()) {
        if number != 2 {
            found.push((format!("{number}"), bytes));
            continue;
        }
        let given = names_before(case, graphs);
        graphs += 1;
        for (number, bytes, graph) in records(&meta) {
            if number != 2 {
                found.push((format!("meta_graphs.{number}"), bytes));
                continue;
            }
            for (number, bytes, node) in records(&graph) {
                let name = records(&node).into_iter().find(|(number, ..)| *number == 1);
                let name = name.map(|(.., name)| String::from_utf8(name).unwrap_or_default());
                let is_built = number == 1 && !given.contains(&name.unwrap_or_default());
                let bytes = if is_built { without_shapes(&node) } else { bytes };
                found.push((format!("meta_graphs.graph_def.{number}"), bytes));
            }
        }
    }
    found
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).escape_debug().to_string()
}

#[test]
fn a_built_model_equals_what_tensorflow_builds() {
    for case in CASES {
        for from in [From::Store, From::Checkpoint] {
            let dir = TempDir::new().unwrap();
            let saved = build(case, from, &dir.path().join("export/1"));
            let (case, theirs) = (case.name, directory(case.name).join("saved"));
            let (mut ours, mut expected) = (files(&saved.dir), files(&theirs));
            let name = saved.file.file_name().unwrap().to_str().unwrap();
            assert!(ours.remove(name).is_some() && expected.remove(name).is_some(), "{case}");
            assert_eq!(ours.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
            assert!(ours == expected, "{case}: a file differs");
            let (ours, expected) =
                (SavedModel::open(&saved.dir).unwrap(), SavedModel::open(&theirs).unwrap());
            let (ours, expected) = (parts(ours.message(), case), parts(expected.message(), case));
            for ((place, ours), (at, theirs)) in ours.iter().zip(&expected) {
                assert_eq!(place, at, "{case}: {} {}", shown(ours), shown(theirs));
                assert_eq!(shown(ours), shown(theirs), "{case} {place}");
            }
            assert_eq!(ours.len(), expected.len(), "{case}");
            // A comparison by ckdiff finds no difference either.
            let (lhs, rhs) =
                (Artifact::open(&saved.dir).unwrap(), Artifact::open(&theirs).unwrap());
            let found = diff(&lhs, &rhs, &DiffOptions::default(), &Silent).unwrap();
            assert_eq!(found.verdict(), Verdict::Same, "{case}: {:?}", found.changes);
        }
    }
}

#[test]
fn no_temporary_files_are_left_next_to_a_built_model() {
    let directory = TempDir::new().unwrap();
    let two = CASES.iter().find(|case| case.name == "two").unwrap();
    build(two, From::Store, &directory.path().join("made/too/1"));
    let names = everything(&directory.path().join("made/too"));
    assert_eq!(names.iter().filter(|name| name.components().count() == 1).count(), 1, "{names:?}");
    assert_eq!(everything(directory.path()).len(), names.len() + 2, "{names:?}");
    // A dropped builder leaves nothing, not even the directories that it made.
    drop(Builder::new(directory.path().join("other/one")).unwrap());
    assert!(!directory.path().join("other").exists());
}

/// Models of TensorFlow 2, whose savers are functions and whose assets are numbered.
const OBJECTS: [&str; 5] = [
    "saved_models/module",
    "saved_models/stateless",
    "object_savers/dtypes",
    "object_savers/keras",
    "object_savers/tables",
];

#[test]
fn models_of_tensorflow_2_are_rebuilt() {
    for model in OBJECTS {
        let source = Path::new("tests/data").join(model);
        let theirs = SavedModel::open(&source).unwrap();
        let plan = theirs.load(&["serve"]).unwrap();
        let (store, checkpoint) =
            (plan.restore().unwrap(), Checkpoint::open(theirs.variables_path()).unwrap());
        for values in [Values::Variables(&store), Values::Checkpoint(&checkpoint)] {
            let directory = TempDir::new().unwrap();
            let dir = rebuild(&plan, values, &directory.path().join("anew")).unwrap().dir;
            let anew = SavedModel::open(&dir).unwrap();
            assert_eq!(shown(anew.message().bytes()), shown(theirs.message().bytes()), "{model}");
            assert_eq!(anew.load(&["serve"]).unwrap().restore().unwrap(), store, "{model}");
            // Save nodes write the object graph that they contain, which may differ from TensorFlow's.
            if matches!(values, Values::Checkpoint(_)) {
                let (lhs, rhs) = (Artifact::open(&source).unwrap(), Artifact::open(&dir).unwrap());
                let found = diff(&lhs, &rhs, &DiffOptions::default(), &Silent).unwrap();
                assert_eq!(found.verdict(), Verdict::Same, "{model}: {:?}", found.changes);
            }
        }
    }
}

#[test]
fn a_model_is_saved_in_both_forms() {
    let case = CASES.iter().find(|case| case.name == "plain").unwrap();
    let root = tempfile::tempdir().unwrap();
    let [binary, text, both] = ["binary", "text", "both"].map(|name| {
        let mut builder = Builder::new(root.path().join(name)).unwrap();
        add_all(&mut builder, case, From::Checkpoint, |_| {}).unwrap();
        match name {
            "binary" => builder.save(),
            "text" => builder.save_as_text(),
            _ => builder.save_in_both_forms(),
        }
        .unwrap()
    });
    let mut expected = files(&text.dir);
    expected.extend(files(&binary.dir));
    assert_eq!(files(&both.dir), expected);
    assert_eq!(both.file, both.dir.join("saved_model.pb"));
}

#[test]
fn a_model_is_loaded_with_the_options_of_an_import() {
    let model = SavedModel::open("tests/data/built/two/saved").unwrap();
    let tags = ["serve", "gpu"];
    let with = |options: &ImportOptions<'_>| model.load_with(&tags, options);
    let devices = |plan: &LoadPlan| {
        let graph = plan.meta_graph.to_typed::<MetaGraphDef>().unwrap().graph_def.unwrap();
        graph.node.iter().filter(|node| !node.device.is_empty()).count()
    };
    let plain = model.load(&tags).unwrap();
    let cleared = ImportOptions { clear_devices: true, ..ImportOptions::default() };
    let cleared = with(&cleared).unwrap();
    assert!(devices(&plain) > 0 && devices(&cleared) == 0);
    assert_eq!(cleared.restore().unwrap(), plain.restore().unwrap());
    assert_eq!((&cleared.assets, &cleared.init_op), (&plain.assets, &plain.init_op));
    let map = [("gone:0".to_owned(), "first:0".to_owned())];
    let gone = ImportOptions { input_map: map.into(), ..ImportOptions::default() };
    let error = with(&gone).unwrap_err().to_string();
    assert!(error.contains("input_map names gone:0, which is not in the graph"), "{error}");
}

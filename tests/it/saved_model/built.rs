//! A SavedModel that is built is the one that TensorFlow's builder makes of the same graphs, and is loaded as TensorFlow loads it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::artifact::{Artifact, Document, ReadOptions};
use ckdiff::checkpoint::Checkpoint;
use ckdiff::diff::{Options, Verdict, diff};
use ckdiff::graph::Graph;
use ckdiff::message::{Message, Records, Value};
use ckdiff::progress::Silent;
use ckdiff::saved_model::{
    AssetSource, BuildOutcome, Builder, MetaGraphOptions, Plan, SavedModel, Values,
};
use ckdiff::schema::Schema;
use tempfile::TempDir;

/// The cases, with the tags of their meta graphs and whether the message is text.
const CASES: &[(&str, &[&[&str]], bool)] = &[
    ("plain", &[&["serve"]], false),
    ("two", &[&["serve", "gpu"], &["train"]], true),
    ("composite", &[&["serve"]], false),
    ("nothing", &[&[]], false),
];

pub fn folder(case: &str) -> PathBuf {
    Path::new("tests/data/built").join(case)
}

/// The meta graph that TensorFlow's builder was given.
pub fn before(case: &str, number: usize) -> Message<'static> {
    let path = folder(case).join(format!("before.{number}.meta"));
    let document = Document::open(path, Schema::tensorflow(), &ReadOptions::default()).unwrap();
    document.message().clone()
}

fn asset(tensor: &str) -> AssetSource {
    AssetSource { tensor: tensor.into(), path: None }
}

/// What the script gives to TensorFlow's builder; the signatures are those that TensorFlow wrote.
fn options(case: &str, number: usize, theirs: &Plan) -> MetaGraphOptions {
    let mut options = MetaGraphOptions {
        tags: CASES.iter().find(|(name, ..)| *name == case).unwrap().1[number]
            .iter()
            .map(|tag| (*tag).to_owned())
            .collect(),
        signatures: theirs.signatures.clone(),
        ..MetaGraphOptions::default()
    };
    match (case, number) {
        ("two", 0) => {
            options.assets = ["first:0", "second", "again:0", "third:0"].map(asset).to_vec();
            options.main_op = Some("start".into());
        }
        ("two", 1) => {
            options.assets = vec![asset("first:0"), asset("second:0")];
            options.clear_devices = true;
            options.strip_default_attrs = true;
        }
        ("composite", _) => {
            options.main_op = Some("legacy".into());
            options.saver = theirs.saver.clone();
        }
        _ => {}
    }
    options
}

/// Where the values come from.
#[derive(Clone, Copy)]
enum From {
    Store,
    Checkpoint,
}

/// Builds what TensorFlow built.
fn build(case: &str, from: From, out: &Path) -> BuildOutcome {
    let (_, tags, as_text) = CASES.iter().find(|(name, ..)| *name == case).unwrap();
    let theirs = SavedModel::open(folder(case).join("saved")).unwrap();
    let mut builder = Builder::new(out).unwrap();
    for (number, tags) in tags.iter().enumerate() {
        let plan = theirs.load(tags).unwrap();
        let (meta, options) = (before(case, number), options(case, number, &plan));
        if number > 0 {
            builder.add_meta_graph(&meta, &options).unwrap();
            continue;
        }
        let store = plan.restore().unwrap();
        let checkpoint =
            (case != "nothing").then(|| Checkpoint::open(theirs.variables_path()).unwrap());
        let values = match (from, &checkpoint) {
            (From::Checkpoint, Some(checkpoint)) => Values::Checkpoint(checkpoint),
            _ => Values::Variables(&store),
        };
        builder.add_meta_graph_and_variables(&meta, values, &options, &Silent).unwrap();
    }
    if *as_text { builder.save_as_text().unwrap() } else { builder.save().unwrap() }
}

/// All that is in a directory, folders too.
pub fn everything(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
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
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
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

/// The content of a field of any length.
fn content<'m>(value: &Value<'m>) -> &'m [u8] {
    if let Value::Len(content) = value { content } else { &[] }
}

/// A node's bytes without the shapes that an export writes.
fn without_shapes(node: &[u8]) -> Vec<u8> {
    let is_shapes = |entry: &[u8]| {
        let key = Records::new(entry, 0).next().unwrap().unwrap().value;
        content(&key) == b"_output_shapes"
    };
    let records = Records::new(node, 0).map(Result::unwrap);
    let kept = records.filter(|r| !(r.number == 5 && is_shapes(content(&r.value))));
    kept.flat_map(|record| record.bytes.to_vec()).collect()
}

/// The names of the nodes that TensorFlow's builder was given.
fn names_before(case: &str, number: usize) -> BTreeSet<String> {
    let meta = before(case, number);
    let graph = Records::new(meta.bytes(), 0).map(Result::unwrap).find(|r| r.number == 2).unwrap();
    let graph = Graph::new(content(&graph.value)).unwrap();
    graph.nodes().iter().map(|node| node.name.to_owned()).collect()
}

/// What a message has, field by field; the nodes of savers that were built without their shapes, which TensorFlow infers.
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
fn what_is_built_is_what_tensorflow_builds() {
    for (case, ..) in CASES {
        for from in [From::Store, From::Checkpoint] {
            let folder = TempDir::new().unwrap();
            let saved = build(case, from, &folder.path().join("export/1"));
            let theirs = self::folder(case).join("saved");
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
            // As ckdiff itself tells it.
            let (lhs, rhs) =
                (Artifact::open(&saved.dir).unwrap(), Artifact::open(&theirs).unwrap());
            let found = diff(&lhs, &rhs, &Options::default(), &Silent).unwrap();
            assert_eq!(found.verdict(), Verdict::Same, "{case}: {:?}", found.changes);
        }
    }
}

#[test]
fn nothing_is_left_beside_what_is_built() {
    let folder = TempDir::new().unwrap();
    build("two", From::Store, &folder.path().join("made/too/1"));
    let names = everything(&folder.path().join("made/too"));
    assert_eq!(names.iter().filter(|name| name.components().count() == 1).count(), 1, "{names:?}");
    assert_eq!(everything(folder.path()).len(), names.len() + 2, "{names:?}");
    // A builder that is dropped leaves nothing, the folders that it made included.
    drop(Builder::new(folder.path().join("other/one")).unwrap());
    assert!(!folder.path().join("other").exists());
}

/// Models of TensorFlow 2, whose savers are functions and whose assets go by number.
const OBJECTS: [&str; 5] = [
    "saved_models/module",
    "saved_models/stateless",
    "object_savers/dtypes",
    "object_savers/keras",
    "object_savers/tables",
];

#[test]
fn models_of_tensorflow_2_are_built_anew() {
    for model in OBJECTS {
        let source = Path::new("tests/data").join(model);
        let theirs = SavedModel::open(&source).unwrap();
        let plan = theirs.load(&["serve"]).unwrap();
        let (store, checkpoint) =
            (plan.restore().unwrap(), Checkpoint::open(theirs.variables_path()).unwrap());
        for values in [Values::Variables(&store), Values::Checkpoint(&checkpoint)] {
            let folder = TempDir::new().unwrap();
            let asset = |(tensor, path): (&String, &PathBuf)| AssetSource {
                tensor: tensor.clone(),
                path: Some(path.clone()),
            };
            let options = MetaGraphOptions {
                tags: vec!["serve".into()],
                assets: plan.assets.iter().map(asset).collect(),
                ..MetaGraphOptions::default()
            };
            let mut builder = Builder::new(folder.path().join("anew")).unwrap();
            let added =
                builder.add_meta_graph_and_variables(&plan.meta_graph, values, &options, &Silent);
            added.unwrap_or_else(|error| panic!("{model}: {error}"));
            let dir = builder.save().unwrap().dir;
            let anew = SavedModel::open(&dir).unwrap();
            assert_eq!(shown(anew.message().bytes()), shown(theirs.message().bytes()), "{model}");
            assert_eq!(anew.load(&["serve"]).unwrap().restore().unwrap(), store, "{model}");
            // The nodes of a saver save what they know of objects, which is not all that TensorFlow had saved.
            if matches!(values, Values::Checkpoint(_)) {
                let (lhs, rhs) = (Artifact::open(&source).unwrap(), Artifact::open(&dir).unwrap());
                let found = diff(&lhs, &rhs, &Options::default(), &Silent).unwrap();
                assert_eq!(found.verdict(), Verdict::Same, "{model}: {:?}", found.changes);
            }
        }
    }
}

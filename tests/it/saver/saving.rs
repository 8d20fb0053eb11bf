//! `Saver::save`: where it writes, what it refuses, and the meta graph that it writes.

use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, CheckpointState, meta_graph_filename};
use ckdiff::message::Message;
use ckdiff::meta_graph::{ExportOptions, export};
use ckdiff::progress::Silent;
use ckdiff::saver::builder::{BuilderOptions, all_saveable};
use ckdiff::saver::run::{VariableKey, Variables};
use ckdiff::saver::{Model, SaveOptions, Saver};
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;
use ckdiff::schema::tensorflow::{MetaGraphDef, SaverDef};
use ckdiff::tensor::{DType, Shape, Tensor};

use crate::support::message_forms::{opened, parsed};
use crate::support::saver::meta_graph;

use CheckpointFormatVersion::{V1, V2};

pub(super) fn ones() -> Tensor {
    let content: Vec<u8> = [1.0f32; 2].iter().flat_map(|x| x.to_le_bytes()).collect();
    Tensor::new(DType::F32, Shape::new(&[2]).unwrap(), content).unwrap()
}

/// A graph with a saver, and its variables.
pub(super) struct Saving {
    pub(super) graph: Message<'static>,
    pub(super) variables: Variables,
    pub(super) saver: Saver,
}

pub(super) fn saving(sharded: bool, write_version: CheckpointFormatVersion) -> Saving {
    let before = meta_graph("build/sharded.before.meta");
    let options = BuilderOptions { sharded, write_version, ..BuilderOptions::default() };
    let (saver, graph) = Saver::build(&before, &options).unwrap();
    let mut variables = Variables::default();
    for variable in all_saveable(&before).unwrap() {
        let dims: Vec<i64> =
            variable.shape.unwrap().into_iter().map(|dim| dim.unwrap().cast_signed()).collect();
        let count = dims.iter().product::<i64>() * variable.dtype.size().unwrap() as i64;
        let content = vec![0; usize::try_from(count).unwrap()];
        let tensor = Tensor::new(variable.dtype, Shape::new(&dims).unwrap(), content).unwrap();
        variables.set(VariableKey::new(variable.kind, &variable.name), tensor);
    }
    Saving { graph, variables, saver }
}

impl Saving {
    pub(super) fn save(&mut self, path: &Path) -> Result<PathBuf, String> {
        let model = Model { graph: &self.graph, variables: &self.variables };
        let options = SaveOptions { meta_graph: Some(&self.graph), ..SaveOptions::default() };
        let saved = self.saver.save(&model, path, &options, &Silent);
        saved.map(|saved| saved.path.unwrap()).map_err(|error| error.to_string())
    }

    /// Restores into a store of the graph's variables, which then is equal.
    pub(super) fn restores(&self, path: &Path) {
        let mut restored = Variables::of(&self.graph).unwrap();
        self.saver.restore(&self.graph, path, &mut restored).unwrap();
        assert_eq!(restored, self.variables, "{}", path.display());
    }
}

pub(super) fn names(directory: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| name(entry).into_string().unwrap()).collect();
    names.sort();
    names
}

/// The meta graph with the list of the ops in its graph.
fn with_op_list(meta: &Message<'static>) -> Message<'static> {
    let options = ExportOptions { stripped_op_list: true, ..ExportOptions::default() };
    export(meta, &options).unwrap().message
}

/// The names in the op list of a meta graph.
fn ops(meta_graph: &Message<'_>) -> Vec<String> {
    let meta = meta_graph.to_typed::<MetaGraphDef>().unwrap();
    let list = meta.meta_info_def.unwrap().stripped_op_list.unwrap();
    list.op.into_iter().map(|op| op.name).collect()
}

#[test]
fn the_op_list_has_the_ops_of_a_built_saver() {
    for case in ["reference", "resource", "sharded", "v1_format", "v1_sharded", "reshape"] {
        let meta = |which: &str| with_op_list(&meta_graph(&format!("build/{case}.{which}.meta")));
        let (before, after) = (meta("before"), meta("after"));
        let write_version = if case.starts_with("v1") { V1 } else { V2 };
        let options = BuilderOptions {
            sharded: case.contains("sharded"),
            reshape: case == "reshape",
            write_version,
            ..BuilderOptions::default()
        };
        let (_, built) = Saver::build(&before, &options).unwrap();
        assert_eq!(ops(&built), ops(&after), "{case}");
        assert_ne!(ops(&built), ops(&before), "{case}");
    }
    let mut model = saving(true, V2);
    let directory = tempfile::tempdir().unwrap();
    model.save(&directory.path().join("m")).unwrap();
    let written = ops(opened(directory.path().join("m.meta")).message());
    assert!(written.iter().any(|op| op == "MergeV2Checkpoints"), "{written:?}");
}

/// As in TensorFlow, whose op `SaveV2` makes the directory of its file, and no other.
#[test]
fn a_missing_directory_is_made_for_one_v2_checkpoint() {
    for (sharded, version) in [(false, V2), (true, V2), (false, V1), (true, V1)] {
        let mut model = saving(sharded, version);
        let root = tempfile::tempdir().unwrap();
        let makes = !sharded && version == V2;
        let saved = model.save(&root.path().join("a/m"));
        assert_eq!(saved.is_ok(), makes, "{sharded} {version:?}: {saved:?}");
        if makes {
            let files = ["checkpoint", "m.data-00000-of-00001", "m.index", "m.meta"];
            assert_eq!(names(&root.path().join("a")), files);
            model.restores(&root.path().join("a/m"));
        }
        let error = model.save(&root.path().join("b/c/m")).unwrap_err();
        assert!(error.contains("there is no directory"), "{error}");
        assert!(!root.path().join("b").exists());
        assert_eq!(root.path().join("a").exists(), makes);
    }
    // What fails to be written leaves no directory.
    let root = tempfile::tempdir().unwrap();
    let mut empty = saving(false, V2);
    empty.variables = Variables::default();
    empty.save(&root.path().join("a/m")).unwrap_err();
    assert!(names(root.path()).is_empty());
}

/// The path from the working directory to another one.
pub(super) fn relative(to: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap();
    let up = here.components().skip(1).map(|_| Path::new(".."));
    up.chain(to.iter().skip(1).map(Path::new)).collect()
}

/// As in TensorFlow, which compares the path of the state file with the path in it.
#[test]
fn a_sharded_checkpoint_can_have_the_name_of_the_state_file() {
    let mut model = saving(true, V2);
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("checkpoint");
    let error = model.save(&path).unwrap_err();
    assert!(error.ends_with("the checkpoint has the path of the state file"), "{error}");
    assert!(names(root.path()).is_empty(), "{:?}", names(root.path()));
    let path = relative(&path);
    assert_eq!(model.save(&path), Ok(path.clone()));
    let state = fs::read_to_string(root.path().join("checkpoint")).unwrap();
    assert!(state.starts_with("model_checkpoint_path: \"checkpoint\"\n"), "{state}");
    let latest = CheckpointState::read(root.path()).unwrap().latest().unwrap();
    model.restores(&latest);
    assert!(Checkpoint::open(root.path()).unwrap().tensors().len() > 0);
    // A saver of one file is refused, wherever it is.
    for version in [V1, V2] {
        let root = tempfile::tempdir().unwrap();
        let path = relative(&root.path().join("checkpoint"));
        let error = saving(false, version).save(&path).unwrap_err();
        assert!(error.ends_with("the checkpoint has the path of the state file"), "{error}");
        assert!(names(root.path()).is_empty());
    }
}

#[test]
fn a_v1_checkpoint_never_replaces_the_state_file() {
    let root = tempfile::tempdir().unwrap();
    let tensor = ones();
    let mut builder = CheckpointBuilder::default();
    builder.add("v", &tensor).unwrap();
    let def = SaverDef { version: V1.into(), sharded: true, ..SaverDef::default() };
    let path = root.path().join("checkpoint");
    let saved = Saver::new(def.clone()).save(&builder, &path, &SaveOptions::default(), &Silent);
    // The only shard has its number, as in TensorFlow.
    let opened = root.path().join("checkpoint-?????-of-00001");
    assert_eq!(saved.unwrap().path.as_ref(), Some(&opened));
    assert_eq!(names(root.path()), ["checkpoint", "checkpoint-00000-of-00001"]);
    assert_eq!(CheckpointState::read(root.path()).unwrap().latest().unwrap(), opened);
    assert_eq!(Checkpoint::open(&opened).unwrap().get_tensor("v").unwrap(), tensor);
    // Without its number it would.
    let root = tempfile::tempdir().unwrap();
    let mut saver = Saver::new(SaverDef { sharded: false, ..def });
    let path = root.path().join("checkpoint");
    let saved = saver.save(&builder, &path, &SaveOptions::default(), &Silent);
    assert!(saved.is_err() && names(root.path()).is_empty(), "{:?}", names(root.path()));
}

/// TensorFlow writes a file of just this name, and its readers take the name for a pattern that the file matches.
#[test]
fn a_v1_checkpoint_can_have_a_name_like_a_pattern() {
    for (name, meta) in [
        ("m-?????-of-?????", "m-?????-of-?????.meta"),
        ("m-?????-of-00002", "m.meta"),
        ("m-00000-of-00002", "m.meta"),
        ("m-?????-of-00001", "m.meta"),
        ("m?", "m?.meta"),
    ] {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(name);
        for _ in 0..2 {
            let mut model = saving(false, V1);
            assert_eq!(model.save(&path), Ok(path.clone()));
            let mut files = vec!["checkpoint", name, meta];
            files.sort_unstable();
            assert_eq!(names(root.path()), files);
            let latest = CheckpointState::read(root.path()).unwrap().latest().unwrap();
            assert_eq!(latest, path);
            model.restores(&latest);
        }
        // The tensors of a builder have no graph.
        let (root, tensor) = (tempfile::tempdir().unwrap(), ones());
        let path = root.path().join(name);
        let mut builder = CheckpointBuilder::default();
        builder.add("v", &tensor).unwrap();
        let mut saver = Saver::new(SaverDef { version: V1.into(), ..SaverDef::default() });
        for _ in 0..2 {
            saver.save(&builder, &path, &SaveOptions::default(), &Silent).unwrap();
            assert_eq!(names(root.path()).len(), 2, "{:?}", names(root.path()));
            assert_eq!(Checkpoint::open(root.path()).unwrap().get_tensor("v").unwrap(), tensor);
        }
        // In shards, the pattern of their numbers is appended.
        let root = tempfile::tempdir().unwrap();
        let mut model = saving(true, V1);
        let saved = model.save(&root.path().join(name)).unwrap();
        let files = names(root.path());
        let shards = files.iter().filter(|file| file.starts_with(&format!("{name}-"))).count();
        let pattern = format!("{name}-?????-of-{shards:05}");
        assert_eq!(saved, root.path().join(pattern), "{files:?}");
        assert!(files.contains(&meta.to_owned()), "{files:?}");
        assert_eq!(CheckpointState::read(root.path()).unwrap().latest().unwrap(), saved);
        model.restores(&saved);
    }
}

/// TensorFlow finds the shards by any pattern; this one leaves their number open.
#[test]
fn a_v1_checkpoint_in_shards_is_found_without_their_number() {
    let mut model = saving(true, V1);
    let root = tempfile::tempdir().unwrap();
    let saved = model.save(&root.path().join("m")).unwrap();
    let any = root.path().join("m-?????-of-?????");
    model.restores(&any);
    let opened = Checkpoint::open(&any).unwrap();
    assert_eq!(opened.prefix(), saved);
    fs::write(root.path().join("checkpoint"), "model_checkpoint_path: 'm-?????-of-?????'").unwrap();
    assert_eq!(CheckpointState::read(root.path()).unwrap().latest().unwrap(), any);
    assert_eq!(Checkpoint::open(root.path()).unwrap().prefix(), saved);
    assert!(ckdiff::checkpoint::exists(&any));
    assert_eq!(meta_graph_filename(&any, "meta"), root.path().join("m-?????-of-?????.meta"));
    // Two checkpoints of one name are none.
    let shard = names(root.path()).into_iter().find(|name| name.starts_with("m-00000")).unwrap();
    fs::copy(root.path().join(shard), root.path().join("m-00000-of-00077")).unwrap();
    assert!(Checkpoint::open(&any).is_err() && !ckdiff::checkpoint::exists(&any));
}

/// A graph that saves constants under these names and slices with `op`.
fn saving_constants(op: &str, tensors: &[(&str, &str)]) -> (Message<'static>, SaverDef) {
    let strings = |name: &str, all: Vec<&str>| {
        let values: String = all.iter().map(|text| format!("string_val: '{text}' ")).collect();
        format!(
            "node {{ name: '{name}' op: 'Const' attr {{ key: 'dtype' value {{ type: DT_STRING }} }}
             attr {{ key: 'value' value {{ tensor {{ dtype: DT_STRING
             tensor_shape {{ dim {{ size: {} }} }} {values} }} }} }} }}\n",
            all.len()
        )
    };
    let mut nodes = strings("names", tensors.iter().map(|(name, _)| *name).collect());
    nodes += &strings("slices", tensors.iter().map(|(_, slice)| *slice).collect());
    let mut inputs = String::from("input: 'file' input: 'names' ");
    if op == "SaveSlices" {
        inputs += "input: 'slices' ";
    }
    for number in 0..tensors.len() {
        nodes += &format!(
            "node {{ name: 'c{number}' op: 'Const' attr {{ key: 'dtype' value {{ type: DT_FLOAT }} }}
             attr {{ key: 'value' value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{ dim {{ size: 2 }} }}
             float_val: {number} float_val: 0.5 }} }} }} }}\n"
        );
        inputs += &format!("input: 'c{number}' ");
    }
    let types = "type: DT_FLOAT ".repeat(tensors.len());
    let text = format!(
        "graph_def {{
            node {{ name: 'file' op: 'Placeholder' attr {{ key: 'dtype' value {{ type: DT_STRING }} }} }}
            {nodes}
            node {{ name: 'save' op: '{op}' {inputs} attr {{ key: 'T' value {{ list {{ {types} }} }} }} }}
            node {{ name: 'saved' op: 'Identity' input: 'file' input: '^save'
                attr {{ key: 'T' value {{ type: DT_STRING }} }} }}
        }}"
    );
    let def = SaverDef {
        filename_tensor_name: "file:0".into(),
        save_tensor_name: "saved:0".into(),
        restore_op_name: "none".into(),
        version: V1.into(),
        ..SaverDef::default()
    };
    (parsed("tensorflow.MetaGraphDef", &text), def)
}

/// `Save` and `SaveSlices` write in the order of the names; the file is the one that TensorFlow 2.21 writes.
#[test]
fn a_v1_checkpoint_is_sorted_by_name() {
    let unsorted = [("w", "4 2,2"), ("b", ""), ("w", "4 0,2"), ("a", "")];
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("m");
    let (graph, def) = saving_constants("SaveSlices", &unsorted);
    let model = Model { graph: &graph, variables: &Variables::default() };
    Saver::new(def).save(&model, &path, &SaveOptions::default(), &Silent).unwrap();
    let theirs = fs::read("tests/data/savers/unsorted.v1").unwrap();
    assert_eq!(fs::read(&path).unwrap(), theirs);

    let (graph, def) = saving_constants("Save", &[("w", ""), ("x/y", ""), ("b", ""), ("x", "")]);
    let model = Model { graph: &graph, variables: &Variables::default() };
    Saver::new(def).save(&model, &path, &SaveOptions::default(), &Silent).unwrap();
    let bytes = fs::read(&path).unwrap();
    let at = |name: &[u8]| bytes.windows(name.len()).position(|found| found == name).unwrap();
    // In the list of tensors: the length of the name before it.
    assert!(at(b"\n\x01b") < at(b"\n\x01w") && at(b"\n\x01w") < at(b"\n\x01x"));
    assert!(at(b"\n\x01x") < at(b"\n\x03x/y"));
    for (name, number) in [("w", 0.0), ("x/y", 1.0), ("b", 2.0), ("x", 3.0)] {
        let tensor = Checkpoint::open(&path).unwrap().get_tensor(name).unwrap();
        assert_eq!(tensor.elements::<f32>(), Some(vec![number, 0.5]), "{name}");
    }
}

#[test]
fn the_meta_graph_is_written_unless_it_is_refused() {
    let mut model = saving(false, V2);
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("m");
    let content = Model { graph: &model.graph, variables: &model.variables };
    let refused = SaveOptions { write_meta_graph: false, ..SaveOptions::default() };
    model.saver.save(&content, &path, &refused, &Silent).unwrap();
    assert!(!names(root.path()).contains(&"m.meta".to_owned()));
    model.saver.save(&content, &path, &SaveOptions::default(), &Silent).unwrap();
    let written = opened(root.path().join("m.meta")).message().to_typed::<MetaGraphDef>().unwrap();
    assert_eq!(written.saver_def.as_ref(), Some(model.saver.def()));
    // A graph becomes a meta graph.
    let graph = Message::of(written.graph_def.as_ref().unwrap()).unwrap();
    let content = Model { graph: &graph, variables: &model.variables };
    let other = root.path().join("n");
    model.saver.save(&content, &other, &SaveOptions::default(), &Silent).unwrap();
    let of_graph = opened(root.path().join("n.meta")).message().to_typed::<MetaGraphDef>().unwrap();
    assert_eq!(of_graph.graph_def, written.graph_def);
    // Tensors have no graph.
    let mut saver = Saver::new(SaverDef { version: V2.into(), ..SaverDef::default() });
    let tensors = CheckpointBuilder::default();
    saver.save(&tensors, &root.path().join("o"), &SaveOptions::default(), &Silent).unwrap();
    assert!(!root.path().join("o.meta").exists());
}

#[test]
fn an_empty_saver_stays_empty_with_another_beginning() {
    let nothing = meta_graph("build/nothing.before.meta");
    let options = BuilderOptions { allow_empty: true, ..BuilderOptions::default() };
    let (saver, _) = Saver::build(&nothing, &options).unwrap();
    let saver = saver.pad_step_number(true).beginning_at(std::time::SystemTime::UNIX_EPOCH);
    assert!(saver.is_empty() && saver.to_proto(None).is_none());
}

#[test]
fn a_variable_is_set_by_its_name() {
    let kinds = [ckdiff::saver::VariableKind::Reference, ckdiff::saver::VariableKind::Resource];
    let (mut store, tensor) = (Variables::default(), ones());
    store.set(VariableKey::new(kinds[0], "v"), tensor.clone());
    let other = Tensor::of_strings(Shape::new(&[1]).unwrap(), &["x"]).unwrap();
    assert_eq!(store.set_named("v", other.clone()).unwrap().as_deref(), Some(&tensor));
    assert_eq!(store.find("v").map(|value| &**value), Some(&other));
    let error = store.set_named("w", tensor.clone()).unwrap_err();
    assert_eq!(error.to_string(), "there is no variable w");
    store.set(VariableKey::new(kinds[1], "v"), tensor.clone());
    let error = store.set_named("v", tensor).unwrap_err();
    assert_eq!(error.to_string(), "tensor v: variables with this name: expected 1, found 2");
}

//! Requests that the builder and loader of SavedModels refuse; a refusal leaves no new files and keeps the old ones.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ckdiff::Error;
use ckdiff::checkpoint::Checkpoint;
use ckdiff::message::Message;
use ckdiff::meta_graph::{self, Item, add_to_collection, with_assets, with_signatures};
use ckdiff::progress::Silent;
use ckdiff::saved_model::{
    AssetSource, Builder, MetaGraphOptions, SavedModel, Tensors, Values, signature,
};
use ckdiff::saver::run::Variables;
use ckdiff::schema::tensorflow::tensor_info::{CompositeTensor, Encoding};
use ckdiff::schema::tensorflow::{AssetFileDef, SaverDef, SignatureDef, TensorInfo};
use insta::assert_snapshot;
use tempfile::TempDir;

use crate::saved_model::built::{before, directory, everything, files};
use crate::support::process::test_process;

fn values() -> Checkpoint {
    Checkpoint::open(directory("two").join("saved/variables/variables")).unwrap()
}

fn tagged(tag: &str) -> MetaGraphOptions {
    MetaGraphOptions { tags: vec![tag.into()], ..MetaGraphOptions::default() }
}

/// The text of an error, with `DIR` for the test's directory.
fn message_of(error: &Error, directory: &Path) -> String {
    error.to_string().replace(directory.to_str().unwrap(), "DIR")
}

/// The error of adding `meta` first; asserts that no file is left.
fn refused_of(meta: &Message<'_>, values: Values<'_>, options: &MetaGraphOptions) -> String {
    let directory = TempDir::new().unwrap();
    let mut builder = Builder::new(directory.path().join("model")).unwrap();
    let error = builder.add_meta_graph_and_variables(meta, values, options, &Silent).unwrap_err();
    // The builder is unchanged.
    let inside: Vec<_> = everything(directory.path());
    assert!(
        inside.len() <= 2 && inside.iter().all(|path| !path.ends_with("variables")),
        "{inside:?}"
    );
    drop(builder);
    assert!(everything(directory.path()).is_empty());
    message_of(&error, directory.path())
}

fn refused(options: &MetaGraphOptions) -> String {
    refused_of(&before("two", 0), Values::Checkpoint(&values()), options)
}

#[test]
fn meta_graphs_are_added_in_their_order() {
    let directory = TempDir::new().unwrap();
    let (meta, values) = (before("two", 0), values());
    let mut builder = Builder::new(directory.path()).unwrap();
    let early = builder.add_meta_graph(&meta, &tagged("serve")).unwrap_err();
    assert_snapshot!(early, @"there are no variables yet; call add_meta_graph_and_variables first");
    let values = Values::Checkpoint(&values);
    builder.add_meta_graph_and_variables(&meta, values, &tagged("serve"), &Silent).unwrap();
    let twice = builder.add_meta_graph_and_variables(&meta, values, &tagged("train"), &Silent);
    assert_snapshot!(twice.unwrap_err(), @"variables were already added; use add_meta_graph for further meta graphs");
    assert_snapshot!(builder.add_meta_graph(&meta, &tagged("serve")).unwrap_err(), @"there already is a meta graph with the tags [serve]");
    // The refused meta graphs are missing, the others are saved.
    let saved = builder.save().unwrap();
    assert_eq!(SavedModel::open(&saved.dir).unwrap().tag_sets().unwrap(), [["serve"]]);
}

#[test]
fn signatures_are_checked() {
    let of = |key: &str, info: TensorInfo| {
        let inputs = BTreeMap::from([("x".to_owned(), info)]);
        let signature =
            signature::build_signature_def(inputs, BTreeMap::new(), "m", BTreeMap::new());
        let signatures = BTreeMap::from([(key.to_owned(), signature)]);
        refused(&MetaGraphOptions { signatures, ..tagged("serve") })
    };
    let named = |encoding| TensorInfo { encoding, ..TensorInfo::default() };
    let composite = CompositeTensor { type_spec: None, components: vec![TensorInfo::default()] };
    assert_snapshot!(of("s", TensorInfo::default()), @r#"signature_def["s"].inputs["x"]: it names no tensor: name, coo_sparse or composite_tensor must be set"#);
    assert_snapshot!(of("s", named(Some(Encoding::Name("words:0".into())))), @r#"signature_def["s"].inputs["x"]: dtype: expected the dtype of the tensor, found DT_INVALID"#);
    assert_snapshot!(of("s", named(Some(Encoding::CompositeTensor(composite)))), @r#"signature_def["s"].inputs["x"].composite_tensor.components[0]: it names no tensor: name, coo_sparse or composite_tensor must be set"#);
    let meta = before("two", 0);
    let good = Tensors::of(&meta).unwrap().info("words").unwrap();
    assert_snapshot!(of("__saved_model_init_op", good.clone()), @r#"signature_def["__saved_model_init_op"]: this name is reserved for an op of the SavedModel"#);
    assert_snapshot!(of("__saved_model_train_op", good), @r#"signature_def["__saved_model_train_op"]: this name is reserved for an op of the SavedModel"#);
}

#[test]
fn an_empty_tensor_name_is_allowed() {
    let info =
        TensorInfo { dtype: 1, encoding: Some(Encoding::Name(String::new())), tensor_shape: None };
    let inputs = BTreeMap::from([("x".to_owned(), info)]);
    let signature =
        SignatureDef { inputs: inputs.into_iter().collect(), ..SignatureDef::default() };
    let signatures = BTreeMap::from([("s".to_owned(), signature)]);
    let directory = TempDir::new().unwrap();
    let mut builder = Builder::new(directory.path()).unwrap();
    let options = MetaGraphOptions { signatures, ..tagged("serve") };
    let values = values();
    let values = Values::Checkpoint(&values);
    builder.add_meta_graph_and_variables(&before("two", 0), values, &options, &Silent).unwrap();
}

#[test]
fn assets_are_files_named_by_constants() {
    let of = |tensor: &str, path: Option<&str>| {
        let asset = AssetSource { tensor: tensor.into(), path: path.map(PathBuf::from) };
        refused(&MetaGraphOptions { assets: vec![asset], ..tagged("serve") })
    };
    assert_snapshot!(of("gone:0", None), @"assets[0].gone:0: the graph has no gone:0");
    assert_snapshot!(of("words:0", None), @"assets[0].words:0: tensor: expected the output of a Const with the path of the asset, found words:0 of a Placeholder");
    assert_snapshot!(of("first:1", None), @"assets[0].first:1: tensor: expected the output of a Const with the path of the asset, found first:1 of a Const");
    assert_snapshot!(of("Maximum/y", None), @"assets[0].Maximum/y:0: the graph has no Maximum/y:0; did you mean Maximum?");
    assert_snapshot!(of("first", Some("tests/data/built/none.txt")), @"tests/data/built/none.txt: assets[0]: cannot open: No such file or directory (os error 2)");
    assert_snapshot!(of("first", Some("tests/data/built")), @"tests/data/built: assets[0]: an asset must be a regular file with a name in UTF-8");
    assert_snapshot!(of("first:7", Some("tests/data/built/files/a/words.txt")), @"assets[0].first:7: there is no output 7: first has 1 output");
    assert_snapshot!(of("first", Some("tests/data/built/..")), @"tests/data/built/..: assets[0]: an asset must be a regular file with a name in UTF-8");
    let other = Some("tests/data/built/files/b/words.txt".into());
    let twice = [("first", None), ("first:0", other)];
    let twice = twice.map(|(tensor, path)| AssetSource { tensor: tensor.into(), path });
    let options = MetaGraphOptions { assets: twice.to_vec(), ..tagged("serve") };
    assert_snapshot!(refused(&options), @"assets[1]: first:0 already receives another path");
    // A meta graph lists the files that it reads, and all of them must be given.
    let info =
        TensorInfo { encoding: Some(Encoding::Name("first:0".into())), ..TensorInfo::default() };
    let known = AssetFileDef { filename: "words.txt".into(), tensor_info: Some(info) };
    let meta = with_assets(&before("two", 0), &[known]).unwrap();
    let values = values();
    assert_snapshot!(refused_of(&meta, Values::Checkpoint(&values), &tagged("serve")), @"asset of first:0: the meta graph reads words.txt, but no file is given");
}

#[test]
fn an_asset_given_twice_is_one_file() {
    let directory = TempDir::new().unwrap();
    let mut builder = Builder::new(directory.path().join("model")).unwrap();
    let (meta, values) = (before("two", 0), values());
    let asset = AssetSource { tensor: "first".into(), path: None };
    let options = MetaGraphOptions { assets: vec![asset.clone(), asset], ..tagged("serve") };
    let values = Values::Checkpoint(&values);
    builder.add_meta_graph_and_variables(&meta, values, &options, &Silent).unwrap();
    let dir = builder.save().unwrap().dir;
    assert_eq!(files(&dir.join("assets")).into_keys().collect::<Vec<_>>(), ["words.txt"]);
    let plan = SavedModel::open(&dir).unwrap().load(&["serve"]).unwrap();
    assert_eq!(meta_graph::assets(&plan.meta_graph).unwrap().len(), 2);
    assert_eq!(plan.assets.len(), 1);
}

#[test]
fn there_is_one_main_op() {
    let of = |op: &str| refused(&MetaGraphOptions { main_op: Some(op.into()), ..tagged("serve") });
    assert_snapshot!(of("gone"), @"main_op: the graph has no gone");
    assert_snapshot!(of("words:0"), @"main_op: expected the name of a node, without an output, found words:0");
    let with = |key: &str| {
        let meta = add_to_collection(&before("two", 0), key, &[Item::Node("start")]).unwrap();
        let options = MetaGraphOptions { main_op: Some("start".into()), ..tagged("serve") };
        refused_of(&meta, Values::Checkpoint(&values()), &options)
    };
    assert_snapshot!(with("saved_model_main_op"), @"main_op: the meta graph already has a main op, in its collection saved_model_main_op");
    let signatures =
        BTreeMap::from([("__saved_model_init_op".to_owned(), signature::op("start", "x"))]);
    let meta = with_signatures(&before("two", 0), &signatures).unwrap();
    let options = MetaGraphOptions { main_op: Some("start".into()), ..tagged("serve") };
    assert_snapshot!(refused_of(&meta, Values::Checkpoint(&values()), &options), @"main_op: the meta graph already has a main op, in its signature __saved_model_init_op");
    assert_snapshot!(with("legacy_init_op"), @"main_op: the meta graph already has a main op, in its collection legacy_init_op");
}

#[test]
fn variables_must_have_the_values_that_the_graph_restores() {
    let meta = before("two", 0);
    let none = Variables::of(&meta).unwrap();
    assert_snapshot!(refused_of(&meta, Values::Variables(&none), &tagged("serve")), @"step/Read/ReadVariableOp: the variable step is not initialized");
    let others = Checkpoint::open("tests/data/demo/model.ckpt").unwrap();
    assert_snapshot!(refused_of(&meta, Values::Checkpoint(&others), &tagged("serve")), @"tests/data/demo/model.ckpt: 4 of 4 tensors cannot be restored: step: the checkpoint has no such tensor; p: the checkpoint has no such tensor; p: the checkpoint has no such tensor; weights: the checkpoint has no such tensor");
}

#[test]
fn a_saver_must_name_nodes_of_the_graph() {
    let directory = TempDir::new().unwrap();
    let mut builder = Builder::new(directory.path()).unwrap();
    let (meta, values) = (before("composite", 0), Variables::default());
    let saver = SaverDef {
        filename_tensor_name: "own/Const:0".into(),
        save_tensor_name: "own/control_dependency:0".into(),
        restore_op_name: "none".into(),
        ..SaverDef::default()
    };
    let with =
        |saver: &SaverDef| MetaGraphOptions { saver: Some(saver.clone()), ..tagged("serve") };
    let values = Values::Variables(&values);
    let first = builder.add_meta_graph_and_variables(&meta, values, &with(&saver), &Silent);
    assert_snapshot!(first.unwrap_err(), @"saver: the graph has no none");
    let no_names = with(&SaverDef::default());
    let first = builder.add_meta_graph_and_variables(&meta, values, &no_names, &Silent);
    assert_snapshot!(first.unwrap_err(), @"saver: the name of the tensor is empty");
    let two = before("nothing", 0);
    builder.add_meta_graph_and_variables(&two, values, &tagged("serve"), &Silent).unwrap();
    let options = MetaGraphOptions { tags: vec!["more".into()], ..with(&saver) };
    assert_snapshot!(builder.add_meta_graph(&meta, &options).unwrap_err(), @"saver: the graph has no none");
}

#[test]
fn a_refused_meta_graph_can_be_added_again() {
    let directory = TempDir::new().unwrap();
    let mut builder = Builder::new(directory.path().join("model")).unwrap();
    let (meta, values) = (before("two", 0), values());
    let asset = AssetSource { tensor: "first".into(), path: None };
    let options = MetaGraphOptions { assets: vec![asset], ..tagged("serve") };
    let none = Variables::of(&meta).unwrap();
    // By the time of the error, the asset was copied and the directory of variables exists.
    let mut add = |values| builder.add_meta_graph_and_variables(&meta, values, &options, &Silent);
    assert!(add(Values::Variables(&none)).is_err());
    add(Values::Checkpoint(&values)).unwrap();
    let dir = builder.save().unwrap().dir;
    let plan = SavedModel::open(&dir).unwrap().load(&["serve"]).unwrap();
    assert!(plan.restore().unwrap().find("weights").is_some());
    assert_eq!(fs::read(dir.join("assets/words.txt")).unwrap(), b"the\nof\n");
}

/// The process that the test below starts with a full disk; does nothing in a normal run.
#[test]
fn builds_on_a_full_disk() {
    let Ok(dir) = std::env::var(FULL) else { return };
    let (meta, values) = (before("two", 0), values());
    let mut builder = Builder::new(Path::new(&dir).join("made/model")).unwrap();
    let values = Values::Checkpoint(&values);
    builder.add_meta_graph_and_variables(&meta, values, &tagged("serve"), &Silent).unwrap();
    print!("error: {}", builder.save().unwrap_err());
}

const FULL: &str = "CKDIFF_FULL_DISK_TEST";

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing() {
    let directory = TempDir::new().unwrap();
    // A limit on the file size stands in for a full disk.
    let test = test_process(module_path!(), "builds_on_a_full_disk");
    let run = std::process::Command::new("bash")
        .args(["-c", "ulimit -f 4; trap '' XFSZ; exec \"$0\" \"$@\" --nocapture"])
        .arg(test.get_program())
        .args(test.get_args())
        .env(FULL, directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    let error = said.split_once("error: ").unwrap_or_else(|| panic!("{run:?}")).1;
    let error = error.replace(directory.path().to_str().unwrap(), "DIR");
    let expected = "DIR/made/model/saved_model.pb: cannot write: File too large (os error 27)";
    assert!(error.starts_with(expected), "{error}");
    assert!(everything(directory.path()).is_empty());
}

#[test]
fn an_abandoned_build_leaves_nothing() {
    let Ok(dir) = std::env::var(ABANDONED) else {
        let directory = TempDir::new().unwrap();
        let run = test_process(module_path!(), "an_abandoned_build_leaves_nothing")
            .arg("--nocapture")
            .env(ABANDONED, directory.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && said.contains("files are begun"), "{run:?}");
        assert!(everything(directory.path()).is_empty());
        return;
    };
    let mut builder = Builder::new(Path::new(&dir).join("model")).unwrap();
    let values = values();
    let values = Values::Checkpoint(&values);
    builder.add_meta_graph_and_variables(&before("two", 0), values, &tagged("a"), &Silent).unwrap();
    let begun = everything(Path::new(&dir)).len();
    assert!(begun > 3);
    print!("{begun} files are begun");
    std::io::stdout().flush().unwrap();
    ckdiff::files::abandon();
    // The process ends as it does after a signal.
    std::process::exit(0);
}

const ABANDONED: &str = "CKDIFF_ABANDON_TEST";

#[test]
fn existing_directories_are_not_replaced() {
    let directory = TempDir::new().unwrap();
    let old = directory.path().join("old");
    fs::create_dir(&old).unwrap();
    fs::write(old.join("saved_model.pb"), "old").unwrap();
    assert_snapshot!(message_of(&Builder::new(&old).unwrap_err(), directory.path()), @"DIR/old: this directory exists and is not empty; it is not replaced");
    let file = old.join("saved_model.pb");
    assert_snapshot!(message_of(&Builder::new(&file).unwrap_err(), directory.path()), @"DIR/old/saved_model.pb: cannot write: Not a directory (os error 20)");
    assert_snapshot!(message_of(&Builder::new(file.join("below")).unwrap_err(), directory.path()), @"DIR/old/saved_model.pb/below: cannot write: Not a directory (os error 20)");
    // Files that appear during the build are kept too.
    let late = directory.path().join("late");
    let builder = Builder::new(&late).unwrap();
    fs::create_dir(&late).unwrap();
    fs::write(late.join("mine"), "mine").unwrap();
    assert_snapshot!(message_of(&builder.save().unwrap_err(), directory.path()), @"DIR/late: this directory exists and is not empty; it is not replaced");
    let left: Vec<_> = files(directory.path()).into_keys().collect();
    assert_eq!(left, ["late/mine", "old/saved_model.pb"]);
}

#[test]
fn an_empty_directory_is_filled_and_keeps_its_permissions() {
    let directory = TempDir::new().unwrap();
    let real = directory.path().join("real");
    fs::create_dir(&real).unwrap();
    let place = directory.path().join("link");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        fs::set_permissions(&real, fs::Permissions::from_mode(0o700)).unwrap();
        symlink("real", &place).unwrap();
    }
    #[cfg(not(unix))]
    fs::create_dir(&place).unwrap();
    let mut builder = Builder::new(&place).unwrap();
    let (meta, values) = (before("two", 0), values());
    let asset = AssetSource { tensor: "first".into(), path: None };
    let options = MetaGraphOptions { assets: vec![asset], ..tagged("serve") };
    let values = Values::Checkpoint(&values);
    builder.add_meta_graph_and_variables(&meta, values, &options, &Silent).unwrap();
    builder.save().unwrap();
    assert!(SavedModel::open(&place).unwrap().load(&["serve"]).unwrap().restore().is_ok());
    let names: Vec<_> = fs::read_dir(&place).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(place.is_symlink());
    }
    // A file that appears during the build is kept, and nothing is added.
    let late = directory.path().join("late");
    fs::create_dir(&late).unwrap();
    let builder = Builder::new(&late).unwrap();
    fs::write(late.join("mine"), "mine").unwrap();
    assert!(builder.save().is_err());
    assert_eq!(everything(&late), [Path::new("mine")]);
}

/// A SavedModel whose only meta graph is changed.
fn changed(directory: &Path, change: &dyn Fn(Message<'static>) -> Message<'static>) -> SavedModel {
    let meta = change(before("nothing", 0));
    let mut builder = Builder::new(directory.join("model")).unwrap();
    let none = Variables::default();
    let values = Values::Variables(&none);
    builder.add_meta_graph_and_variables(&meta, values, &tagged("serve"), &Silent).unwrap();
    SavedModel::open(builder.save().unwrap().dir).unwrap()
}

#[test]
fn impossible_loads_are_refused() {
    let model = SavedModel::open(directory("two").join("saved")).unwrap();
    assert_snapshot!(model.load(&["serve"]).unwrap_err(), @"tests/data/built/two/saved: there is no meta graph with the tags [serve]; there are those with [serve, gpu], [train]");
    assert_snapshot!(model.load(&["serve", "gpu", "train"]).unwrap_err(), @"tests/data/built/two/saved: there is no meta graph with the tags [gpu, serve, train]; there are those with [serve, gpu], [train]");
    assert_snapshot!(model.load(&[]).unwrap_err(), @"tests/data/built/two/saved: there is no meta graph with the tags []; there are those with [serve, gpu], [train]");
    assert!(model.load(&["gpu", "serve", "gpu"]).is_ok());
    let refused = |change: &dyn Fn(Message<'static>) -> Message<'static>| {
        let directory = TempDir::new().unwrap();
        message_of(
            &changed(directory.path(), change).load(&["serve"]).unwrap_err(),
            directory.path(),
        )
    };
    let collection = |key: &'static str, nodes: &'static [&'static str]| {
        refused(&|meta| {
            let items: Vec<_> = nodes.iter().map(|node| Item::Node(node)).collect();
            add_to_collection(&meta, key, &items).unwrap()
        })
    };
    assert_snapshot!(collection("saved_model_main_op", &["x", "y"]), @r#"DIR/model: collection_def["saved_model_main_op"]: list: expected one node, found 2 nodes"#);
    assert_snapshot!(collection("legacy_init_op", &["x", "y"]), @r#"DIR/model: collection_def["legacy_init_op"]: list: expected one node, found 2 nodes"#);
    assert_snapshot!(collection("legacy_init_op", &["gone"]), @r#"DIR/model: collection_def["legacy_init_op"]: the graph has no gone"#);
    assert_snapshot!(collection("saved_model_main_op", &["y:7"]), @r#"DIR/model: collection_def["saved_model_main_op"]: there is no output 7: y has 1 output"#);
    let number =
        refused(&|meta| add_to_collection(&meta, "legacy_init_op", &[Item::Int(1)]).unwrap());
    assert_snapshot!(number, @r#"DIR/model: collection_def["legacy_init_op"]: list: expected one node, found an item of an int64_list"#);
    let signed = |op: &'static str, key: &'static str| {
        let signature = signature::op(op, key);
        let signatures = BTreeMap::from([("__saved_model_init_op".to_owned(), signature)]);
        refused(&move |meta| with_signatures(&meta, &signatures).unwrap())
    };
    assert_snapshot!(signed("gone", "__saved_model_init_op"), @r#"DIR/model: signature_def["__saved_model_init_op"]: the graph has no gone"#);
    assert_snapshot!(signed("y", "other"), @r#"DIR/model: signature_def["__saved_model_init_op"]: it has no output __saved_model_init_op"#);
}

#[test]
fn the_train_op_is_checked_only_when_requested() {
    let of = |nodes: &[&str]| {
        let directory = TempDir::new().unwrap();
        let items: Vec<_> = nodes.iter().map(|node| Item::Node(node)).collect();
        let change = |meta| add_to_collection(&meta, "saved_model_train_op", &items).unwrap();
        let plan = changed(directory.path(), &change).load(&["serve"]).unwrap();
        plan.train_op()
    };
    assert_eq!(of(&[]).unwrap(), None);
    assert_eq!(of(&["y:0"]).unwrap().as_deref(), Some("y:0"));
    assert_snapshot!(of(&["y", "y"]).unwrap_err(), @r#"collection_def["saved_model_train_op"]: list: expected one node, found 2 nodes"#);
    assert_snapshot!(of(&["y:7"]).unwrap_err(), @r#"collection_def["saved_model_train_op"]: there is no output 7: y has 1 output"#);
}

#[test]
fn missing_and_misplaced_assets_are_reported() {
    let directory = TempDir::new().unwrap();
    let model = directory.path().join("model");
    let source = self::directory("two").join("saved");
    for (name, content) in files(&source) {
        fs::create_dir_all(model.join(&name).parent().unwrap()).unwrap();
        fs::write(model.join(&name), content).unwrap();
    }
    fs::remove_file(model.join("assets/words.txt_2")).unwrap();
    let load = || SavedModel::open(&model).unwrap().load(&["serve", "gpu"]);
    assert_snapshot!(message_of(&load().unwrap_err(), directory.path()), @"DIR/model/assets/words.txt_2: asset of third:0: the graph needs this asset, but its file is missing");
    assert!(SavedModel::open(&model).unwrap().load(&["train"]).is_ok());
    let text = fs::read_to_string(source.join("saved_model.pbtxt")).unwrap();
    // Of the same length as the old name, since lengths in the message must stay valid.
    for bad in ["../words.tx", "/etc/passwd", "./././././."] {
        let new = text.replace("words.txt_2", bad);
        assert!(new != text);
        fs::write(model.join("saved_model.pbtxt"), new).unwrap();
        let reported = message_of(&load().unwrap_err(), directory.path());
        let expected = "expected the name of a file in the directory assets";
        assert!(reported.contains(expected), "{bad}: {reported}");
    }
}

#[test]
fn directories_without_a_saved_model_are_reported() {
    let directory = TempDir::new().unwrap();
    let refused = |dir: &Path| message_of(&SavedModel::open(dir).unwrap_err(), directory.path());
    assert_snapshot!(refused(&directory.path().join("none")), @"DIR/none: there is no such directory");
    assert_snapshot!(refused(directory.path()), @"DIR: there is no SavedModel: neither saved_model.pb nor saved_model.pbtxt");
    fs::write(directory.path().join("saved_model.cpb"), "").unwrap();
    assert_snapshot!(refused(directory.path()), @"DIR: this is a SavedModel in chunks (saved_model.cpb); ckdiff does not read those yet; meanwhile, load it in TensorFlow, and save it without chunks");
    fs::write(directory.path().join("saved_model.pbtxt"), "meta_graphs { none: 1 }").unwrap();
    assert_snapshot!(refused(directory.path()), @"DIR/saved_model.pbtxt:1:15: tensorflow.MetaGraphDef has no field none");
    fs::write(directory.path().join("saved_model.pb"), [0x12, 0x7f]).unwrap();
    assert_snapshot!(refused(directory.path()), @"DIR/saved_model.pb: byte 2: meta_graphs[0]: a field needs 127 bytes, 0 left");
}

#[test]
fn names_are_put_under_the_import_scope() {
    let model = SavedModel::open(directory("two").join("saved")).unwrap();
    let plan = model.load_under(&["serve", "gpu"], "under").unwrap();
    assert_eq!(plan.init_op.as_deref(), Some("under/start"));
    let assets: Vec<_> = plan.assets.keys().map(String::as_str).collect();
    assert_eq!(assets, ["under/again:0", "under/first:0", "under/second:0", "under/third:0"]);
    let saver = plan.saver.as_ref().unwrap();
    assert!(saver.restore_op_name.starts_with("under/save/"), "{saver:?}");
    let (under, plain) =
        (plan.restore().unwrap(), model.load(&["gpu", "serve"]).unwrap().restore().unwrap());
    assert_eq!(under.find("under/weights"), plain.find("weights"));
    assert!(plain.find("weights").is_some());
}

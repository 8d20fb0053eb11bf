//! The paths that savers take: prefixes, as TensorFlow reads them.

use std::fs;
use std::path::Path;

use ckdiff::checkpoint::{self, CheckpointState};
use ckdiff::progress::Silent;
use ckdiff::saver::run::Variables;
use ckdiff::saver::{Model, SaveOptions};
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion::{self, V1, V2};

use super::saving::{names, relative, saving};

/// The number of devices in the graph, and so of shards.
const SHARDS: usize = 4;

/// The files that TensorFlow 2.21 writes for these paths.
#[test]
fn a_path_that_ends_with_a_directory_is_in_it() {
    let files = |sharded: bool, version: CheckpointFormatVersion, name: &str| {
        let count = if sharded { SHARDS } else { 1 };
        let data = if version == V1 { "" } else { ".data" };
        let shard = |number| format!("{name}{data}-{number:05}-of-{count:05}");
        let mut files: Vec<_> = (0..count).map(shard).collect();
        files.extend((version == V2).then(|| format!("{name}.index")));
        files
    };
    for (sharded, version, path, name) in [
        (false, V2, "sub/", ""),
        (false, V2, "sub/.", "."),
        (true, V2, "sub/", ""),
        (true, V2, "sub/.", "."),
        (true, V1, "sub/", ""),
        // The directory is made.
        (false, V2, "new/", ""),
    ] {
        for is_relative in [false, true] {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir(root.path().join("sub")).unwrap();
            let root_path =
                if is_relative { relative(root.path()) } else { root.path().to_owned() };
            let path = format!("{}/{path}", root_path.display());
            // Twice, so that one is replaced.
            for _ in 0..2 {
                let mut model = saving(sharded, version);
                let saved = model.save(Path::new(&path)).unwrap();
                let directory = root.path().join(if path.contains("new") { "new" } else { "sub" });
                let mut expected = files(sharded, version, name);
                expected.extend(["checkpoint".to_owned(), format!("{name}.meta")]);
                expected.sort();
                assert_eq!(names(&directory), expected, "{path}");
                assert!(!root.path().join("checkpoint").exists(), "{path}");
                assert!(checkpoint::exists(&saved), "{}", saved.display());
                model.restores(&saved);
                let state = fs::read_to_string(directory.join("checkpoint")).unwrap();
                let all_shards = format!("-?????-of-{SHARDS:05}");
                let named = match (is_relative, version) {
                    (true, V1) => &*all_shards,
                    (true, _) => ".",
                    (false, _) => saved.to_str().unwrap(),
                };
                assert!(
                    state.starts_with(&format!("model_checkpoint_path: \"{named}\"\n")),
                    "{state}"
                );
                if version == V1 {
                    let state = CheckpointState::read(&directory).unwrap();
                    assert_eq!(state.latest().unwrap(), directory.join(&all_shards));
                }
            }
        }
    }
}

/// In the directory `checkpoint`, no file has the name of the state file.
#[test]
fn a_directory_can_have_the_name_of_the_state_file() {
    let root = tempfile::tempdir().unwrap();
    let path = format!("{}/checkpoint/", root.path().display());
    assert_eq!(saving(false, V2).save(Path::new(&path)), Ok(path.clone().into()));
    assert!(root.path().join("checkpoint/checkpoint").is_file());
}

#[test]
fn an_empty_path_is_refused() {
    for (sharded, version) in [(false, V2), (true, V2), (false, V1)] {
        let error = saving(sharded, version).save(Path::new("")).unwrap_err();
        assert_eq!(error, "the path of the checkpoint is empty");
    }
}

/// The command accepts the files of a checkpoint; TensorFlow's savers do not.
#[test]
fn a_saver_restores_a_prefix() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    let mut model = saving(false, V2);
    model.save(&at("m")).unwrap();
    for name in ["m.index", "m.data-00000-of-00001", ".", "m.meta", "n"] {
        let mut variables = Variables::of(&model.graph).unwrap();
        let before = variables.clone();
        let restored = model.saver.restore(&model.graph, &at(name), &mut variables);
        assert!(restored.is_err(), "{name}");
        assert_eq!(variables, before, "{name}");
    }
    // One shard of a V1 checkpoint is read alone.
    let mut model = saving(true, V1);
    model.save(&at("s")).unwrap();
    let mut variables = Variables::of(&model.graph).unwrap();
    let files = names(root.path());
    let shard = at(files.iter().find(|name| name.starts_with("s-00000")).unwrap());
    let error = model.saver.restore(&model.graph, &shard, &mut variables).unwrap_err().to_string();
    assert!(error.contains("the checkpoint has no such tensor"), "{error}");
    model.restores(&at("s-?????-of-?????"));
    // A file that looks like a shard is a checkpoint by itself.
    let mut model = saving(false, V1);
    model.save(&at("t-00000-of-00002")).unwrap();
    model.restores(&at("t-00000-of-00002"));
}

/// As in TensorFlow, which makes the directory.
#[test]
fn the_suffix_of_a_meta_graph_can_have_a_directory() {
    let root = tempfile::tempdir().unwrap();
    let mut model = saving(false, V2);
    let content = Model { graph: &model.graph, variables: &model.variables };
    let options = SaveOptions { meta_graph_suffix: "a/b", ..SaveOptions::default() };
    model.saver.save(&content, &root.path().join("m"), &options, &Silent).unwrap();
    assert_eq!(names(&root.path().join("m.a")), ["b"]);
}

//! `ckdiff save-as`, `merge` and `latest`: their output, and the requests that they refuse.

use std::fs;
use std::path::Path;

use ckdiff::checkpoint::{Checkpoint, CheckpointState, FORMATS};
use insta::assert_snapshot;

use crate::support::directory::{names, ok, refused, run};

#[test]
fn a_part_cannot_be_the_target_of_its_merge_however_the_path_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    ok(dir, "save-as demo/model.ckpt DIR/m");
    for spelled in ["DIR/m", "DIR/./m", "DIR//m.index"] {
        let said = refused(dir, &format!("merge --overwrite --remove-parts {spelled} DIR/m"));
        assert!(said.contains("the output is also one of the parts"), "{said}");
    }
    same(dir, "demo/model.ckpt", "DIR/m");
}

#[cfg(unix)]
#[test]
fn parts_may_be_links() {
    use std::os::unix::fs::symlink;

    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for directory in ["blobs", "parts", "out"] {
        fs::create_dir(dir.join(directory)).unwrap();
    }
    ok(dir, "save-as demo/model.ckpt DIR/blobs/p");
    for name in names(&dir.join("blobs")) {
        symlink(format!("../blobs/{name}"), dir.join("parts").join(name)).unwrap();
    }
    ok(dir, "merge --remove-parts DIR/parts/p DIR/out/m");
    same(dir, "demo/model.ckpt", "DIR/out/m");
    same(dir, "demo/model.ckpt", "DIR/blobs/p");
}

#[test]
fn a_checkpoint_is_replaced_however_its_path_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for path in ["DIR//m", "DIR/./m", "DIR/m"] {
        for fixture in ["shards/three.ckpt", "demo/model.ckpt"] {
            ok(dir, &format!("save-as {fixture} {path} --overwrite"));
            same(dir, fixture, "DIR/m");
            ok(dir, &format!("merge --overwrite {path} DIR/n"));
        }
        assert_eq!(names(dir).len(), 4, "{:?}", names(dir));
    }
}

#[test]
fn other_files_are_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("notes"), "mine").unwrap();
    let said = refused(dir, "save-as demo/model.ckpt DIR/notes --format v1 --overwrite");
    assert_snapshot!(said, @"ckdiff: error: DIR/notes: this file is not part of a checkpoint; it is not replaced");
    ok(dir, "save-as demo/model.ckpt DIR/notes --overwrite");
    assert_eq!(fs::read(dir.join("notes")).unwrap(), b"mine");
}

#[test]
fn a_file_of_another_checkpoint_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    ok(dir.path(), "save-as demo/model.ckpt DIR/model.ckpt --shards 1");
    for name in ["model.ckpt.index", "model.ckpt.data-00000-of-00001"] {
        let said = refused(
            dir.path(),
            &format!("save-as demo/model.ckpt DIR/{name} --format v1 --overwrite"),
        );
        assert!(said.contains("is not replaced"), "{said}");
    }
    same(dir.path(), "demo/model.ckpt", "DIR/model.ckpt");
    // A V1 checkpoint of the same name is the same checkpoint in another format.
    ok(dir.path(), "save-as demo/model.ckpt DIR/model.ckpt --format v1 --overwrite");
    assert_eq!(names(dir.path()), ["model.ckpt"]);
}

/// Two programs that replace one checkpoint at once, again and again.
#[test]
fn two_writers_of_one_checkpoint_take_turns() {
    let dir = tempfile::tempdir().unwrap();
    for (name, from) in [("one", "demo/model.ckpt"), ("other", "shards/three.ckpt")] {
        ok(dir.path(), &format!("save-as {from} DIR/{name}"));
    }
    ok(dir.path(), "save-as DIR/one DIR/out");
    fs::write(dir.path().join("checkpoint"), "model_checkpoint_path: \"out\"\n").unwrap();
    for round in 0..20 {
        std::thread::scope(|scope| {
            for name in ["one", "other"] {
                let dir = dir.path();
                scope.spawn(move || ok(dir, &format!("save-as DIR/{name} DIR/out --overwrite")));
            }
        });
        let is = |name| run(dir.path(), &format!("-q DIR/{name} DIR/out")).0 == 0;
        assert!(is("one") != is("other"), "round {round}: {:?}", names(dir.path()));
        assert_eq!(run(dir.path(), "latest DIR"), (0, "DIR/out\n".to_owned()), "round {round}");
        let left = names(dir.path()).into_iter().find(|name| name.contains("ckdiff"));
        assert_eq!(left, None, "round {round}");
    }
}

/// Whether two checkpoints are equal according to `ckdiff`.
fn same(dir: &Path, lhs: &str, rhs: &str) {
    let (code, said) = run(dir, &format!("diff --only tensors {lhs} {rhs}"));
    assert_eq!(code, 0, "{said}");
}

/// The path that opens the checkpoint with this prefix.
fn opened(dir: &Path, name: &str) -> String {
    let names = names(dir);
    let shards = |file: &String| Some(file.strip_prefix(&format!("{name}-00000-of-"))?.to_owned());
    match names.iter().find_map(shards) {
        Some(count) => format!("{name}-?????-of-{count}"),
        None => name.to_owned(),
    }
}

#[test]
fn every_way_of_storing_a_checkpoint_is_the_same_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut stored = 0;
    for source in ["v1/v2twin.ckpt", "v1/sliced.ckpt", "shards/three.ckpt", "v1/all.ckpt"] {
        for format in FORMATS.iter().filter(|format| format.version.is_some()) {
            for shards in [1, 3, 7] {
                let option = format.option;
                let name = format!("{option}-{shards}-{}", source.replace('/', "-"));
                ok(
                    dir,
                    &format!("save-as {source} DIR/{name} --format {option} --shards {shards}"),
                );
                same(dir, source, &format!("DIR/{}", opened(dir, &name)));
                stored += 1;
            }
        }
    }
    assert!(stored >= 24, "{stored}");
}

#[test]
fn parts_are_merged() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    ok(dir, "save-as shards/three.ckpt DIR/a --include *e*");
    ok(dir, "save-as shards/three.ckpt DIR/b --exclude *e*");
    ok(dir, "merge DIR/a DIR/b.index DIR/kept");
    same(dir, "shards/three.ckpt", "DIR/kept");
    assert!(names(dir).contains(&"a.index".to_owned()));
    ok(dir, "merge --remove-parts DIR/a DIR/b DIR/whole");
    same(dir, "shards/three.ckpt", "DIR/whole");
    assert!(names(dir).iter().all(|name| name.starts_with("whole") || name.starts_with("kept")));
    same(dir, "shards/three.ckpt", "DIR/kept");
}

#[test]
fn a_checkpoint_is_saved_over_itself() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    ok(dir, "save-as slices/parts.ckpt DIR/m --shards 3");
    ok(dir, "save-as DIR/m DIR/m --shards 1 --overwrite");
    assert_eq!(names(dir), ["m.data-00000-of-00001", "m.index"]);
    same(dir, "slices/parts.ckpt", "DIR/m");
    // Also in the other format, whose file the old index would hide.
    ok(dir, "save-as v1/all.ckpt DIR/m --overwrite");
    assert_eq!(names(dir), ["m"]);
    same(dir, "v1/all.ckpt", "DIR/m");
    ok(dir, "save-as v1/all.ckpt DIR/m --overwrite --format v2");
    assert_eq!(names(dir), ["m.data-00000-of-00001", "m.index"]);
}

#[test]
fn renamed_tensors_are_renamed_in_the_object_graph() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    ok(dir, "save-as tf2/ckpt-2 DIR/m --rename ^model/=net/ --exclude **/.OPTIMIZER_SLOT/**");
    let checkpoint = Checkpoint::open(dir.join("m")).unwrap();
    let graph = checkpoint.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH").unwrap();
    let graph = String::from_utf8_lossy(graph.content()).into_owned();
    assert!(graph.contains("net/kernel/.ATTRIBUTES") && !graph.contains("model/kernel/.ATTR"));
    assert!(!graph.contains("OPTIMIZER_SLOT"));
    // The tensors have the keys that the object graph names.
    let names: Vec<_> = checkpoint.tensors().map(|entry| entry.name.as_str().unwrap()).collect();
    assert!(names.contains(&"net/kernel/.ATTRIBUTES/VARIABLE_VALUE"), "{names:?}");
    for name in names {
        assert!(name.starts_with('_') || graph.contains(name), "{name}");
    }
}

#[test]
fn impossible_saves_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    ok(dir, "save-as demo/model.ckpt DIR/m");
    assert_snapshot!(
        refused(dir, "save-as demo/model.ckpt DIR/m"),
        @"ckdiff: error: DIR/m: it already exists; --overwrite replaces it"
    );
    assert_snapshot!(
        refused(dir, "save-as demo/model.ckpt DIR/gone/m"),
        @"ckdiff: error: DIR/gone/m: there is no directory DIR/gone"
    );
    assert_snapshot!(
        refused(dir, "save-as demo/model.ckpt DIR/"),
        @"ckdiff: error: DIR/: expected the name of a checkpoint, found a directory"
    );
    assert_snapshot!(
        refused(dir, "save-as demo/model.ckpt DIR/n --include nothing"),
        @r#"
    ckdiff: warning: --include: "nothing" matches nothing
    ckdiff: error: demo/model.ckpt: the filters leave no tensor to save
    "#
    );
    assert_snapshot!(
        refused(dir, "save-as demo/model.ckpt DIR/n --rename v.=v"),
        @r#"ckdiff: error: tensor v: name: expected a unique name, found "v" twice"#
    );
    assert_snapshot!(
        refused(dir, "save-as dtypes/all.ckpt DIR/n --format v1 --include bfloat16/**"),
        @"ckdiff: error: DIR/n: tensor bfloat16/cube: a V1 checkpoint cannot hold bfloat16; --format v2 can"
    );
    assert_snapshot!(
        refused(dir, "save-as demo/model.ckpt DIR/n --shards 0"),
        @"ckdiff: error: number of shards: expected 1 to 99999, found 0"
    );
    assert_snapshot!(
        refused(dir, "merge DIR/m DIR/m DIR/n"),
        @"ckdiff: error: DIR/m.index: tensor v1: name: expected a tensor of one part, or of slices, found a tensor of two parts"
    );
    assert_snapshot!(
        refused(dir, "merge DIR/m DIR/gone DIR/n"),
        @"ckdiff: error: DIR/gone: there is no V2 checkpoint; only those can be merged (save-as makes one)"
    );
    assert_snapshot!(
        refused(dir, "merge DIR/m DIR/m --overwrite"),
        @"ckdiff: error: DIR/m: the output is also one of the parts"
    );
    assert_snapshot!(
        refused(dir, "latest DIR"),
        @"ckdiff: error: DIR: there is no state file `checkpoint` that names the latest checkpoint; the directory contains m"
    );
}

#[test]
fn latest_prints_the_latest_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for step in [1, 2] {
        ok(dir, &format!("save-as demo/model.ckpt DIR/m-{step}"));
    }
    let all = [1, 2].map(|step| dir.join(format!("m-{step}"))).to_vec();
    let options = ckdiff::checkpoint::StateOptions {
        all_model_checkpoint_paths: all.clone(),
        save_relative_paths: true,
        ..Default::default()
    };
    CheckpointState::update(dir, &all[1], &options).unwrap();
    assert_eq!(run(dir, "latest DIR"), (0, "DIR/m-2\n".into()));
    assert_eq!(run(dir, "latest --all DIR/checkpoint"), (0, "DIR/m-1\nDIR/m-2\n".into()));
    let state = fs::read_to_string(dir.join("checkpoint")).unwrap();
    let latest_only = state.lines().find(|line| line.starts_with("model_checkpoint_path")).unwrap();
    fs::write(dir.join("checkpoint"), latest_only).unwrap();
    assert_eq!(run(dir, "latest --all DIR"), (0, "DIR/m-2\n".into()));
    fs::remove_file(dir.join("m-2.index")).unwrap();
    let said = refused(dir, "latest DIR");
    assert_snapshot!(said, @"ckdiff: error: DIR/checkpoint: the latest checkpoint, DIR/m-2, does not exist; the directory contains m-1");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    ok(dir, "save-as demo/model.ckpt DIR/m");
    CheckpointState::update(dir, &dir.join("m"), &Default::default()).unwrap();
    let before: Vec<_> = names(dir).iter().map(|name| fs::read(dir.join(name)).unwrap()).collect();
    // A limit on the file size stands in for a full disk.
    let shell = format!(
        "ulimit -f 1; trap '' XFSZ; exec {} save-as tests/data/retrain/baseline.ckpt {}/m --overwrite",
        env!("CARGO_BIN_EXE_ckdiff"),
        dir.display()
    );
    let run = std::process::Command::new("bash").args(["-c", &shell]).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).replace(dir.to_str().unwrap(), "DIR");
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write: File too large"), "{said}");
    let after: Vec<_> = names(dir).iter().map(|name| fs::read(dir.join(name)).unwrap()).collect();
    assert_eq!(names(dir), ["checkpoint", "m.data-00000-of-00001", "m.index"]);
    assert!(before == after);
}

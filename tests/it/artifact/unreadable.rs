//! A file that is named or expected, and cannot be read, is an error: never a missing part that compares as the same.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::support::command::{Run, ckdiff_that_ends};
use crate::support::directory::copy;

const MODEL: &str = "saved_models/builder";

/// Ways to make a file or directory unreadable.
const KINDS: [&str; 5] = ["pipe", "directory", "dangling", "device", "endless"];

/// Replaces a file or directory by something that cannot be read.
fn replace(path: &Path, kind: &str) {
    if path.is_dir() {
        fs::remove_dir_all(path).unwrap();
    } else if path.exists() {
        fs::remove_file(path).unwrap();
    }
    match kind {
        "pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "directory" => fs::create_dir(path).unwrap(),
        "dangling" => symlink("nowhere", path).unwrap(),
        "device" => symlink("/dev/zero", path).unwrap(),
        "endless" => symlink(path.file_name().unwrap(), path).unwrap(),
        other => panic!("{other}"),
    }
}

/// Checks that a run ends, and fails because of `file`.
#[track_caller]
fn assert_fails(args: &[&str], file: &str) {
    let run = ckdiff_that_ends(args);
    assert_eq!(run.code, 2, "{args:?}: {}{}", run.text(), run.stderr);
    assert!(run.stderr.contains(file), "{args:?}: {}", run.stderr);
}

#[test]
fn a_saved_model_whose_variables_cannot_be_read_is_trouble() {
    for part in ["variables/variables.index", "variables"] {
        for kind in KINDS {
            let model = copy(MODEL);
            replace(&model.path().join(part), kind);
            if (part, kind) == ("variables", "directory") {
                // An empty directory: a SavedModel without variables.
                continue;
            }
            let path = model.path().to_str().unwrap();
            for args in [&["-q", path, MODEL], &["-q", MODEL, path], &["verify", "-j1", path]] {
                assert_fails(args, &format!("{path}/{part}"));
            }
        }
    }
    // The index alone is missing.
    let model = copy(MODEL);
    fs::remove_file(model.path().join("variables/variables.index")).unwrap();
    let path = model.path().to_str().unwrap();
    assert_fails(&["-q", path, MODEL], "its data files exist, but the index is missing");
    assert_fails(&["verify", path], "its data files exist, but the index is missing");
}

#[test]
fn a_saved_model_without_its_variables_lacks_every_tensor() {
    let model = copy(MODEL);
    fs::remove_dir_all(model.path().join("variables")).unwrap();
    let path = model.path().to_str().unwrap();
    let run = ckdiff_that_ends(&[MODEL, path]);
    assert_eq!(run.code, 1);
    assert!(run.text().starts_with("Different: 1 of 1 tensor removed;"), "{}", run.text());
    assert!(run.text().contains("1 tensor: 1 removed"), "{}", run.text());
    assert_eq!(ckdiff_that_ends(&["-q", path, MODEL]).code, 1);
    for args in [&["-q", path, path] as &[&str], &["verify", path]] {
        assert_fails(args, "the graph restores variables, but the SavedModel has none");
    }
}

#[test]
fn other_files_of_a_saved_model_that_cannot_be_read_are_trouble() {
    for part in ["assets/vocabulary.txt", "assets", "assets.extra", "fingerprint.pb"] {
        for kind in KINDS {
            let model = copy(MODEL);
            replace(&model.path().join(part), kind);
            let path = model.path().to_str().unwrap();
            let is_valid = kind == "directory" && part.starts_with("assets") && !part.contains('/');
            if !is_valid && (kind != "directory" || part == "fingerprint.pb") {
                assert_fails(&["-q", path, MODEL], &format!("{path}/{part}"));
            }
            if !is_valid || part == "assets" {
                assert_fails(&["verify", path], &format!("{path}/{part}"));
                assert_fails(&["show", path], &format!("{path}/{part}"));
            }
        }
    }
}

#[test]
fn an_asset_outside_the_saved_model_is_refused_as_such() {
    let model = copy(MODEL);
    let file = model.path().join("saved_model.pb");
    let mut graph = fs::read(&file).unwrap();
    let names: Vec<usize> = graph
        .windows(14)
        .enumerate()
        .filter(|(_, bytes)| bytes == b"vocabulary.txt")
        .map(|(at, _)| at)
        .collect();
    for at in names {
        graph[at..at + 14].copy_from_slice(b"/etc/../passwd");
    }
    fs::write(&file, graph).unwrap();
    let expected =
        "filename: expected the name of a file in the directory assets, found /etc/../passwd";
    assert_fails(&["verify", model.path().to_str().unwrap()], expected);
    assert_fails(&["show", model.path().to_str().unwrap()], expected);
}

#[test]
fn links_between_directories_of_assets_come_to_an_end() {
    let model = copy(MODEL);
    let assets = model.path().join("assets");
    for name in 1..=6 {
        fs::create_dir(assets.join(name.to_string())).unwrap();
        for other in 1..=14 {
            let target = format!("../{}", other % 6 + 1);
            symlink(target, assets.join(format!("{name}/{other}"))).unwrap();
        }
    }
    let path = model.path().to_str().unwrap();
    let cycle = format!(
        "{path}/assets/1/1/1: directory: expected no cycle, found a link to {path}/assets/1/1, which contains it"
    );
    assert_fails(&["-q", path, MODEL], &cycle);
    assert_fails(&["show", "--format=json", path], &cycle);
}

#[test]
fn a_directory_of_assets_may_have_two_names() {
    let model = copy(MODEL);
    let assets = model.path().join("assets");
    fs::create_dir(assets.join("real")).unwrap();
    fs::write(assets.join("real/words"), "a").unwrap();
    for name in ["alias", "zebra"] {
        symlink("real", assets.join(name)).unwrap();
    }
    let run = ckdiff_that_ends(&["show", model.path().to_str().unwrap()]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    for name in ["real", "alias", "zebra"] {
        assert!(run.text().contains(&format!("{name}/words")), "{}", run.text());
    }
}

#[test]
fn every_asset_that_cannot_be_listed_is_an_error() {
    let model = copy(MODEL);
    let path = model.path().to_str().unwrap();
    for name in ["b", "a"] {
        symlink("nowhere", model.path().join("assets").join(name)).unwrap();
    }
    let run = ckdiff_that_ends(&["show", path]);
    let at: Vec<_> =
        ["a", "b"].iter().map(|name| run.stderr.find(&format!("{path}/assets/{name}: "))).collect();
    assert!(at[0].is_some() && at[0] < at[1], "{}", run.stderr);
}

#[test]
fn variables_that_are_the_model_itself_are_named_as_a_directory() {
    let model = copy(MODEL);
    let path = model.path().to_str().unwrap();
    fs::remove_dir_all(model.path().join("variables")).unwrap();
    symlink(".", model.path().join("variables")).unwrap();
    let expected =
        "variables/variables: path: expected the prefix of a checkpoint, found a directory";
    assert_fails(&["verify", path], expected);
}

#[test]
fn a_meta_graph_that_cannot_be_read_is_trouble() {
    for kind in KINDS {
        let checkpoint = copy("demo");
        let meta = checkpoint.path().join("model.ckpt.meta");
        replace(&meta, kind);
        let prefix = checkpoint.path().join("model.ckpt");
        let prefix = prefix.to_str().unwrap();
        assert_fails(&["-q", prefix, "demo/model.ckpt"], meta.to_str().unwrap());
        assert_fails(&["verify", prefix], meta.to_str().unwrap());
        // Then it is not asked for.
        assert_eq!(ckdiff_that_ends(&["-q", "--only=tensors", prefix, prefix]).code, 0);
    }
}

#[test]
fn a_meta_graph_of_one_side_is_told() {
    let checkpoint = copy("demo");
    fs::remove_file(checkpoint.path().join("model.ckpt.meta")).unwrap();
    let prefix = checkpoint.path().join("model.ckpt");
    let run: Run = ckdiff_that_ends(&[prefix.to_str().unwrap(), "demo/model.ckpt"]);
    assert_eq!(run.code, 0);
    let note = "graph_def: only rhs has a meta graph; the graphs are not compared";
    assert!(run.text().contains(note), "{}", run.text());
}

#[test]
fn files_of_a_checkpoint_that_cannot_be_read_are_trouble() {
    for kind in KINDS {
        for part in ["model.ckpt.index", "model.ckpt.data-00000-of-00001", "checkpoint"] {
            let checkpoint = copy("demo");
            replace(&checkpoint.path().join(part), kind);
            let directory = checkpoint.path().to_str().unwrap();
            let path = match part {
                // A directory of this name is no state file.
                "checkpoint" if kind == "directory" => continue,
                "checkpoint" => directory.to_owned(),
                _ => format!("{directory}/model.ckpt"),
            };
            assert_fails(&["-q", &path, "demo/model.ckpt"], &format!("{directory}/{part}"));
        }
    }
}

#[test]
fn a_path_through_links_in_a_circle_is_not_called_missing() {
    let directory = tempfile::tempdir().unwrap();
    symlink("circle", directory.path().join("circle")).unwrap();
    let path = directory.path().join("circle/model.ckpt");
    let run = ckdiff_that_ends(&["show", path.to_str().unwrap()]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot open: Too many levels"), "{}", run.stderr);
}

#[test]
fn pipes_and_devices_are_refused_wherever_a_file_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe.pb");
    replace(&pipe, "pipe");
    let import = directory.path().join("import.proto");
    fs::write(&import, r#"syntax = "proto3"; import "pipe.pb";"#).unwrap();
    let out = directory.path().join("out.pb");
    let [import, out] = [&import, &out].map(|path| path.to_str().unwrap());
    let graph = "demo/model.ckpt.meta";
    for file in [pipe.to_str().unwrap(), "/dev/zero"] {
        for args in [
            &["convert", file, out] as &[&str],
            &["fmt", file],
            &["export", file, out],
            &["export", graph, out, "--into", file],
            &["textconv", file],
            &["verify", "--ops", file, "demo/model.ckpt"],
            &["convert", "--proto", file, graph, out],
            &["convert", "--proto", import, graph, out],
            &["convert", "--descriptor-set", file, graph, out],
            &["show", file],
            &["latest", file],
            &["save-as", file, out],
            &[file, file],
        ] {
            assert_fails(args, "expected a regular file, found a ");
        }
    }
}

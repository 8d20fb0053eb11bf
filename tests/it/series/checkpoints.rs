//! Finding the checkpoints of a series, and their order.

use std::fs;
use std::path::PathBuf;

use ckdiff::series::{Checkpoints, Order};

use super::{found, names, write};
use crate::support::directory::copy;
use crate::support::random::Random;

/// All files of a directory, as a glob expands to them.
fn files(dir: &std::path::Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_directory_and_its_files_in_any_order_are_one_series() {
    let dir = PathBuf::from("tests/data/training/steps");
    let whole = found(std::slice::from_ref(&dir));
    let of = |checkpoints: &Checkpoints| {
        let members = checkpoints.members().iter();
        members.map(|member| (member.path.clone(), member.step)).collect::<Vec<_>>()
    };
    let steps: Vec<_> = whole.members().iter().map(|member| member.step.unwrap()).collect();
    assert_eq!(steps, (1..=10).map(|n| n * 100).collect::<Vec<_>>());
    assert_eq!(whole.order(), Order::StepTensor);
    assert!(whole.ignored().is_empty());
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut files = files(&dir);
        for i in (1..files.len()).rev() {
            files.swap(i, random.below(i as u64 + 1) as usize);
        }
        let shuffled = found(&files);
        assert_eq!(of(&shuffled), of(&whole), "seed {seed}");
    }
}

#[test]
fn checkpoints_that_the_state_file_does_not_list_are_members() {
    let dir = copy("training/steps");
    let state = "model_checkpoint_path: \"model.ckpt-1000\"\n\
                 all_model_checkpoint_paths: \"/gone/model.ckpt-900\"\n\
                 all_model_checkpoint_paths: \"/gone/model.ckpt-50\"\n";
    fs::write(dir.path().join("checkpoint"), state).unwrap();
    fs::write(dir.path().join("events.out.tfevents.1.host"), b"\x18\0\0\0").unwrap();
    fs::create_dir(dir.path().join("model.ckpt-1100_temp")).unwrap();
    let found = found(&[dir.path().into()]);
    assert_eq!(found.members().len(), 10);
    let ignored: Vec<_> =
        found.ignored().iter().map(|of| (of.path.to_str().unwrap(), &*of.why)).collect();
    assert_eq!(
        ignored,
        [("/gone/model.ckpt-50", "the state file lists it, but it does not exist")]
    );
}

#[test]
fn a_damaged_state_file_is_reported_and_the_checkpoints_are_found() {
    let dir = copy("training/steps");
    fs::write(dir.path().join("checkpoint"), "model_checkpoint_path: ?").unwrap();
    let found = found(&[dir.path().into()]);
    assert_eq!((found.members().len(), found.ignored().len()), (10, 1));
}

#[test]
fn other_files_of_a_glob_are_ignored_and_what_may_be_damaged_is_not() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "m-1", 1, &[1.0]);
    write(dir.path(), "m-2", 2, &[2.0]);
    for (name, content) in [
        ("m-1.meta", &b"\x08\x01"[..]),
        ("events.out.tfevents.1.host", b"\x18\0\0\0\0\0\0\0"),
        ("notes.txt", b"lr: fast"),
        ("vocab.bin", b"\xff\xfe\xfd"),
        ("m-3", b"\xff\xfe\xfd"),
        ("m-4.index", b"\xff\xfe\xfd"),
    ] {
        fs::write(dir.path().join(name), content).unwrap();
    }
    fs::create_dir(dir.path().join("eval")).unwrap();
    let found = found(&files(dir.path()));
    assert_eq!(names(&found), ["m-1", "m-2", "m-3", "m-4"]);
    let broken: Vec<_> = found.members().iter().map(|member| member.error.is_some()).collect();
    assert_eq!(broken, [false, false, true, true]);
    let mut ignored =
        found.ignored().iter().map(|of| of.path.file_name().unwrap().to_str().unwrap());
    assert!(ignored.by_ref().eq(["eval", "events.out.tfevents.1.host", "notes.txt", "vocab.bin"]));
}

#[test]
fn directories_of_models_are_a_series() {
    let dir = tempfile::tempdir().unwrap();
    for (name, from) in [("checkpoint-500", "baseline"), ("checkpoint-1000", "retrained")] {
        fs::create_dir(dir.path().join(name)).unwrap();
        let from = format!("tests/data/safetensors/{from}.safetensors");
        fs::copy(from, dir.path().join(name).join("model.safetensors")).unwrap();
    }
    let found = found(&[dir.path().into()]);
    assert_eq!(names(&found), ["checkpoint-500", "checkpoint-1000"]);
    assert_eq!(found.members().iter().map(|m| m.step).collect::<Vec<_>>(), [Some(500), Some(1000)]);
}

#[test]
fn the_first_rule_that_tells_all_apart_decides_the_order() {
    let case = |write_all: &dyn Fn(&std::path::Path), state: &str| {
        let dir = tempfile::tempdir().unwrap();
        write_all(dir.path());
        if !state.is_empty() {
            fs::write(dir.path().join("checkpoint"), state).unwrap();
        }
        let found = found(&[dir.path().into()]);
        (found.order(), names(&found))
    };
    let three = |steps: [i64; 3], names: [&'static str; 3]| {
        move |dir: &std::path::Path| {
            for (step, name) in steps.iter().zip(names) {
                write(dir, name, *step, &[1.0]);
            }
        }
    };
    // The steps, though the names say otherwise.
    let (order, names) = case(&three([30, 20, 10], ["m-1", "m-2", "m-3"]), "");
    assert_eq!((order, names), (Order::StepTensor, vec!["m-3".into(), "m-2".into(), "m-1".into()]));
    // No steps, or steps that do not tell them apart.
    for steps in [[-1, -1, -1], [7, 7, 7], [3, -1, 1]] {
        let (order, names) = case(&three(steps, ["m-10", "m-9", "m-100"]), "");
        assert_eq!(
            (order, names),
            (Order::Numbers, vec!["m-9".into(), "m-10".into(), "m-100".into()])
        );
    }
    let state = "model_checkpoint_path: 'last'\nall_model_checkpoint_paths: 'start'\n\
                 all_model_checkpoint_paths: 'middle'\nall_model_checkpoint_paths: 'last'\n";
    let names_only = three([-1; 3], ["last", "middle", "start"]);
    let (order, names) = case(&names_only, state);
    assert_eq!(
        (order, names),
        (Order::StateFile, vec!["start".into(), "middle".into(), "last".into()])
    );
    let (order, names) = case(&names_only, "");
    assert_eq!(
        (order, names),
        (Order::Names, vec!["last".into(), "middle".into(), "start".into()])
    );
}

#[test]
fn a_checkpoint_that_cannot_be_opened_keeps_its_place() {
    let dir = copy("training/steps");
    fs::write(dir.path().join("model.ckpt-300.index"), b"damaged").unwrap();
    let found = found(&[dir.path().into()]);
    assert_eq!(found.members()[2].step, Some(300));
    assert!(found.members()[2].error.is_some());
}

#[test]
fn fewer_than_two_checkpoints_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let error = |paths: &[PathBuf]| {
        let error = Checkpoints::find(paths, 1).unwrap_err().to_string();
        error.replace(dir.path().to_str().unwrap(), "DIR")
    };
    assert_eq!(
        error(&[dir.path().into()]),
        "DIR: a series needs two checkpoints or more, found none"
    );
    write(dir.path(), "m-1", 1, &[1.0]);
    let one = "a series needs two checkpoints or more, found one, DIR/m-1";
    assert_eq!(error(&[dir.path().into()]), format!("DIR: {one}"));
    let files = ["m-1.index", "m-1.data-00000-of-00001"].map(|name| dir.path().join(name));
    assert_eq!(error(&files), one);
}

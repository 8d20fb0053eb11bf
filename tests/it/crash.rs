//! A program that is killed in the middle of a save, a merge or a rotation leaves a folder whose latest checkpoint is whole.
//!
//! `CKDIFF_KILLS` says how often each is killed: a thousand times before a release, less in a plain run.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use ckdiff::checkpoint::{Checkpoint, CheckpointState, Draft, Existing, FORMATS, Parts, merge};
use ckdiff::progress::Silent;
use ckdiff::saver::{SaveOptions, Saver};
use ckdiff::schema::tensorflow::SaverDef;
use ckdiff::tensor::{DType, Shape, Tensor};

use crate::support::Random;

/// What the program that is killed does: `WORK=FIRST=FOLDER` in its environment, the numbers from `FIRST` on.
const WORKS: [(&str, fn(&Path, u64)); 3] =
    [("saves", save_again), ("merges", merge_again), ("rotates", rotate)];
const VARIABLE: &str = "CKDIFF_CRASH_TEST";

/// Elements of each tensor: enough for several writes.
const ELEMENTS: usize = 50_000;

/// All of one number, so that a mix of two saves shows.
fn tensor(number: u64) -> Tensor {
    let content: Vec<u8> = number.to_le_bytes().repeat(ELEMENTS);
    Tensor::new(DType::I64, Shape::new(&[ELEMENTS as i64]).unwrap(), content).unwrap()
}

/// Two shards, both of the same numbers.
fn draft<'a>(tensor: &'a Tensor, names: &[&str]) -> Draft<'a> {
    let mut draft = Draft::default();
    for name in names {
        draft.add(*name, tensor).unwrap();
        draft.next_shard();
    }
    draft
}

fn saver(max_to_keep: i32, version: i32) -> Saver {
    Saver::new(SaverDef { max_to_keep, version, ..SaverDef::default() })
}

/// Saves under one path for ever.
fn save_again(folder: &Path, first: u64) {
    let mut saver = saver(5, 2);
    for number in first.. {
        let tensor = tensor(number);
        let options = SaveOptions::default();
        saver.save(&draft(&tensor, &["v", "w"]), &folder.join("m"), &options, &Silent).unwrap();
    }
}

/// Merges over what was merged before, for ever.
fn merge_again(folder: &Path, first: u64) {
    let write = |number| {
        let tensor = tensor(number);
        let part = |name: &str| {
            let path = folder.join(format!("part-{name}"));
            let replace = Existing::Replace;
            draft(&tensor, &[name]).write(&path, FORMATS[0], replace, &Silent).unwrap()
        };
        let parts = [part("v"), part("w")];
        merge(&parts, &folder.join("m"), Existing::Replace, Parts::Remove).unwrap();
    };
    write(first);
    CheckpointState::update(folder, &folder.join("m"), &Default::default()).unwrap();
    (first + 1..).for_each(write);
}

/// Saves under a new path each time and keeps one, in V1 for a change.
fn rotate(folder: &Path, first: u64) {
    let mut saver = saver(1, 1);
    for number in first.. {
        let tensor = tensor(number);
        let options = SaveOptions { global_step: Some(number as i64), ..SaveOptions::default() };
        saver.save(&draft(&tensor, &["v", "w"]), &folder.join("m"), &options, &Silent).unwrap();
    }
}

/// Not a test of its own: what the test below starts, and kills.
#[test]
fn work_until_killed() {
    let Ok(work) = env::var(VARIABLE) else { return };
    let (name, rest) = work.split_once('=').unwrap();
    let (first, folder) = rest.split_once('=').unwrap();
    let (_, work) = WORKS.iter().find(|(known, _)| *known == name).unwrap();
    work(Path::new(folder), first.parse().unwrap());
}

/// The latest checkpoint, which holds one number throughout.
fn number_of_latest(folder: &Path) -> u64 {
    let latest = CheckpointState::read(folder).unwrap().latest().unwrap();
    let checkpoint = Checkpoint::open(latest).unwrap();
    let mut numbers = Vec::new();
    for name in ["v", "w"] {
        let elements = checkpoint.get_tensor(name).unwrap().elements::<i64>().unwrap();
        assert_eq!(elements.len(), ELEMENTS);
        numbers.extend(elements);
    }
    assert!(numbers.iter().all(|&number| number == numbers[0]), "two saves are mixed");
    numbers[0].cast_unsigned()
}

/// Starts the work in `folder` and kills it after `time`.
fn kill_after(time: Duration, work: &str, first: u64, folder: &Path) {
    let mut worker = Command::new(env::current_exe().unwrap())
        .args(["crash::work_until_killed", "--exact", "--nocapture"])
        .env(VARIABLE, format!("{work}={first}={}", folder.display()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(time);
    assert!(worker.try_wait().unwrap().is_none(), "the work has ended");
    worker.kill().unwrap();
    worker.wait().unwrap();
}

/// Whether the first save of a series has come to its end.
fn has_begun(folder: &Path) -> bool {
    folder.join("checkpoint").is_file()
}

#[test]
fn whoever_is_killed_leaves_the_latest_checkpoint_whole() {
    let kills = env::var("CKDIFF_KILLS").map_or(25, |kills| kills.parse().unwrap());
    let mut random = Random::new(7);
    for (work, _) in WORKS {
        let folder = tempfile::tempdir().unwrap();
        let mut numbers = Vec::new();
        for first in (1u64..).map(|start| start << 20) {
            if numbers.len() == kills {
                break;
            }
            let time = Duration::from_micros(5_000 + random.below(100_000));
            kill_after(time, work, first, folder.path());
            if has_begun(folder.path()) {
                numbers.push(number_of_latest(folder.path()));
            }
            // What was left behind is as it would be after a restart, but for what would fill the disk.
            let left: Vec<PathBuf> = fs::read_dir(folder.path())
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "tmp"))
                .collect();
            left.iter().for_each(|path| fs::remove_file(path).unwrap());
        }
        assert!(numbers.is_sorted(), "{work}: the latest is older than one before");
        assert!(numbers.first() < numbers.last(), "{work}: nothing was ever replaced");
    }
}

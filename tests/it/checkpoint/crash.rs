//! A process that is killed during a save, a merge or a rotation leaves the latest checkpoint whole; one that is killed
//! while it builds a SavedModel leaves no part of one.
//!
//! `CKDIFF_KILLS` sets how often each process is killed: 1,000 times before a release, 25 times by default.

use std::env;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use ckdiff::checkpoint::{
    AfterMerge, Checkpoint, CheckpointBuilder, CheckpointState, FORMATS, IfExists, merge,
};
use ckdiff::graph::Graph;
use ckdiff::message::{Message, Records, Value};
use ckdiff::progress::Silent;
use ckdiff::saved_model::{Builder, MetaGraphOptions, SavedModel, Values};
use ckdiff::saver::builder::{BuilderOptions, BuiltSaver, ToSave, VarList, Variable, build};
use ckdiff::saver::run::{VariableKey, Variables};
use ckdiff::saver::{Model, SaveOptions, Saver, VariableKind};
use ckdiff::schema::tensorflow::SaverDef;
use ckdiff::tensor::{DType, Shape, Tensor};

use crate::support::Random;
use crate::support::directory::names;
use crate::support::message_forms::parsed;
use crate::support::process::test_process;

/// Replaces the checkpoint in a directory, once per number.
type Work = fn(&Path, Range<u64>);

/// The work of the killed process. Its environment has `WORK=FIRST=DIRECTORY`; `FIRST` is the first number.
const WORKS: [(&str, Work); 4] =
    [("saves", save_again), ("merges", merge_again), ("rotates", rotate), ("runs", run_again)];
/// The work of the process that is killed while it builds SavedModels.
const BUILDS: (&str, Work) = ("builds", build_models);
const VARIABLE: &str = "CKDIFF_CRASH_TEST";

/// Elements per tensor: enough for several writes.
const ELEMENTS: usize = 50_000;

/// A tensor whose elements all equal `number`, so that mixed saves are detected.
fn tensor(number: u64) -> Tensor {
    let content: Vec<u8> = number.to_le_bytes().repeat(ELEMENTS);
    Tensor::new(DType::I64, Shape::new(&[ELEMENTS as i64]).unwrap(), content).unwrap()
}

/// A checkpoint with one shard per name, each with the same tensor.
fn builder<'a>(tensor: &'a Tensor, names: &[&str]) -> CheckpointBuilder<'a> {
    let mut builder = CheckpointBuilder::default();
    for name in names {
        builder.add(*name, tensor).unwrap();
        builder.next_shard();
    }
    builder
}

fn saver(max_to_keep: i32, version: i32) -> Saver {
    Saver::new(SaverDef { max_to_keep, version, ..SaverDef::default() })
}

/// Saves to the same path again and again.
fn save_again(directory: &Path, numbers: Range<u64>) {
    let mut saver = saver(5, 2);
    for number in numbers {
        let tensor = tensor(number);
        let options = SaveOptions::default();
        saver
            .save(&builder(&tensor, &["v", "w"]), &directory.join("m"), &options, &Silent)
            .unwrap();
    }
}

/// Merges over the previous merge's output.
fn merge_again(directory: &Path, numbers: Range<u64>) {
    let write = |number| {
        let tensor = tensor(number);
        let part = |name: &str| {
            let path = directory.join(format!("part-{name}"));
            let replace = IfExists::Replace;
            builder(&tensor, &[name]).write(&path, FORMATS[0], replace, &Silent).unwrap()
        };
        let parts = [part("v"), part("w")];
        merge(&parts, &directory.join("m"), IfExists::Replace, AfterMerge::RemoveParts).unwrap();
    };
    for number in numbers {
        write(number);
        if !has_begun(directory) {
            CheckpointState::update(directory, &directory.join("m"), &Default::default()).unwrap();
        }
    }
}

/// Saves V1 checkpoints under a new path each time and keeps one.
fn rotate(directory: &Path, numbers: Range<u64>) {
    let mut saver = saver(1, 1);
    for number in numbers {
        let tensor = tensor(number);
        let options = SaveOptions { global_step: Some(number as i64), ..SaveOptions::default() };
        saver
            .save(&builder(&tensor, &["v", "w"]), &directory.join("m"), &options, &Silent)
            .unwrap();
    }
}

/// Saves the variables of a sharded graph with its own save nodes, under one path.
fn run_again(directory: &Path, numbers: Range<u64>) {
    let built = graph();
    let mut saver = Saver::new(built.saver_def);
    for number in numbers {
        let variables = variables(number);
        let model = Model { graph: &built.message, variables: &variables };
        saver.save(&model, &directory.join("m"), &SaveOptions::default(), &Silent).unwrap();
    }
}

/// Builds SavedModels one after the other, each in its own directory.
fn build_models(directory: &Path, numbers: Range<u64>) {
    let built = graph();
    let options = MetaGraphOptions {
        tags: vec!["serve".into()],
        saver: Some(built.saver_def),
        ..MetaGraphOptions::default()
    };
    for number in numbers {
        let variables = variables(number);
        let mut builder = Builder::new(directory.join(format!("{number}"))).unwrap();
        let values = Values::Variables(&variables);
        builder.add_meta_graph_and_variables(&built.message, values, &options, &Silent).unwrap();
        builder.save().unwrap();
    }
}

/// Values for the variables of [`graph`].
fn variables(number: u64) -> Variables {
    let mut variables = Variables::default();
    for name in ["v", "w"] {
        variables.set(VariableKey::new(VariableKind::Reference, name), tensor(number));
    }
    variables
}

/// A graph with two variables on two devices, and a saver.
fn graph() -> BuiltSaver<'static> {
    let variable = |name: &str, device: u8| {
        format!(
            "node {{ name: '{name}' op: 'VariableV2' device: '/cpu:{device}'
             attr {{ key: 'dtype' value {{ type: DT_INT64 }} }}
             attr {{ key: 'shape' value {{ shape {{ dim {{ size: {ELEMENTS} }} }} }} }} }}"
        )
    };
    let text = format!("graph_def {{ {}\n{} }}", variable("v", 0), variable("w", 1));
    let message = parsed("tensorflow.MetaGraphDef", &text);
    let graph = graph_in(&message);
    let variables = Variable::all_in(&Graph::new(&graph).unwrap()).unwrap();
    let list = variables.into_iter().map(ToSave::Variable).collect();
    let options = BuilderOptions {
        sharded: true,
        var_list: VarList::List(list),
        ..BuilderOptions::default()
    };
    build(&message, &options).unwrap().unwrap()
}

/// The graph in a meta graph that has no other field.
fn graph_in(meta: &Message<'_>) -> Vec<u8> {
    match Records::new(meta.bytes(), 0).next().unwrap().unwrap().value {
        Value::Len(graph) => graph.to_vec(),
        other => panic!("{other:?}"),
    }
}

/// The process that the tests below start and kill; does nothing in a normal run.
#[test]
fn works_until_killed() {
    let Ok(work) = env::var(VARIABLE) else { return };
    let (name, rest) = work.split_once('=').unwrap();
    let (first, directory) = rest.split_once('=').unwrap();
    let (_, work) = WORKS.iter().chain([&BUILDS]).find(|(known, _)| *known == name).unwrap();
    work(Path::new(directory), first.parse().unwrap()..u64::MAX);
}

/// The number in the latest checkpoint; asserts that all elements have it.
fn number_of_latest(directory: &Path) -> u64 {
    let latest = CheckpointState::read(directory).unwrap().latest().unwrap();
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

/// Starts the work in `directory` and kills it after `time`.
fn kill_after(time: Duration, work: &str, first: u64, directory: &Path) {
    let mut worker = test_process(module_path!(), "works_until_killed")
        .arg("--nocapture")
        .env(VARIABLE, format!("{work}={first}={}", directory.display()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(time);
    assert!(worker.try_wait().unwrap().is_none(), "the work has ended");
    worker.kill().unwrap();
    worker.wait().unwrap();
}

/// Whether the first save of a series is complete.
fn has_begun(directory: &Path) -> bool {
    directory.join("checkpoint").is_file()
}

/// The number of times that each process is killed.
fn kills() -> usize {
    env::var("CKDIFF_KILLS").map_or(25, |kills| kills.parse().unwrap())
}

#[test]
fn a_killed_build_leaves_no_part_of_a_saved_model() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random::new(11);
    let (mut whole, mut parts, mut run) = (0, 0, 0);
    while whole < kills() || parts < kills() / 2 {
        run += 1;
        assert!(run < 20 * kills() as u64, "{whole} were built, {parts} begun");
        let time = Duration::from_micros(5_000 + random.below(60_000 + 1_000 * run));
        kill_after(time, BUILDS.0, run << 20, directory.path());
        for entry in fs::read_dir(directory.path()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.starts_with(".ckdiff-") {
                // The next build removes them.
                parts += usize::from(name.ends_with(".tmp"));
                continue;
            }
            let number: i64 = name.parse().unwrap();
            let plan = SavedModel::open(&path).unwrap().load(&["serve"]).unwrap();
            let restored = plan.restore().unwrap();
            for name in ["v", "w"] {
                let elements = restored.find(name).unwrap().elements::<i64>().unwrap();
                assert!(elements.len() == ELEMENTS && elements.iter().all(|&e| e == number));
            }
            whole += 1;
            fs::remove_dir_all(path).unwrap();
        }
    }
    let last = 1 << 40;
    build_models(directory.path(), last..last + 1);
    assert_eq!(names(directory.path()), [last.to_string()]);
}

#[test]
fn a_killed_save_leaves_the_latest_checkpoint_whole() {
    let kills = kills();
    let mut random = Random::new(7);
    for (work, function) in WORKS {
        let directory = tempfile::tempdir().unwrap();
        let mut numbers = Vec::new();
        // Work is slower on a busy machine, so the time is doubled until a checkpoint was replaced.
        let mut longest = 100_000;
        for run in 1.. {
            if numbers.len() >= kills && numbers.first() < numbers.last() {
                break;
            }
            assert!(run < 20 * kills as u64, "{work}: no checkpoint was ever replaced");
            if run.is_multiple_of(kills as u64) && numbers.first() == numbers.last() {
                longest *= 2;
            }
            let time = Duration::from_micros(5_000 + random.below(longest));
            kill_after(time, work, run << 20, directory.path());
            if has_begun(directory.path()) {
                numbers.push(number_of_latest(directory.path()));
            }
        }
        let last = 1 << 40;
        function(directory.path(), last..last + 1);
        assert_eq!(number_of_latest(directory.path()), last, "{work}");
        let names = names(directory.path());
        let is_left = |name: &&String| name.contains("previous") || name.starts_with(".ckdiff-");
        assert_eq!(
            names.iter().find(is_left),
            None,
            "{work}: a backup or an unfinished file is left"
        );
        assert!(numbers.is_sorted(), "{work}: the latest checkpoint is older than a previous one");
    }
}

//! A series of saves leaves the same files as TensorFlow's Saver, after every step.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ckdiff::checkpoint::CheckpointBuilder;
use ckdiff::message::Message;
use ckdiff::progress::Silent;
use ckdiff::saver::{SaveOptions, Saver};
use ckdiff::schema::tensorflow::SaverDef;
use ckdiff::tensor::{DType, Shape, Tensor};
use serde_json::Value;

use crate::support::message_forms::decoded;

/// A scenario of `oracle/rotation.json`, run in a directory.
struct Scenario<'a> {
    start: f64,
    saver: Saver,
    directory: &'a Path,
    tensors: [Tensor; 2],
}

fn time(seconds: f64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs_f64(seconds)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value[key].as_str()
}

impl<'a> Scenario<'a> {
    fn new(scenario: &'a Value, directory: &'a Path) -> Self {
        let options = &scenario["saver"];
        let number = |key: &str, default: i64| options[key].as_i64().unwrap_or(default);
        let def = SaverDef {
            max_to_keep: i32::try_from(number("max_to_keep", 5)).unwrap(),
            keep_checkpoint_every_n_hours: options["keep_checkpoint_every_n_hours"]
                .as_f64()
                .unwrap_or(10_000.0) as f32,
            version: i32::try_from(number("write_version", 2)).unwrap(),
            sharded: options["sharded"].as_bool().unwrap_or(false),
            ..SaverDef::default()
        };
        let start = scenario["start"].as_f64().unwrap();
        let ones: Vec<u8> = [1.0f32; 2].iter().flat_map(|x| x.to_le_bytes()).collect();
        let tensor = || Tensor::new(DType::F32, Shape::new(&[2]).unwrap(), ones.clone()).unwrap();
        let flag = |key: &str| options[key].as_bool().unwrap_or(false);
        let saver = Saver::new(def)
            .pad_step_number(flag("pad_step_number"))
            .save_relative_paths(flag("save_relative_paths"))
            .beginning_at(time(start));
        Self { start, saver, directory, tensors: [tensor(), tensor()] }
    }

    fn step(&mut self, step: &Value) {
        let of = |key: &str| step[key].as_array().cloned().unwrap_or_default().into_iter();
        let paths: Vec<PathBuf> =
            of("paths").map(|path| self.directory.join(path.as_str().unwrap())).collect();
        let times = of("minutes").map(|minutes| self.start + 60.0 * minutes.as_f64().unwrap());
        let times: Vec<f64> = times.collect();
        match text(step, "do").unwrap() {
            "save" => self.save(step),
            "set" => self.saver.rotation_mut().set_last_checkpoints(paths),
            "set_with_time" => {
                let timed = paths.into_iter().zip(times).collect();
                self.saver.rotation_mut().set_last_checkpoints_with_time(timed);
            }
            "recover" => {
                for (path, &at) in paths.iter().zip(&times) {
                    let index = path.with_extension("index");
                    if index.is_file() {
                        let file = fs::File::options().append(true).open(index).unwrap();
                        file.set_modified(time(at)).unwrap();
                    }
                }
                self.saver.recover_last_checkpoints(&paths);
            }
            other => panic!("{other}"),
        }
    }

    fn save(&mut self, step: &Value) {
        let meta_graph = meta_graph();
        let flag = |value: &Value, key: &str, default| value[key].as_bool().unwrap_or(default);
        let options = SaveOptions {
            global_step: step["step"].as_i64(),
            latest_filename: text(step, "latest_filename"),
            write_state: flag(step, "write_state", true),
            write_meta_graph: flag(step, "write_meta_graph", true),
            meta_graph: Some(&meta_graph),
            strip_default_attrs: false,
            meta_graph_suffix: text(step, "meta_graph_suffix").unwrap_or("meta"),
            debug_info: None,
            time: Some(time(self.start + 60.0 * step["minutes"].as_f64().unwrap())),
        };
        let mut builder = CheckpointBuilder::default();
        builder.add("v0", &self.tensors[0]).unwrap();
        if self.saver.def().sharded {
            builder.next_shard();
        }
        builder.add("v1", &self.tensors[1]).unwrap();
        let path = self.directory.join(text(step, "path").unwrap());
        self.saver.save(&builder, &path, &options, &Silent).unwrap();
    }

    /// The files in the directory, in the oracle's form.
    fn after(&self) -> Value {
        let dir = self.directory.to_str().unwrap();
        let mut files: Vec<String> = fs::read_dir(self.directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let state = |name: &&String| ["checkpoint", "latest"].contains(&name.as_str());
        let states: serde_json::Map<_, _> = files
            .iter()
            .filter(state)
            .map(|name| {
                let text = fs::read_to_string(self.directory.join(name)).unwrap();
                (name.clone(), text.replace(dir, "DIR").into())
            })
            .collect();
        let last = self.saver.rotation().last_checkpoints().into_iter();
        let last: Vec<String> =
            last.map(|path| path.to_str().unwrap().replace(dir, "DIR")).collect();
        serde_json::json!({"files": files, "states": states, "last_checkpoints": last})
    }
}

fn meta_graph() -> Message<'static> {
    decoded("tensorflow.MetaGraphDef", fs::read("tests/data/demo/model.ckpt.meta").unwrap())
}

#[test]
fn every_step_leaves_the_same_files_as_tensorflow() {
    let oracle = fs::read("tests/data/oracle/rotation.json").unwrap();
    let scenarios: Vec<Value> = serde_json::from_slice(&oracle).unwrap();
    assert!(scenarios.len() >= 20);
    for scenario in &scenarios {
        let directory = tempfile::tempdir().unwrap();
        let mut run = Scenario::new(scenario, directory.path());
        for (number, step) in scenario["steps"].as_array().unwrap().iter().enumerate() {
            run.step(step);
            let at = format!("{}, step {number}", scenario["name"]);
            assert_eq!(run.after(), step["after"], "{at}");
        }
    }
}

#[test]
fn impossible_names_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut saver = Saver::new(SaverDef { max_to_keep: 5, version: 2, ..SaverDef::default() });
    let mut refused = |path: &Path, latest_filename| {
        let options = SaveOptions { latest_filename, ..SaveOptions::default() };
        let error = saver.save(&CheckpointBuilder::default(), path, &options, &Silent).unwrap_err();
        error.to_string().replace(directory.path().to_str().unwrap(), "DIR")
    };
    insta::assert_snapshot!(
        refused(&directory.path().join("m"), Some("a/b")),
        @"a/b: the name of the state file must be a file name without a directory"
    );
    insta::assert_snapshot!(
        refused(&directory.path().join("checkpoint"), None),
        @"DIR/checkpoint: the checkpoint has the path of the state file"
    );
    insta::assert_snapshot!(
        refused(&directory.path().join("gone/too/m"), None),
        @"DIR/gone/too/m: there is no directory DIR/gone/too"
    );
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

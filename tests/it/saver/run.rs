//! Running savers: they restore what TensorFlow restores, and save the requested variables.

use std::collections::BTreeMap;

use ckdiff::Result;
use ckdiff::checkpoint::Checkpoint;
use ckdiff::message::Message;
use ckdiff::saver::VariableKind;
use ckdiff::saver::builder::{BuilderOptions, build};
use ckdiff::saver::run::{
    MergeOptions, NamedTensor, VariableKey, Variables, WriteCheckpoint, restore, save,
};
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;
use ckdiff::tensor::{DType, Shape, Tensor};

use crate::support::saver::{KnownTensor, meta_graph, saver_def};

/// TensorFlow's variables after a restore, by meta graph and name.
fn oracle() -> BTreeMap<String, BTreeMap<String, KnownTensor>> {
    serde_json::from_slice(&std::fs::read("tests/data/savers/run.json").unwrap()).unwrap()
}

/// The path of the checkpoint that belongs to a meta graph.
fn checkpoint(case: &str) -> String {
    let directory = format!("tests/data/savers/run/{}", case.split_once('/').unwrap().0);
    let shards = if case.starts_with("of_v1_shards") { "-?????-of-00002" } else { "" };
    format!("{directory}/model.ckpt{shards}")
}

fn restored(case: &str) -> Variables {
    let graph = meta_graph(&format!("run/{case}"));
    let mut variables = Variables::of(&graph).unwrap();
    restore(&graph, &saver_def(&graph), &checkpoint(case), &mut variables).unwrap();
    variables
}

#[test]
fn every_saver_restores_what_tensorflow_restores() {
    let oracle = oracle();
    assert_eq!(oracle.len(), 7);
    for (case, known) in &oracle {
        let variables = restored(case);
        assert_eq!(variables.uninitialized().count(), 0, "{case}");
        assert_eq!(variables.iter().count(), known.len(), "{case}");
        for (name, known) in known {
            known.assert_is(variables.find(name).unwrap(), &format!("{case} {name}"));
        }
    }
}

/// Records what a saver writes.
#[derive(Default, Debug)]
struct Recorder {
    /// Each write: path, format, and the key and slice of each tensor.
    written: Vec<(String, CheckpointFormatVersion, Vec<String>)>,
    tensors: BTreeMap<String, Tensor>,
    merged: Vec<(Vec<String>, String, bool)>,
}

impl WriteCheckpoint for Recorder {
    fn write(
        &mut self,
        path: &str,
        tensors: &[NamedTensor<'_>],
        format: CheckpointFormatVersion,
    ) -> Result<()> {
        let mut keys = Vec::new();
        for written in tensors {
            let key = format!("{} {}", str::from_utf8(written.name).unwrap(), written.slice_spec);
            assert!(self.tensors.insert(key.clone(), written.tensor.clone()).is_none());
            keys.push(key);
        }
        self.written.push((path.to_owned(), format, keys));
        Ok(())
    }

    fn merge(&mut self, parts: &[&str], path: &str, options: MergeOptions) -> Result<()> {
        let parts = parts.iter().map(|&part| part.to_owned()).collect();
        self.merged.push((parts, path.to_owned(), options.delete_old_dirs));
        Ok(())
    }
}

fn recorded(case: &str, path: &str) -> (String, Recorder) {
    let graph = meta_graph(&format!("run/{case}"));
    let mut recorder = Recorder::default();
    let saved = save(&graph, &saver_def(&graph), path, &restored(case), &mut recorder).unwrap();
    (saved, recorder)
}

#[test]
fn restored_variables_are_saved_under_their_keys() {
    let mut count = 0;
    for case in oracle().into_keys().filter(|case| !case.ends_with("by_hand.meta")) {
        count += 1;
        let (saved, recorder) = recorded(&case, "to/it");
        let shards = if case.starts_with("of_v1_shards") { "-?????-of-00002" } else { "" };
        assert_eq!(saved, format!("to/it{shards}"), "{case}");
        let checkpoint = Checkpoint::open(checkpoint(&case)).unwrap();
        let mut parts = BTreeMap::new();
        for (key, tensor) in &recorder.tensors {
            let (name, slice) = key.split_once(' ').unwrap();
            let source = checkpoint.tensor(name).unwrap().source.as_ref().unwrap();
            assert_eq!(source.dtype(), tensor.dtype(), "{case} {key}");
            if slice.is_empty() {
                assert_eq!(checkpoint.get_tensor(name).unwrap(), *tensor, "{case} {key}");
            }
            *parts.entry(name).or_insert(0) += tensor.shape().elements();
        }
        for entry in checkpoint.tensors() {
            let elements = entry.source.as_ref().unwrap().shape().elements();
            assert_eq!(parts.get(entry.name.as_str().unwrap()), Some(&elements), "{case}");
        }
        assert_eq!(parts.len(), checkpoint.tensors().len(), "{case}");
        assert!(!parts.is_empty(), "{case}");
    }
    assert_eq!(count, 6);
}

#[test]
fn shards_are_written_separately_and_merged() {
    let (_, recorder) = recorded("of_shards/model.ckpt.meta", "to/it");
    let parts = ["to/it_temp/part-00000-of-00002", "to/it_temp/part-00001-of-00002"];
    let paths: Vec<_> = recorder.written.iter().map(|(path, ..)| &**path).collect();
    assert_eq!(paths, parts);
    assert_eq!(recorder.written[1].2, ["b ", "p 5 2 0,3:0,2", "p 5 2 3,2:0,2"]);
    let [(merged, path, delete_old_dirs)] = &recorder.merged[..] else { panic!("{recorder:?}") };
    assert_eq!(
        (merged.iter().map(|part| &**part).collect::<Vec<_>>(), &**path),
        (parts.into(), "to/it")
    );
    assert!(delete_old_dirs);
    // A store without directories needs no temporary directory.
    let (_, recorder) = recorded("of_shards/model.ckpt.meta", "s3://to/it");
    assert_eq!(recorder.written[0].0, "s3://to/it.part-00000-of-00002");
}

#[test]
fn v1_savers_write_a_file_per_shard() {
    let (_, recorder) = recorded("of_v1_shards/model.ckpt.meta", "it");
    let written: Vec<_> =
        recorder.written.iter().map(|(path, format, _)| (&**path, *format)).collect();
    let v1 = CheckpointFormatVersion::V1;
    assert_eq!(written, [("it-00000-of-00002", v1), ("it-00001-of-00002", v1)]);
    assert!(recorder.merged.is_empty());
    let (saved, recorder) = recorded("of_v1/by_hand.meta", "it");
    assert_eq!((&*saved, &recorder.written[0].2), ("it", &vec!["b ".to_owned(), "p ".to_owned()]));
}

#[test]
fn built_savers_can_be_run() {
    for case in ["of_shards", "of_each", "of_references", "of_resources"] {
        let known = restored(&format!("{case}/model.ckpt.meta"));
        let graph = meta_graph(&format!("run/{case}/model.ckpt.meta"));
        for (sharded, reshape) in [(false, false), (true, false), (true, true)] {
            let options = BuilderOptions { sharded, reshape, ..BuilderOptions::default() };
            let built = build(&graph, &options).unwrap().unwrap();
            assert!(built.saver_def.restore_op_name.starts_with("save_1/"));
            let mut variables = Variables::of(&graph).unwrap();
            let path = checkpoint(&format!("{case}/model.ckpt.meta"));
            restore(&built.message, &built.saver_def, &path, &mut variables).unwrap();
            assert_eq!(variables, known, "{case} {sharded} {reshape}");
        }
    }
}

#[test]
fn parts_are_cut_out_of_other_slices() {
    // The stored slice, two that begin or end inside stored slices, and one across two of them.
    let graph = meta_graph("run/of_v1/by_hand.meta");
    let rows = [("5 2 3,2:0,2", 6), ("5 2 0,2:0,2", 0), ("5 2 1,2:0,2", 2), ("5 2 2,2:0,2", 4)];
    for (spec, first) in rows {
        let mut other = graph.bytes().to_vec();
        let at = other.windows(11).position(|bytes| bytes == b"5 2 3,2:0,2").unwrap();
        other.splice(at..at + 11, spec.bytes());
        let other = Message::decode(graph.schema(), graph.ty(), other).unwrap();
        for path in ["of_v1/model.ckpt", "of_shards/model.ckpt", "of_each/model.ckpt"] {
            let path = format!("tests/data/savers/run/{path}");
            let mut variables = Variables::of(&other).unwrap();
            restore(&other, &saver_def(&other), &path, &mut variables).unwrap();
            let whole = Checkpoint::open(&path).unwrap().get_tensor("p").unwrap();
            let whole = whole.elements::<f32>().unwrap();
            let part = variables.find("p/part_1").unwrap().elements::<f32>().unwrap();
            assert_eq!(part, whole[first..first + 4], "{path} {spec}");
        }
    }
}

#[test]
fn a_failed_restore_changes_nothing() {
    let graph = meta_graph("run/of_references/model.ckpt.meta");
    let mut variables = Variables::of(&graph).unwrap();
    let key = VariableKey::new(VariableKind::Reference, "b");
    let old = Tensor::new(DType::F32, Shape::new(&[2, 3]).unwrap(), vec![1; 24]).unwrap();
    variables.set(key.clone(), old);
    let before = variables.clone();
    // This checkpoint has `a` and `b`, but no `half`.
    let path = "tests/data/savers/run/of_each/model.ckpt";
    let error = restore(&graph, &saver_def(&graph), path, &mut variables).unwrap_err();
    assert_eq!(error.tensor().unwrap().as_str(), Some("a"));
    assert_eq!(variables, before);
    let path = "tests/data/savers/run/of_references/model.ckpt";
    restore(&graph, &saver_def(&graph), path, &mut variables).unwrap();
    assert_ne!(variables.get(&key), before.get(&key));
}

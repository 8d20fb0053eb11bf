//! Runs of a fuzz target on graphs with savers: their save and restore nodes run on a store of variables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ckdiff::Result;
use ckdiff::checkpoint::{CheckpointBuilder, Format, IfExists};
use ckdiff::message::Message;
use ckdiff::progress::Silent;
use ckdiff::saver::VariableKind;
use ckdiff::saver::builder::{self, BuiltSaver, Variable, all_saveable, build};
use ckdiff::saver::run::{
    MergeOptions, NamedTensor, VariableKey, Variables, WriteCheckpoint, restore, save,
};
use ckdiff::schema::tensorflow::attr_value::Value;
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;
use ckdiff::schema::tensorflow::{MetaGraphDef, NodeDef, SaverDef};
use ckdiff::tensor::{DType, Shape, Slice, Tensor};
use prost::Message as _;

use super::fuzz_meta_graph;

/// Builds a saver into a graph, and runs it and the graph's own saver. The bits of the first byte are options. Returns whether values were
/// saved and restored.
pub(crate) fn run_saver(dir: &Path, input: &[u8]) -> bool {
    let Some((first, meta)) = fuzz_meta_graph::of_input(input) else { return false };
    // prost takes a field of another wire type for an error, not for an unknown field.
    let Ok(known) = MetaGraphDef::decode(meta.bytes()) else { return false };
    let nodes = known.graph_def.map(|graph| graph.node).unwrap_or_default();
    let Ok(declared) = Variables::of(&meta) else { return false };
    let values = with_values(declared, &nodes);
    let dir = dir.join("saver");
    // It is missing the first time.
    drop(fs::remove_dir_all(&dir));
    fs::create_dir(&dir).expect("the directory is writable");
    let path = dir.join("m").to_str().expect("temporary paths are UTF-8").to_owned();
    let own = known.saver_def.is_some_and(|own| run(&meta, &own, &path, &values).is_some());
    let versions = [CheckpointFormatVersion::V2, CheckpointFormatVersion::V1];
    let options = builder::BuilderOptions {
        sharded: first & 2 != 0,
        write_version: versions[usize::from(first >> 2 & 1)],
        reshape: first & 8 != 0,
        ..builder::BuilderOptions::default()
    };
    let Ok(Some(BuiltSaver { message, saver_def })) = build(&meta, &options) else { return own };
    let restored = run(&message, &saver_def, &path, &values);
    // A saver takes the shape to restore from the value of a variable, if the graph does not have it.
    let is_restored = |variable: &Variable| {
        let has_shape =
            variable.shape.as_ref().is_some_and(|shape| shape.iter().all(Option::is_some));
        is_read_by_snapshot(variable, &nodes) && (has_shape || !options.reshape)
    };
    if let Ok(variables) = all_saveable(&meta)
        && variables.iter().all(is_restored)
        && let Some(restored) = &restored
    {
        let restored = restored.as_ref().unwrap_or_else(|error| panic!("{error}\n{message:?}"));
        for variable in variables {
            let key = key(&nodes, &variable.name).expect("it is in the graph");
            assert_eq!(restored.get(&key), values.get(&key), "{variable:?}");
        }
    }
    own || restored.is_some()
}

/// Saves values with a saver, and restores them: the store after that, or an error. `None` if nothing was saved.
fn run(
    graph: &Message<'_>,
    saver: &SaverDef,
    path: &str,
    values: &Variables,
) -> Option<Result<Variables>> {
    let mut files = Files::default();
    let saved = save(graph, saver, path, values, &mut files);
    let mut again = Files::default();
    let second = save(graph, saver, path, values, &mut again);
    let said = |saved: &Result<String>| saved.as_ref().map_err(ToString::to_string).cloned();
    assert_eq!(said(&saved), said(&second), "a save is repeated");
    assert!(files == again, "{files:?}\n{again:?}");
    let saved = saved.ok()?;
    files.put(path)?;
    let mut store = Variables::of(graph).expect("it was read before");
    let before = store.clone();
    let restored = restore(graph, saver, &saved, &mut store);
    if restored.is_err() {
        assert_eq!(store, before, "a restore that fails changes nothing");
    }
    Some(restored.map(|()| store))
}

/// The key of the variable of a node.
fn key(nodes: &[NodeDef], name: &str) -> Option<VariableKey> {
    key_of(nodes.iter().find(|node| node.name == name)?)
}

fn key_of(node: &NodeDef) -> Option<VariableKey> {
    let kind = VariableKind::of_op(&node.op)?;
    let text = |attr: &str| match node.attr.get(attr).and_then(|attr| attr.value.as_ref()) {
        Some(Value::S(text)) => &**text,
        _ => &[],
    };
    let shared = text("shared_name");
    let is_named = kind == VariableKind::Resource || !shared.is_empty();
    let name = if is_named { shared } else { node.name.as_bytes() };
    Some(VariableKey { kind, container: text("container").into(), name: name.into() })
}

/// A store with a value for each variable whose node has a dtype and a small shape.
fn with_values(mut variables: Variables, nodes: &[NodeDef]) -> Variables {
    for (node, seed) in nodes.iter().zip(1_u8..) {
        if let (Some(key), Some(value)) = (key_of(node), value(node, seed)) {
            variables.set(key, value);
        }
    }
    variables
}

fn value(node: &NodeDef, seed: u8) -> Option<Tensor> {
    let attr = |name: &str| node.attr.get(name)?.value.as_ref();
    let Some(Value::Type(code)) = attr("dtype") else { return None };
    let Some(Value::Shape(shape)) = attr("shape") else { return None };
    let dtype = DType::ALL.iter().copied().find(|dtype| dtype.code() == *code)?;
    let dims: Vec<_> = shape.dim.iter().map(|dim| dim.size).collect();
    let shape = Shape::new(&dims).ok().filter(|shape| shape.elements() < 1000)?;
    let elements = shape.elements() as usize;
    match dtype.size() {
        // No byte above 1, which a boolean cannot have.
        Some(size) => {
            let content = (0..elements * size).map(|at| (at as u8 ^ seed) & 1);
            Tensor::new(dtype, shape, content.collect()).ok()
        }
        None if dtype == DType::String => {
            Tensor::of_strings(shape, &vec![node.name.as_bytes(); elements]).ok()
        }
        None => None,
    }
}

/// Whether a saver saves exactly the value of this variable: it is whole, no other node has its key, and its snapshot reads it.
fn is_read_by_snapshot(variable: &Variable, nodes: &[NodeDef]) -> bool {
    let own = key(nodes, &variable.name);
    let same = nodes.iter().filter(|node| own.is_some() && key_of(node) == own).count();
    let snapshot = variable.snapshot.strip_suffix(":0");
    let reads = |node: &&NodeDef| {
        let is_first = node.input.first().is_some_and(|input| *input == variable.name);
        is_first && ["Identity", "ReadVariableOp"].contains(&&*node.op)
    };
    let is_read =
        nodes.iter().filter(|node| Some(&*node.name) == snapshot).any(|node| reads(&node));
    variable.slice.is_none() && same == 1 && is_read
}

/// The name of a tensor, the specification of its slice, and its value.
type Written = (Vec<u8>, String, Tensor);

/// The checkpoints that a saver writes, in memory: a graph of any bytes may name any path.
#[derive(Debug, Default, PartialEq)]
struct Files(BTreeMap<String, (i32, Vec<Written>)>);

impl WriteCheckpoint for Files {
    fn write(
        &mut self,
        path: &str,
        tensors: &[NamedTensor<'_>],
        format: CheckpointFormatVersion,
    ) -> Result<()> {
        let copy = |written: &NamedTensor<'_>| {
            (written.name.to_vec(), written.slice_spec.to_owned(), written.tensor.clone())
        };
        let tensors = tensors.iter().map(copy).collect();
        self.0.insert(path.to_owned(), (format as i32, tensors));
        Ok(())
    }

    fn merge(&mut self, parts: &[&str], path: &str, _: MergeOptions) -> Result<()> {
        let parts = parts.iter().filter_map(|part| self.0.remove(*part));
        let all: Vec<_> = parts.flat_map(|(_, tensors)| tensors).collect();
        self.0.insert(path.to_owned(), (CheckpointFormatVersion::V2 as i32, all));
        Ok(())
    }
}

impl Files {
    /// Writes what is in the directory of the checkpoint to disk. `None` if it is no checkpoint: slices may overlap, and names be empty.
    fn put(&self, checkpoint: &str) -> Option<()> {
        for (path, (version, tensors)) in &self.0 {
            let rest = path.strip_prefix(checkpoint);
            if rest.is_none_or(|rest| rest.contains(['/', '\0'])) {
                continue;
            }
            let mut builder = CheckpointBuilder::default();
            for (name, spec, tensor) in tensors {
                match spec.rsplit_once(' ') {
                    None => builder.add(&**name, tensor).ok()?,
                    Some((shape, slice)) => {
                        let (shape, slice) = slice_of(shape, slice)?;
                        builder.add_slice(&**name, &shape, &slice, tensor).ok()?;
                    }
                }
            }
            let version = CheckpointFormatVersion::try_from(*version).expect("it is one");
            let format = Format::of(version).expect("savers write it");
            builder.write(Path::new(path), format, IfExists::Replace, &Silent).ok()?;
        }
        Some(())
    }
}

/// The shape and slice in `4 2 0,2:-`.
fn slice_of(shape: &str, slice: &str) -> Option<(Shape, Slice)> {
    let dims: Option<Vec<i64>> = shape.split(' ').map(|dim| dim.parse().ok()).collect();
    let shape = Shape::new(&dims?).ok()?;
    let extent = |text: &str| match text.split_once(',') {
        Some((start, len)) => Some((start.parse().ok()?, len.parse().ok()?)),
        None => (text == "-").then_some((0, -1)),
    };
    let extents: Option<Vec<_>> = slice.split(':').map(extent).collect();
    let slice = Slice::new(&extents?, &shape).ok()?;
    Some((shape, slice))
}

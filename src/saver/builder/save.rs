//! Adds the nodes that save.
//!
//! ```text
//! filename ─► SaveV2 ─► control_dependency                                                 one file
//! filename ─► ShardedFilename ─► SaveSlices ─► control_dependency … ─► ShardedFilespec     V1, by device
//! filename, suffix ─► StringJoin ─► ShardedFilename ─► SaveV2 ─► control_dependency …
//!                                            └─► Pack ─► MergeV2Checkpoints ─► Identity    V2, by device
//! ```

use super::devices::{any_cpu, cpu, cpu_of};
use super::nodes::SaverNodes;
use super::value::{dtype, dtypes, int, number, scalar_shape, string, strings, text, truth};
use crate::error::{Error, Result};
use crate::graph::SaveOp;
use crate::graph::save_op::{SAVE_SLICES, SAVE_V2};
use crate::saver::{SaveSource, SaveSpec, SaveableObject};
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::DType;

/// Adds the file name: a placeholder with the default, and one that is fed.
pub(super) fn filename(nodes: &mut SaverNodes<'_>, filename: Option<&str>) -> String {
    let attrs = || vec![("dtype", dtype(DType::String)), ("shape", scalar_shape())];
    let outer = nodes.name("filename");
    let filename = filename.filter(|name| !name.is_empty()).unwrap_or("model");
    let given = nodes.constant_in(&outer, "input", string(filename));
    let outer = nodes.add("PlaceholderWithDefault", outer, &[&given], attrs());
    let name = nodes.name("Const");
    nodes.add("PlaceholderWithDefault", name, &[&outer], attrs())
}

/// Saves all into one file; returns the tensor with its name, which is available after the save.
pub(super) fn one(
    nodes: &mut SaverNodes<'_>,
    filename: &str,
    saveables: &[SaveableObject],
    version: CheckpointFormatVersion,
) -> Result<String> {
    let save = save_op(nodes, filename, saveables, version)?;
    let name = nodes.name("control_dependency");
    let attrs = vec![("T", dtype(DType::String))];
    Ok(nodes.add_colocated(filename, "Identity", name, &[filename], &[save], attrs))
}

/// Adds the node that writes a file.
fn save_op(
    nodes: &mut SaverNodes<'_>,
    filename: &str,
    saveables: &[SaveableObject],
    version: CheckpointFormatVersion,
) -> Result<String> {
    let (op, base) = match version {
        CheckpointFormatVersion::V1 => (SAVE_SLICES, "save"),
        CheckpointFormatVersion::V2 => (SAVE_V2, SAVE_V2.name),
        CheckpointFormatVersion::Legacy => {
            return Err(Error::unexpected("write version", "LEGACY", "V1 or V2"));
        }
    };
    let specs: Vec<&SaveSpec> = saveables.iter().flat_map(|saveable| &saveable.specs).collect();
    let mut tensors = Vec::with_capacity(specs.len());
    for spec in &specs {
        tensors.push(tensor(nodes, spec)?);
    }
    let outer = nodes.name(base);
    let [names, slices] = names_and_slices(nodes, &outer, &op, &specs);
    let inputs = [filename, &names, &slices].into_iter().chain(tensors.iter().map(|name| &**name));
    let inputs: Vec<&str> = inputs.collect();
    Ok(nodes.add(op.name, outer, &inputs, vec![(op.dtypes, dtypes(&specs))]))
}

/// Adds the constants with the names and slices for the save or restore node `outer`.
pub(super) fn names_and_slices(
    nodes: &mut SaverNodes<'_>,
    outer: &str,
    op: &SaveOp,
    specs: &[&SaveSpec],
) -> [String; 2] {
    let names =
        nodes.constant_in(outer, "tensor_names", strings(specs.iter().map(|spec| &*spec.name)));
    let slices = nodes.constant_in(
        outer,
        op.slices.unwrap_or_default(),
        strings(specs.iter().map(|spec| &*spec.slice_spec)),
    );
    [names, slices]
}

/// The tensor of a spec: an existing one, or the output of a new node that reads the variable.
pub(super) fn tensor(nodes: &mut SaverNodes<'_>, spec: &SaveSpec) -> Result<String> {
    let handle = match &spec.tensor {
        SaveSource::Tensor(tensor) => return Ok(tensor.clone()),
        SaveSource::Read(handle) => handle,
    };
    nodes.on(&spec.device.parse()?, |nodes| {
        let scope = nodes.name("Read");
        let name = nodes.name_in(&scope, "DisableCopyOnRead");
        nodes.add("DisableCopyOnRead", name, &[handle], Vec::new());
        let name = nodes.name_in(&scope, "ReadVariableOp");
        let read = nodes.add("ReadVariableOp", name, &[handle], vec![("dtype", dtype(spec.dtype))]);
        let value = identity(nodes, &read, spec.dtype);
        nodes.on(&cpu(), |nodes| Ok(identity(nodes, &value, spec.dtype)))
    })
}

/// Passes a tensor on to the device that nodes are put on.
pub(super) fn identity(nodes: &mut SaverNodes<'_>, of: &str, ty: DType) -> String {
    nodes.add_named("Identity", &[of], vec![("T", dtype(ty))])
}

/// Adds the file name of a shard.
fn sharded_filename(nodes: &mut SaverNodes<'_>, base: &str, shard: usize, shards: &str) -> String {
    let outer = nodes.name("ShardedFilename");
    let shard = nodes.constant_in(&outer, "shard", number(shard));
    nodes.add("ShardedFilename", outer, &[base, &shard, shards], Vec::new())
}

/// Saves each group into a V1 file; returns the tensor with the pattern of their names.
pub(super) fn sharded_v1(
    nodes: &mut SaverNodes<'_>,
    filename: &str,
    groups: &[(String, Vec<SaveableObject>)],
    version: CheckpointFormatVersion,
) -> Result<String> {
    let shards = nodes.constant("num_shards", number(groups.len()));
    let mut saved = Vec::new();
    for (shard, (device, saveables)) in groups.iter().enumerate() {
        saved.push(nodes.on(&device.parse()?, |nodes| {
            let file = sharded_filename(nodes, filename, shard, &shards);
            one(nodes, &file, saveables, version)
        })?);
    }
    let name = nodes.name("ShardedFilespec");
    Ok(nodes.add_after("ShardedFilespec", name, &[filename, &shards], &saved, Vec::new()))
}

/// Saves each group into a checkpoint and merges these; returns the tensor with the prefix of the result.
pub(super) fn sharded_v2(
    nodes: &mut SaverNodes<'_>,
    filename: &str,
    groups: &[(String, Vec<SaveableObject>)],
) -> Result<String> {
    let temporary = temporary_prefix(nodes, filename)?;
    let shards = nodes.constant("num_shards", number(groups.len()));
    let (mut saved, mut files) = (Vec::new(), Vec::new());
    for (shard, (device, saveables)) in groups.iter().enumerate() {
        nodes.on(&cpu_of(device)?, |nodes| {
            let file = sharded_filename(nodes, &temporary, shard, &shards);
            saved.push(one(nodes, &file, saveables, CheckpointFormatVersion::V2)?);
            files.push(file);
            Ok(())
        })?;
    }
    let last = groups.last().map_or("", |(device, _)| device);
    nodes.on(&cpu_of(last)?, |nodes| Ok(merge(nodes, filename, &files, saved)))
}

/// Adds the prefix of the shards before the merge: in a directory, unless the store has no directories.
fn temporary_prefix(nodes: &mut SaverNodes<'_>, filename: &str) -> Result<String> {
    nodes.on(&any_cpu(), |nodes| {
        let pattern = vec![("pattern", text("^s3://.*"))];
        let is_s3 = nodes.add_named("StaticRegexFullMatch", &[filename], pattern);
        let part = nodes.constant("Const", string(".part"));
        let directory = nodes.constant("Const", string("_temp/part"));
        let attrs = vec![("T", dtype(DType::String))];
        let suffix = nodes.add_named("Select", &[&is_s3, &part, &directory], attrs);
        let attrs = vec![("N", int(2)), ("separator", text(""))];
        Ok(nodes.add_named("StringJoin", &[filename, &suffix], attrs))
    })
}

fn merge(
    nodes: &mut SaverNodes<'_>,
    filename: &str,
    files: &[String],
    mut saved: Vec<String>,
) -> String {
    let outer = nodes.name("MergeV2Checkpoints");
    let name = nodes.name_in(&outer, "checkpoint_prefixes");
    let inputs: Vec<&str> = files.iter().map(|file| &**file).collect();
    let count = i64::try_from(files.len()).unwrap_or(i64::MAX);
    let attrs = vec![("N", int(count)), ("T", dtype(DType::String)), ("axis", int(0))];
    let prefixes = nodes.add_after("Pack", name, &inputs, &saved, attrs);
    let attrs = vec![("allow_missing_files", truth(false)), ("delete_old_dirs", truth(true))];
    let merged = nodes.add("MergeV2Checkpoints", outer, &[&prefixes, filename], attrs);
    saved.push(merged);
    let name = nodes.name("Identity");
    nodes.add_after("Identity", name, &[filename], &saved, vec![("T", dtype(DType::String))])
}

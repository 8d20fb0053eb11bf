//! Ops that read and write checkpoints.

use std::path::Path;
use std::sync::Arc;

use super::cut::{cut, offsets};
use super::operation::Operation;
use super::session::Session;
use super::value::{Value, int, of_string, strings, text, texts};
use super::writer::{MergeOptions, WriteCheckpoint, Written};
use crate::bytes::Limits;
use crate::checkpoint::Checkpoint;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::attrs;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::{DType, Name, Shape, Slice, Tensor, TensorSource, slice_spec};

/// The number of checkpoint entries that cost as much as a node.
const ENTRIES: usize = 16;

/// A request for a tensor.
#[derive(Clone, Copy)]
struct Request<'a> {
    path: &'a str,
    key: &'a Name,
    slice: &'a str,
    /// The number of the dtype; 0 if the node has none.
    dtype: i32,
}

/// Reads tensors by their keys.
pub(super) fn restore_v2(op: &mut Operation<'_, '_, '_>) -> Result<Vec<Value>> {
    let (path, names, slices) = (op.tensor(0)?, op.tensor(1)?, op.tensor(2)?);
    let (path, names) = (text(&path, "prefix")?, strings(&names, "tensor_names")?);
    let slices = texts(&slices, "shape_and_slices")?;
    let dtypes = op.node.types("dtypes");
    check_counts(names.len(), slices.len(), dtypes.len())?;
    let mut outputs = Vec::new();
    for ((name, slice), dtype) in names.into_iter().zip(slices).zip(dtypes) {
        let key = &Name::from(name);
        outputs.push(requested(op.session, Request { path, key, slice, dtype })?);
    }
    Ok(outputs)
}

fn check_counts(names: usize, slices: usize, dtypes: usize) -> Result<()> {
    if names == slices && names == dtypes {
        return Ok(());
    }
    let found = format!("{names} names, {slices} slices and {dtypes} dtypes");
    Err(Error::unexpected("number of items", found, "all must be equal"))
}

/// Reads one tensor, as the ops before `RestoreV2` do.
pub(super) fn restore(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    let (path, name) = (op.tensor(0)?, op.tensor(1)?);
    let slice = if op.node.op == "RestoreSlice" { Some(op.tensor(2)?) } else { None };
    let slice = slice.as_ref().map_or(Ok(""), |slice| text(slice, "shape_and_slice"))?;
    let (path, name) = (text(&path, "file_pattern")?, text(&name, "tensor_name")?);
    let dtype = op.node.types("dt").first().copied().unwrap_or_default();
    requested(op.session, Request { path, key: &Name::from(name), slice, dtype })
}

/// The requested tensor, by a key or by the name of an object.
fn requested(session: &mut Session<'_, '_>, request: Request<'_>) -> Result<Value> {
    let key = match &session.checkpoints.keys {
        None => Ok(request.key.clone()),
        Some(keys) => keys.get(request.key).cloned().ok_or_else(|| {
            let kind = "no object of the checkpoint has this name".to_owned();
            Error::from(ErrorKind::NotFound(kind)).in_file(Path::new(request.path))
        }),
    };
    let found = key.and_then(|key| stored(session, Request { key: &key, ..request }));
    found.map(Value::Tensor).map_err(|error| error.of_tensor(request.key))
}

fn stored(session: &mut Session<'_, '_>, request: Request<'_>) -> Result<Arc<Tensor>> {
    let (path, checkpoint) = open(session, request.path)?;
    let entry = checkpoint.tensor(request.key).ok_or_else(|| {
        let kind = ErrorKind::NotFound("not found in checkpoint".into());
        Error::from(kind).in_file(checkpoint.path())
    })?;
    let source = &**entry.source.as_ref().map_err(Error::clone)?;
    if request.dtype != source.dtype().code() {
        let allowed = format!("the node restores {}", DType::name_of(request.dtype));
        return Err(Error::unexpected("dtype", source.dtype(), allowed));
    }
    let of = (Arc::clone(&path), request.key.clone(), request.slice.to_owned());
    if let Some(tensor) = session.checkpoints.read.get(&of) {
        return Ok(Arc::clone(tensor));
    }
    let slice = match request.slice {
        "" => None,
        spec => Some(wanted(spec, source)?),
    };
    let tensor = match slice.as_ref().map(|slice| (slice, source.part(slice))) {
        None => read(session, source)?,
        Some((_, Some(part))) => read(session, part)?,
        Some((slice, None)) => {
            let whole = stored(session, Request { slice: "", ..request })?;
            let elements = slice.shape().elements();
            session.charge(elements.saturating_mul(8).min(whole.content().len() as u64))?;
            let known = session.checkpoints.offsets.entry((path, request.key.clone()));
            let offsets = known.or_insert_with(|| offsets(&whole).unwrap_or_default().into());
            cut(&whole, offsets, slice)?
        }
    };
    let tensor = Arc::new(tensor);
    session.checkpoints.read.insert(of, Arc::clone(&tensor));
    Ok(tensor)
}

/// Opens the checkpoint at `path`; its size raises the limit on the memory of the run.
fn open(session: &mut Session<'_, '_>, path: &str) -> Result<(Arc<str>, Arc<Checkpoint>)> {
    if let Some((known, checkpoint)) = &session.checkpoints.open
        && **known == *path
    {
        return Ok((Arc::clone(known), Arc::clone(checkpoint)));
    }
    let checkpoint = Arc::new(Checkpoint::open(path)?);
    session.steps(checkpoint.tensors().len() / ENTRIES)?;
    let sources = checkpoint.tensors().filter_map(|entry| entry.source.as_ref().ok());
    let bytes = sources.fold(0u64, |sum, source| sum.saturating_add(source.stored_bytes()));
    let more = bytes.saturating_sub(session.checkpoints.largest);
    session.checkpoints.largest += more;
    session.allow(more);
    let opened = (Arc::from(path), checkpoint);
    session.checkpoints.open = Some(opened.clone());
    Ok(opened)
}

fn read(session: &mut Session<'_, '_>, source: &dyn TensorSource) -> Result<Tensor> {
    let tensor = Tensor::read(source, &Limits::default())?;
    session.charge(tensor.content().len() as u64)?;
    Ok(tensor)
}

/// The slice in `spec`, of a tensor with the shape in `spec`.
fn wanted(spec: &str, source: &dyn TensorSource) -> Result<Slice> {
    let (shape, slice) = parsed(spec)?;
    if shape != *source.shape() {
        let found = format!("for shape {shape}");
        let allowed = format!("the checkpoint has {}", source.shape());
        return Err(Error::unexpected("shape_and_slice", found, allowed));
    }
    Ok(slice)
}

fn parsed(spec: &str) -> Result<(Shape, Slice)> {
    slice_spec::parse(spec).map_err(|reason| {
        let shown = format!("{:?}", crate::error::shortened(spec));
        Error::unexpected("shape_and_slice", shown, reason)
    })
}

/// The writer of a run that saves.
fn writer<'w>(session: &'w mut Session<'_, '_>) -> Result<&'w mut (dyn WriteCheckpoint + 'w)> {
    match &mut session.writer {
        Some(writer) => Ok(&mut **writer),
        None => {
            Err(ErrorKind::Unsupported("nothing is written while a saver restores".into()).into())
        }
    }
}

/// Writes tensors to a checkpoint.
pub(super) fn save(op: &mut Operation<'_, '_, '_>) -> Result<()> {
    let (path, names) = (op.tensor(0)?, op.tensor(1)?);
    let (path, names) = (text(&path, "prefix")?, strings(&names, "tensor_names")?);
    let slices = if op.node.op == "Save" { None } else { Some(op.tensor(2)?) };
    let tensors = op.tensors(if slices.is_some() { 3 } else { 2 })?;
    let slices = match &slices {
        Some(slices) => texts(slices, "shape_and_slices")?,
        None => vec![""; names.len()],
    };
    check_counts(names.len(), slices.len(), tensors.len())?;
    let (format, types) = match op.node.op {
        "SaveV2" => (CheckpointFormatVersion::V2, "dtypes"),
        _ => (CheckpointFormatVersion::V1, "T"),
    };
    let types = op.node.types(types);
    check_counts(names.len(), slices.len(), types.len())?;
    let mut written = Vec::new();
    for (((name, slice_spec), tensor), code) in names.iter().zip(slices).zip(&tensors).zip(types) {
        let checked = check_saved(slice_spec, tensor, code);
        checked.map_err(|error| error.of_tensor(&Name::from(*name)))?;
        written.push(Written { name, slice_spec, tensor });
    }
    writer(op.session)?.write(path, &written, format)
}

fn check_saved(slice: &str, tensor: &Tensor, code: i32) -> Result<()> {
    if tensor.dtype().code() != code {
        let allowed = format!("the node saves {}", DType::name_of(code));
        return Err(Error::unexpected("dtype", tensor.dtype(), allowed));
    }
    if slice.is_empty() {
        return Ok(());
    }
    let (_, slice) = parsed(slice)?;
    if slice.shape() != tensor.shape() {
        let allowed = format!("the tensor has {}", tensor.shape());
        return Err(Error::unexpected("shape of the slice", slice.shape(), allowed));
    }
    Ok(())
}

/// Merges the checkpoints of shards.
pub(super) fn merge(op: &mut Operation<'_, '_, '_>) -> Result<()> {
    let (parts, path) = (op.tensor(0)?, op.tensor(1)?);
    let options = MergeOptions {
        delete_old_dirs: op.node.attr("delete_old_dirs").is_none_or(attrs::truth),
        allow_missing_files: op.node.attr("allow_missing_files").is_some_and(attrs::truth),
    };
    let (parts, path) = (texts(&parts, "checkpoint_prefixes")?, text(&path, "destination_prefix")?);
    writer(op.session)?.merge(&parts, path, options)
}

/// The name of a shard, or the pattern that matches all shards.
pub(super) fn sharded_name(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    let base = op.tensor(0)?;
    let base = text(&base, "basename")?;
    let number = |at: usize| int(&*op.tensor(at)?, "number of a shard");
    let name = match op.node.op {
        "ShardedFilename" => format!("{base}-{:05}-of-{:05}", number(1)?, number(2)?),
        _ => format!("{base}-?????-of-{:05}", number(1)?),
    };
    op.session.made(of_string(&name)?)
}

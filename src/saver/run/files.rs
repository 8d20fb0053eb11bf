//! Ops that read and write checkpoints.

use std::path::Path;
use std::sync::Arc;

use super::operation::Operation;
use super::session::Session;
use super::value::{Value, int, of_string, strings, text, texts};
use super::writer::{MergeOptions, NamedTensor, WriteCheckpoint};
use crate::checkpoint::Checkpoint;
use crate::error::{Error, Result};
use crate::graph::{SaveOp, attrs, save_op};
use crate::limits::Limits;
use crate::tensor::cut::{cut, offsets};
use crate::tensor::{DType, Name, Slice, Tensor, TensorSource, slice_spec};

/// The number of checkpoint entries that cost as much as a node.
const ENTRIES: usize = 16;

/// A request for a tensor.
#[derive(Clone, Copy)]
struct TensorRequest<'a> {
    path: &'a str,
    key: &'a Name,
    slice: &'a str,
    /// The number of the dtype.
    dtype: i32,
}

/// The inputs of a save or restore node, without the data.
struct Inputs {
    path: Arc<Tensor>,
    names: Arc<Tensor>,
    slices: Option<Arc<Tensor>>,
    /// The numbers of the dtypes.
    dtypes: Vec<i32>,
}

/// The name, slice and number of the dtype of a tensor.
type ListedTensor<'t> = (&'t [u8], &'t str, i32);

impl Inputs {
    fn new(op: &Operation<'_, '_, '_>, save_op: &SaveOp) -> Result<Self> {
        Ok(Self {
            path: op.tensor(save_op::PATH)?,
            names: op.tensor(save_op::NAMES)?,
            slices: save_op.slices.map(|_| op.tensor(save_op::SLICES)).transpose()?,
            dtypes: op.node.types(save_op.dtypes),
        })
    }

    /// The path and the tensors.
    fn read(&self, save_op: &SaveOp) -> Result<(&str, Vec<ListedTensor<'_>>)> {
        let path = text(&self.path, "prefix")?;
        let names = strings(&self.names, "tensor_names")?;
        let slices = match (&self.slices, save_op.slices) {
            (Some(slices), Some(input)) => texts(slices, input)?,
            _ => vec![""; names.len()],
        };
        check_counts(names.len(), slices.len(), self.dtypes.len())?;
        let listed = names.into_iter().zip(slices).zip(&self.dtypes);
        Ok((path, listed.map(|((name, slice), &dtype)| (name, slice, dtype)).collect()))
    }
}

fn check_counts(names: usize, slices: usize, dtypes: usize) -> Result<()> {
    if names == slices && names == dtypes {
        return Ok(());
    }
    let found = format!("{names} names, {slices} slices and {dtypes} dtypes");
    Err(Error::unexpected("number of items", found, "equal numbers"))
}

/// Reads tensors by their keys.
pub(super) fn restore(op: &mut Operation<'_, '_, '_>, save_op: &SaveOp) -> Result<Vec<Value>> {
    let inputs = Inputs::new(op, save_op)?;
    let (path, listed) = inputs.read(save_op)?;
    let request = |(name, slice, dtype)| {
        requested(op.session, TensorRequest { path, key: &Name::from(name), slice, dtype })
    };
    listed.into_iter().map(request).collect()
}

/// The requested tensor, by a key or by the name of an object.
fn requested(session: &mut Session<'_, '_>, request: TensorRequest<'_>) -> Result<Value> {
    let key = match &session.checkpoints.keys {
        None => Ok(request.key.clone()),
        Some(keys) => keys.get(request.key).cloned().ok_or_else(|| {
            let kind = "no object of the checkpoint has this name".to_owned();
            Error::not_found(kind).in_file(Path::new(request.path))
        }),
    };
    let found = key.and_then(|key| stored(session, TensorRequest { key: &key, ..request }));
    found.map(Value::Tensor).map_err(|error| error.of_tensor(request.key))
}

fn stored(session: &mut Session<'_, '_>, request: TensorRequest<'_>) -> Result<Arc<Tensor>> {
    let (path, checkpoint) = open(session, request.path)?;
    let entry = checkpoint.tensor(request.key).ok_or_else(|| {
        Error::not_found("the checkpoint has no such tensor").in_file(checkpoint.path())
    })?;
    let source: &dyn TensorSource = match (&entry.source, &entry.slices) {
        (Ok(source), _) => &**source,
        // A slice can be there although the rest of its tensor is not.
        (Err(_), Some(slices)) if !request.slice.is_empty() => &**slices,
        (Err(error), _) => return Err(error.clone()),
    };
    if request.dtype != source.dtype().code() {
        let expected = format!("{}, which the node restores", DType::name_of(request.dtype));
        return Err(Error::unexpected("dtype", source.dtype(), expected));
    }
    let of = (Arc::clone(&path), request.key.clone(), request.slice.to_owned());
    if let Some(tensor) = session.checkpoints.read.get(&of) {
        return Ok(Arc::clone(tensor));
    }
    let slice = match request.slice {
        "" => None,
        spec => Some(wanted(spec, source)?),
    };
    let part = slice.as_ref().map(|slice| (slice, source.slice(slice)));
    let tensor = match (part, &entry.slices) {
        (None, _) => read(session, source)?,
        (Some((_, Some(part))), _) => read(session, part)?,
        (Some((slice, None)), Some(slices)) => {
            session.steps(1 + slices.count() / ENTRIES)?;
            let elements = slice.shape().elements().saturating_mul(8);
            let stored = slices.stored_bytes_of(slice);
            session.charge(stored.saturating_add(elements.min(stored)))?;
            slices.read_slice(slice, &Limits::default())?
        }
        (Some((slice, None)), None) => {
            let whole = stored(session, TensorRequest { slice: "", ..request })?;
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
    let checkpoint = Arc::new(Checkpoint::open_prefix(Path::new(path))?);
    session.steps(checkpoint.tensors().len() / ENTRIES)?;
    let sources = checkpoint.tensors().filter_map(|entry| entry.whole_or_slices().ok());
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
    let (shape, slice) = slice_spec::of_input(spec)?;
    if shape != *source.shape() {
        let found = format!("one of {shape}");
        let expected = format!("a slice of {}, the shape in the checkpoint", source.shape());
        return Err(Error::unexpected("shape_and_slice", found, expected));
    }
    Ok(slice)
}

/// The writer of a run that saves.
fn writer<'w>(op: &'w mut Operation<'_, '_, '_>) -> Result<&'w mut (dyn WriteCheckpoint + 'w)> {
    match &mut op.session.writer {
        Some(writer) => Ok(&mut **writer),
        None => {
            let kind = format!("op {} cannot run during a restore", op.node.op);
            Err(Error::unsupported(kind))
        }
    }
}

/// Writes tensors to a checkpoint.
pub(super) fn save(op: &mut Operation<'_, '_, '_>, save_op: &SaveOp) -> Result<()> {
    let inputs = Inputs::new(op, save_op)?;
    let tensors = op.tensors(save_op.data())?;
    let (path, listed) = inputs.read(save_op)?;
    if listed.len() != tensors.len() {
        let found = format!("{} names and {} tensors", listed.len(), tensors.len());
        return Err(Error::unexpected("number of items", found, "equal numbers"));
    }
    let mut written = Vec::new();
    for ((name, slice_spec, code), tensor) in listed.into_iter().zip(&tensors) {
        let checked = check_saved(slice_spec, tensor, code);
        checked.map_err(|error| error.of_tensor(&Name::from(name)))?;
        written.push(NamedTensor { name, slice_spec, tensor });
    }
    writer(op)?.write(path, &written, save_op.version)
}

fn check_saved(slice: &str, tensor: &Tensor, code: i32) -> Result<()> {
    if tensor.dtype().code() != code {
        let expected = format!("{}, which the node saves", DType::name_of(code));
        return Err(Error::unexpected("dtype", tensor.dtype(), expected));
    }
    if slice.is_empty() {
        return Ok(());
    }
    let (_, slice) = slice_spec::of_input(slice)?;
    if slice.shape() != tensor.shape() {
        let expected = format!("{}, that of the tensor", tensor.shape());
        return Err(Error::unexpected("shape of the slice", slice.shape(), expected));
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
    writer(op)?.merge(&parts, path, options)
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

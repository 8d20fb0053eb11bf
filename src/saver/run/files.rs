//! Ops that read and write checkpoints.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::cut::{cut, offsets};
use super::session::{Session, nth};
use super::value::{Value, int, of_string, strings, text, texts};
use super::{MergeOptions, WriteCheckpoint, Written};
use crate::bytes::Limits;
use crate::checkpoint::Checkpoint;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Node, attrs};
use crate::saver::ObjectKeys;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::{DType, Name, Slice, Tensor, TensorSource, slice_spec};

/// Checkpoints that are read.
#[derive(Default)]
pub(super) struct Files {
    /// The keys by the names that nodes ask for, where they are others.
    keys: Option<ObjectKeys>,
    /// The one that was read last.
    open: Option<(Arc<str>, Arc<Checkpoint>)>,
    /// What was read: by path, key and slice.
    read: BTreeMap<(Arc<str>, Name, String), Arc<Tensor>>,
    /// Where the elements begin of tensors that slices were cut out of, and whose elements are of any length.
    offsets: BTreeMap<(Arc<str>, Name), Arc<[usize]>>,
    /// The bytes of tensors in the largest of them.
    largest: u64,
}

impl Files {
    pub(super) fn with(keys: Option<&ObjectKeys>) -> Self {
        Self { keys: keys.cloned(), ..Self::default() }
    }
}

/// A tensor that a node asks for.
struct Asked<'a> {
    path: &'a str,
    key: &'a [u8],
    slice: &'a str,
    dtype: Option<i32>,
}

/// Reads tensors by their keys.
pub(super) fn restore_v2(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<Vec<Value>> {
    let (path, names) = (session.read(nth(inputs, 0)?)?, session.read(nth(inputs, 1)?)?);
    let slices = session.read(nth(inputs, 2)?)?;
    let (path, names) = (text(&path, "prefix")?, strings(&names, "tensor_names")?);
    let slices = texts(&slices, "shape_and_slices")?;
    let dtypes = node.attr("dtypes").map(attrs::types).unwrap_or_default();
    check_counts(names.len(), slices.len(), dtypes.len())?;
    let mut outputs = Vec::new();
    for ((key, slice), &dtype) in names.into_iter().zip(slices).zip(&dtypes) {
        outputs.push(asked(session, &Asked { path, key, slice, dtype: Some(dtype) })?);
    }
    Ok(outputs)
}

fn check_counts(names: usize, slices: usize, dtypes: usize) -> Result<()> {
    if names == slices && names == dtypes {
        return Ok(());
    }
    let found = format!("{names} names, {slices} slices and {dtypes} dtypes");
    Err(Error::unexpected("what the node lists", found, "all must be as many"))
}

/// Reads one tensor, as the ops before V2 do.
pub(super) fn restore(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<Value> {
    let (path, key) = (session.read(nth(inputs, 0)?)?, session.read(nth(inputs, 1)?)?);
    let slice = match node.op {
        "RestoreSlice" => Some(session.read(nth(inputs, 2)?)?),
        _ => None,
    };
    let slice = slice.as_ref().map(|slice| text(slice, "shape_and_slice")).transpose()?;
    let dtypes = node.attr("dt").map(attrs::types).unwrap_or_default();
    let (path, key) = (text(&path, "file_pattern")?, text(&key, "tensor_name")?);
    let slice = slice.unwrap_or_default();
    asked(session, &Asked { path, key: key.as_bytes(), slice, dtype: dtypes.first().copied() })
}

/// The tensor that is asked for, of the dtype that is asked for.
fn asked(session: &mut Session<'_, '_>, asked: &Asked<'_>) -> Result<Value> {
    let name = Name::from(asked.key);
    let found = match session.files.keys.as_ref().map(|keys| keys.get(&name).cloned()) {
        None => stored(session, asked.path, &name, asked.slice, asked.dtype),
        Some(Some(key)) => stored(session, asked.path, &key, asked.slice, asked.dtype),
        Some(None) => {
            let kind = "no object of the checkpoint has this name".to_owned();
            Err(Error::from(ErrorKind::NotFound(kind)).in_file(Path::new(asked.path)))
        }
    };
    found.map(Value::Tensor).map_err(|error| error.of_tensor(&name))
}

fn stored(
    session: &mut Session<'_, '_>,
    path: &str,
    name: &Name,
    slice: &str,
    dtype: Option<i32>,
) -> Result<Arc<Tensor>> {
    let (path, checkpoint) = open(session, path)?;
    let entry = checkpoint.tensor(name).ok_or_else(|| {
        Error::from(ErrorKind::NotFound("not found in checkpoint".into()))
            .in_file(checkpoint.path())
    })?;
    let source = &**entry.source.as_ref().map_err(Error::clone)?;
    if dtype != Some(source.dtype().code()) {
        let code = dtype.and_then(DType::from_code);
        let said = code.map_or_else(|| "another".into(), |dtype| dtype.to_string());
        return Err(Error::unexpected(
            "dtype",
            source.dtype(),
            format!("the node restores {said}"),
        ));
    }
    let of = (Arc::clone(&path), name.clone(), slice.to_owned());
    if let Some(tensor) = session.files.read.get(&of) {
        return Ok(Arc::clone(tensor));
    }
    let tensor = match slice {
        "" => whole(session, source)?,
        spec => {
            let slice = wanted(spec, source)?;
            match source.part(&slice) {
                Some(part) => whole(session, part)?,
                None => {
                    let whole = stored(session, &path, name, "", dtype)?;
                    let share = slice
                        .shape()
                        .elements()
                        .saturating_mul(8)
                        .min(whole.content().len() as u64);
                    session.charge(share)?;
                    let offsets = offsets_of(session, &path, name, &whole);
                    cut(&whole, &offsets, &slice)?
                }
            }
        }
    };
    let tensor = Arc::new(tensor);
    session.files.read.insert(of, Arc::clone(&tensor));
    Ok(tensor)
}

/// Where the elements of a tensor begin, counted once.
fn offsets_of(
    session: &mut Session<'_, '_>,
    path: &Arc<str>,
    name: &Name,
    whole: &Tensor,
) -> Arc<[usize]> {
    let known = session.files.offsets.entry((Arc::clone(path), name.clone()));
    Arc::clone(known.or_insert_with(|| offsets(whole).unwrap_or_default().into()))
}

/// The checkpoint at `path`, which makes room for what it holds.
fn open(session: &mut Session<'_, '_>, path: &str) -> Result<(Arc<str>, Arc<Checkpoint>)> {
    if let Some((known, checkpoint)) = &session.files.open
        && **known == *path
    {
        return Ok((Arc::clone(known), Arc::clone(checkpoint)));
    }
    let checkpoint = Arc::new(Checkpoint::open(path)?);
    session.steps(checkpoint.tensors().len() / ENTRIES)?;
    let sources = checkpoint.tensors().filter_map(|entry| entry.source.as_ref().ok());
    let bytes = sources.fold(0u64, |sum, source| sum.saturating_add(source.stored_bytes()));
    let more = bytes.saturating_sub(session.files.largest);
    session.files.largest += more;
    session.allow(more);
    let opened = (Arc::from(path), checkpoint);
    session.files.open = Some(opened.clone());
    Ok(opened)
}

/// Entries of a checkpoint that are gone through in the time that a node takes.
const ENTRIES: usize = 16;

fn whole(session: &mut Session<'_, '_>, source: &dyn TensorSource) -> Result<Tensor> {
    let tensor = Tensor::read(source, &Limits::default())?;
    session.charge(tensor.content().len() as u64)?;
    Ok(tensor)
}

/// The slice that `spec` asks for, of a tensor of the shape that it says.
fn wanted(spec: &str, source: &dyn TensorSource) -> Result<Slice> {
    let (shape, slice) = parsed(spec)?;
    if shape != *source.shape() {
        let found = format!("for shape {shape}");
        let allowed = format!("the checkpoint has {}", source.shape());
        return Err(Error::unexpected("shape_and_slice", found, allowed));
    }
    Ok(slice)
}

fn parsed(spec: &str) -> Result<(crate::tensor::Shape, Slice)> {
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
pub(super) fn save(session: &mut Session<'_, '_>, node: &Node<'_>, inputs: &[Value]) -> Result<()> {
    let (path, names) = (session.read(nth(inputs, 0)?)?, session.read(nth(inputs, 1)?)?);
    let (path, names) = (text(&path, "prefix")?, strings(&names, "tensor_names")?);
    let slices = if node.op == "Save" { None } else { Some(session.read(nth(inputs, 2)?)?) };
    let slices = match &slices {
        Some(slices) => texts(slices, "shape_and_slices")?,
        None => vec![""; names.len()],
    };
    let data = inputs.get(if node.op == "Save" { 2 } else { 3 }..).unwrap_or_default();
    check_counts(names.len(), slices.len(), data.len())?;
    let (format, types) = match node.op {
        "SaveV2" => (CheckpointFormatVersion::V2, "dtypes"),
        _ => (CheckpointFormatVersion::V1, "T"),
    };
    let types = node.attr(types).map(attrs::types).unwrap_or_default();
    check_counts(names.len(), slices.len(), types.len())?;
    let tensors: Vec<_> = data.iter().map(|value| session.read(value)).collect::<Result<_>>()?;
    for (((name, slice), tensor), code) in names.iter().zip(&slices).zip(&tensors).zip(types) {
        check_saved(slice, tensor, code).map_err(|error| error.of_tensor(&Name::from(*name)))?;
    }
    let written = names.iter().zip(&slices).zip(&tensors);
    let written: Vec<_> = written
        .map(|((&name, &slice_spec), tensor)| Written { name, slice_spec, tensor })
        .collect();
    writer(session)?.write(path, &written, format)
}

fn check_saved(slice: &str, tensor: &Tensor, code: i32) -> Result<()> {
    if tensor.dtype().code() != code {
        let said =
            DType::from_code(code).map_or_else(|| "another".into(), |dtype| dtype.to_string());
        return Err(Error::unexpected("dtype", tensor.dtype(), format!("the node saves {said}")));
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
pub(super) fn merge(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<()> {
    let (parts, path) = (session.read(nth(inputs, 0)?)?, session.read(nth(inputs, 1)?)?);
    let options = MergeOptions {
        delete_old_dirs: node.attr("delete_old_dirs").is_none_or(attrs::truth),
        allow_missing_files: node.attr("allow_missing_files").is_some_and(attrs::truth),
    };
    let (parts, path) = (texts(&parts, "checkpoint_prefixes")?, text(&path, "destination_prefix")?);
    writer(session)?.merge(&parts, path, options)
}

/// The name of a shard, or the pattern that all of them match.
pub(super) fn sharded_name(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<Value> {
    let base = session.read(nth(inputs, 0)?)?;
    let base = text(&base, "basename")?;
    let number = |at: usize| int(&*session.read(nth(inputs, at)?)?, "number of a shard");
    let name = match node.op {
        "ShardedFilename" => format!("{base}-{:05}-of-{:05}", number(1)?, number(2)?),
        _ => format!("{base}-?????-of-{:05}", number(1)?),
    };
    session.made(of_string(&name)?)
}

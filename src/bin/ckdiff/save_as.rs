//! `ckdiff save-as IN OUT`: writes a checkpoint in another format, in other shards, in part, or under other names.

use std::collections::BTreeSet;

use ckdiff::Error;
use ckdiff::artifact::Artifact;
use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, Format};
use ckdiff::diff::NameFilter;
use ckdiff::graph::object_graph;
use ckdiff::report::human;
use ckdiff::tensor::{Name, Tensor};

use crate::Exit;
use crate::args::SaveAsArgs;
use crate::diagnostics::{self, Diagnostics};
use crate::interrupt;
use crate::merge::existing;
use crate::progress::Bar;

/// Reads a checkpoint and writes a new one.
///
/// # Errors
/// When IN cannot be read or is damaged, the filters leave nothing, or OUT cannot be written; then nothing changes.
pub(crate) fn run(args: &SaveAsArgs) -> Result<Exit, Diagnostics> {
    let artifact = Artifact::open(&args.input)?;
    let checkpoint = artifact.tensors("saved")?;
    let names = NameFilter::new(&args.filter.include, &args.filter.exclude, &args.rename)?;
    let objects = objects(checkpoint, &names)?;
    let mut builder = CheckpointBuilder::select(checkpoint, |name| {
        let is_replaced = objects.is_some() && name.as_bytes() == object_graph::KEY.as_bytes();
        if is_replaced { None } else { new_name(&names, name) }
    })?;
    if builder.is_empty() {
        let why = "the filters leave no tensor to save";
        return Err(Error::usage(why).in_file(checkpoint.path()).into());
    }
    if let Some(objects) = &objects {
        builder.add(object_graph::KEY, objects)?;
    }
    if let Some(shards) = args.shards {
        builder.reshard(shards)?;
    }
    let by_ending = || Format::by_ending(&args.output).unwrap_or(checkpoint.format());
    let format = args.format.unwrap_or_else(by_ending);
    interrupt::install_handler();
    let bar = Bar::new(false);
    builder.write(&args.output, format, existing(&args.existing), &bar)?;
    drop(bar);
    warn_of_metadata(&builder, format);
    Ok(Exit::Same)
}

/// Warns of the metadata that the new checkpoint lacks.
fn warn_of_metadata(builder: &CheckpointBuilder<'_>, format: &Format) {
    let keys = builder.metadata().iter().map(|(key, _)| &**key);
    let mut seen = BTreeSet::new();
    let (first, again): (Vec<_>, Vec<_>) = keys.partition(|key| seen.insert(*key));
    let (lost, what) = if format.keeps_metadata() {
        (again, "only the first shard's value is kept of the metadata".to_owned())
    } else {
        (first, format!("{format} checkpoints cannot store this metadata"))
    };
    if !lost.is_empty() {
        diagnostics::warn(&format!("{what}: {}", human::printable(&lost.join(", "))));
    }
}

/// The name under which a tensor is saved; `None` if it is left out.
fn new_name(names: &NameFilter, name: &Name) -> Option<Name> {
    let new = names.rename(name).unwrap_or_else(|| name.clone());
    names.accepts(&[name, &new]).then_some(new)
}

/// The object graph of a TensorFlow 2 checkpoint with the new keys of its tensors; `None` if there is none, or no key changes.
fn objects(checkpoint: &Checkpoint, names: &NameFilter) -> Result<Option<Tensor>, Error> {
    let key = Name::from(object_graph::KEY);
    let is_unchanged = |name: &Name| new_name(names, name).as_ref() == Some(name);
    if !checkpoint.has_tensor(&key)
        || !is_unchanged(&key)
        || checkpoint.tensors().all(|entry| is_unchanged(&entry.name))
    {
        return Ok(None);
    }
    let stored = checkpoint.get_tensor(&key)?;
    let in_tensor = |error: Error| error.of_tensor(&key).in_file(checkpoint.path());
    let elements = stored.byte_elements().unwrap_or_default();
    let [graph] = elements.as_slice() else {
        let found = format!("{} of shape {}", stored.dtype(), stored.shape());
        let error = Error::unexpected("object graph", found, "a scalar string");
        return Err(in_tensor(error));
    };
    let rename = |key: &[u8]| new_name(names, &Name::from(key)).map(|name| name.as_bytes().into());
    let graph = object_graph::with_keys(graph, rename).map_err(in_tensor)?;
    Tensor::of_strings(stored.shape().clone(), &[&graph]).map(Some)
}

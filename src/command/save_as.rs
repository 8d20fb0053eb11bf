//! `ckdiff save-as IN OUT`: writes a checkpoint in another format, in other shards, in part, or under other names.

use std::collections::BTreeSet;

use crate::artifact::Artifact;
use crate::checkpoint::{CheckpointBuilder, Format};
use crate::diff::NameFilter;
use crate::error::Error;
use crate::graph::object_graph;
use crate::report::human;
use crate::saver::renamed_object_graph;
use crate::tensor::Name;

use crate::command::Exit;
use crate::command::args::SaveAsArgs;
use crate::command::diagnostics::{self, Diagnostics, check_patterns};
use crate::command::interrupt;
use crate::command::progress::Bar;
use crate::command::state_file;

/// Reads a checkpoint and writes a new one.
///
/// # Errors
/// If IN cannot be read or is damaged, the filters leave nothing, or OUT cannot be written; then nothing changes.
pub(crate) fn run(args: &SaveAsArgs) -> Result<Exit, Diagnostics> {
    let artifact = Artifact::open(&args.input)?;
    state_file::warn_of([&artifact]);
    let checkpoint = artifact.tensors("saved")?;
    let names = NameFilter::new(&args.filter.include, &args.filter.exclude, &args.rename)?;
    let all: Vec<_> = checkpoint.tensors().map(|entry| &entry.name).collect();
    check_patterns(&names, &all, args.filter.deny_unused)?;
    let objects = renamed_object_graph(checkpoint, |name| new_name(&names, name))?;
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
    let by_extension = || Format::by_extension(&args.output).unwrap_or(checkpoint.format());
    let format = args.format.unwrap_or_else(by_extension);
    interrupt::install_handler();
    let bar = Bar::new(false);
    builder.write(&args.output, format, args.existing.existing(), &bar)?;
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
        (again, "the shards disagree on this metadata; the first shard's value was kept".to_owned())
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

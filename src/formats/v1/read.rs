//! Reads a V1 checkpoint: one file, or all shards.

use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use crate::limits::Limits;
use crate::magic;
use crate::probe::Probe;

use super::super::Contents;
use super::super::shard_name::of_all_shards;
use super::super::shards::Shards;
use super::merged::Merged;

pub(super) fn read(probe: &Probe, located: &Path, limits: &Limits) -> Result<Contents> {
    // A file name may contain question marks.
    match of_all_shards(located).filter(|_| probe.path() != located || !probe.exists()) {
        Some((stem, count)) => read_shards(located, Shards::new(stem, count), limits),
        None => read_file(probe, limits),
    }
}

fn read_shards(path: &Path, shards: Shards, limits: &Limits) -> Result<Contents> {
    let shards = Arc::new(shards);
    let mut merged = Merged::default();
    for number in 0..shards.count() {
        let shard = shards.path(number);
        let file = shards.lasting(number);
        let added = file.and_then(|file| merged.add(shard.clone(), file, limits));
        let damage =
            added.err().map(|error| magic::other_kind(&Probe::new(&shard)).unwrap_or(error));
        merged.damage.extend(damage);
        if merged.damage.len() > MAX_DAMAGE {
            break;
        }
    }
    if merged.is_empty()
        && let Some(damage) = merged.damage.first()
    {
        return Err(damage.clone());
    }
    Ok(merged.contents(path, limits))
}

pub(super) fn read_file(probe: &Probe, limits: &Limits) -> Result<Contents> {
    let mut merged = Merged::default();
    merged.add(probe.path().to_path_buf(), probe.open()?, limits)?;
    Ok(merged.contents(probe.path(), limits))
}

/// The maximum number of missing or damaged shards; the others are then not opened.
const MAX_DAMAGE: usize = 100;

//! The index of a checkpoint in shards: `*.safetensors.index.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::bytes::{File, ReadAt};
use crate::error::{Error, Result, shortened};
use crate::tensor::Name;

use super::super::shard_name::MAX_SHARDS;
use super::header::MAX_BYTES;
use super::json::{self, Members};
use super::path;

/// A parsed index.
pub(super) struct Index {
    /// The file names of the shards, sorted.
    pub(super) shards: Vec<String>,
    /// For each tensor, the position of its shard in `shards`.
    pub(super) tensors: BTreeMap<Name, Result<u32>>,
}

/// The JSON of an index. Other members, such as the total size, are skipped.
#[derive(Deserialize)]
#[serde(expecting = "an object with a `weight_map`")]
struct Fields {
    weight_map: Members<String>,
}

impl Index {
    /// Reads the index in `file`.
    ///
    /// # Errors
    /// If the file is not an index, is too long, or a shard is not a plain file name.
    pub(super) fn read(file: &dyn ReadAt) -> Result<Self> {
        if file.len() > MAX_BYTES {
            let expected = format!("at most {MAX_BYTES}");
            return Err(Error::unexpected("length of the index", file.len(), expected));
        }
        let mut bytes = vec![0; usize::try_from(file.len()).unwrap_or(usize::MAX)];
        file.read_at(0, &mut bytes)?;
        let Fields { weight_map } = json::parse(json::text(&bytes, 0)?, 0)?;
        let names: BTreeSet<&str> = weight_map.0.iter().map(|(_, shard)| &**shard).collect();
        if names.len() > MAX_SHARDS as usize {
            let expected = format!("at most {MAX_SHARDS}");
            return Err(Error::unexpected("number of shards", names.len(), expected));
        }
        names.iter().try_for_each(|name| check_name(name))?;
        let shards: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let mut tensors = BTreeMap::new();
        for (name, shard) in &weight_map.0 {
            let name = Name::from(name);
            let twice =
                tensors.contains_key(&name).then(|| Error::duplicate("name", name.printable()));
            let number = shards.binary_search(shard).ok().and_then(|at| u32::try_from(at).ok());
            // All shards are in the list, which is short.
            let number = number.unwrap_or_default();
            tensors.insert(name, twice.map_or(Ok(number), Err));
        }
        Ok(Self { shards, tensors })
    }

    /// The error for a tensor in shard `number`; `None` if the index names this shard.
    pub(super) fn misplaced(&self, name: &Name, number: u32) -> Option<Error> {
        let expected = match self.tensors.get(name) {
            Some(Ok(shard)) if *shard == number => return None,
            Some(Ok(shard)) => {
                let shard = self.shards.get(*shard as usize).map_or("another", |shard| shard);
                format!("{}, as the index states", shortened(shard))
            }
            Some(Err(error)) => return Some(error.clone()),
            None => "none, as the index does not list it".into(),
        };
        Some(Error::unexpected("shard of the tensor", "this one", expected))
    }
}

/// The shards of a checkpoint that its index names, and the file of this name.
pub(super) fn claimed(path: &Path) -> Vec<PathBuf> {
    let files = path::files(path);
    if !path::is_index(path) {
        return files;
    }
    let Some(marker) = path::marker(path) else { return Vec::new() };
    let index = File::open(&marker).and_then(|file| Index::read(&file));
    let named = index.map(|index| index.shards).unwrap_or_default();
    let is_named = |file: &PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str());
        *file == marker || name.is_some_and(|name| named.iter().any(|shard| shard == name))
    };
    files.into_iter().filter(is_named).collect()
}

/// Checks that a shard is a sibling of the index, on every system.
fn check_name(name: &str) -> Result<()> {
    let is_plain = !name.contains(['/', '\\', ':', '\0']) && name.ends_with(path::FILE);
    if is_plain {
        return Ok(());
    }
    let expected = "the name of a .safetensors file in the directory of the index";
    Err(Error::unexpected("shard", shortened(name), expected))
}

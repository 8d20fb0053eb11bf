//! The keys of an object-based checkpoint, for graphs that request tensors by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::Checkpoint;
use crate::error::{Error, Result};
use crate::graph::object_graph::{KEY, by_full_name};
use crate::tensor::Name;

/// The keys of an object-based checkpoint, by the TensorFlow 1 names of its variables.
///
/// TensorFlow uses them if a saver that restores by name does not find a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectKeys(Arc<BTreeMap<Name, Name>>);

impl ObjectKeys {
    /// The keys of `checkpoint`; `None` if it is not object-based.
    ///
    /// # Errors
    /// If its object graph cannot be read.
    pub fn of(checkpoint: &Checkpoint) -> Result<Option<Self>> {
        if checkpoint.tensor(KEY).is_none() {
            return Ok(None);
        }
        let tensor = checkpoint.get_tensor(KEY)?;
        let damaged = |error: Error| error.of_tensor(&Name::from(KEY)).in_file(checkpoint.path());
        let graph = match tensor.byte_elements().as_deref() {
            Some(&[graph]) => by_full_name(graph).map_err(damaged)?,
            _ => {
                let found = format!("{} {}", tensor.dtype(), tensor.shape());
                return Err(damaged(Error::unexpected("object graph", found, "one string")));
            }
        };
        let name = |text: &str| Name::from(text.as_bytes());
        let keys = graph.into_iter().filter(|(full_name, _)| !full_name.is_empty());
        Ok(Some(Self(Arc::new(keys.map(|(full, key)| (name(full), name(key))).collect()))))
    }

    /// The key of the variable `name`.
    pub fn get(&self, name: &Name) -> Option<&Name> {
        self.0.get(name)
    }

    /// All names, each with its key, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Name)> {
        self.0.iter()
    }
}

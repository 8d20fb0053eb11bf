//! The keys of an object-based checkpoint, for graphs that request tensors by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::Checkpoint;
use crate::error::{Error, Result};
use crate::graph::object_graph::{KEY, by_full_name, with_keys};
use crate::tensor::{Name, Tensor};

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
        let Some(tensor) = checkpoint.get_message(KEY)? else { return Ok(None) };
        let graph = only_string(&tensor).and_then(by_full_name);
        let graph = graph.map_err(|error| in_object_graph(error, checkpoint))?;
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

/// The object graph of a TensorFlow 2 checkpoint whose tensors get the names that `rename` returns; `None` if there is no object
/// graph, or no name changes. TensorFlow 2 restores by the names in it.
///
/// ```
/// use ckdiff::checkpoint::Checkpoint;
/// use ckdiff::saver::renamed_object_graph;
///
/// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
/// assert!(renamed_object_graph(&checkpoint, |name| Some(name.clone()))?.is_none());
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the object graph cannot be read.
pub fn renamed_object_graph(
    checkpoint: &Checkpoint,
    rename: impl Fn(&Name) -> Option<Name>,
) -> Result<Option<Tensor>> {
    let is_unchanged = |name: &Name| rename(name).as_ref() == Some(name);
    if !is_unchanged(&Name::from(KEY))
        || checkpoint.tensors().all(|entry| is_unchanged(&entry.name))
    {
        return Ok(None);
    }
    let Some(stored) = checkpoint.get_message(KEY)? else { return Ok(None) };
    let new = |key: &[u8]| rename(&Name::from(key)).map(|name| name.as_bytes().into());
    let graph = only_string(&stored).and_then(|graph| with_keys(graph, new));
    let graph = graph.map_err(|error| in_object_graph(error, checkpoint))?;
    Tensor::of_strings(stored.shape().clone(), &[&graph]).map(Some)
}

/// The bytes of a tensor that is one string.
fn only_string(tensor: &Tensor) -> Result<&[u8]> {
    match tensor.byte_elements().as_deref() {
        Some(&[string]) => Ok(string),
        _ => {
            let found = format!("{} of shape {}", tensor.dtype(), tensor.shape());
            Err(Error::unexpected("object graph", found, "one string"))
        }
    }
}

fn in_object_graph(error: Error, checkpoint: &Checkpoint) -> Error {
    error.of_tensor(&Name::from(KEY)).in_file(checkpoint.path())
}

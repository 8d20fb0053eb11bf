//! The full names of variables: the names that they got when they were created, such as `dense/kernel`, which an object graph
//! keeps beside the keys of a checkpoint.

use std::collections::{BTreeMap, BTreeSet};

use super::side_tensors::SideTensors;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::ObjectGraphKind;
use crate::tensor::{Facts, Name, StoredChecksums};

/// The full names of the tensors of one side.
#[derive(Debug, Default)]
pub(super) struct FullNames {
    /// The key of each full name that one variable has.
    keys: BTreeMap<Name, Name>,
    /// The full name of each of these keys.
    of_keys: BTreeMap<Name, Name>,
    /// Keys under which a variable with a full name is saved again, by its key.
    copies: BTreeMap<Name, BTreeSet<Name>>,
}

impl FullNames {
    /// The full names in an object graph; none if it cannot be read.
    pub(super) fn new(graph: &[u8], tensors: SideTensors<'_>) -> Self {
        let Ok(graph) = ObjectGraph::new(ObjectGraphKind::Trackable, graph) else {
            return Self::default();
        };
        let mut all = BTreeMap::<Name, BTreeSet<Name>>::new();
        for attribute in graph.ids().flat_map(|id| graph.attributes(id)) {
            let key = Name::from(attribute.checkpoint_key);
            if !attribute.full_name.is_empty() && tensors.get(&key).is_some() {
                all.entry(Name::from(attribute.full_name)).or_default().insert(key);
            }
        }
        let mut names = Self::default();
        for (full_name, keys) in all {
            let Some(key) = keys.iter().min_by_key(|key| preference(key)).cloned() else {
                continue;
            };
            // Several variables may have one full name. A private list saves variables of the model again.
            let content = content(&key, tensors);
            let is_again = |other: &Name| {
                is_private(other) && content.is_some() && self::content(other, tensors) == content
            };
            if keys.len() > 1
                && (is_private(&key) || keys.iter().any(|other| *other != key && !is_again(other)))
            {
                continue;
            }
            let copies = keys.into_iter().filter(|copy| *copy != key).collect();
            names.copies.insert(key.clone(), copies);
            names.of_keys.insert(key.clone(), full_name.clone());
            names.keys.insert(full_name, key);
        }
        names
    }

    /// Whether the side has full names.
    pub(super) fn is_known(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The key of the only variable with this full name.
    pub(super) fn key(&self, full_name: &Name) -> Option<&Name> {
        self.keys.get(full_name)
    }

    /// The full name of the variable with this key, if no other has it.
    pub(super) fn of_key(&self, key: &Name) -> Option<&Name> {
        self.of_keys.get(key)
    }

    /// The full names, each with its key.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Name, &Name)> {
        self.keys.iter()
    }

    /// The other keys of the variable with this key.
    pub(super) fn copies(&self, key: &Name) -> impl Iterator<Item = &Name> {
        self.copies.get(key).into_iter().flatten()
    }
}

/// Private lists come last; short keys first.
fn preference(key: &Name) -> (bool, usize, &Name) {
    (is_private(key), key.as_bytes().len(), key)
}

/// Whether a key is in a private list, such as `_all_variables` of Keras.
fn is_private(key: &Name) -> bool {
    key.as_bytes().starts_with(b"_")
}

/// What an index says about the content of a tensor; `None` without a checksum.
fn content(key: &Name, tensors: SideTensors<'_>) -> Option<(Facts, StoredChecksums)> {
    let source = tensors.get(key)?.source.as_ref().ok()?;
    Some((Facts::of(source.as_ref()), source.stored_checksums()?))
}

//! Names the layers that came or went with their objects, from the metadata that Keras saves beside a model.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::diff::walk::names::LONGEST;
use crate::diff::{Change, ChangeKind, Detail, KerasLayer};
use crate::message::{fields, string, varint};
use crate::schema::field::keras::{saved_metadata, saved_object};

/// How the identifiers of the metadata of layers and models start.
const LAYERS: &str = "_tf_keras_";

/// The identifier of the metadata of a metric, which starts in the same way.
const METRIC: &str = "_tf_keras_metric";

/// The members of the metadata of a layer that name it.
#[derive(Deserialize)]
struct Named {
    name: String,
    class_name: String,
}

/// States the class and the name of each layer among the objects that came or went. `lhs` and `rhs` are the metadata of the sides, as
/// wire bytes; empty if there are none.
pub(in crate::diff) fn name_layers(lhs: &[u8], rhs: &[u8], changes: &mut [Change]) {
    for (kind, metadata) in [(ChangeKind::Removed, lhs), (ChangeKind::Added, rhs)] {
        let groups = changes.iter_mut().filter(|change| change.kind == kind);
        let groups = groups.filter_map(|change| match &mut change.detail {
            Detail::Objects(group) if change.path.key_in("meta_graphs").is_some() => Some(group),
            _ => None,
        });
        let mut groups = groups.peekable();
        if groups.peek().is_none() {
            continue;
        }
        let layers: BTreeMap<u64, &[u8]> = fields(metadata, saved_metadata::NODES)
            .filter(|object| is_layer(string(object, saved_object::IDENTIFIER)))
            .map(|object| (varint(object, saved_object::NODE_ID).unwrap_or_default(), object))
            .collect();
        for group in groups {
            group.layer = layers.get(&group.node_id).and_then(|object| layer(object));
        }
    }
}

fn is_layer(identifier: &str) -> bool {
    identifier.starts_with(LAYERS) && identifier != METRIC
}

/// The layer that an object is; `None` if its metadata cannot be read.
fn layer(object: &[u8]) -> Option<KerasLayer> {
    let metadata = string(object, saved_object::METADATA);
    let Named { name, class_name: class } = serde_json::from_str(metadata).ok()?;
    (class.len().max(name.len()) <= LONGEST).then_some(KerasLayer { class, name })
}

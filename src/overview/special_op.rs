//! The ops that a loader runs for a purpose.

use serde::Serialize;

use super::signature::Signature;
use crate::message::{nested, strings};
use crate::meta_graph::{OpPurpose, named_by_collection, named_by_signature};
use crate::schema::field::collection_def;

/// An op with a purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpecialOp {
    /// Its purpose.
    #[serde(rename = "role")]
    pub purpose: OpPurpose,
    /// Its name.
    #[serde(rename = "op")]
    pub name: String,
    /// The collection or signature that names it.
    #[serde(rename = "told_by")]
    pub named_by: &'static str,
}

impl SpecialOp {
    /// The ops that a collection names.
    pub(super) fn of_collection(name: &str, collection: &[u8]) -> Vec<Self> {
        let Some((named_by, purpose)) = named_by_collection(name) else { return Vec::new() };
        let nodes = nested(collection, collection_def::NODE_LIST);
        let names = strings(nodes, collection_def::node_list::VALUE);
        names.map(|name| Self { purpose, name: name.to_owned(), named_by }).collect()
    }

    /// The op that a signature names.
    pub(super) fn of_signature(signature: &Signature) -> Option<Self> {
        let (named_by, purpose) = named_by_signature(&signature.name)?;
        let tensor = signature.outputs.iter().find_map(|output| output.tensors.first())?;
        Some(Self { purpose, name: tensor.clone(), named_by })
    }
}

impl Signature {
    /// Whether the signature only names an op, and cannot be called.
    pub fn names_op(&self) -> bool {
        named_by_signature(&self.name).is_some()
    }
}

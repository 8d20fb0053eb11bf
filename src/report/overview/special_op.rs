//! The ops that a loader runs by their role.

use serde::Serialize;

use super::signature::Signature;
use crate::message::{nested, strings};
use crate::schema::field::collection_def;

/// Collections that name an op, as TensorFlow 1 writes them.
const COLLECTIONS: &[(&str, OpRole)] = &[
    ("saved_model_main_op", OpRole::Main),
    ("legacy_init_op", OpRole::LegacyInit),
    ("saved_model_train_op", OpRole::Train),
];

/// Signatures that name an op in their output, as TensorFlow 2 writes them.
const SIGNATURES: &[(&str, OpRole)] =
    &[("__saved_model_init_op", OpRole::Init), ("__saved_model_train_op", OpRole::Train)];

/// An op with a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpecialOp {
    /// Its role.
    pub role: OpRole,
    /// Its name.
    #[serde(rename = "op")]
    pub name: String,
    /// The collection or signature that names it.
    #[serde(rename = "told_by")]
    pub named_by: &'static str,
}

/// The role of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum OpRole {
    /// Runs after the variables are restored; named by a collection of TensorFlow 1.
    #[serde(rename = "main_op")]
    Main,
    /// Like the main op, under the older name of the collection. If both are given, only the main op runs.
    #[serde(rename = "legacy_init_op")]
    LegacyInit,
    /// Like the main op, named by a signature.
    #[serde(rename = "init_op")]
    Init,
    /// Trains one step.
    #[serde(rename = "train_op")]
    Train,
}

impl SpecialOp {
    /// The ops that a collection names.
    pub(super) fn of_collection(name: &str, collection: &[u8]) -> Vec<Self> {
        let Some(&(named_by, role)) = COLLECTIONS.iter().find(|(known, _)| *known == name) else {
            return Vec::new();
        };
        let nodes = nested(collection, collection_def::NODE_LIST);
        let names = strings(nodes, collection_def::node_list::VALUE);
        names.map(|name| Self { role, name: name.to_owned(), named_by }).collect()
    }

    /// The op that a signature names.
    pub(super) fn of_signature(signature: &Signature) -> Option<Self> {
        let &(named_by, role) = SIGNATURES.iter().find(|(name, _)| *name == signature.name)?;
        let tensor = signature.outputs.iter().find_map(|output| output.tensors.first())?;
        Some(Self { role, name: tensor.clone(), named_by })
    }
}

impl Signature {
    /// Whether the signature only names an op, and cannot be called.
    pub fn names_op(&self) -> bool {
        SIGNATURES.iter().any(|(name, _)| *name == self.name)
    }
}

//! The ops that a loader runs by the role they have.

use serde::Serialize;

use super::records::{decode, key, value};
use super::signature::Signature;
use crate::error::Result;
use crate::schema::tensorflow::{self, collection_def::Kind};

/// Collections that name an op, as TensorFlow 1 wrote them.
const COLLECTIONS: &[(&str, OpRole)] = &[
    ("saved_model_main_op", OpRole::Main),
    ("legacy_init_op", OpRole::LegacyInit),
    ("saved_model_train_op", OpRole::Train),
];

/// Signatures that name an op in their output, as TensorFlow 2 writes them.
const SIGNATURES: &[(&str, OpRole)] =
    &[("__saved_model_init_op", OpRole::Init), ("__saved_model_train_op", OpRole::Train)];

/// An op that has a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpecialOp {
    /// What it is for.
    pub role: OpRole,
    /// Its name.
    #[serde(rename = "op")]
    pub name: String,
    /// The collection or signature that says so.
    pub told_by: &'static str,
}

/// What an op is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum OpRole {
    /// It is run once the variables are restored: by a collection of TensorFlow 1.
    #[serde(rename = "main_op")]
    Main,
    /// As the main op, by the older name of the collection; where both are given, it is the main op that runs.
    #[serde(rename = "legacy_init_op")]
    LegacyInit,
    /// As the main op, by a signature.
    #[serde(rename = "init_op")]
    Init,
    /// It trains one step.
    #[serde(rename = "train_op")]
    Train,
}

impl SpecialOp {
    /// Those that an entry of `collection_def` names.
    pub(super) fn of_collection(entry: &[u8]) -> Result<Vec<Self>> {
        let key = key(entry)?;
        let Some(&(told_by, role)) = COLLECTIONS.iter().find(|(name, _)| *name == key) else {
            return Ok(Vec::new());
        };
        let collection: tensorflow::CollectionDef = decode(value(entry)?)?;
        let Some(Kind::NodeList(list)) = collection.kind else { return Ok(Vec::new()) };
        Ok(list.value.into_iter().map(|name| Self { role, name, told_by }).collect())
    }

    /// The one that a signature names.
    pub(super) fn of_signature(signature: &Signature) -> Option<Self> {
        let &(told_by, role) = SIGNATURES.iter().find(|(name, _)| *name == signature.name)?;
        let tensor = signature.outputs.iter().find_map(|output| output.tensors.first())?;
        Some(Self { role, name: tensor.clone(), told_by })
    }
}

impl Signature {
    /// Whether it is there only to name an op, and not to be called.
    pub fn names_op(&self) -> bool {
        SIGNATURES.iter().any(|(name, _)| *name == self.name)
    }
}

//! The ops that a loader runs for a purpose, and where a meta graph names them.

use serde::Serialize;

/// The purpose of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum OpPurpose {
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

/// What names an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// The only item of the collection with this name, as TensorFlow 1 writes it.
    Collection(&'static str),
    /// The output of the signature with this name, as TensorFlow 2 writes it. The output has the same name.
    Signature(&'static str),
}

/// The collection in which a builder names the main op.
pub(crate) const MAIN_OP: &str = "saved_model_main_op";

/// Whatever may name an op. If several name one for the same purpose, the first counts.
pub(crate) const SPECIAL_OPS: [(NamedBy, OpPurpose); 5] = [
    (NamedBy::Signature("__saved_model_init_op"), OpPurpose::Init),
    (NamedBy::Collection(MAIN_OP), OpPurpose::Main),
    (NamedBy::Collection("legacy_init_op"), OpPurpose::LegacyInit),
    (NamedBy::Signature("__saved_model_train_op"), OpPurpose::Train),
    (NamedBy::Collection("saved_model_train_op"), OpPurpose::Train),
];

impl OpPurpose {
    /// Whether the op runs after the variables are restored.
    pub(crate) fn initializes(self) -> bool {
        self != Self::Train
    }
}

/// The purpose of the op that a collection names, and the name of the collection.
pub(crate) fn named_by_collection(name: &str) -> Option<(&'static str, OpPurpose)> {
    SPECIAL_OPS.into_iter().find_map(|(by, purpose)| match by {
        NamedBy::Collection(known) if known == name => Some((known, purpose)),
        _ => None,
    })
}

/// The purpose of the op that a signature names, and the name of the signature. Such a signature cannot be called.
pub(crate) fn named_by_signature(name: &str) -> Option<(&'static str, OpPurpose)> {
    SPECIAL_OPS.into_iter().find_map(|(by, purpose)| match by {
        NamedBy::Signature(known) if known == name => Some((known, purpose)),
        _ => None,
    })
}

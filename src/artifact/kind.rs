//! The kinds of artifacts.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::schema::MessageType;

/// The kind of an artifact, as reports name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactKind {
    /// A checkpoint.
    Checkpoint,
    /// A meta graph.
    MetaGraph,
    /// A graph.
    Graph,
    /// A SavedModel.
    SavedModel,
    /// Another message, by the common name of its type.
    Message(Cow<'static, str>),
}

/// The message types of TensorFlow's files, with their common names.
pub(super) const KNOWN: &[(&str, ArtifactKind)] = &[
    ("tensorflow.MetaGraphDef", ArtifactKind::MetaGraph),
    ("tensorflow.GraphDef", ArtifactKind::Graph),
    ("tensorflow.SavedModel", ArtifactKind::SavedModel),
    ("tensorflow.SaverDef", other("saver")),
    ("tensorflow.CheckpointState", other("state file")),
    ("tensorflow.TensorProto", other("tensor")),
    ("tensorflow.FunctionDefLibrary", other("function library")),
    ("tensorflow.OpList", other("op list")),
    ("tensorflow.NodeDef", other("node")),
    ("tensorflow.VariableDef", other("variable")),
    ("tensorflow.FunctionDef", other("function")),
    ("tensorflow.OpDef", other("op definition")),
    ("tensorflow.SignatureDef", other("signature")),
    ("tensorflow.TrackableObjectGraph", other("object graph")),
    ("tensorflow.SavedObjectGraph", other("saved object graph")),
    ("tensorflow.StructuredValue", other("structured value")),
    ("tensorflow.FingerprintDef", other("fingerprint")),
    ("tensorflow.GraphDebugInfo", other("graph debug info")),
    ("tensorflow.VersionDef", other("version")),
];

const fn other(name: &'static str) -> ArtifactKind {
    ArtifactKind::Message(Cow::Borrowed(name))
}

impl ArtifactKind {
    /// The kind of a message of this type, by its common name, or else by its own.
    pub(super) fn of_message(ty: &MessageType) -> Self {
        let known = KNOWN.iter().find(|(name, _)| **name == *ty.full_name);
        let own = || Self::Message(ty.name().to_owned().into());
        known.map_or_else(own, |(_, kind)| kind.clone())
    }

    /// The name, such as `meta graph`.
    pub fn name(&self) -> &str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::MetaGraph => "meta graph",
            Self::Graph => "graph",
            Self::SavedModel => "SavedModel",
            Self::Message(name) => name,
        }
    }

    /// The name with its article, such as `an op list`.
    pub fn with_article(&self) -> String {
        let is_vowel = self.name().starts_with(['a', 'e', 'i', 'o', 'u']);
        format!("{} {self}", if is_vowel { "an" } else { "a" })
    }
}

impl fmt::Display for ArtifactKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for ArtifactKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

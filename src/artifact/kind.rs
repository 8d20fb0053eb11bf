//! The kinds of artifacts.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::error::with_article;
use crate::schema::{KnownType, MessageType};

/// The kind of an artifact, as reports name it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArtifactKind {
    /// A checkpoint.
    Checkpoint,
    /// A message of a known type, or a SavedModel's directory.
    Known(KnownType),
    /// A message of another type, by the name of the type.
    Other(String),
}

impl ArtifactKind {
    /// The kind of a message of this type.
    pub(super) fn of_message(ty: &MessageType) -> Self {
        ty.known.map_or_else(|| Self::Other(ty.name().to_owned()), Self::Known)
    }

    /// The kind with this name.
    pub(crate) fn by_name(name: String) -> Self {
        let known = |known: &KnownType| known.common_name() == name;
        match KnownType::ALL.iter().copied().find(known) {
            _ if name == Self::Checkpoint.name() => Self::Checkpoint,
            Some(known) => Self::Known(known),
            None => Self::Other(name),
        }
    }

    /// The name, such as `meta graph`.
    pub fn name(&self) -> &str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::Known(known) => known.common_name(),
            Self::Other(name) => name,
        }
    }

    /// Whether it is a graph, or may have graphs.
    pub(crate) fn has_graph(&self) -> bool {
        use KnownType::{GraphDef, MetaGraphDef, SavedModel};
        matches!(self, Self::Checkpoint | Self::Known(GraphDef | MetaGraphDef | SavedModel))
    }

    /// The name with its article, such as `an op list`.
    pub fn with_article(&self) -> String {
        with_article(self.name())
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

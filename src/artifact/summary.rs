//! An artifact, as reports describe it.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

use super::{Artifact, ArtifactKind, UnreadFiles};
use crate::checkpoint::Checkpoint;
use crate::error::Result;
use crate::serial::{self, Json, Object, Read};

/// An artifact, as reports describe it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArtifactSummary {
    /// The path that the user gave.
    #[serde(serialize_with = "serial::path")]
    pub path: PathBuf,
    /// The kind of artifact.
    pub kind: ArtifactKind,
    /// The format, such as `V2`.
    pub format: Cow<'static, str>,
    /// Whether the data is available; without it, tensors are compared by the checksums in the index.
    pub has_data: bool,
    /// Whether the format of the tensors has checksums.
    #[serde(rename = "checksum", skip_serializing_if = "is_true", serialize_with = "none")]
    pub has_checksums: bool,
    /// The files in the directory of a SavedModel that are not compared.
    #[serde(skip_serializing_if = "UnreadFiles::is_empty")]
    pub not_compared: UnreadFiles,
}

fn is_true(value: &bool) -> bool {
    *value
}

/// The value of `checksum` in a report for a format without checksums.
pub(crate) const NO_CHECKSUM: &str = "none";

/// Writes that a format has no checksums.
fn none<S: Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(NO_CHECKSUM)
}

/// A summary in a saved report.
impl<'r> Read<'r> for ArtifactSummary {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self {
            path: object.get::<String>("path")?.into(),
            kind: ArtifactKind::by_name(object.get("kind")?),
            format: Cow::Owned(object.get("format")?),
            has_data: object.get("has_data")?,
            has_checksums: object.optional::<String>("checksum")?.is_none(),
            not_compared: object.optional("not_compared")?.unwrap_or_default(),
        })
    }
}

impl Artifact<'_> {
    /// The artifact, as reports describe it.
    pub fn summary(&self) -> ArtifactSummary {
        let checkpoint = self.checkpoint();
        ArtifactSummary {
            path: self.path().to_path_buf(),
            kind: self.kind().clone(),
            format: self.format().into(),
            has_data: checkpoint.is_none_or(Checkpoint::has_data),
            // Content in memory needs none.
            has_checksums: checkpoint
                .is_none_or(|found| found.is_in_memory() || found.format().checksum.is_some()),
            not_compared: self.files().unread.clone(),
        }
    }
}

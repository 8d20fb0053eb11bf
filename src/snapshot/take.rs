//! Takes the snapshot of an artifact.

use std::collections::BTreeMap;

use super::structure::{AssetDigest, Body, Snapshot};
use super::{Redactions, parse, print, redact, variable};
use crate::artifact::Artifact;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::schema::{KnownType, Schema};

impl Snapshot {
    /// The structure of an artifact. Of variables, only the index is read; assets are read as a whole.
    ///
    /// # Errors
    /// If the artifact has a message of a type that the built-in schema does not have, or an asset or the index cannot be read.
    pub fn new(artifact: &Artifact<'_>, redactions: &Redactions) -> Result<Self> {
        let mut assets = BTreeMap::new();
        for (name, asset) in &artifact.files().assets {
            let sha256 = asset.sha256()?;
            assets.insert(name.clone(), AssetDigest { bytes: asset.bytes(), sha256 });
        }
        let variables = artifact.checkpoint().map(variable::of_checkpoint).transpose()?;
        let body = match artifact.message() {
            Some(document) => {
                body(document.message()).map_err(|error| error.in_file(document.path()))?
            }
            None => Body::Nothing,
        };
        let kind = artifact.kind().clone();
        let redactions = redactions.clone();
        let mut snapshot = Self { redactions, kind, variables, assets, body };
        redact::redact(&mut snapshot)?;
        Ok(snapshot)
    }
}

/// The message in the form of its type.
fn body(message: &Message<'_>) -> Result<Body> {
    Ok(match message.ty().known {
        Some(KnownType::GraphDef) => Body::Graph(Box::new(message.to_typed()?)),
        Some(KnownType::MetaGraphDef) => Body::MetaGraph(Box::new(message.to_typed()?)),
        Some(KnownType::SavedModel) => Body::SavedModel(Box::new(message.to_typed()?)),
        _ => {
            let name = message.ty().full_name.to_string();
            if Schema::tensorflow().message(&name).is_none() {
                let why = format!("a snapshot is of a message of TensorFlow, found {name}");
                return Err(Error::unsupported(why));
            }
            // Text has no unknown fields, and one NaN.
            let bytes = parse::other(&name, &print::other(&name, message.bytes())?)?;
            Body::Other(name, bytes)
        }
    })
}

//! The directory of a SavedModel, except for its graphs.

use serde::{Serialize, Serializer};

use super::records::decode;
use crate::artifact::{Artifact, Document, SavedModelPart, layout};
use crate::checkpoint::Listing;
use crate::error::{Error, Result};
use crate::schema::KnownType;
use crate::schema::tensorflow;
use crate::serial::{self, object};

/// The other files in the directory of a SavedModel.
#[derive(Debug, Clone, Serialize)]
pub struct Directory {
    /// Its variables; `None` where it has no checkpoint.
    #[serde(serialize_with = "variables")]
    pub variables: Option<Listing>,
    /// The files in `assets` and `assets.extra`, by path.
    pub files: Vec<DirectoryFile>,
    /// Its hashes, if it has any.
    pub fingerprint: Option<Fingerprint>,
    /// The parts that cannot be read, with their errors.
    #[serde(rename = "damage", serialize_with = "errors")]
    pub failed: Vec<(SavedModelPart, Error)>,
}

/// A file in the directory of a SavedModel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DirectoryFile {
    /// Its path in the directory, such as `assets/vocabulary.txt`.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

/// The hashes of a SavedModel, recorded when it was saved.
///
/// In JSON they are strings, as in protobuf's JSON, since many readers lose digits of 64-bit numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Fingerprint {
    /// The hash of the file with its graphs.
    #[serde(serialize_with = "serial::text")]
    pub saved_model_checksum: u64,
    /// The hash of the nodes of its first graph, without the counters in names.
    #[serde(serialize_with = "serial::text")]
    pub graph_def_program_hash: u64,
    /// The hash of its signatures.
    #[serde(serialize_with = "serial::text")]
    pub signature_def_hash: u64,
    /// The hash of its object graph.
    #[serde(serialize_with = "serial::text")]
    pub saved_object_graph_hash: u64,
    /// The hash of the index of its variables.
    #[serde(serialize_with = "serial::text")]
    pub checkpoint_hash: u64,
    /// A random id; empty where it has none.
    pub uuid: String,
}

/// Writes a checkpoint without its path, which the directory determines.
fn variables<S: Serializer>(variables: &Option<Listing>, serializer: S) -> Result<S::Ok, S::Error> {
    let variables = variables.as_ref().map(|listing| {
        object! {
            format: listing.format,
            parameters: listing.parameters(),
            bytes: listing.bytes(),
            tensors: &listing.tensors,
            damage: &listing.damage,
        }
    });
    variables.serialize(serializer)
}

fn errors<S: Serializer>(
    parts: &[(SavedModelPart, Error)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(parts.iter().map(|(_, error)| error))
}

impl Directory {
    /// Lists the files of a SavedModel.
    pub(super) fn new(artifact: &Artifact<'_>) -> Self {
        let files = artifact.files();
        let file = |(path, asset): (&String, &crate::artifact::Asset)| DirectoryFile {
            path: path.clone(),
            bytes: asset.bytes(),
        };
        let mut failed = artifact.failed_parts().to_vec();
        let print = files.fingerprint.as_ref().map(Fingerprint::new);
        let fingerprint = print.transpose().unwrap_or_else(|error| {
            failed.push((SavedModelPart::Fingerprint, error));
            None
        });
        Self {
            variables: artifact.checkpoint().map(Listing::with_presence),
            files: files.assets.iter().map(file).collect(),
            fingerprint,
            failed,
        }
    }

    /// The errors of a part.
    pub fn errors_of(&self, part: SavedModelPart) -> impl Iterator<Item = &Error> {
        self.failed.iter().filter(move |(other, _)| *other == part).map(|(_, error)| error)
    }

    /// The size of an asset; `None` where its file is missing.
    pub(super) fn asset(&self, filename: &str) -> Option<u64> {
        let path = format!("{}/{filename}", layout::ASSETS);
        let at = self.files.binary_search_by(|file| file.path.cmp(&path)).ok()?;
        self.files.get(at).map(|file| file.bytes)
    }

    /// The errors of all parts, and the damage of the variables.
    pub fn damage(&self) -> impl Iterator<Item = &Error> {
        let variables = self.variables.iter().flat_map(Listing::errors);
        self.failed.iter().map(|(_, error)| error).chain(variables)
    }
}

impl Fingerprint {
    fn new(document: &Document<'_>) -> Result<Self> {
        let message = document.message();
        if message.ty().known != Some(KnownType::FingerprintDef) {
            let expected = KnownType::FingerprintDef.full_name();
            let error = Error::unexpected("message", &message.ty().full_name, expected);
            return Err(error.in_file(document.path()));
        }
        let print: tensorflow::FingerprintDef =
            decode(message.bytes()).map_err(|error| error.in_file(document.path()))?;
        Ok(Self {
            saved_model_checksum: print.saved_model_checksum,
            graph_def_program_hash: print.graph_def_program_hash,
            signature_def_hash: print.signature_def_hash,
            saved_object_graph_hash: print.saved_object_graph_hash,
            checkpoint_hash: print.checkpoint_hash,
            uuid: print.uuid,
        })
    }
}

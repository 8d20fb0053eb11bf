//! What lies beside the graphs of a SavedModel.

use serde::Serialize;

use crate::report::json::listing::RowOut;
use crate::report::{Directory, DirectoryFile, Fingerprint, Listing};

#[derive(Serialize)]
pub(super) struct DirectoryOut<'a> {
    variables: Option<VariablesOut<'a>>,
    files: Vec<FileOut<'a>>,
    fingerprint: Option<FingerprintOut<'a>>,
    damage: Vec<String>,
}

#[derive(Serialize)]
struct VariablesOut<'a> {
    format: &'static str,
    parameters: u64,
    bytes: u64,
    tensors: Vec<RowOut<'a>>,
    damage: Vec<String>,
}

#[derive(Serialize)]
struct FileOut<'a> {
    path: &'a str,
    bytes: u64,
}

/// Numbers of 64 bits, which many readers of JSON do not keep, are text here, as protobuf has them.
#[derive(Serialize)]
struct FingerprintOut<'a> {
    saved_model_checksum: String,
    graph_def_program_hash: String,
    signature_def_hash: String,
    saved_object_graph_hash: String,
    checkpoint_hash: String,
    uuid: &'a str,
}

impl<'a> DirectoryOut<'a> {
    pub(super) fn new(directory: &'a Directory) -> Self {
        let file = |file: &'a DirectoryFile| FileOut { path: &file.path, bytes: file.bytes };
        Self {
            variables: directory.variables.as_ref().map(VariablesOut::new),
            files: directory.files.iter().map(file).collect(),
            fingerprint: directory.fingerprint.as_ref().map(FingerprintOut::new),
            damage: directory.unread.iter().map(|(_, error)| error.to_string()).collect(),
        }
    }
}

impl<'a> VariablesOut<'a> {
    fn new(variables: &'a Listing) -> Self {
        Self {
            format: variables.format,
            parameters: variables.parameters(),
            bytes: variables.bytes(),
            tensors: variables.tensors.iter().map(RowOut::new).collect(),
            damage: variables.damage.iter().map(ToString::to_string).collect(),
        }
    }
}

impl<'a> FingerprintOut<'a> {
    fn new(print: &'a Fingerprint) -> Self {
        Self {
            saved_model_checksum: print.saved_model_checksum.to_string(),
            graph_def_program_hash: print.graph_def_program_hash.to_string(),
            signature_def_hash: print.signature_def_hash.to_string(),
            saved_object_graph_hash: print.saved_object_graph_hash.to_string(),
            checkpoint_hash: print.checkpoint_hash.to_string(),
            uuid: &print.uuid,
        }
    }
}

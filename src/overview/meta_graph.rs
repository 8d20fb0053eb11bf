//! The summary of a meta graph.

use prost::Message as _;
use serde::Serialize;

use super::callable::{Callable, ConcreteFunction, callables, concrete_functions};
use super::graph::Graph;
use super::records::decode;
use super::signature::Signature;
use super::special_op::SpecialOp;
use crate::error::{Error, Result};
use crate::graph::node_of;
use crate::message::{fields, nested};
use crate::meta_graph::{Parts, TRAINABLE, assets_in};
use crate::schema::field::{collection_def, saved_object_graph};
use crate::schema::tensorflow;
use crate::serial;

/// The summary of a meta graph.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MetaGraph {
    /// Its tags, such as `serve`.
    pub tags: Vec<String>,
    /// The version that its author gave it.
    pub meta_graph_version: String,
    /// The version of TensorFlow that wrote it.
    pub tensorflow_version: String,
    /// The commit of that version.
    pub tensorflow_git_version: String,
    /// Whether attributes with default values were left out.
    pub stripped_default_attrs: bool,
    /// Its graph.
    pub graph: Graph,
    /// Its signatures, by name.
    pub signatures: Vec<Signature>,
    /// Its collections, by name.
    pub collections: Vec<Collection>,
    /// Its saver.
    pub saver: Option<Saver>,
    /// Its assets.
    pub assets: Vec<Asset>,
    /// Why its assets cannot be read; TensorFlow does not load such a graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assets_error: Option<Error>,
    /// The number of objects in its object graph; `None` where it has none.
    pub objects: Option<u64>,
    /// The ops with a purpose in loading or training.
    pub special_ops: Vec<SpecialOp>,
    /// The functions of its objects: those of the root by name, then the others by path.
    pub callables: Vec<Callable>,
    /// The concrete functions of these functions, by name.
    pub concrete_functions: Vec<ConcreteFunction>,
}

/// A collection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// The kind of its list, such as `node_list`; `None` for an empty one.
    pub kind: Option<&'static str>,
    /// The number of items.
    pub items: u64,
}

/// A saver.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Saver {
    /// The format that it writes, such as `V2`.
    pub format: &'static str,
    /// The number of checkpoints that it keeps; 0 for all.
    pub max_to_keep: i32,
    /// Whether it writes a shard for each device.
    pub sharded: bool,
    /// The interval in hours at which it keeps a checkpoint for good.
    #[serde(serialize_with = "serial::float")]
    pub keep_checkpoint_every_n_hours: f32,
    /// The tensor to which the name of the file is fed.
    pub filename_tensor: String,
    /// The tensor that saves.
    pub save_tensor: String,
    /// The op that restores.
    pub restore_op: String,
}

/// An asset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asset {
    /// The name of its file in the directory `assets`.
    pub filename: String,
    /// The tensor to which its path is fed.
    pub tensor: String,
    /// Whether its file exists; `None` if the graph was not read from the directory of a SavedModel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_there: Option<bool>,
    /// The size of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl MetaGraph {
    /// Summarizes a `MetaGraphDef`.
    pub(super) fn new(bytes: &[u8]) -> Result<Self> {
        let parts = Parts::of_bytes(bytes);
        let mut found =
            Self { graph: Graph::new(parts.graph.unwrap_or_default())?, ..Self::default() };
        let aliases = found.describe(decode(parts.info)?);
        found.saver = parts.saver.map(decode).transpose()?.map(Saver::new);
        for (name, collection) in &parts.collections {
            found.collections.push(Collection::new(name, decode(collection.def)?));
            found.special_ops.extend(SpecialOp::of_collection(name, collection.def));
        }
        for (name, (_, signature)) in &parts.signatures {
            found.signatures.push(Signature::new(name, signature)?);
        }
        if let Some(objects) = parts.objects {
            found.objects = Some(fields(objects, saved_object_graph::NODES).count() as u64);
            found.callables = callables(objects)?;
            found.concrete_functions = concrete_functions(objects)?;
        }
        match assets_in(bytes) {
            Ok(assets) => found.assets = assets.into_iter().map(Asset::new).collect(),
            Err(error) => found.assets_error = Some(error),
        }
        found.special_ops.extend(found.signatures.iter().filter_map(SpecialOp::of_signature));
        found.graph.name_aliases(&aliases);
        if let Some(trainable) = parts.collections.get(TRAINABLE).map(|list| names_in(list.def)) {
            for variable in &mut found.graph.variables {
                variable.trainable = Some(trainable.binary_search(&variable.name).is_ok());
            }
        }
        Ok(found)
    }

    /// The concrete function with this name.
    pub fn concrete_function(&self, name: &str) -> Option<&ConcreteFunction> {
        let order = |function: &ConcreteFunction| function.name.as_str().cmp(name);
        let at = self.concrete_functions.binary_search_by(order).ok()?;
        self.concrete_functions.get(at)
    }

    /// Reads a `MetaInfoDef`; returns the functions that have an alias, with the alias.
    fn describe(
        &mut self,
        described: tensorflow::meta_graph_def::MetaInfoDef,
    ) -> Vec<(String, String)> {
        self.tags = described.tags;
        self.meta_graph_version = described.meta_graph_version;
        self.tensorflow_version = described.tensorflow_version;
        self.tensorflow_git_version = described.tensorflow_git_version;
        self.stripped_default_attrs = described.stripped_default_attrs;
        described.function_aliases.into_iter().collect()
    }
}

/// The nodes of the variables in a collection, sorted.
fn names_in(collection: &[u8]) -> Vec<String> {
    let list = nested(collection, collection_def::BYTES_LIST);
    // An item that is not a `VariableDef` names no variable.
    let variables = fields(list, collection_def::bytes_list::VALUE)
        .filter_map(|bytes| tensorflow::VariableDef::decode(bytes).ok());
    let mut names: Vec<_> =
        variables.map(|variable| node_of(&variable.variable_name).to_owned()).collect();
    names.sort_unstable();
    names
}

impl Saver {
    fn new(saver: tensorflow::SaverDef) -> Self {
        Self {
            format: match saver.version() {
                tensorflow::saver_def::CheckpointFormatVersion::Legacy => "legacy",
                version => version.as_str_name(),
            },
            max_to_keep: saver.max_to_keep,
            sharded: saver.sharded,
            keep_checkpoint_every_n_hours: saver.keep_checkpoint_every_n_hours,
            filename_tensor: saver.filename_tensor_name,
            save_tensor: saver.save_tensor_name,
            restore_op: saver.restore_op_name,
        }
    }
}

impl Collection {
    fn new(name: &str, collection: tensorflow::CollectionDef) -> Self {
        use tensorflow::collection_def::Kind;
        let (kind, items) = match collection.kind {
            Some(Kind::NodeList(list)) => (Some("node_list"), list.value.len()),
            Some(Kind::BytesList(list)) => (Some("bytes_list"), list.value.len()),
            Some(Kind::Int64List(list)) => (Some("int64_list"), list.value.len()),
            Some(Kind::FloatList(list)) => (Some("float_list"), list.value.len()),
            Some(Kind::AnyList(list)) => (Some("any_list"), list.value.len()),
            None => (None, 0),
        };
        Self { name: name.to_owned(), kind, items: items as u64 }
    }
}

impl Asset {
    fn new(asset: tensorflow::AssetFileDef) -> Self {
        let tensor = match asset.tensor_info.and_then(|tensor| tensor.encoding) {
            Some(tensorflow::tensor_info::Encoding::Name(name)) => name,
            _ => String::new(),
        };
        Self { filename: asset.filename, tensor, is_there: None, bytes: None }
    }
}

//! A meta graph at a glance.

use prost::Message as _;
use serde::Serialize;

use super::callable::{Callable, ConcreteFunction, callables, concrete_functions};
use super::graph::Graph;
use super::records::{content, decode, key, nested};
use super::signature::Signature;
use super::special_op::SpecialOp;
use crate::error::{Error, Result};
use crate::message::Records;
use crate::meta_graph::assets_in;
use crate::schema::field::{map_entry, meta_graph_def, saved_object_graph};
use crate::schema::tensorflow;
use crate::serial;

/// A meta graph at a glance.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MetaGraph {
    /// What it is for, as `serve`.
    pub tags: Vec<String>,
    /// The version that its user gave it.
    pub meta_graph_version: String,
    /// The TensorFlow that wrote it.
    pub tensorflow_version: String,
    /// The commit of that.
    pub tensorflow_git_version: String,
    /// Whether attributes with default values were left out.
    pub stripped_default_attrs: bool,
    /// Its graph.
    pub graph: Graph,
    /// Its signatures, by name.
    pub signatures: Vec<Signature>,
    /// Its collections, by name.
    pub collections: Vec<Collection>,
    /// What saves and restores it.
    pub saver: Option<Saver>,
    /// Its assets.
    pub assets: Vec<Asset>,
    /// Why they cannot be told, where something else stands among them: TensorFlow does not load such a graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assets_error: Option<Error>,
    /// Objects in the object graph; `None` where there is none.
    pub objects: Option<u64>,
    /// The ops to run after it is loaded, and while it is trained.
    pub special_ops: Vec<SpecialOp>,
    /// The functions of its objects: those of the root by name, then the others by path.
    pub callables: Vec<Callable>,
    /// What those are made of, by name.
    pub concrete_functions: Vec<ConcreteFunction>,
}

/// A collection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// What it lists, as `node_list`; `None` for one that lists nothing.
    pub kind: Option<&'static str>,
    /// How many.
    pub items: u64,
}

/// A saver.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Saver {
    /// The format it writes, as `V2`.
    pub format: &'static str,
    /// How many checkpoints it keeps; 0 for all.
    pub max_to_keep: i32,
    /// Whether it writes a shard for each device.
    pub sharded: bool,
    /// Hours after which it keeps one more for good.
    #[serde(serialize_with = "serial::float")]
    pub keep_checkpoint_every_n_hours: f32,
    /// The tensor that takes the file's name.
    pub filename_tensor: String,
    /// The tensor that saves.
    pub save_tensor: String,
    /// The op that restores.
    pub restore_op: String,
}

/// An asset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asset {
    /// Its name in the folder `assets`.
    pub filename: String,
    /// The tensor that takes its path.
    pub tensor: String,
    /// Whether its file exists; `None` of a graph that was not read from the directory of a SavedModel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_there: Option<bool>,
    /// The size of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl MetaGraph {
    /// Looks through a `MetaGraphDef`.
    pub(super) fn new(bytes: &[u8]) -> Result<Self> {
        let mut found = Self::default();
        let mut aliases = Vec::new();
        for record in Records::new(bytes, 0) {
            let record = record?;
            let content = content(&record);
            match record.number {
                meta_graph_def::META_INFO_DEF => aliases = found.describe(decode(content)?),
                meta_graph_def::GRAPH_DEF => found.graph = Graph::new(content)?,
                meta_graph_def::SAVER_DEF => found.saver = Some(Saver::new(decode(content)?)),
                meta_graph_def::COLLECTION_DEF => {
                    found.collections.push(Collection::new(content)?);
                    found.special_ops.extend(SpecialOp::of_collection(content)?);
                }
                meta_graph_def::SIGNATURE_DEF => found.signatures.push(Signature::new(content)?),
                meta_graph_def::OBJECT_GRAPH_DEF => {
                    found.objects = Some(nested(content, saved_object_graph::NODES).count() as u64);
                    found.callables = callables(content)?;
                    found.concrete_functions = concrete_functions(content)?;
                }
                _ => {}
            }
        }
        match assets_in(bytes) {
            Ok(assets) => found.assets = assets.into_iter().map(Asset::new).collect(),
            Err(error) => found.assets_error = Some(error),
        }
        found.special_ops.extend(found.signatures.iter().filter_map(SpecialOp::of_signature));
        found.graph.name_aliases(&aliases);
        let trainable = trainable(bytes)?;
        if let Some(trainable) = trainable {
            for variable in &mut found.graph.variables {
                variable.trainable = Some(trainable.binary_search(&variable.name).is_ok());
            }
        }
        Ok(found)
    }

    /// The concrete function of this name.
    pub fn concrete_function(&self, name: &str) -> Option<&ConcreteFunction> {
        let order = |function: &ConcreteFunction| function.name.as_str().cmp(name);
        let at = self.concrete_functions.binary_search_by(order).ok()?;
        self.concrete_functions.get(at)
    }

    /// Takes in what is said of it; returns the functions that have another name, with that.
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

/// The nodes of the variables in the collection of trainable ones, sorted; `None` without that collection.
fn trainable(meta_graph: &[u8]) -> Result<Option<Vec<String>>> {
    for record in nested(meta_graph, meta_graph_def::COLLECTION_DEF) {
        let record = record?;
        let entry = content(&record);
        let is_it = nested(entry, map_entry::KEY)
            .any(|key| key.is_ok_and(|key| content(&key) == b"trainable_variables"));
        if !is_it {
            continue;
        }
        let mut names = Vec::new();
        for value in nested(entry, map_entry::VALUE) {
            let collection: tensorflow::CollectionDef = decode(content(&value?))?;
            let Some(tensorflow::collection_def::Kind::BytesList(list)) = collection.kind else {
                continue;
            };
            for bytes in list.value {
                // Whoever puts something else there has no variable in it.
                let variable = tensorflow::VariableDef::decode(bytes.as_slice());
                names.extend(variable.map(|variable| node_of(&variable.variable_name).to_owned()));
            }
        }
        names.sort_unstable();
        return Ok(Some(names));
    }
    Ok(None)
}

impl Saver {
    fn new(saver: tensorflow::SaverDef) -> Self {
        Self {
            format: match saver.version() {
                tensorflow::saver_def::CheckpointFormatVersion::Legacy => "legacy",
                tensorflow::saver_def::CheckpointFormatVersion::V1 => "V1",
                tensorflow::saver_def::CheckpointFormatVersion::V2 => "V2",
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
    fn new(entry: &[u8]) -> Result<Self> {
        let mut found = Self { name: key(entry)?, kind: None, items: 0 };
        for value in nested(entry, map_entry::VALUE) {
            let collection: tensorflow::CollectionDef = decode(content(&value?))?;
            let (kind, items) = match collection.kind {
                Some(tensorflow::collection_def::Kind::NodeList(list)) => {
                    ("node_list", list.value.len())
                }
                Some(tensorflow::collection_def::Kind::BytesList(list)) => {
                    ("bytes_list", list.value.len())
                }
                Some(tensorflow::collection_def::Kind::Int64List(list)) => {
                    ("int64_list", list.value.len())
                }
                Some(tensorflow::collection_def::Kind::FloatList(list)) => {
                    ("float_list", list.value.len())
                }
                Some(tensorflow::collection_def::Kind::AnyList(list)) => {
                    ("any_list", list.value.len())
                }
                None => continue,
            };
            (found.kind, found.items) = (Some(kind), items as u64);
        }
        Ok(found)
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

/// The node of a tensor's name.
fn node_of(tensor: &str) -> &str {
    tensor.rsplit_once(':').map_or(tensor, |(node, _)| node)
}
